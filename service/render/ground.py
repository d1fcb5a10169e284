"""The empty board as SVG: paper, shading, lines and coordinates. Drawn once per board."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from service.engine.board import Board, Point

UNIT = 20
"""SVG units from one cell to the next."""


class Frame(NamedTuple):
    """The part of the plane a picture shows, in SVG units."""

    left: float
    top: float
    width: float
    height: float


@lru_cache(maxsize=64)
def frame(board: Board) -> Frame:
    """The smallest frame around everything drawn, with a margin."""
    edges = list(chain.from_iterable(board.outlines)) + [corner for area in board.areas for corner in area.corners]
    xs, ys = zip(*[*board.at, *edges, *(at for _, at in board.labels)], strict=True)
    margin = 0.6
    left, top = min(xs) - margin, min(ys) - margin
    width, height = max(xs) + margin - left, max(ys) + margin - top
    return Frame(*(round(side * UNIT, 1) for side in (left, top, width, height)))


def number(value: float) -> str:
    """A length in SVG units, as short as a tenth of a unit allows."""
    return f"{value * UNIT:.1f}".removesuffix(".0").replace("-0.", "-.")


def place(point: Point) -> str:
    """A point as SVG writes it."""
    return f"{number(point[0])} {number(point[1])}"


def polygon(corners: Iterable[Point]) -> str:
    """A closed path through `corners`."""
    return f"M{'L'.join(place(corner) for corner in corners)}z"


@lru_cache(maxsize=64)
def shading(board: Board) -> str:
    """Paper, tinted cells and areas, lines: everything of the empty board but its letters."""
    left, top, width, height = frame(board)
    parts = [f'<rect class="paper" x="{left}" y="{top}" width="{width}" height="{height}"/>']
    for tint in sorted(set(board.tints)):
        cells = (outline for outline, its in zip(board.outlines, board.tints, strict=True) if its == tint)
        parts.append(f'<path class="tint{tint}" d="{"".join(polygon(cell) for cell in cells)}"/>')
    for kind in ("flower", "hole"):
        path = "".join(polygon(area.corners) for area in board.areas if area.kind == kind)
        parts.append(f'<path class="{kind}" d="{path}"/>' if path else "")
    lines = "".join(f"M{'L'.join(map(place, line))}" for line in strands(board.lines))
    if board.style == "cells":
        lines += "".join(polygon(outline) for outline in board.outlines)
    parts.append(f'<path class="line" d="{lines}"/>')
    stars = "".join(polygon(area.corners) for area in board.areas if area.kind == "star")
    parts.append(f'<path class="star" d="{stars}"/>' if stars else "")
    return "".join(parts)


def strands(lines: Iterable[tuple[Point, Point]]) -> list[list[Point]]:
    """The same lines, end to end in as few strokes as a greedy walk finds."""
    ends: dict[Point, list[Point]] = {}
    for one, other in lines:
        one, other = _near(one), _near(other)
        ends.setdefault(one, []).append(other)
        ends.setdefault(other, []).append(one)
    strokes: list[list[Point]] = []
    starts = sorted(ends, key=lambda point: len(ends[point]) % 2 == 0)
    for start in starts:
        while ends[start]:
            strokes.append(_walk(start, ends))
    return strokes


def _near(point: Point) -> Point:
    """The point at the precision pictures have, so that ends computed differently still meet."""
    return round(point[0], 3), round(point[1], 3)


def _walk(start: Point, ends: dict[Point, list[Point]]) -> list[Point]:
    """One stroke from `start`, straight on where that is possible, using up the lines it takes."""
    stroke = [start]
    while ends[stroke[-1]]:
        here = stroke[-1]
        before = stroke[-2] if len(stroke) > 1 else here
        ahead = (2 * here[0] - before[0], 2 * here[1] - before[1])
        there = min(ends[here], key=lambda point: abs(point[0] - ahead[0]) + abs(point[1] - ahead[1]))
        ends[here].remove(there)
        ends[there].remove(here)
        stroke.append(there)
    return stroke


@lru_cache(maxsize=64)
def labels(board: Board) -> str:
    """The coordinates, hidden from screen readers, which hear the name of each cell instead."""
    words = (f'<text x="{number(x)}" y="{number(y + 0.14)}">{label}</text>' for label, (x, y) in board.labels)
    return f'<g aria-hidden="true">{"".join(words)}</g>'
