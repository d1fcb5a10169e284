"""Which pieces are stone, and which attack what.

A stone piece doesn't attack, so petrifying the checker is an answer to check, and a Medusa that moves away may free
a piece that then attacks her own King.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import compress

from service.games.pillars.board import AROUND, DIRECTIONS, LEAPS_FROM, RAYS, SIZE, SQUARES, Ray, Square, squares_of
from service.games.pillars.pieces import (
    BLACK,
    DIAGONAL,
    KIND,
    KING,
    LEAPING,
    MEDUSA,
    MEDUSA_REACH,
    MORPH,
    SIDES,
    STRAIGHT,
    SWORD,
    WHITE,
    Piece,
)


def _strikers(side: int, direction: tuple[int, int], distance: int) -> frozenset[Piece]:
    """The pieces of `side` that attack a square from `distance` squares away in `direction`, seen from that square."""
    across, up = direction
    kinds = set(DIAGONAL if across and up else STRAIGHT)
    if distance > MEDUSA_REACH:
        kinds.discard(MEDUSA)
    if distance == 1:
        kinds.add(KING)
    if distance == 1 and across and up == (-1 if side == WHITE else 1):
        kinds.add(SWORD)
    return _pieces(side, kinds)


def _pieces(side: int, kinds: Collection[int]) -> frozenset[Piece]:
    return frozenset(side | kind | morph for kind in kinds for morph in (0, MORPH))


_STRIKERS = {
    side: tuple(tuple(_strikers(side, direction, distance) for distance in range(1, SIZE)) for direction in DIRECTIONS)
    for side in SIDES
}
_LEAPERS = {side: _pieces(side, LEAPING) for side in SIDES}
_GAZERS = {BLACK: _pieces(WHITE, [MEDUSA]), WHITE: _pieces(BLACK, [MEDUSA])}
"""The Medusas that turn the pieces of a side to stone."""


def is_stone(board: Sequence[Piece], square: Square) -> bool:
    """Whether the piece on `square` is petrified: next to an enemy Medusa, and not a Medusa itself."""
    piece = board[square]
    if piece & KIND == MEDUSA:
        return False
    gazers = _GAZERS[piece & (WHITE | BLACK)]
    return any(board[near] in gazers for near in AROUND[square])


def stones(board: Sequence[Piece]) -> list[Square]:
    """The squares of all petrified pieces of both sides."""
    return [square for square in compress(SQUARES, board) if is_stone(board, square)]


def attackers(board: Sequence[Piece], target: Square, side: int) -> Iterator[Square]:
    """The squares of the pieces of `side` that attack `target`; stone pieces don't."""
    for ray, strikers in zip(RAYS[target], _STRIKERS[side], strict=True):
        for square, striking in zip(ray, strikers, strict=False):
            if board[square]:
                if board[square] in striking and not is_stone(board, square):
                    yield square
                break
    leapers = _LEAPERS[side]
    for square in LEAPS_FROM[target]:
        if board[square] in leapers and not is_stone(board, square):
            yield square


def is_attacked(board: Sequence[Piece], target: Square, side: int) -> bool:
    """Whether a piece of `side` attacks `target`; stone pieces don't."""
    return next(attackers(board, target, side), -1) >= 0


def gazed_squares(board: bytes, side: int) -> set[Square]:
    """The squares where a piece of `side` other than a Medusa is stone."""
    gazed: set[Square] = set()
    for gazer in _GAZERS[side]:
        for square in squares_of(board, gazer):
            gazed.update(AROUND[square])
    return gazed


class Guard:
    """The checks and pins around a King.

    `checks`: for each attacker, the squares from the King to it; a move to one of them captures or blocks it.
    `pins`: for each own piece that shields him, the squares it may move to without exposing him.
    `wary`: whether a stone piece would attack him if it were freed.
    """

    __slots__ = ("checks", "pins", "wary")

    def __init__(self) -> None:
        self.checks: list[Ray] = []
        self.pins: dict[Square, Ray] = {}
        self.wary = False

    def bounds(self, square: Square) -> list[Ray]:
        """The lines in all of which a move from `square` must end."""
        return [*self.checks, self.pins[square]] if square in self.pins else self.checks


def look_around(board: list[Piece], king: Square, enemy: int) -> Guard:
    """The checks and pins by pieces of side `enemy`, stone or not, against the King on `king`."""
    guard = Guard()
    for ray, strikers in zip(RAYS[king], _STRIKERS[enemy], strict=True):
        shield = -1
        for distance, square in enumerate(ray):
            piece = board[square]
            if not piece:
                continue
            if piece & enemy:
                if piece in strikers[distance]:
                    _note_line(guard, board, shield, ray[: distance + 1])
                break
            if shield >= 0:
                break
            shield = square
    leapers = _LEAPERS[enemy]
    for square in LEAPS_FROM[king]:
        if board[square] in leapers:
            _note_line(guard, board, -1, (square,))
    return guard


def _note_line(guard: Guard, board: list[Piece], shield: Square, line: Ray) -> None:
    """Note the enemy at the end of `line`, which attacks the King unless stone or behind `shield` (-1: nothing)."""
    stone = is_stone(board, line[-1])
    if shield < 0:
        if stone:
            guard.wary = True
        else:
            guard.checks.append(line)
    elif not stone or board[shield] & KIND == MEDUSA:
        # A shielding Medusa may be what petrifies that enemy, so she counts as pinned and her moves are tried out.
        guard.pins[shield] = line
