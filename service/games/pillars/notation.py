"""Moves as text: canonical writing, liberal reading.

Canonical text uses the inventor's letters: `E3-E5` for a Sword, `ME-C5`, `(A)xI1=(MA)`, `O-O-A`. The coordinate
form `f3i1=V~` is read as well, and so is any other text that can only mean one move.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from service.engine.game import Ambiguous
from service.games.pillars.board import FILES, SIZE, SQUARE_NAMES, Square, squares_of
from service.games.pillars.moves import becomes, legal_moves, pseudo_targets
from service.games.pillars.pieces import (
    BLACK,
    FEN_LETTERS,
    KIND,
    KINDS,
    KING,
    LETTERS,
    MORPH,
    SWORD,
    WHITE,
    Piece,
    letters,
)
from service.games.pillars.state import CASTLES, Move, State

_NAMES = tuple(name.upper() for name in SQUARE_NAMES)
_CASTLING = {way.tower: f"O-O-{way.letter.upper()}" for ways in CASTLES.values() for way in ways}
_NUMBERS = {name: square for square, name in enumerate(_NAMES)}
_PIECES = {None: SWORD} | {letters(kind | morph): kind | morph for kind in KINDS for morph in (0, MORPH)}
_CANONICAL = re.compile(r"(MA|ME|[THAPSQK]|\([WTHAPSQME]+\))?([A-K][0-9]*)?[-x]([A-K][0-9]+)(?:=(.+))?")
_IGNORED = r"[\s\-\u2010-\u2015\u2212+#!?.,;:]"
_BEFORE = r"(?i)^\s*(?:[0-9]+\.+|(?:(?:i|my)\s+)?(?:play|move)s?\b(?:\s+is\b)?)"
"""A move number, as in `12. P-D5`, or words, as in `I play P-D5` and `Move: P-D5`."""
_NOTE = r"(?i)\s\[Dia\b[^\[\]]{0,20}\]\s*$"
"""A note that the move has a diagram, as in the inventor's sample game: `S - D11 ??? [Dia. No. 1]`."""


def write_moves(board: Sequence[Piece], moves: Sequence[Move]) -> dict[str, Move]:
    """The canonical text of each of `moves`, which are all the legal moves on `board`, in their order."""
    starts: dict[tuple[Piece, Square], set[Square]] = defaultdict(set)
    for start, end, _ in moves:
        starts[board[start], end].add(start)
    return {_write(board, move, starts[board[move[0]], move[1]]): move for move in moves}


def _write(board: Sequence[Piece], move: Move, starts: set[Square]) -> str:
    """The text of one move; from `starts`, pieces of the same kind may go to the same square."""
    start, end, then = move
    piece = board[start]
    if is_castling(board, move):
        return _CASTLING[end]
    if piece & (KIND | MORPH) == SWORD:
        mover = _NAMES[start]
    else:
        mover = letters(piece) + (_origin(start, starts) if len(starts) > 1 else "")
    turned = f"={letters(then)}" if then != piece else ""
    return f"{mover}{'x' if board[end] else '-'}{_NAMES[end]}{turned}"


def is_castling(board: Sequence[Piece], move: Move) -> bool:
    """Whether a move is castling: the King's onto his own Tower, the only move that ends on a piece of its own side."""
    return bool(board[move[1]] & board[move[0]] & (WHITE | BLACK))


def _origin(start: Square, starts: set[Square]) -> str:
    """The file if that distinguishes the piece from the others, else the whole square; never the rank alone."""
    same_file = sum(other % SIZE == start % SIZE for other in starts)
    return _NAMES[start] if same_file > 1 else _file(start)


def _file(square: Square) -> str:
    return FILES[square % SIZE].upper()


def plain(text: str) -> str:
    """`text` in capitals, without a move number, a note about a diagram, and ignored characters."""
    return re.sub(_IGNORED, "", re.sub(_NOTE, "", re.sub(_BEFORE, "", text))).upper().replace("\u00d7", "X")


def find(board: Sequence[Piece], written: Mapping[str, Move], text: str) -> str | None:
    """The canonical text that `text` means, None if it fits no legal move; raises Ambiguous if it fits several.

    Canonical text has precedence, so `A-B3` is an Advisor's move although it could be a Sword's on the A-file.
    """
    wanted = plain(text)
    for canonical in written:
        if canonical.upper().replace("-", "") == wanted:
            return canonical
    bare = wanted.replace("X", "")
    fitting = tuple(
        canonical
        for canonical, move in written.items()
        if bare in _spellings(board, move) and ("X" not in wanted or "x" in canonical)
    )
    if len(fitting) > 1:
        said = " ".join(text.split())[:40]
        raise Ambiguous(f"{said} fits several moves: {', '.join(fitting)}. Send one of them.", fitting)
    return fitting[0] if fitting else None


def _spellings(board: Sequence[Piece], move: Move) -> Iterator[str]:
    """Everything a player may write for a move, as `plain` returns it, without the `X` of a capture."""
    start, end, _ = move
    piece = board[start]
    if is_castling(board, move):
        yield f"OO{_file(end)}"
        yield f"00{_file(end)}"
    movers = ["", "W"] if piece & (KIND | MORPH) == SWORD else [letters(piece)]
    origins = ["", _file(start), _NAMES[start]]
    for turned in _turn_spellings(board, move):
        yield f"{_NAMES[start]}{_NAMES[end]}{turned}"
        yield from (f"{mover}{origin}{_NAMES[end]}{turned}" for mover in movers for origin in origins)


def _turn_spellings(board: Sequence[Piece], move: Move) -> list[str]:
    """What may follow the squares; staying the same piece and promotion may be left out."""
    start, end, then = move
    piece = board[start]
    unsaid = [""] if then in becomes(piece, 0, end) else []
    if then & MORPH or then != piece:
        return [*unsaid, *(f"={spelling}" for spelling in _piece_spellings(then))]
    return unsaid


def _piece_spellings(piece: Piece) -> Iterator[str]:
    for letter in {LETTERS[piece & KIND], FEN_LETTERS[piece & KIND]}:
        if piece & MORPH:
            yield f"({letter})"
            yield f"{letter}~"
        else:
            yield letter


def trusted(state: State, text: str) -> Move | None:
    """The move that a canonical text means, assumed to be legal; None if `text` isn't a canonical move.

    Faster than writing all legal moves: it looks only at pieces that could be meant.
    """
    if text in ("O-O-A", "O-O-K"):
        way = next(way for way in CASTLES[state.side] if _CASTLING[way.tower] == text)
        return way.king, way.tower, state.side | KING
    shape = _CANONICAL.fullmatch(text)
    if not shape:
        return None
    mover, origin, to, turned = shape.groups()
    end, piece = _NUMBERS[to], _PIECES[mover] | state.side
    if origin in _NUMBERS:
        starts = [_NUMBERS[origin]]
    else:
        starts = [start for start in squares_of(state.board, piece) if origin in (None, _file(start))]
    if len(starts) > 1:
        starts = [start for start in starts if end in pseudo_targets(state.board, start)]
    if len(starts) > 1:
        starts = [start for start, target, _ in legal_moves(state) if target == end and start in starts]
    return (starts[0], end, _PIECES[turned] | state.side if turned else piece) if starts else None
