"""The empty board as SVG: its plate, shading, lines and coordinates. Drawn once per board."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

from service.engine.board import Board, Point
from service.render.art.plate import field, plate

UNIT = 30
"""SVG units from one cell to the next. Hexagons have whole coordinates, too: half the square root of 3 is 26 / 30."""


class Frame(NamedTuple):
    """The part of the plane that a picture shows, in SVG units."""

    left: int
    top: int
    width: int
    height: int


ROUND = 9
"""How round the corners of plates are: the width of the stroke around them."""
THICK = 5
"""How much of the side of a plate is visible."""
SHADOW = 9
"""How far a shadow falls."""
SIDEWAYS = 7


@lru_cache(maxsize=64)
def frame(board: Board) -> Frame:
    """The smallest frame around the plate, its side and its shadow."""
    xs, ys = zip(*(place(corner) for corner in plate(board)), strict=True)
    left, top = min(xs) - ROUND // 2 - SIDEWAYS, min(ys) - ROUND // 2 - 1
    right, bottom = max(xs) + ROUND // 2 + SIDEWAYS, max(ys) + ROUND // 2 + THICK + SHADOW
    return Frame(left, top, right - left, bottom - top)


def place(point: Point) -> tuple[int, int]:
    """A point in SVG units."""
    return round(point[0] * UNIT), round(point[1] * UNIT)


def stroke(points: Sequence[Point], closed: bool = False) -> str:
    """A path through `points` in relative steps, which are shorter than absolute coordinates."""
    return trail([place(point) for point in points]) + "z" * closed


def trail(places: Sequence[tuple[int, int]]) -> str:
    """The same as `stroke`, for places in SVG units."""
    steps = [_step(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairwise(places)]
    return f"M{places[0][0]} {places[0][1]}{''.join(steps)}"


def stamps(drawing: str, places: Sequence[tuple[int, int]], scale: float = 1) -> str:
    """`drawing` at each of `places`; if there are several, as a marker on the points of a path.

    `scale` is 1, or the stroke width that the stylesheet gives to paths with markers.
    """
    if len(places) == 1:
        return f'<g transform="translate{places[0]}scale({scale:g})">{drawing}</g>'
    # The id depends only on the drawing, so that pictures on the same page can share it.
    key = "k" + urlsafe_b64encode(crc32(drawing.encode()).to_bytes(4, "big"))[:6].decode()
    units = ' markerUnits="userSpaceOnUse"' if scale == 1 else ""
    # `marker-mid` draws at every point of a path except its ends, so both ends are written twice.
    path = f'<path marker-mid="url(#{key})" d="{trail([places[0], *places])}h0"/>'
    return f'<marker id="{key}"{units}>{drawing}</marker>{path}'


@cache
def _step(dx: int, dy: int) -> str:
    if dy == 0:
        return f"h{dx}"
    if dx == 0:
        return f"v{dy}"
    return f"l{dx}{dy}" if dy < 0 else f"l{dx} {dy}"


@lru_cache(maxsize=64)
def shading(board: Board) -> str:
    """Plate, field, tinted cells, areas and lines: the empty board without its letters."""
    parts = [body(board)]
    parts += [_polygons(kind, (area.corners for area in board.areas if area.kind == kind)) for kind in AREAS]
    for tint in sorted(set(board.tints)) or [0]:
        its = board.tints or (0,) * len(board.outlines)
        cells = (outline for outline, shade in zip(board.outlines, its, strict=True) if shade == tint)
        parts.append(_polygons(f"line tint{tint}", cells))
    lines = "".join(stroke(line) for line in strands(board.lines))
    parts.append(f'<path class="line" d="{lines}"/>' if lines else "")
    parts.append(_polygons("star", (area.corners for area in board.areas if area.kind == "star")))
    return "".join(parts)


DEFINITIONS = (
    "<defs>"
    '<radialGradient id="k-stone" cx=".36" cy=".3" r=".78"><stop stop-color="#fff" stop-opacity=".42"/>'
    '<stop offset=".45" stop-color="#fff" stop-opacity="0"/><stop offset=".6" stop-opacity="0"/>'
    '<stop offset="1" stop-opacity=".3"/></radialGradient>'
    '<linearGradient id="k-wood" x2=".21" y2=".012" spreadMethod="reflect"><stop stop-opacity="0"/>'
    '<stop offset=".3" stop-opacity=".05"/><stop offset=".42" stop-opacity=".01"/>'
    '<stop offset=".55" stop-opacity=".07"/><stop offset=".8" stop-opacity="0"/>'
    '<stop offset="1" stop-opacity=".06"/></linearGradient>'
    '<linearGradient id="k-slate" x2="1" y2="1"><stop stop-color="#fff" stop-opacity=".1"/>'
    '<stop offset=".5" stop-color="#fff" stop-opacity="0"/><stop offset=".5" stop-opacity="0"/>'
    '<stop offset="1" stop-opacity=".1"/></linearGradient>'
    "</defs>"
)
"""Gradients for the bulge of stones, the grain of wood and the sheen of slate: transparent black and white.

A page has them once, for all its boards.
"""


def side(board: Board) -> str:
    """The side of the plate, which throws the shadow."""
    outline = stroke(_corners(plate(board)), closed=True)
    return f'<path class="edge" transform="translate(0 {THICK})" d="{outline}"/>'


def body(board: Board) -> str:
    """The plate with its side and its shadow, and the field on it."""
    outline = stroke(_corners(plate(board)), closed=True)
    sheen = (
        f'<path class="sheen" fill="url(#k-{board.material})" d="{outline}"/>'
        if board.material in ("wood", "slate")
        else ""
    )
    inner = stroke(_corners(field(board)), closed=True)
    inlay = f'<path class="field" d="{inner}"/>' if board.material == "slate" else ""
    return f'{side(board)}<path class="plate" d="{outline}"/>{inlay}{sheen}'


def _corners(corners: Iterable[Point]) -> list[Point]:
    """The corners without those that are equal in SVG units."""
    return list({place(corner): corner for corner in corners}.values())


FEW = 9
"""Up to this many outlines, writing each one takes no more bytes than stamping."""
AREAS = ("flower", "hole")
"""The areas under the lines; stars are on top of them."""


def _polygons(ink: str, outlines: Iterable[tuple[Point, ...]]) -> str:
    """All `outlines`, or ""; if there are many of the same shape, it is drawn once and stamped."""
    places = [[place(corner) for corner in outline] for outline in outlines]
    shapes = {tuple((x - corners[0][0], y - corners[0][1]) for x, y in corners) for corners in places}
    if len(shapes) == 1 and len(places) > FEW:
        shape = f'<path class="{ink}" d="{trail([*shapes.pop()])}z"/>'
        return stamps(shape, [corners[0] for corners in places])
    path = "".join(f"{trail(corners)}z" for corners in places)
    return f'<path class="{ink}" d="{path}"/>' if path else ""


def strands(lines: Iterable[tuple[Point, Point]]) -> list[list[Point]]:
    """The same lines joined into strokes, as few as a greedy walk finds."""
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
    """The point at the precision of pictures, so that ends that were calculated differently still meet."""
    return round(point[0], 3), round(point[1], 3)


def _walk(start: Point, ends: dict[Point, list[Point]]) -> list[Point]:
    """One stroke from `start`, straight on where possible; removes its lines from `ends`."""
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
    """The coordinates, hidden from screen readers, which read the name of each cell instead.

    Letters and digits in a row share one element, with a place for each.
    """
    rows: dict[float, list[tuple[str, Point]]] = {}
    words = []
    size = letter_size(board)
    for label, at in board.labels:
        if len(label) == 1:
            rows.setdefault(at[1], []).append((label, at))
        else:
            words.append(_words(label, [at], size))
    words += [_words("".join(label for label, _ in row), [at for _, at in row], size) for row in rows.values()]
    return f'<g aria-hidden="true" font-size="{size}">{"".join(words)}</g>'


def letter_size(board: Board) -> float:
    """The font size of coordinates. Since all boards have the same width on a page, so do their letters."""
    return round(frame(board).width * LETTERS, 1)


LETTERS = 0.027
"""The size of letters, as a part of the width of the board."""


def _words(letters: str, places: list[Point], size: float) -> str:
    across = " ".join(str(place(at)[0]) for at in places)
    # `y` is the baseline: a third of the font size lower, digits and small letters are centred.
    return f'<text x="{across}" y="{place(places[0])[1] + round(size / 3)}">{letters}</text>'
