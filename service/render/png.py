"""A scene as a palette PNG, pasted together from sprites; what mail programs show."""

from __future__ import annotations

import io
from functools import lru_cache
from math import floor
from typing import Literal, NamedTuple

import resvg_py
from PIL import Image, ImageDraw, ImageFont

from service.engine.board import Board, Point
from service.engine.scene import Scene
from service.render.art import BOX, draw
from service.render.ground import UNIT, frame, shading
from service.render.ink import GROUND, STONE_INKS, Theme
from service.render.ink import style as sheet
from service.render.look import EMPTY, Look, looks


def png(scene: Scene, width: int = 600, theme: Theme = "light") -> bytes:
    """The picture of `scene`, `width` pixels wide. Coordinates are set in Aileron (CC0), which Pillow carries."""
    board = scene.board
    canvas = _canvas(board, width)
    picture = _ground(board, canvas, theme).copy()
    for shown, cells in looks(scene).items():
        for paper, spots in _by_paper(board, cells if shown != EMPTY else []).items():
            sprite, mask = _sprite(shown, board.style, GROUND[theme][paper], canvas.scale, theme)
            reach = sprite.width // 2
            for cell in spots:
                x, y = canvas.pixel(board.at[cell])
                picture.paste(sprite, (x - reach, y - reach), mask)
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=6)
    return out.getvalue()


class Canvas(NamedTuple):
    """How a board lies on the pixels: the point at the left top corner, pixels per SVG unit, and the size."""

    left: float
    top: float
    scale: float
    width: int
    height: int

    def pixel(self, at: Point) -> tuple[int, int]:
        """The pixel in whose middle `at` lies, as near as pixels go."""
        return floor((at[0] * UNIT - self.left) * self.scale), floor((at[1] * UNIT - self.top) * self.scale)


@lru_cache(maxsize=64)
def _canvas(board: Board, width: int) -> Canvas:
    """A whole number of pixels from cell to cell, and the first cell in the middle of one.

    So the lines of square boards are sharp and their stones lie exactly on them.
    """
    left, top, wide, high = frame(board)
    scale = floor(width / wide * UNIT) / UNIT
    height = round(high * scale)
    left -= (width / scale - wide) / 2
    x, y = board.at[0][0] * UNIT, board.at[0][1] * UNIT
    left = x - (floor((x - left) * scale) + 0.5) / scale
    top = y - (floor((y - top) * scale) + 0.5) / scale
    return Canvas(left, top, scale, width, height)


def _by_paper(board: Board, cells: list[int]) -> dict[str, list[int]]:
    """Cells by the ground they lie on, which the rims of their sprites blend into."""
    if not board.tints:
        return {"paper": cells}
    papers: dict[str, list[int]] = {}
    for cell in cells:
        papers.setdefault(f"tint{board.tints[cell]}", []).append(cell)
    return papers


@lru_cache(maxsize=8)
def _ground(board: Board, canvas: Canvas, theme: Theme) -> Image.Image:
    """The empty board with its coordinates."""
    left, top, scale, width, height = canvas
    view = f"{left} {top} {width / scale} {height / scale}"
    drawing = _raster(shading(board), view, width, height, theme)
    picture = Image.alpha_composite(Image.new("RGBA", drawing.size, GROUND[theme]["paper"]), drawing).convert("RGB")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(13 * scale)
    for label, at in board.labels:
        spot = ((at[0] * UNIT - left) * scale, (at[1] * UNIT - top) * scale)
        pen.text(spot, label, GROUND[theme]["label"], font, anchor="mm")
    return picture.quantize(palette=_palette(theme), dither=Image.Dither.NONE)


@lru_cache(maxsize=2048)
def _sprite(
    shown: Look, style: Literal["points", "cells"], paper: str, scale: float, theme: Theme
) -> tuple[Image.Image, Image.Image]:
    """One look on its ground, in the palette, and the mask of what it covers."""
    side = round(UNIT * scale) | 1
    reach = side / (UNIT * scale) * BOX / 2
    clear = _raster(draw(shown, style), f"{-reach} {-reach} {2 * reach} {2 * reach}", side, side, theme)
    solid = Image.new("RGBA", clear.size, paper)
    solid.alpha_composite(clear)
    inked = solid.convert("RGB").quantize(palette=_palette(theme), dither=Image.Dither.NONE)
    return inked, clear.getchannel("A").point(lambda alpha: 255 * (alpha > 24)).convert("1")


def _raster(inside: str, view: str, width: int, height: int, theme: Theme) -> Image.Image:
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="{view}" width="{width}" height="{height}">'
        f"<style>{sheet(theme)}</style>{inside}</svg>"
    )
    return Image.open(io.BytesIO(resvg_py.svg_to_bytes(svg_string=picture))).convert("RGBA")


@lru_cache(maxsize=2)
def _palette(theme: Theme) -> Image.Image:
    """The colours of a theme and the blends between those that meet."""
    ground = GROUND[theme]
    papers = [ground[name] for name in ("paper", "tint0", "tint1", "tint2")]
    inks = [ground[name] for name in ("line", "label", "accent", "hole", "flower")]
    rims = [rim for _, rim, _ in STONE_INKS.values()]
    pairs = [(paper, ink) for paper in papers for ink in (*inks, rims[0], rims[1], "#ffffff")]
    pairs += [(papers[0], rim) for rim in rims[2:]]
    pairs += [(fill, other) for fill, rim, hatch in STONE_INKS.values() for other in (rim, hatch)]
    colours = dict.fromkeys(blend for pair in pairs for blend in _blends(*pair))
    image = Image.new("P", (1, 1))
    image.putpalette([channel for colour in list(colours)[:256] for channel in colour])
    return image


def _blends(one: str, other: str, steps: int = 4) -> list[tuple[int, ...]]:
    a, b = (tuple(int(code[i : i + 2], 16) for i in (1, 3, 5)) for code in (one, other))
    return [tuple((p * (steps - k) + q * k) // steps for p, q in zip(a, b, strict=True)) for k in range(steps + 1)]
