"""The board for the search: 11 by 11 squares inside a wall, the steps on it, and the worth of pieces.

All tables for the search are flat, so that they can be arrays for the compiler.
"""

from __future__ import annotations

from random import Random

from service.bots.compiler import ints
from service.games.pillars.board import SIZE
from service.games.pillars.pieces import (
    ADVISOR,
    BLACK,
    DIAGONAL,
    HORSE,
    KINDS,
    KING,
    LEAPING,
    MEDUSA,
    MEDUSA_REACH,
    MORPH,
    MOUNTED_ADVISOR,
    PILLAR,
    QUEEN,
    SERPENT,
    STRAIGHT,
    SWORD,
    TOWER,
    WHITE,
)
from service.games.pillars.state import CASTLES

WIDTH = 13
"""Two wall cells to the right of each rank also serve as the left wall of the next: leaps don't go further."""
FIRST = 27
"""The cell of a1."""
CELLS = 200
WALL = 128
"""A cell off the board: neither empty nor of either side."""

INSIDE = [FIRST + WIDTH * (square // SIZE) + square % SIZE for square in range(SIZE * SIZE)]
"""The cell of each square of the engine."""
OUTSIDE = [INSIDE.index(cell) if cell in INSIDE else -1 for cell in range(CELLS)]
"""The square of each cell, or -1."""
RANK = ints([(cell - FIRST) // WIDTH if OUTSIDE[cell] >= 0 else -1 for cell in range(CELLS)])
FILE = ints([(cell - FIRST) % WIDTH if OUTSIDE[cell] >= 0 else -1 for cell in range(CELLS)])

STEPS = ints([WIDTH, 1, -WIDTH, -1, WIDTH + 1, 1 - WIDTH, -WIDTH - 1, WIDTH - 1])
"""The four straight directions, then the four diagonal ones."""
LEAPS = ints([2 * WIDTH + 1, WIDTH + 2, 2 - WIDTH, 1 - 2 * WIDTH, -2 * WIDTH - 1, -WIDTH - 2, WIDTH - 2, 2 * WIDTH - 1])
NEAR = ints(cell + step if OUTSIDE[cell] >= 0 else 0 for cell in range(CELLS) for step in STEPS)
LEAPS_FROM = ints(cell + step if OUTSIDE[cell] >= 0 else 0 for cell in range(CELLS) for step in LEAPS)
"""The eight cells that are one step, or one leap, away from each cell of the board."""

LEAPER = ints([int(kind in LEAPING) for kind in range(16)])
FIRST_WAY = ints([0 if kind in STRAIGHT or kind == KING else 4 for kind in range(16)])
LAST_WAY = ints([8 if kind in DIAGONAL or kind == KING else 4 for kind in range(16)])
"""A piece slides in the directions from its first up to its last way; if they are equal, it doesn't slide."""
REACH = ints([1 if kind == KING else MEDUSA_REACH if kind == MEDUSA else SIZE for kind in range(16)])

BY_ROW, BY_DIAGONAL, BY_LEAP, BY_MEDUSA, BY_SWORD, BY_KING = 1, 2, 4, 8, 16, 64
"""The ways in which a piece may attack a cell; Black's Swords have the bit after `BY_SWORD`."""


def _ways(kind: int) -> int:
    if kind in (MEDUSA, KING):
        return BY_MEDUSA if kind == MEDUSA else BY_KING
    return BY_ROW * (kind in STRAIGHT) | BY_DIAGONAL * (kind in DIAGONAL) | BY_LEAP * (kind in LEAPING)


ATTACKS = ints([BY_SWORD << side if kind == SWORD else _ways(kind) for side in (0, 1) for kind in range(16)])
"""The ways in which a piece attacks, at `side * 16 + kind`."""
WAYS = ints([0] * (2 * CELLS))
"""The ways to attack a cell from another, at `CELLS + other - cell`; sometimes set for cells that aren't on a line."""
for _nth, _step in enumerate(STEPS):
    for _distance in range(1, SIZE):
        WAYS[CELLS + _step * _distance] |= (BY_ROW if _nth < 4 else BY_DIAGONAL) | (BY_MEDUSA if _distance < 4 else 0)
    WAYS[CELLS + _step] |= BY_KING | (BY_SWORD if _nth in (5, 6) else BY_SWORD << 1 if _nth in (4, 7) else 0)
    WAYS[CELLS + LEAPS[_nth]] |= BY_LEAP
ON_LINE = BY_ROW | BY_DIAGONAL

KEPT = ints([15] * CELLS)
"""The castling rights that remain once a piece has left a cell or arrived on it."""
_castling: list[int] = []
for _side in (WHITE, BLACK):
    for _way in CASTLES[_side]:
        _king, _tower = INSIDE[_way.king], INSIDE[_way.tower]
        KEPT[_king] &= ~_way.right
        KEPT[_tower] &= ~_way.right
        _castling += [_way.right, _king, _tower, 1 if _tower > _king else -1]
CASTLING = ints(_castling)
"""Four numbers for each way to castle: right, King's cell, Tower's cell, step between them; White's ways first."""

WORTH = ints([0] * 32)
"""The worth of a piece in hundredths of a Sword, by `kind | MORPH`; 0 for a King, who is never captured."""
for _kind, _worth in {
    SWORD: 100,
    HORSE: 290,
    ADVISOR: 340,
    TOWER: 560,
    MOUNTED_ADVISOR: 680,
    PILLAR: 900,
    MEDUSA: 1050,
    QUEEN: 1000,
    SERPENT: 1300,
}.items():
    WORTH[_kind] = _worth
    WORTH[_kind | MORPH] = _worth + 150

STONE = ints(0 if kind & 15 in (KING, MEDUSA) else int(WORTH[kind]) // 8 + 12 for kind in range(32))
"""The cost of having a piece turned to stone, by `kind | MORPH`."""

_CENTRAL = {HORSE: 6, ADVISOR: 4, MOUNTED_ADVISOR: 5, PILLAR: 4, SERPENT: 2, QUEEN: 2, MEDUSA: 3, TOWER: 1}
"""The worth of a step towards the centre."""


def _place(kind: int, ahead: int, file: int) -> int:
    """The worth of a piece's place; `ahead` counts ranks from its own side, from 0."""
    central = 10 - abs(ahead - 5) - abs(file - 5)
    if kind == SWORD:
        return (0, 0, 0, 6, 14, 24, 40, 64, 110, 190, 0)[ahead] + (central if ahead < 6 else 0)
    if kind == KING:
        return -12 * min(ahead, 4)
    home = -15 if ahead == 0 and kind not in (TOWER, MEDUSA) else 0
    return central * _CENTRAL.get(kind, 0) + home - (40 if kind == MEDUSA and ahead > 7 else 0)


def _values() -> list[int]:
    values = [0] * (CELLS << 7)
    for cell in INSIDE:
        for kind in KINDS:
            for morph in (0, MORPH):
                white = int(WORTH[kind | morph]) + _place(kind, RANK[cell], FILE[cell])
                black = int(WORTH[kind | morph]) + _place(kind, SIZE - 1 - RANK[cell], FILE[cell])
                values[cell << 7 | WHITE | kind | morph] = white
                values[cell << 7 | BLACK | kind | morph] = -black
    return values


VALUES = ints(_values())
"""The worth of a piece and its place at `cell << 7 | piece`; negative for Black."""

APPROACH = ints([0] * (CELLS << 8))
"""The worth of a Medusa's distance from the other King, at `cell << 8 | king`."""
for _cell in INSIDE:
    for _king in INSIDE:
        _far = max(abs(RANK[_cell] - RANK[_king]), abs(FILE[_cell] - FILE[_king]))
        APPROACH[_cell << 8 | _king] = max(0, 9 * (6 - _far))

_CHANCE = Random(1997)  # noqa: S311 # Keys for a table aren't secrets.
KEYS = ints(_CHANCE.getrandbits(62) for _ in range(CELLS << 7))
"""Zobrist keys at `cell << 7 | piece`."""
RIGHT_KEYS = ints([0, *(_CHANCE.getrandbits(62) for _ in range(15))])
SIDE_KEY = _CHANCE.getrandbits(62)

LIGHT = ints([int(kind in (ADVISOR, HORSE)) for kind in range(16)])
"""Whether a kind of piece can't mate with only its King."""
