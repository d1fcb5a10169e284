"""The reasons for a move of a piece: which pieces it attacks, defends, petrifies or frees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from service.games.pillars.attacks import attackers, is_attacked, is_stone
from service.games.pillars.board import SIZE, SQUARE_NAMES, SQUARES, Square
from service.games.pillars.moves import pseudo_targets
from service.games.pillars.notation import is_castling
from service.games.pillars.pieces import (
    ADVISOR,
    BLACK,
    HORSE,
    KIND,
    KING,
    MEDUSA,
    MOUNTED_ADVISOR,
    PILLAR,
    QUEEN,
    SERPENT,
    SWORD,
    TOWER,
    WHITE,
    Piece,
    name,
)
from service.games.pillars.position import PillarsPosition
from service.games.pillars.state import Move

Found: TypeAlias = tuple[str, int, str]
"""The kind of a reason, a number of squares, and a piece, with its square if that matters."""

KINDS = (
    "check",
    "takes",
    "becomes",
    "petrifies",
    "castles",
    "escapes",
    "attacks",
    "defends",
    "shields",
    "develops",
    "covers",
    "opens",
    "hems",
    "advances",
    "plays",
)
"""All kinds of reasons, the strongest first."""
RANKED = (SWORD, HORSE, ADVISOR, TOWER, MOUNTED_ADVISOR, PILLAR, SERPENT, QUEEN, MEDUSA, KING)
"""The kinds of pieces, the least valuable first."""
SOME = 2
"""The smallest change in reachable squares that is a reason."""


def of_piece(before: PillarsPosition, after: PillarsPosition, text: str) -> Found:
    """The strongest reason for a move in `before.written`."""
    return next(_found(before, after, before.written[text]), ("plays", 0, ""))


def _found(before: PillarsPosition, after: PillarsPosition, move: Move) -> Iterator[Found]:
    """The reasons for a move, the strongest first."""
    old, new, mine, other = before.state.board, after.state.board, before.state.side, before.state.other
    start, end, then = move
    if after.check:
        yield "check", 0, ""
    if old[end] & other:
        yield "takes", 0, name(old[end])
    if then & KIND != old[start] & KIND:
        yield "becomes", 0, name(then)
    yield from _one("petrifies", new, (one for one in _of(new, other) if is_stone(new, one) and not is_stone(old, one)))
    if is_castling(old, move):
        yield "castles", 0, ""
    if is_attacked(old, start, other) and not is_attacked(new, end, other):
        yield "escapes", 0, name(old[start])
    yield from _one("attacks", new, _attacked(old, new, mine, move))
    stay = [*_stay(old, new, mine)]
    better = [one for one in stay if not is_attacked(old, one, mine) and is_attacked(new, one, mine)]
    yield from _one("defends", new, (one for one in better if is_attacked(new, one, other)))
    yield from _one(
        "shields", new, (one for one in stay if is_attacked(old, one, other) > is_attacked(new, one, other))
    )
    if _home(start, mine) and not _home(end, mine) and old[start] & KIND not in (SWORD, KING):
        yield "develops", 0, name(old[start])
    yield from _one("covers", new, (one for one in better if new[one] & KIND not in (SWORD, KING)))
    yield from _by_room(old, new, mine, other)
    if then & KIND == SWORD:
        yield "advances", 0, " and ".join(_ahead(end, mine))


def _one(kind: str, board: Sequence[Piece], squares: Iterable[Square]) -> Iterator[Found]:
    """The reason about the most valuable of these pieces, if there are any."""
    found = max(squares, key=_worth(board), default=-1)
    if found >= 0:
        yield kind, 0, f"{name(board[found])} on {SQUARE_NAMES[found].upper()}"


def _worth(board: Sequence[Piece]) -> Callable[[Square], int]:
    return lambda square: RANKED.index(board[square] & KIND)


def _of(board: Sequence[Piece], side: int) -> Iterator[Square]:
    return (square for square in SQUARES if board[square] & side)


def _stay(old: Sequence[Piece], new: Sequence[Piece], side: int) -> Iterator[Square]:
    """The squares whose piece of this side, except the King, is the same before and after the move."""
    return (one for one in _of(old, side) if old[one] == new[one] and old[one] & KIND != KING)


def _attacked(old: Sequence[Piece], new: Sequence[Piece], mine: int, move: Move) -> Iterator[Square]:
    """The squares of enemy pieces with a new attacker, except defended Swords."""
    start, end, _ = move
    for square in _of(new, mine ^ WHITE ^ BLACK):
        known = {end if one == start else one for one in attackers(old, square, mine)}
        swords = new[square] & KIND == SWORD
        if {*attackers(new, square, mine)} - known and not (swords and is_attacked(new, square, mine ^ WHITE ^ BLACK)):
            yield square


def _home(square: Square, side: int) -> bool:
    """Whether a square is on one of the two ranks where this side's pieces start."""
    rank = square // SIZE
    return rank < 2 if side == WHITE else rank >= SIZE - 2


def _ahead(square: Square, side: int) -> Iterator[str]:
    """The squares that a Sword attacks, by name."""
    step = 1 if side == WHITE else -1
    rank, file = divmod(square, SIZE)
    for near in (file - 1, file + 1):
        if 0 <= near < SIZE and 0 <= rank + step < SIZE:
            yield SQUARE_NAMES[SIZE * (rank + step) + near].upper()


def _by_room(old: Sequence[Piece], new: Sequence[Piece], mine: int, other: int) -> Iterator[Found]:
    """How many more squares this side's pieces reach, and how many fewer the other side's do."""
    more = _reach(new, mine) - _reach(old, mine)
    if more >= SOME:
        yield "opens", more, ""
    fewer = _reach(old, other) - _reach(new, other)
    if fewer >= SOME:
        yield "hems", fewer, ""


def _reach(board: Sequence[Piece], side: int) -> int:
    return sum(len(pseudo_targets(board, square)) for square in _of(board, side) if not is_stone(board, square))
