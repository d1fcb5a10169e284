"""A scene as SVG, by string building."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from service.engine.board import Board
from service.engine.scene import Scene
from service.render.art import BOX, layers
from service.render.ground import UNIT, frame, labels, place, shading, stamps
from service.render.ink import style as sheet
from service.render.look import Look, looks
from service.render.text import text


def svg(scene: Scene, *, standalone: bool = True) -> str:
    """The picture of `scene`.

    A standalone file carries its colours, light and dark, and the text board inside its `<desc>`. Otherwise the page
    around it serves `ink.style()` as a stylesheet, and every cell is one element with `data-cell="g14"` to click,
    focus and name: its parent's `data-says` tells in words what stands there.
    """
    board, groups = scene.board, looks(scene)
    parts = [_head(scene, standalone), shading(board), labels(board)]
    parts += _stamped(board, groups)
    if not standalone:
        parts.append(f'<g class="{_shape(board)}">')
        parts += [_targets(board, shown, cells) for shown, cells in groups.items()]
        parts.append("</g>")
    parts.append("</svg>")
    return "".join(parts)


def _head(scene: Scene, standalone: bool) -> str:
    """The opening tag. A page has a text board of its own, and a title would pop up over the whole picture there."""
    left, top, width, height = frame(scene.board)
    view = f'xmlns="http://www.w3.org/2000/svg" class="board" viewBox="{left} {top} {width} {height}"'
    if not standalone:
        return f'<svg {view} role="group" aria-label={quoteattr(scene.title)}>'
    words = f"<title>{escape(scene.title)}</title><desc>{escape(text(scene))}</desc>"
    return f'<svg {view} role="img">{words}<style>{sheet()}</style>'


def _shape(board: Board) -> str:
    """What its cells are, for the stylesheet: targets are square only on `squares`, else round."""
    if board.style == "points":
        return "points"
    return "squares" if len(board.outlines[0]) == 4 else "hexagons"


def _stamped(board: Board, groups: Mapping[Look, list[int]]) -> Iterator[str]:
    """First all that lies on the cells, then all marks; each drawing once, with the places where it is."""
    spots = _spots(board)
    drawn: tuple[dict[str, list[int]], dict[str, list[int]]] = {}, {}
    for shown, cells in groups.items():
        for drawing, places in zip(_layers(shown, board.style), drawn, strict=True):
            if drawing:
                places.setdefault(drawing, []).extend(cells)
    for places in drawn:
        for drawing, cells in places.items():
            yield stamps(drawing, [spots[cell] for cell in sorted(cells)], UNIT / BOX)


@lru_cache(maxsize=1024)
def _layers(shown: Look, style: Literal["points", "cells"]) -> tuple[str, str]:
    return layers(shown, style)


def _targets(board: Board, shown: Look, cells: list[int]) -> str:
    """What can be hit and focused: squares or discs, by stylesheet, over all cells of one look."""
    hits = _hits(board)
    return f'<g data-says="{shown.words()}">{"".join([hits[cell] for cell in cells])}</g>'


@lru_cache(maxsize=64)
def _spots(board: Board) -> tuple[tuple[int, int], ...]:
    """The middle of every cell."""
    return tuple(map(place, board.at))


@lru_cache(maxsize=64)
def _hits(board: Board) -> tuple[str, ...]:
    """One element per cell; the stylesheet gives it the size of a unit."""
    return tuple(
        f'<rect data-cell="{name}" x="{x - UNIT // 2}" y="{y - UNIT // 2}"/>'
        for name, (x, y) in zip(board.names, _spots(board), strict=True)
    )
