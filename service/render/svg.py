"""A scene as SVG, by string building."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal
from xml.sax.saxutils import escape, quoteattr
from zlib import crc32

from service.engine.board import Board
from service.engine.scene import Scene
from service.render.art import draw
from service.render.ground import UNIT, frame, labels, place, shading
from service.render.ink import style as sheet
from service.render.look import EMPTY, Look, looks
from service.render.text import text


def svg(scene: Scene, *, standalone: bool = True) -> str:
    """The picture of `scene`.

    A standalone file carries its colours, light and dark, and the text board inside its `<desc>`. Otherwise the page
    around it serves `ink.style()` as a stylesheet, and every cell is one element with `data-cell="g14"` to click,
    focus and name: its parent's `data-says` tells in words what stands there.
    """
    board, groups = scene.board, looks(scene)
    parts = [_head(scene, standalone), shading(board), labels(board)]
    spots = _spots(board)
    for shown, cells in groups.items():
        if shown != EMPTY:
            key, marker = _marker(shown, board.style)
            # Markers are drawn at every point of a path but its last, which is why that one is given twice.
            through = " ".join([spots[cell] for cell in cells])
            parts.append(
                f'{marker}<path class="at" marker-start="url(#{key})" marker-mid="url(#{key})" d="M{through}h0"/>'
            )
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


@lru_cache(maxsize=1024)
def _marker(shown: Look, style: Literal["points", "cells"]) -> tuple[str, str]:
    """The drawing of a look, and its id: made from the drawing, so that boards on one page may share it."""
    drawing = draw(shown, style)
    key = f"k{crc32(drawing.encode()):x}"
    return key, f'<marker id="{key}">{drawing}</marker>'


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
