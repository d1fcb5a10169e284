"""A scene as SVG, by string building."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from xml.sax.saxutils import escape

from service.engine.board import Board, Point
from service.engine.scene import Scene
from service.render.art import draw
from service.render.ground import frame, labels, number, place, shading
from service.render.ink import style
from service.render.look import EMPTY, Look, looks
from service.render.text import text


def svg(scene: Scene, *, standalone: bool = True) -> str:
    """The picture of `scene`, with the text board inside its `<desc>`.

    Standalone files carry their colours, light and dark. Otherwise the page around it must serve `ink.style()`,
    as a strict content policy wants it. Every cell is one element with `data-cell="g14"`; its parent's `data-says`
    tells in words what stands there.
    """
    groups = looks(scene)
    parts = [_head(scene, standalone), _ground(scene.board), "<defs>"]
    parts += [_marker(key, shown, scene.board.style) for key, shown in enumerate(groups) if shown != EMPTY]
    parts.append(f'</defs><g class="{scene.board.style}">')
    targets = _targets(scene.board)
    for key, (shown, cells) in enumerate(groups.items()):
        mark = f' marker-start="url(#look{key})"' if shown != EMPTY else ""
        parts.append(f'<g data-says="{shown.words()}"{mark}>')
        parts += [targets[cell] for cell in cells]
        parts.append("</g>")
    parts.append("</g></svg>")
    return "".join(parts)


def _head(scene: Scene, standalone: bool) -> str:
    left, top, width, height = frame(scene.board)
    sheet = f"<style>{style()}</style>" if standalone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="{left} {top} {width} {height}" role="group">'
        f"<title>{escape(scene.title)}</title><desc>{escape(text(scene))}</desc>{sheet}"
    )


@lru_cache(maxsize=64)
def _ground(board: Board) -> str:
    return shading(board) + labels(board)


@lru_cache(maxsize=64)
def _targets(board: Board) -> tuple[str, ...]:
    """One element per cell, to see, hit and focus. Its marker, if it has one, is drawn around the path's start."""
    if board.style == "points":
        paths = [f"M{place((x - 0.25, y - 0.25))}l10 10" for x, y in board.at]
    else:
        paths = [f"M{place(at)}m{_round(at, outline)}z" for at, outline in zip(board.at, board.outlines, strict=True)]
    return tuple(f'<path data-cell="{name}" d="{path}"/>' for name, path in zip(board.names, paths, strict=True))


def _round(start: Point, outline: tuple[Point, ...]) -> str:
    """The steps from `start` round the corners of a cell."""
    steps = pairwise((start, *outline))
    return "l".join(f"{number(x1 - x0)} {number(y1 - y0)}" for (x0, y0), (x1, y1) in steps)


def _marker(key: int, shown: Look, kind: str) -> str:
    offset = ' refX="-5" refY="-5"' if kind == "points" else ""
    return f'<marker id="look{key}" markerUnits="userSpaceOnUse" overflow="visible"{offset}>{draw(shown)}</marker>'
