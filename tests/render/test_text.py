"""The text board: literal boards, and reading back any scene."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.board import Board
from service.engine.scene import MARKS, STONES, Piece, Scene
from service.games import GAMES
from service.render.art.cell_look import look
from service.render.text import WIDTH, Seen, read, text
from tests.render.boards import COLOURS, cells, chess, graph, square

BLACK, WHITE = Piece(0, "X"), Piece(1, "O")
SMALL = square(3)
SQUARES = chess(4)


CAPTURE = """
    a b c
 3  X*. O  3
 2  .[X].  2
 1  . .%X  1
    a b c

X Black   O White
[ ] last move   % changed colour   * captured here
"""
COUNTING = """
    a b c
 3  X x .  3
 2  xxO .  2
 1 _O . .  1
    a b c

X Black   O White   x Black's territory
_ dead   xO dead there
"""
CROWDED = """
     a  b  c  d
 4   .  .  . +k
 3   .  .  .  .
 2   . #q  .  .
 1   M  . [T] .
     a  b  c  d

T Tower   M Medusa   Q Queen   K King
[ ] last move   + in check   # stone
Also: b2 Morph; c1 captured here
"""


def at(board: Board, **cells: Piece) -> dict[int, Piece]:
    return {board.index[name]: piece for name, piece in cells.items()}


def test_a_capture() -> None:
    scene = Scene(
        SMALL,
        at(SMALL, a3=BLACK, b2=BLACK, c3=WHITE, c1=BLACK),
        ("black", "white"),
        {SMALL.index["b2"]: ("last",), SMALL.index["b3"]: ("captured",), SMALL.index["c1"]: ("reversed",)},
    )
    assert text(scene) == CAPTURE.strip("\n")


def test_a_bracket_is_closed_next_to_a_captured_point() -> None:
    scene = Scene(
        SMALL,
        at(SMALL, b2=BLACK, a1=WHITE),
        ("black", "white"),
        {SMALL.index["b2"]: ("ghost",), SMALL.index["c2"]: ("captured",), SMALL.index["a2"]: ("captured",)},
    )
    assert text(scene).split("\n")[2] == " 2 *.(X).  2"
    assert text(scene).endswith("Also: c2 captured here")


def test_counting() -> None:
    dead = {SMALL.index["b2"]: ("dead",), SMALL.index["a1"]: ("dead",)}
    owners = {SMALL.index[name]: 0 for name in ("a2", "b3", "b2")}
    scene = Scene(SMALL, at(SMALL, a3=BLACK, b2=WHITE, a1=WHITE), ("black", "white"), dead, owners)
    assert text(scene) == COUNTING.strip("\n")


def test_marks_that_dont_fit_next_to_a_piece_are_described_below() -> None:
    pieces = at(
        SQUARES,
        a1=Piece(0, "M", "medusa"),
        b2=Piece(1, "q", "queen", petrified=True, morph=True),
        d4=Piece(1, "k", "king"),
        c1=Piece(0, "T", "tower"),
    )
    marks = {SQUARES.index[cell]: mark for cell, mark in {"d4": ("check",), "c1": ("last", "captured")}.items()}
    legend = (("T", "Tower"), ("M", "Medusa"), ("Q", "Queen"), ("K", "King"))
    scene = Scene(SQUARES, pieces, ("white", "black"), marks, legend=legend)
    assert text(scene) == CROWDED.strip("\n")
    assert read(text(scene), SQUARES)["b2"] == Seen("q", frozenset({"petrified", "morph"}))


def scenes(board: Board, sides: int, kinds: tuple[str, ...]) -> st.SearchStrategy[Scene]:
    """Scenes with any pieces, marks and owners on any cells."""
    every = st.integers(0, len(board.names) - 1)
    stones = st.builds(lambda side: Piece(side, STONES[COLOURS[side]]), st.integers(0, sides - 1))
    figures = st.builds(
        lambda side, kind, stone, morph: Piece(side, kind[0].lower() if side else kind[0].upper(), kind, stone, morph),
        st.integers(0, 1),
        st.sampled_from(kinds or ("stone",)),
        st.booleans(),
        st.booleans(),
    )
    marks = st.lists(st.sampled_from([mark for mark in MARKS if mark != "reversed" or sides == 2]), unique=True)
    return st.builds(
        lambda pieces, marks, owners: Scene(board, pieces, COLOURS[:sides], marks, owners),
        st.dictionaries(every, figures if kinds else stones),
        st.dictionaries(every, marks.map(tuple)),
        st.dictionaries(every, st.integers(0, sides - 1)) if not kinds else st.just({}),
    )


ANY_SCENE = st.one_of(
    scenes(square(5), 2, ()),
    scenes(square(7), 8, ()),
    scenes(graph(2), 2, ()),
    scenes(cells(4), 2, ()),
    scenes(chess(5), 2, ("king", "queen", "tower", "sword")),
)


@settings(max_examples=150, deadline=None)
@given(ANY_SCENE)
def test_a_text_board_can_be_read_back(scene: Scene) -> None:
    seen = read(text(scene), scene.board)
    for cell, name in enumerate(scene.board.names):
        shown = look(scene, cell)
        symbol = scene.pieces[cell].symbol if shown.colour else "."
        extra = {mark for mark, worn in {"petrified": shown.petrified, "morph": shown.morph}.items() if worn}
        assert seen[name] == Seen(symbol, frozenset({*shown.marks, *extra}), shown.owner)


@settings(max_examples=50, deadline=None)
@given(ANY_SCENE)
def test_lines_fit_into_an_email(scene: Scene) -> None:
    assert all(len(line) <= WIDTH and line == line.rstrip() for line in text(scene).split("\n"))


@pytest.mark.parametrize(("game", "size"), [("pillars", 11), ("go", 19)])
def test_files_are_above_and_below_and_ranks_on_both_sides(game: str, size: int) -> None:
    files, *ranks, below = text(GAMES[game].start().view(None)).split("\n\n")[0].split("\n")
    assert len(files.split()) == size
    assert files == below
    wanted = [str(rank) for rank in range(size, 0, -1)]
    assert [rank.split()[0] for rank in ranks] == [rank.split()[-1] for rank in ranks] == wanted


def test_other_text_is_refused() -> None:
    with pytest.raises(ValueError, match="has 5 lines, not 1"):
        read("nothing", SMALL)


def test_a_dead_stone_in_territory_has_the_owner_of_that_before_it() -> None:
    scene = Scene(square(5), {12: Piece(0, "X")}, COLOURS[:2], {12: ("dead",)}, {12: 1, 13: 1})
    shown = text(scene)
    assert "oX dead there" in shown
    seen = read(shown, scene.board)
    name, beside = scene.board.names[12], scene.board.names[13]
    assert (seen[name], seen[beside]) == (Seen("X", frozenset({"dead"}), "white"), Seen(".", frozenset(), "white"))
