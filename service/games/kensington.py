"""The Lotus board, which is the Kensington board: seven hexagons with the squares and triangles around them.

It is a patch of the rhombitrihexagonal tiling (3.4.6.4): the union of seven regular dodecagons of edge 1, one
around each hexagon. 42 of its 72 points are corners of a hexagon, 30 are on the rim.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import cos, dist, radians, sin, sqrt
from typing import NamedTuple

from service.engine.board import Area, Board, Point

CENTRES: tuple[Point, ...] = (
    (0.0, 0.0),
    *(((1 + sqrt(3)) * cos(radians(turn)), (1 + sqrt(3)) * sin(radians(turn))) for turn in range(30, 360, 60)),
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TEXT_COLUMNS = 6
"""Text columns for the length of one edge, which nearly keeps the proportions of the picture."""
TEXT_MIDDLE = 30
OUTSIDE = 1.19
"""How far from the middle the letters in the picture are, as a multiple of the rim's distance."""


class Kensington(NamedTuple):
    """The board, and the six points around each of its seven hexagons."""

    board: Board
    rings: tuple[frozenset[int], ...]


@cache
def kensington() -> Kensington:
    """The board. Points are named by height, `a` at the bottom to `u` at the top, and counted from the left."""
    heights = _heights()
    points = [point for row in heights for point in row]
    number = {point: index for index, point in enumerate(points)}
    flowers = [[_rounded(corner) for corner in _corners(centre)] for centre in CENTRES]
    near = [[other for other, end in enumerate(points) if abs(dist(point, end) - 1) < 1e-3] for point in points]
    lines = [(point, points[end]) for point in points for end in near[number[point]] if end > number[point]]
    rows = {point: len(heights) - 1 - height for height, _, point in _numbered(heights)}
    board = Board(
        name="kensington",
        material="slate",
        style="points",
        names=tuple(f"{LETTERS[height]}{place}" for height, place, _ in _numbered(heights)),
        neighbours=tuple(tuple(others) for others in near),
        at=tuple(points),
        lines=tuple(lines),
        areas=tuple(Area("flower", tuple(flower)) for flower in flowers),
        labels=tuple(_labels(heights)),
        text_at=tuple((rows[point], _column(point[0])) for point in points),
        text_labels=(*_text_letters(), *filter(None, (_text_line(a, b, rows) for a, b in lines))),
    )
    return Kensington(board, tuple(frozenset(number[corner] for corner in flower) for flower in flowers))


def _heights() -> list[list[Point]]:
    """The points from the lowest height to the highest, those of one height from left to right."""
    points = {_rounded(point) for centre in CENTRES for point in _dodecagon(centre)}
    levels = sorted({y for _, y in points}, reverse=True)
    return [sorted(point for point in points if point[1] == level) for level in levels]


def _numbered(heights: list[list[Point]]) -> Iterator[tuple[int, int, Point]]:
    """Each point with its height from 0 and its place from the left from 1."""
    for height, row in enumerate(heights):
        for place, point in enumerate(row, start=1):
            yield height, place, point


def _corners(centre: Point) -> list[Point]:
    """The corners of the hexagon around `centre`, with two horizontal edges."""
    return [_away(centre, 1, turn) for turn in range(0, 360, 60)]


def _dodecagon(centre: Point) -> Iterator[Point]:
    """The corners of the hexagon around `centre` and of the dodecagon of squares and triangles around that."""
    for turn, corner in zip(range(0, 360, 60), _corners(centre), strict=True):
        yield corner
        yield _away(corner, 1, turn - 30)
        yield _away(corner, 1, turn + 30)


def _away(start: Point, length: float, degrees: float) -> Point:
    return start[0] + length * cos(radians(degrees)), start[1] + length * sin(radians(degrees))


def _rounded(point: Point) -> Point:
    """`point` as a key, equal when reached from two hexagons; adding zero turns -0.0 into 0.0."""
    return round(point[0], 6) + 0.0, round(point[1], 6) + 0.0


def _labels(heights: list[list[Point]]) -> Iterator[tuple[str, Point]]:
    """The letter of each height on both sides, along the rim."""
    for height, row in enumerate(heights):
        y = row[0][1]
        x = OUTSIDE * _rim(y / OUTSIDE, [point for row in heights for point in row])
        for side in (-x, x):
            yield LETTERS[height], (side, y)


def _rim(y: float, points: list[Point]) -> float:
    """How far from the middle the convex hull of `points` reaches at height `y`."""
    above, below = ([point for point in points if (point[1] - y) * side > 0] for side in (1, -1))
    return max(a[0] + (b[0] - a[0]) * (a[1] - y) / (a[1] - b[1]) for a in above for b in below)


def _text_letters() -> Iterator[tuple[int, int, str]]:
    for row, letter in enumerate(reversed(LETTERS[:21])):
        yield row, 0, letter
        yield row, 2 * TEXT_MIDDLE, letter


def _text_line(a: Point, b: Point, rows: dict[Point, int]) -> tuple[int, int, str] | None:
    """A line as the text board shows it; None between neighbouring rows, where it has no room and isn't needed."""
    middle = _column((a[0] + b[0]) / 2)
    if rows[a] == rows[b]:
        return rows[a], middle, "-"
    if abs(rows[a] - rows[b]) == 1:
        return None
    falling = (b[0] - a[0]) * (b[1] - a[1])
    stroke = "|" if abs(falling) < 0.1 else "\\" if falling > 0 else "/"
    return (rows[a] + rows[b]) // 2, middle, stroke


def _column(x: float) -> int:
    return TEXT_MIDDLE + round(x * TEXT_COLUMNS)
