"""The body of a board: a plate in the shape of its field, with room for the coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import hypot

from service.engine.board import Board, Point

REACH = 0.5
"""The radius of a stone."""
BORDER = 0.1
"""The distance from stones or cells to the edge of the field."""
RIM = 0.8
"""The distance from points or the middles of cells to the edge of a plate without letters."""
LETTER = 0.5
"""The distance from the middle of a letter to the edge of the plate."""
AXES: tuple[Point, ...] = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
NEARLY = 1e-3


@lru_cache(maxsize=128)
def plate(board: Board) -> tuple[Point, ...]:
    """The corners of the plate, around field and labels."""
    labels = [at for _, at in board.labels]
    return cut([(normal, max(_far(board.at, normal) + RIM, _far(labels, normal) + LETTER)) for normal in _sides(board)])


@lru_cache(maxsize=128)
def field(board: Board) -> tuple[Point, ...]:
    """The corners of the field, on which the cells are."""
    reach = BORDER if board.outlines else REACH + BORDER
    return cut([(normal, _far(_cells(board), normal) + reach) for normal in _sides(board)])


def _cells(board: Board) -> list[Point]:
    """The points, and the corners of the cells, that the field must contain."""
    return [*board.at, *chain.from_iterable(board.outlines)]


def _sides(board: Board) -> list[Point]:
    """The normals of the sides of the field; those of a rectangle if all cells are in one line."""
    corners = hull(_cells(board))
    if len(corners) < 3:
        return [*AXES]
    return [_normal(one, other) for one, other in pairwise([*corners, corners[0]])]


def _normal(one: Point, other: Point) -> Point:
    """The unit vector at right angles to the way from `one` to `other`, to its right."""
    x, y = other[0] - one[0], other[1] - one[1]
    return y / hypot(x, y), -x / hypot(x, y)


def _far(points: Iterable[Point], normal: Point) -> float:
    """How far `points` reach in a direction."""
    return max((_along(point, normal) for point in points), default=-1e9)


def _along(point: Point, normal: Point) -> float:
    return point[0] * normal[0] + point[1] * normal[1]


def hull(points: Iterable[Point]) -> list[Point]:
    """The corners of the convex hull, in order around it (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    return _half(ordered)[:-1] + _half(ordered[::-1])[:-1]


def _half(ordered: Sequence[Point]) -> list[Point]:
    corners: list[Point] = []
    for point in ordered:
        while len(corners) > 1 and _turn(corners[-2], corners[-1], point) <= NEARLY:
            corners.pop()
        corners.append(point)
    return corners


def _turn(one: Point, two: Point, three: Point) -> float:
    return (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0])


def cut(sides: Iterable[tuple[Point, float]]) -> tuple[Point, ...]:
    """The polygon within all `sides`, each a direction and its reach (Sutherland and Hodgman)."""
    corners: list[Point] = [(-999.0, -999.0), (999.0, -999.0), (999.0, 999.0), (-999.0, 999.0)]
    for normal, reach in sides:
        kept: list[Point] = []
        for one, other in pairwise([*corners, corners[0]]):
            inside, beyond = reach - _along(one, normal), reach - _along(other, normal)
            if inside >= 0:
                kept.append(one)
            if inside * beyond < 0:
                part = inside / (inside - beyond)
                kept.append((one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1])))
        corners = kept
    return tuple(corners)
