"""The board of 11 by 11 squares: its lines, and how it is drawn."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from service.engine.board import Board

Square: TypeAlias = int
"""`11 * rank + file`, both counted from 0: a1 is 0, k1 is 10, a2 is 11."""
Ray: TypeAlias = tuple[Square, ...]

SIZE = 11
FILES = "abcdefghijk"
SQUARES = range(SIZE * SIZE)
SQUARE_NAMES = tuple(f"{FILES[square % SIZE]}{square // SIZE + 1}" for square in SQUARES)
SQUARE_NUMBERS = {name: square for square, name in enumerate(SQUARE_NAMES)}
DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1))
"""Steps in files and ranks: the four straight directions, then the four diagonal ones."""
LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


def squares_of(board: bytes, piece: int) -> list[Square]:
    """The squares on which `piece` is."""
    found = []
    square = board.find(piece)
    while square >= 0:
        found.append(square)
        square = board.find(piece, square + 1)
    return found


def _ray(square: Square, direction: tuple[int, int]) -> Ray:
    rank, file = divmod(square, SIZE)
    across, up = direction
    length = min(_room(file, across), _room(rank, up))
    step = SIZE * up + across
    return tuple(range(square + step, square + step * (length + 1), step))


def _room(place: int, step: int) -> int:
    """How many steps there are from a file or rank to the edge."""
    if not step:
        return SIZE
    return SIZE - 1 - place if step > 0 else place


RAYS: tuple[tuple[Ray, ...], ...] = tuple(
    tuple(_ray(square, direction) for direction in DIRECTIONS) for square in SQUARES
)
"""From each square, the squares in each direction, nearest first."""
AROUND: tuple[tuple[Square, ...], ...] = tuple(tuple(ray[0] for ray in rays if ray) for rays in RAYS)
"""The squares next to each square: a King moves there, and a Medusa's gaze reaches them."""
LEAPS_FROM: tuple[tuple[Square, ...], ...] = tuple(
    tuple(
        square + SIZE * up + across
        for across, up in LEAPS
        if 0 <= square % SIZE + across < SIZE and 0 <= square // SIZE + up < SIZE
    )
    for square in SQUARES
)


@cache
def drawn_board() -> Board:
    """The board as data for pictures; three text columns per square leave room for marks beside a letter."""
    ends = range(SIZE)
    middles = [(float(square % SIZE), float(SIZE - 1 - square // SIZE)) for square in SQUARES]
    return Board(
        name="pillars",
        material="paper",
        style="cells",
        names=SQUARE_NAMES,
        neighbours=AROUND,
        at=tuple(middles),
        outlines=tuple(
            ((x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5)) for x, y in middles
        ),
        tints=tuple((square // SIZE + square % SIZE) % 2 for square in SQUARES),
        labels=(
            *((FILES[end], (float(end), y)) for end in ends for y in (-1.0, float(SIZE))),
            *((str(end + 1), (x, float(SIZE - 1 - end))) for end in ends for x in (-1.0, float(SIZE))),
        ),
        text_at=tuple((SIZE - square // SIZE, 4 + 3 * (square % SIZE)) for square in SQUARES),
        text_labels=(
            *((row, 4 + 3 * end, FILES[end]) for end in ends for row in (0, SIZE + 1)),
            *((SIZE - end, 2 - len(str(end + 1)), str(end + 1)) for end in ends),
            *((SIZE - end, 4 + 3 * SIZE, str(end + 1)) for end in ends),
        ),
    )
