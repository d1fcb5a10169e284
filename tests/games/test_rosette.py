"""Rosette, ruling by ruling (Mark Berger's rules; numbers R1 … R3 and R-a … R-f are the worked cases and rulings)."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from service.engine.game import Ambiguous, Illegal, MoveError, OutOfTurn, Position, Unreadable
from service.engine.options import OptionError
from service.games import GAMES
from service.games.rosette import hexagons, rosette_board
from service.render.text import text as text_board

ROSETTE = GAMES["rosette"]


def played(start: Position, moves: str) -> Position:
    """`start` after moves separated by commas, each by the first seat of `turns`."""
    position = start
    for move in moves.split(","):
        position = position.play(position.turns[0], move.strip())
    return position


def stones(position: Position, side: str) -> str:
    return " ".join(name for name, occupant in position.occupants.items() if occupant == side)


def refusal(position: Position, move: str) -> str:
    with pytest.raises(Illegal) as caught:
        position.play(position.turns[0], move)
    assert move not in position.moves(position.turns[0])
    return str(caught.value)


@pytest.mark.parametrize(
    ("base", "points", "edges", "hexes"), [(5, 150, 210, 61), (6, 216, 306, 91), (7, 294, 420, 127)]
)
def test_board_sizes(base: int, points: int, edges: int, hexes: int) -> None:
    """R-f and the verified numbers of the board."""
    board = rosette_board(base)
    degrees = [len(around) for around in board.neighbours]
    assert (len(board.names), sum(degrees) // 2, len(hexagons(base))) == (points, edges, hexes)
    assert (degrees.count(3), degrees.count(2)) == (6 * base * (base - 1), 6 * base)
    assert all(one in board.neighbours[two] for one, around in enumerate(board.neighbours) for two in around)
    assert len(set(board.text_at)) == points
    assert max(column + len(text) for _, column, text in board.text_labels) <= 72
    columns = [column for _, column in board.text_at]
    labels = [(text, column) for _, column, text in board.text_labels if text.isdigit()]
    left, right = (
        [text for text, column in labels if beyond(column)] for beyond in (min(columns).__gt__, max(columns).__lt__)
    )
    assert left == right == [str(height) for height in range(1, 4 * base)]


def test_point_names_of_base_7() -> None:
    board = rosette_board(7)
    ends = {letter: [int(name[1:]) for name in board.names if name[0] == letter] for letter in "abghn"}
    assert {letter: (min(heights), max(heights)) for letter, heights in ends.items()} == {
        "a": (7, 21),
        "b": (6, 22),
        "g": (1, 27),
        "h": (1, 27),
        "n": (7, 21),
    }
    centre = {board.index[name] for name in ["g13", "g14", "g15", "h13", "h14", "h15"]}
    assert centre in [set(points) for points in hexagons(7)]


def test_neighbours_are_drawn_one_apart() -> None:
    board = rosette_board(5)
    for (x, y), (u, v) in board.lines:
        assert (x - u) ** 2 + (y - v) ** 2 == pytest.approx(1, abs=0.01)


def test_r1_ko() -> None:
    start = ROSETTE.start(setup="black: f12 f14; white: e12 e14 f13")
    after = played(start, "e13")
    assert after.facts == {"captured": {"white": 1}, "prisoners": {"black": {"white": 1}}}
    assert "superko" in refusal(after, "f13")
    later = played(after, "a7, n7")
    assert stones(played(later, "f13"), "black") == "f12 f14 n7"


def test_r2_suicide_is_illegal() -> None:
    start = ROSETTE.start(setup="white: e12 e14 f13")
    message = refusal(start, "e13")
    assert message == "e13 would leave your chain without a liberty (suicide)."


def test_r3_capturing_makes_a_liberty() -> None:
    start = ROSETTE.start(setup="black: f12 f14; white: f13")
    assert stones(played(start, "e13"), "white") == ""


ROSETTE_STONES = "g13 g14 g15 h13 h14 h15"
AROUND = ["f13", "f15", "g12", "g16", "h12", "h16", "i13", "i15", "f14", "i14"]


def around(base: int, names: str) -> list[str]:
    board = rosette_board(base)
    points = {board.index[name] for name in names.split()}
    return [board.names[near] for near in sorted({n for p in points for n in board.neighbours[p]} - points)]


def test_a_rosette_lives_without_liberties() -> None:
    """A chain with a rosette stays when its last liberty is filled; one without a rosette is captured."""
    outside = around(7, ROSETTE_STONES)
    assert len(outside) == 6
    start = ROSETTE.start(setup=f"black: {ROSETTE_STONES}; white: {' '.join(outside[1:])}; turn: white")
    assert stones(played(start, outside[0]), "black") == ROSETTE_STONES
    broken = ROSETTE_STONES.removesuffix(" h15")
    outside = around(7, broken)
    start = ROSETTE.start(setup=f"black: {broken}; white: {' '.join(outside[1:])}; turn: white")
    assert played(start, outside[0]).facts["captured"] == {"black": 5}


def test_r_a_a_stone_without_liberties_may_complete_a_rosette() -> None:
    broken = ROSETTE_STONES.removesuffix(" h15")
    rest = " ".join(around(7, ROSETTE_STONES))
    start = ROSETTE.start(setup=f"black: {broken}; white: {rest}; turn: black")
    after = played(start, "h15")
    assert stones(after, "black") == ROSETTE_STONES
    assert after.facts["captured"] == {}


def test_r_a_a_stone_without_liberties_may_join_a_rosette() -> None:
    outside = around(7, ROSETTE_STONES)
    beyond = around(7, f"{ROSETTE_STONES} {outside[0]}")
    start = ROSETTE.start(setup=f"black: {ROSETTE_STONES}; white: {' '.join(beyond)}")
    assert stones(played(start, outside[0]), "black").count(" ") == 6


def test_r_b_superko_is_situational_and_counts_positions_after_passes() -> None:
    """White may not retake the ko immediately, but may after a pass and a black move elsewhere."""
    start = ROSETTE.start(setup="black: f12 f14; white: e12 e14 f13")
    taken = played(start, "e13")
    assert "f13" not in taken.moves(1)
    assert taken.play(1, "pass").turns == (0,)
    assert "f13" in played(taken, "pass, a7").moves(1)


def test_two_passes_lead_to_scoring_with_nothing_dead() -> None:
    scoring = played(ROSETTE.start(), "g14, pass, pass")
    assert (scoring.phase, scoring.turns, scoring.outcome) == ("scoring", (0, 1), None)
    assert list(scoring.moves(1)) == ["accept", "resume"]
    assert scoring.facts["points"] == {"black": "294", "white": "9/2"}
    assert scoring.facts["territory"] == {"black": 293, "white": 0}


def agreed(setup: str, dead: str, counting: str = "area") -> Position:
    start = ROSETTE.start(setup=setup, counting=counting)
    return played(start, f"pass, pass, {dead}, accept")


def test_r_c_area_and_territory() -> None:
    """A black wall around the corner a7, with a dead white stone inside and another white stone outside."""
    setup = "black: a11 b9 b10 c8 c7 b7 b6 c6 b8 b11 a12 a13 c5; white: a8 n20; prisoners: black white 2"
    area, dead = agreed(setup, "dead a8"), agreed(setup, "dead a8", counting="territory")
    assert area.occupants.get("a8") is None
    assert area.facts["territory"] == dead.facts["territory"] == {"black": 4, "white": 0}
    assert area.facts["points"] == {"black": "17", "white": "11/2"}
    assert dead.facts["points"] == {"black": "4", "white": "3/2"}
    assert dead.facts["prisoners"] == {"black": {"white": 3}}
    assert area.outcome is not None
    assert area.outcome.scores == (Fraction(1), Fraction(0))


def test_r_d_areas_that_both_border_count_for_nobody() -> None:
    over = agreed("black: g14; white: h14", "dead none")
    assert over.facts["territory"] == {"black": 0, "white": 0}
    assert over.facts["points"] == {"black": "1", "white": "11/2"}


def test_a_chain_with_a_rosette_cannot_be_dead() -> None:
    scoring = played(ROSETTE.start(setup=f"black: {ROSETTE_STONES} a8"), "pass, pass")
    with pytest.raises(Illegal, match="cannot be captured"):
        scoring.play(1, "dead g13")
    assert scoring.play(1, "dead a8").turns == (0,)


def test_a_new_proposal_cancels_earlier_acceptances() -> None:
    scoring = played(ROSETTE.start(setup="black: g14 a8; white: n7"), "pass, pass")
    accepted = scoring.play(0, "accept")
    assert accepted.turns == (1,)
    proposed = accepted.play(1, "dead a8 g14")
    assert (proposed.phase, proposed.turns) == ("scoring", (0,))
    changed = proposed.play(0, "dead n7")
    assert changed.turns == (1,)
    over = changed.play(1, "accept")
    assert (over.phase, over.turns) == ("over", ())
    assert over.occupants == {"g14": "black", "a8": "black"}


def test_after_resuming_the_next_seat_moves_and_the_second_end_is_counted() -> None:
    scoring = played(ROSETTE.start(), "g14, pass, pass")
    again = scoring.play(1, "resume")
    assert (again.phase, again.turns, again.round) == ("play", (1,), scoring.round + 1)
    over = played(again, "h14, pass, pass")
    assert over.phase == "over"
    assert over.facts["points"] == {"black": "1", "white": "11/2"}


def test_resignation_in_play_and_in_scoring() -> None:
    over = ROSETTE.start().play(1, "resign")
    assert over.outcome is not None
    assert (over.outcome.scores, over.outcome.reason) == ((Fraction(1), Fraction(0)), "resignation")
    scoring = played(ROSETTE.start(), "pass, pass")
    assert scoring.play(0, "resign").outcome == over.outcome.shared(2, (1,), "resignation")
    with pytest.raises(OutOfTurn):
        over.play(0, "g14")


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("g14", "g14"),
        ("  G 14 ", "g14"),
        ("G-14.", "g14"),
        ("play g14", "g14"),
        ("I play G14!", "g14"),
        ("my move is g14", "g14"),
        ("Move: g14", "g14"),
        ("g07", "g7"),
        ("> PASS", "pass"),
        ("i resign.", "resign"),
        ("z99", "z99"),
        ("dead: G14, h3", "dead g14 h3"),
    ],
)
def test_reading_is_liberal(text: str, move: str) -> None:
    assert ROSETTE.start().read(0, text) == move


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", Unreadable, "for example a7"),
        (
            "Oh, an unusual spot. Let me think about this, I'll answer tonight.",
            Unreadable,
            "\"Oh, an unusual spot. Let me think about this, I'll answer...\" isn't a move here.",
        ),
        ("hello", Unreadable, "'hello' isn't a move here. Write a point, for example a7"),
        ("g14 thanks", Unreadable, "Did you mean g14?"),
        ("g14 or h14", Ambiguous, "g14 or h14"),
        ("dead", Unreadable, "dead c3 f7"),
        ("g14h14", Unreadable, "Write a point"),
    ],
)
def test_unreadable_and_ambiguous_moves(text: str, kind: type[MoveError], words: str) -> None:
    with pytest.raises(kind) as caught:
        ROSETTE.start().read(0, text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("g13", "g13 is taken by White."),
        ("a1", "There's no point a1 on this board."),
        ("accept", "Play hasn't ended yet"),
        ("dead g13", "Play hasn't ended yet"),
    ],
)
def test_illegal_moves(move: str, words: str) -> None:
    assert words in refusal(ROSETTE.start(setup="white: g13"), move)


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ("black: a1", "no point 'a1'"),
        ("black: a8; white: a8", "a8 is given twice"),
        ("red: a8", "isn't part of a setup"),
        ("marker: 3", "isn't part of a setup"),
        ("turn: red", "not one of the sides"),
        ("black: a7; white: a8 b7", "no liberty"),
        ("prisoners: black", "pairs"),
        ("prisoners: black black 3", "its own colour"),
        ("prisoners: black white x", "whole number"),
    ],
)
def test_bad_setups(setup: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        ROSETTE.start(setup=setup)


def test_the_picture_shows_the_last_move() -> None:
    after = played(ROSETTE.start(setup="black: f12 f14; white: e12 e14 f13"), "e13")
    scene = after.view(None)
    assert scene.marks == {scene.board.index["e13"]: ("last",), scene.board.index["f13"]: ("captured",)}
    assert scene.notes == ("Black played e13 and captured 1 stone: f13.",)
    assert dict(scene.facts) == {"Prisoners": "Black 1, White 0", "Komi": "4.5"}
    scoring = played(after, "pass, pass, dead e12 e14").view(0)
    assert "dead" in scoring.marks[scoring.board.index["e12"]]
    assert "territory" in scoring.marks[scoring.board.index["a7"]]
    assert scoring.notes[-3:-1] == (
        "Black proposes as dead: e12 e14.",
        "Accepted by Black. Still to accept: White.",
    )
    longer = played(ROSETTE.start(setup="black: g11 g12 g13; white: c10"), "pass, pass, dead g12").view(0)
    assert longer.notes[-3] == "Black proposes as dead: the chain at g11, 3 stones in all."
    assert re.fullmatch(r"With this count, Black would win by \d+\.5 points\.", scoring.notes[-1])


def test_the_heights_of_the_text_board_have_their_number_on_both_sides() -> None:
    lines = text_board(ROSETTE.start(2, base="5").view(None)).splitlines()
    rows = [line.split() for line in lines if line.strip()[:1].isdigit()]
    assert [(row[0], row[-1]) for row in rows] == [(str(number), str(number)) for number in range(19, 0, -1)]
