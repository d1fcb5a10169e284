"""A scene as SVG, by string building."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from service.engine.board import Board
from service.engine.scene import Scene
from service.render.art import draw
from service.render.ground import UNIT, frame, labels, place, shading
from service.render.ink import style as sheet
from service.render.look import EMPTY, Look, looks
from service.render.text import text


def svg(scene: Scene, *, standalone: bool = True) -> str:
    """The picture of `scene`, with the text board inside its `<desc>`.

    A standalone file carries its colours, light and dark. Otherwise the page around it serves `ink.style()` as a
    stylesheet, and every cell is one element with `data-cell="g14"` to click, focus and name: its parent's
    `data-says` tells in words what stands there.
    """
    board, groups = scene.board, looks(scene)
    parts = [_head(scene, standalone), shading(board), labels(board)]
    spots = _spots(board)
    for key, (shown, cells) in enumerate(groups.items()):
        if shown != EMPTY:
            parts.append(_marker(key, shown, board.style))
            # Markers are drawn at every point of a path but its last, which is why that one is given twice.
            through = " ".join([spots[cell] for cell in cells])
            parts.append(f'<path class="at" marker-start="url(#k{key})" marker-mid="url(#k{key})" d="M{through}h0"/>')
    if not standalone:
        parts.append(f'<g class="{_shape(board)}">')
        parts += [_targets(board, shown, cells) for shown, cells in groups.items()]
        parts.append("</g>")
    parts.append("</svg>")
    return "".join(parts)


def _head(scene: Scene, standalone: bool) -> str:
    left, top, width, height = frame(scene.board)
    name = f"<title>{escape(scene.title)}</title><style>{sheet()}</style>" if standalone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" role="group" '
        f'viewBox="{left} {top} {width} {height}" aria-label={quoteattr(scene.title)}>'
        f"{name}<desc>{escape(text(scene))}</desc>"
    )


def _shape(board: Board) -> str:
    """What its cells are, for the stylesheet: targets are square only on `squares`, else round."""
    if board.style == "points":
        return "points"
    return "squares" if len(board.outlines[0]) == 4 else "hexagons"


def _marker(key: int, shown: Look, style: Literal["points", "cells"]) -> str:
    return f'<marker id="k{key}">{draw(shown, style)}</marker>'


def _targets(board: Board, shown: Look, cells: list[int]) -> str:
    """What can be hit and focused: squares or discs, by stylesheet, over all cells of one look."""
    hits = _hits(board)
    return f'<g data-says="{shown.words()}">{"".join([hits[cell] for cell in cells])}</g>'


@lru_cache(maxsize=64)
def _spots(board: Board) -> tuple[str, ...]:
    """The middle of every cell, as a path goes through it."""
    return tuple(f"{x} {y}" for x, y in map(place, board.at))


@lru_cache(maxsize=64)
def _hits(board: Board) -> tuple[str, ...]:
    """One element per cell; the stylesheet gives it the size of a unit."""
    return tuple(
        f'<rect data-cell="{name}" x="{x - UNIT // 2}" y="{y - UNIT // 2}"/>'
        for name, (x, y) in zip(board.names, map(place, board.at), strict=True)
    )
