"""A board as a flat array, which never changes: what the kernel knows about geometry and rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from service.bots.compiler import Ints, ints
from service.bots.stones.kernel.patterns import table

TAKE, TURN, TOGETHER = 0, 1, 2
"""Kinds of rules: captured stones leave; they change colour; moves are simultaneous (and captured stones leave)."""

TAKER, SOLE, CLUSTER, NOBODY = 0, 1, 2, 3
"""Who gets captured stones: the seat that moved; a single captor of a chain; all captors of a cluster; nobody."""

RAYS = 6
"""The number of straight lines from a point."""


Graph: TypeAlias = Ints
"""One flat array, because compiled code passes one array faster than many. It begins with the rules, at the indices
below; the parts follow. Lists of lists are stored one after another: `…_AT` has the index where each begins, and it
ends where the next one begins."""

POINTS, KIND, SEATS, SHARING, TRACK, GRID, FLOWERS, MOVES, SUICIDE, AREA = range(10)
"""The number of points, the kind of rules, seats, sharing, the length of the marker's track (0: no marker),
whether the board is a grid, the number of flowers, whether groups move, whether suicide is legal, whether stones on the
board count as points."""

MOST_POINTS = 640
NEAR_AT, NEAR_END = 16, 17
"""The points next to each point."""
BLOOM_AT = NEAR_AT + MOST_POINTS + 1
"""For each point, the flowers on it, each as the index of its six points, the smallest one first."""
RAY_AT = BLOOM_AT + MOST_POINTS + 1
"""For each point and each of six directions, the points in that direction. Only if groups move."""
HEIGHT = RAY_AT + RAYS * MOST_POINTS + 1
"""The distance of each point from the edge; 0 on the edge. Only on grids."""
AROUND = HEIGHT + MOST_POINTS
"""The eight points around each point, in order from the north; -1 off the board. Only on grids."""
PATTERNS = AROUND + 8 * MOST_POINTS
"""Whether a move in the middle of 3x3 points looks good, by their code; see `patterns`. Only on grids."""
TOUCH = PATTERNS + 4**8
"""What each empty point adds to the room of a chain that touches it: 1, from bit 11 the point, from bit 32 its square.

There are at most 2,000 touches on a board of MOST_POINTS, so no sum overflows into the next or reaches 2**63."""
REST = TOUCH + MOST_POINTS
"""The lists of points."""


def graph(
    neighbours: Sequence[Sequence[int]],
    kind: int,
    seats: int,
    sharing: int = TAKER,
    flowers: Iterable[Iterable[int]] = (),
    rays: Sequence[Sequence[Sequence[int]]] = (),
    columns: int = 0,
    track: int = 0,
    area: bool = True,
) -> Graph:
    """The array for a board. `columns` is given for a grid whose points are numbered row by row."""
    points = len(neighbours)
    assert points <= MOST_POINTS, "The board is too large for the kernel."
    petals = [sorted(flower) for flower in flowers]
    rule = [points, kind, seats, sharing, track, int(columns > 0), len(petals), int(bool(rays)), int(kind == TURN)]
    flat = [0] * REST
    _write(flat, 0, [*rule, int(area)])
    _write(flat, TOUCH, [1 | point << 11 | point * point << 32 for point in range(points)])
    if columns:
        _write(flat, HEIGHT, _heights(points, columns))
        _write(flat, AROUND, _around(points, columns))
        _write(flat, PATTERNS, table())
    _append(flat, NEAR_AT, neighbours)
    places = [len(flat) + 6 * number for number in range(len(petals))]
    for flower in petals:
        flat += flower
    on = [[at for at, flower in zip(places, petals, strict=True) if point in flower] for point in range(points)]
    _append(flat, BLOOM_AT, on)
    if rays:
        _append(flat, RAY_AT, [each for point in range(points) for each in [*rays[point], *[()] * RAYS][:RAYS]])
    return ints(flat)


def _write(flat: list[int], place: int, values: Sequence[int]) -> None:
    flat[place : place + len(values)] = values


def _append(flat: list[int], place: int, lists: Sequence[Sequence[int]]) -> None:
    """Append these lists, and write the index where each begins from `place` on."""
    for number, each in enumerate(lists):
        flat[place + number] = len(flat)
        flat += each
    flat[place + len(lists)] = len(flat)


def _around(points: int, columns: int) -> list[int]:
    rows, found = points // columns, []
    for point in range(points):
        row, column = divmod(point, columns)
        for down, across in ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)):
            y, x = row + down, column + across
            found.append(y * columns + x if 0 <= y < rows and 0 <= x < columns else -1)
    return found


def _heights(points: int, columns: int) -> list[int]:
    rows = points // columns
    spots = (divmod(point, columns) for point in range(points))
    return [min(row, column, rows - 1 - row, columns - 1 - column) for row, column in spots]
