"""A position as a scene: pieces, marks, and the words beside the board."""

from __future__ import annotations

from service.engine.scene import Piece as Drawn
from service.engine.scene import Scene
from service.games.pillars.attacks import stones
from service.games.pillars.board import SQUARE_NAMES, Square, drawn_board
from service.games.pillars.notation import is_castling
from service.games.pillars.pieces import BLACK, FEN_LETTERS, KIND, KINDS, LETTERS, MORPH, NAMES, WHITE, fen_letter, name
from service.games.pillars.state import Move, State

_COLOURS = ("white", "black")
_SCENE_KINDS = tuple(kind.lower().replace(" ", "-") for kind in NAMES)


def _told(kind: int) -> str:
    """The name, with the letters used in moves if they differ from those in the picture."""
    return NAMES[kind] if LETTERS[kind] == FEN_LETTERS[kind] else f"{NAMES[kind]} ({LETTERS[kind]})"


_LEGEND = (("ABC", "White"), ("abc", "Black"), *((fen_letter(WHITE | kind), _told(kind)) for kind in KINDS))


QUIET = "Half-moves without a capture or Sword move"


def picture(state: State, last: tuple[str, Move, bytes] | None, check: bool, notes: tuple[str, ...]) -> Scene:
    """The public scene. `last` is the last move as text with `+` or `#`, as a move, and with the board before it."""
    stone = stones(state.board)
    told = (_last_note(*last),) if last else ()
    return Scene(
        board=drawn_board(),
        pieces={square: _drawn(piece, square in stone) for square, piece in enumerate(state.board) if piece},
        colours=_COLOURS,
        marks=_marks(state, last, check),
        legend=_LEGEND,
        facts=(
            ("Stone", _stone_text(state.board, stone)),
            (QUIET, f"{state.quiet} of 100"),
        ),
        counting=(QUIET,),
        notes=(*told, *notes),
        title="Pillars of Medusa",
    )


def _drawn(piece: int, stone: bool) -> Drawn:
    return Drawn(
        side=1 if piece & BLACK else 0,
        symbol=fen_letter(piece)[0],
        kind=_SCENE_KINDS[piece & KIND],
        petrified=stone,
        morph=bool(piece & MORPH),
    )


def _marks(state: State, last: tuple[str, Move, bytes] | None, check: bool) -> dict[Square, tuple[str, ...]]:
    marks: dict[Square, tuple[str, ...]] = {}
    if last:
        _, move, before = last
        start, end, _ = move
        marks[start] = ("last",) if is_castling(before, move) else ("origin",)
        marks[end] = ("last",)
    if check:
        marks[state.king] = (*marks.get(state.king, ()), "check")
    return marks


def _stone_text(board: bytes, stone: list[Square]) -> str:
    """`White none, Black D8 E9`."""
    named = [
        (owner, [SQUARE_NAMES[square].upper() for square in stone if board[square] & side])
        for owner, side in (("White", WHITE), ("Black", BLACK))
    ]
    return ", ".join(f"{owner} {' '.join(squares) or 'none'}" for owner, squares in named)


def _last_note(text: str, move: Move, before: bytes) -> str:
    _, end, then = move
    owner = "White" if then & WHITE else "Black"
    if before[end] and not is_castling(before, move):
        taken = name(before[end])
        return f"{owner} played {text} and took {'an' if taken.startswith('A') else 'a'} {taken}."
    return f"{owner} played {text}."
