"""A scene as SVG, built as a string."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import gcd
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from service.engine.board import Board
from service.engine.scene import Scene
from service.render.art.board_art import DEFINITIONS, UNIT, frame, labels, place, shading, stamps
from service.render.art.cell_art import BOX, LAYERS, layers
from service.render.art.cell_look import Look, looks
from service.render.art.palette import CLASSIC, Design, Theme
from service.render.art.stylesheet import style as sheet
from service.render.text import text


def svg(scene: Scene, *, standalone: bool = True, theme: Theme | None = None, design: Design = CLASSIC) -> str:
    """The picture of `scene`.

    A standalone file contains its colours, for `theme` or for both light and dark, and the text board in its `<desc>`.
    Otherwise the page provides `stylesheet.style()`, and one element lists the place of every cell. Inside it is an
    element for each look, whose `data-says` describes the cells in `data-on="g14 h14 …"`. From these, the page's script
    makes a named, focusable target with `data-cell="g14"` for every cell. The drawing doesn't depend on them.
    """
    board, groups = scene.board, looks(scene)
    parts = [_head(scene, standalone, theme, design), DEFINITIONS * standalone, shading(board), labels(board)]
    parts += _stamped(board, groups)
    if not standalone:
        parts.append(f'<g class="{_shape(board)}" {_places(board)}>')
        parts += [_targets(board, shown, cells) for shown, cells in groups.items()]
        parts.append("</g>")
    parts.append("</svg>")
    return "".join(parts)


def _head(scene: Scene, standalone: bool, theme: Theme | None, design: Design) -> str:
    """The opening tag. On a page, which has its own text board, a title would be a tooltip over the whole picture."""
    left, top, width, height = frame(scene.board)
    view = f'class="board {scene.board.material}" viewBox="{left} {top} {width} {height}"'
    if not standalone:
        return f'<svg {view} role="group" aria-label={quoteattr(scene.title)}>'
    words = f"<title>{escape(scene.title)}</title><desc>{escape(text(scene))}</desc>"
    colours = f"<style>{sheet(theme, design, scene.board.material)}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {view} role="img">{words}{colours}'


def _shape(board: Board) -> str:
    """The class for the shape of the board's cells: targets are square on `squares`, else round."""
    if board.style == "points":
        return "points"
    return "squares" if len(board.outlines[0]) == 4 else "hexagons"


def _stamped(board: Board, groups: Mapping[Look, list[int]]) -> Iterator[str]:
    """All layers, from bottom to top, with each drawing stamped at its places."""
    spots = _spots(board)
    drawn: list[dict[str, list[int]]] = [{} for _ in range(LAYERS)]
    for shown, cells in groups.items():
        for drawing, places in zip(_layers(shown, board.style), drawn, strict=True):
            if drawing:
                places.setdefault(drawing, []).extend(cells)
    # From left to right even on a turned board, since steps to the right are shorter to write.
    backwards = spots[0] > spots[-1]
    for places in drawn:
        for drawing, cells in places.items():
            yield stamps(drawing, [spots[cell] for cell in sorted(cells, reverse=backwards)], UNIT / BOX)


@lru_cache(maxsize=1024)
def _layers(shown: Look, style: Literal["points", "cells"]) -> tuple[str, str, str, str]:
    return layers(shown, style)


def _targets(board: Board, shown: Look, cells: list[int]) -> str:
    """The element for all cells with the same look; "" if there are none."""
    names = board.names
    return f'<g data-says="{shown.words()}" data-on="{" ".join([names[cell] for cell in cells])}"/>' if cells else ""


@lru_cache(maxsize=64)
def _places(board: Board) -> str:
    """Where the middle of each cell is, as attributes.

    `data-from` is the top left of all middles, and `data-steps` are the longest steps across and down that reach all
    others from there. `data-places` has each cell's column and row in these steps, row by row; the column is left out
    if it is one more than the previous cell's, and the row if it is the same.
    """
    xs, ys = zip(*_spots(board), strict=True)
    left, top = min(xs), min(ys)
    across, down = gcd(*(x - left for x in xs)) or 1, gcd(*(y - top for y in ys)) or 1
    told, expected = [], (0, -1)
    for y, x, name in sorted(zip(ys, xs, board.names, strict=True)):
        column, row = (x - left) // across, (y - top) // down
        steps = f"{column if column != expected[0] else ''},{row if row != expected[1] else ''}"
        told.append(f"{name},{steps}".rstrip(","))
        expected = column + 1, row
    return f'data-from="{left},{top}" data-steps="{across},{down}" data-places="{" ".join(told)}"'


@lru_cache(maxsize=64)
def _spots(board: Board) -> tuple[tuple[int, int], ...]:
    """The middle of every cell."""
    return tuple(map(place, board.at))
