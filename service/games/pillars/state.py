"""The pieces, the side to move and castling rights; the state after a move; and FEN, its text."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from service.engine.excerpt import told
from service.engine.options import OptionError
from service.games.pillars.attacks import is_attacked
from service.games.pillars.board import SIZE, SQUARE_NUMBERS, SQUARES, Ray, Square
from service.games.pillars.pieces import BLACK, FEN_LETTERS, KIND, KING, MORPH, SWORD, TOWER, WHITE, Piece, fen_letter

Move: TypeAlias = tuple[Square, Square, Piece]
"""From, to, and the piece that is then there. Castling is a move of the King onto his own Tower."""

START = "thavqksavht/wwwwpmpwwww/4wa~w4/5w5/11/11/11/5W5/4WA~W4/WWWWPMPWWWW/THAVQKSAVHT w AKak 0 1"  # The only setup.


class Castle(NamedTuple):
    """One way to castle: King and Tower change places, and `path` leads from the King to the Tower's square."""

    letter: str
    right: int
    king: Square
    tower: Square
    path: Ray
    between: slice
    """The squares of the board that must be empty."""


def _castle(letter: str, right: int, king: str, tower: str) -> Castle:
    start, end = SQUARE_NUMBERS[king], SQUARE_NUMBERS[tower]
    step = 1 if end > start else -1
    path = tuple(range(start + step, end + step, step))
    return Castle(letter, right, start, end, path, slice(min(start, end) + 1, max(start, end)))


CASTLES = {
    WHITE: (_castle("A", 1, "f1", "a1"), _castle("K", 2, "f1", "k1")),
    BLACK: (_castle("a", 4, "f11", "a11"), _castle("k", 8, "f11", "k11")),
}
_KEPT = [15] * len(SQUARES)
"""The castling rights that remain once a piece has left a square or arrived on it."""
for _ways in CASTLES.values():
    for _way in _ways:
        _KEPT[_way.king] &= ~_way.right
        _KEPT[_way.tower] &= ~_way.right


class State(NamedTuple):
    """One moment: a piece for each of the 121 squares, the side to move, and the counts in FEN."""

    board: bytes
    side: int
    """WHITE or BLACK."""
    rights: int
    """One bit for each `Castle.right`."""
    quiet: int
    """Half-moves since the last capture or Sword move."""
    number: int
    """The number of the move, which rises after Black's."""

    @property
    def other(self) -> int:
        return self.side ^ (WHITE | BLACK)

    @property
    def king(self) -> Square:
        """The square of the King of the side to move."""
        return self.board.index(self.side | KING)

    def after(self, move: Move) -> State:
        """The state after a move, which is assumed to be legal."""
        start, end, becomes = move
        board = bytearray(self.board)
        taken = board[end]
        board[end] = becomes
        castles = taken & self.side
        board[start] = taken if castles else 0
        quiet = castles or (not taken and self.board[start] & KIND != SWORD)
        return State(
            bytes(board),
            self.other,
            self.rights & _KEPT[start] & _KEPT[end],
            self.quiet + 1 if quiet else 0,
            self.number + (self.side == BLACK),
        )


def write_fen(state: State) -> str:
    """`thavqksavht/… w AKak 0 1`: rank 11 first, `~` after a Morph, runs of empty squares as numbers up to 11."""
    rows = (state.board[SIZE * rank : SIZE * (rank + 1)] for rank in reversed(range(SIZE)))
    placement = "/".join(_write_row(row) for row in rows)
    rights = "".join(way.letter for ways in CASTLES.values() for way in ways if state.rights & way.right)
    return f"{placement} {'w' if state.side == WHITE else 'b'} {rights or '-'} {state.quiet} {state.number}"


def _write_row(row: bytes) -> str:
    spelled = "".join(fen_letter(piece) if piece else "." for piece in row)
    return re.sub(r"\.+", lambda run: str(len(run[0])), spelled)


def read_fen(text: str) -> State:
    """The inverse of `write_fen`; fields left out at the end mean White, no castling, 0 and 1. Raises OptionError."""
    fields = text.split()
    if not 1 <= len(fields) <= 5:
        raise OptionError("A setup is a FEN of five fields: pieces, side to move, castling, quiet half-moves, number.")
    placement, side, rights, quiet, number = fields + ["w", "-", "0", "1"][len(fields) - 1 :]
    if side not in ("w", "b"):
        raise OptionError(f"The side to move must be w or b, not {told(side)}.")
    board = _read_placement(placement)
    state = State(
        board,
        WHITE if side == "w" else BLACK,
        _read_rights(board, rights),
        _read_count("quiet half-moves", quiet),
        _read_count("move number", number),
    )
    if is_attacked(board, board.index(state.other | KING), state.side):
        raise OptionError("The side to move could take the King: it must be the other side's turn.")
    return state


def _read_count(what: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", text):
        raise OptionError(f"The {what} must be a number, not {told(text)}.")
    return int(text)


def _read_placement(text: str) -> bytes:
    rows = text.split("/")
    if len(rows) != SIZE:
        raise OptionError(f"The pieces must be in {SIZE} rows with / between them; there are {len(rows)}.")
    board = b"".join(_read_row(row) for row in reversed(rows))
    for side, owner, last in ((WHITE, "White", board[-SIZE:]), (BLACK, "Black", board[:SIZE])):
        if board.count(side | KING) != 1:
            raise OptionError(f"{owner} must have exactly one King.")
        if side | SWORD in last or side | SWORD | MORPH in last:
            raise OptionError(f"A Sword of {owner} can't be on its last rank: it would have become a Medusa.")
    return board


def _read_row(text: str) -> bytes:
    row = bytearray()
    # A row isn't longer, since a square has at most two characters.
    for gap, letter, morph in re.findall(r"([0-9]+)|(.)(~?)", text[: 2 * SIZE + 1]):
        kind = FEN_LETTERS.find(letter.upper()) if letter else 0
        if kind < 0 or (kind == KING and morph):
            raise OptionError(f"{letter + morph!r} isn't a piece: use {' '.join(FEN_LETTERS[1:])}, ~ after a Morph.")
        side = WHITE if letter.isupper() else BLACK
        row += bytes(min(int(gap), SIZE + 1)) if gap else bytes([kind | side | (MORPH if morph else 0)])
    if len(row) != SIZE:
        raise OptionError(f"Each row must fill {SIZE} squares; {told(text)} does not.")
    return bytes(row)


def _read_rights(board: bytes, text: str) -> int:
    rights = 0
    for letter in text if text != "-" else "":
        way = next(((side, way) for side, ways in CASTLES.items() for way in ways if way.letter == letter), None)
        if way is None:
            raise OptionError(f"The castling field is made of A K a k, or is -; not {told(text)}.")
        side, castle = way
        if board[castle.king] != side | KING or board[castle.tower] != side | TOWER:
            raise OptionError(f"Castling {letter!r} needs the King and that Tower on their first squares.")
        rights |= castle.right
    return rights
