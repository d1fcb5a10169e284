"""A player's rating over time as an SVG drawing: a line for the rating, a band for its deviation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

WIDTH, HEIGHT, MARGIN = 640, 200, 34
STEP = 100
"""Points between two of the drawing's lines."""


class Point(NamedTuple):
    """A rating, and its deviation, after one match."""

    ended: datetime
    rating: float
    deviation: float


def svg(points: Sequence[Point], name: str) -> str:
    """The drawing; `name` is for screen readers. Matches are equally far apart, regardless of the time between them."""
    least = min(point.rating - point.deviation for point in points) // STEP * STEP
    most = -(-max(point.rating + point.deviation for point in points) // STEP) * STEP

    def x(place: int) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * (place / (len(points) - 1) if len(points) > 1 else 0.5), 1)

    def y(rating: float) -> float:
        return round(HEIGHT - MARGIN / 2 - (HEIGHT - MARGIN) * (rating - least) / (most - least), 1)

    high = [f"{x(place)},{y(point.rating + point.deviation)}" for place, point in enumerate(points)]
    low = [f"{x(place)},{y(point.rating - point.deviation)}" for place, point in enumerate(points)]
    line = " ".join(f"{x(place)},{y(point.rating)}" for place, point in enumerate(points))
    rungs = range(int(least), int(most) + 1, STEP * max(1, int(most - least) // (6 * STEP)))
    last = points[-1]
    return "".join(
        (
            f'<svg class="ratings" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}">',
            *(_rung(y(rating), rating) for rating in rungs),
            f'<polygon class="band" points="{" ".join([*high, *reversed(low)])}"/>',
            f'<polyline class="line" points="{line}"/>',
            f'<circle class="now" cx="{x(len(points) - 1)}" cy="{y(last.rating)}" r="4"/>',
            "</svg>",
        )
    )


def _rung(height: float, rating: int) -> str:
    return (
        f'<line class="rung" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{height}" y2="{height}"/>'
        f'<text x="{MARGIN - 4}" y="{height + 4}" text-anchor="end">{rating}</text>'
    )
