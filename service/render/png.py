"""A scene as a palette PNG, pasted together from sprites; what mail programs show."""

from __future__ import annotations

import io
from functools import lru_cache
from math import floor, gcd
from typing import Literal, NamedTuple

import resvg_py
from PIL import Image, ImageDraw, ImageFont

from service.engine.board import Board, Point
from service.engine.scene import STONES, Scene
from service.render.board_art import UNIT, frame, letter_size, place, shading
from service.render.cell_art import BOX, FAINT, draw
from service.render.cell_look import EMPTY, Look, looks
from service.render.stylesheet import GROUND, SLAB, STONE_INKS, Theme, rim
from service.render.stylesheet import style as sheet


def png(scene: Scene, width: int = 600, theme: Theme = "light") -> bytes:
    """The picture of `scene`, `width` pixels wide. Coordinates are set in Aileron (CC0), which Pillow carries."""
    board = scene.board
    canvas = _canvas(board, width)
    picture = _ground(board, canvas, theme).copy()
    pixels = _pixels(board, canvas)
    for shown, cells in looks(scene).items():
        for paper, spots in _by_paper(board, cells if shown != EMPTY else []).items():
            sprite, mask = _sprite(shown, board.style, GROUND[theme][paper], canvas.across, theme)
            reach = sprite.width // 2
            for cell in spots:
                x, y = pixels[cell]
                picture.paste(sprite, (x - reach, y - reach), mask)
    return _packed(picture)


NEAR = 8
"""Colours that differ less from the paper, in every channel, are left to it."""

LARGE = 20_000
"""So many bytes are worth ten times the time to make them fewer."""


def _packed(picture: Image.Image) -> bytes:
    """The picture as a file."""
    for thoroughly in (6, 9):
        out = io.BytesIO()
        picture.save(out, "PNG", compress_level=thoroughly)
        if out.tell() <= LARGE:
            break
    return out.getvalue()


class Canvas(NamedTuple):
    """How a board lies on the pixels: the point at the left top corner, pixels per SVG unit, and the size."""

    left: float
    top: float
    across: float
    down: float
    width: int
    height: int

    def spot(self, at: Point) -> tuple[float, float]:
        """Where `at` lies, in pixels."""
        x, y = place(at)
        return (x - self.left) * self.across, (y - self.top) * self.down

    @property
    def view(self) -> str:
        """The part of the plane that is seen, as SVG says it."""
        return f"{self.left} {self.top} {self.width / self.across} {self.height / self.down}"


@lru_cache(maxsize=64)
def _canvas(board: Board, width: int) -> Canvas:
    """The board stretched, by a few hundredths at most, until its cells lie on whole pixels.

    Lines are then sharp, stones lie exactly on them, and the picture repeats itself, which makes it small.
    """
    frame_left, frame_top, wide, high = frame(board)
    xs, ys = zip(*map(place, board.at), strict=True)
    across = _fitted(xs, width / wide)
    down = _fitted(ys, across)
    margin = (width / across - wide) / 2
    # The first cell lies in the middle of a pixel, and so do all that follow it in whole steps.
    left = xs[0] - (floor((xs[0] - frame_left + margin) * across) + 0.5) / across
    top = ys[0] - (floor((ys[0] - frame_top) * down) + 0.5) / down
    return Canvas(left, top, across, down, width, round(high * down))


def _fitted(places: tuple[int, ...], scale: float) -> float:
    """The scale near `scale` that keeps `places` whole pixels apart, where they have a common measure.

    It is larger by a fiftieth at most, which the margin of the frame can spare.
    """
    step = gcd(*(x - places[0] for x in places))
    if step * scale < 4:
        return scale
    nearest = round(step * scale) / step
    return nearest if nearest <= 1.02 * scale else floor(step * scale) / step


@lru_cache(maxsize=64)
def _pixels(board: Board, canvas: Canvas) -> tuple[tuple[int, int], ...]:
    """The pixel in which the middle of each cell lies."""
    return tuple((floor(x), floor(y)) for x, y in map(canvas.spot, board.at))


def _by_paper(board: Board, cells: list[int]) -> dict[str, list[int]]:
    """Cells by the ground they lie on, which the rims of their sprites blend into."""
    if not board.tints:
        return {"paper": cells}
    papers: dict[str, list[int]] = {}
    for cell in cells:
        papers.setdefault(f"tint{board.tints[cell]}", []).append(cell)
    return papers


@lru_cache(maxsize=32)
def _ground(board: Board, canvas: Canvas, theme: Theme) -> Image.Image:
    """The empty board with its coordinates."""
    drawing = _raster(shading(board), canvas.view, canvas.width, canvas.height, theme)
    picture = Image.alpha_composite(Image.new("RGBA", drawing.size, GROUND[theme]["paper"]), drawing).convert("RGB")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(letter_size(board) * canvas.across)
    for label, at in board.labels:
        pen.text(canvas.spot(at), label, GROUND[theme]["label"], font, anchor="mm")
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
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="{view}" preserveAspectRatio="none" '
        f'width="{width}" height="{height}">'
        f"<style>{sheet(theme)}</style>{inside}</svg>"
    )
    return Image.open(io.BytesIO(resvg_py.svg_to_bytes(svg_string=picture, skip_system_fonts=True))).convert("RGBA")


@lru_cache(maxsize=2)
def _palette(theme: Theme) -> Image.Image:
    """The colours of a theme and the blends between those that meet; fewer than the 256 a palette holds."""
    ground = GROUND[theme]
    papers = [ground[name] for name in ("paper", "tint0", "tint1", "tint2")]
    inks = [ground[name] for name in ("line", "label", "accent", "hole", "flower")]
    rims = [rim(name, theme) for name in STONE_INKS]
    pairs = [(paper, ink) for paper in papers for ink in (*inks, *rims[:2], "#ffffff")]
    pairs += [(papers[0], rim) for rim in rims[2:8]]
    pairs += [(fill, other) for name, (fill, _, hatch) in STONE_INKS.items() for other in (rim(name, theme), hatch)]
    pairs += [(SLAB[0], other) for other in (papers[0], papers[1], papers[2], SLAB[1], *rims[8:])]
    colours = dict.fromkeys(blend for pair in pairs for blend in _blends(*pair))
    for name in STONES:
        fill, _, hatch = STONE_INKS[name]
        # Only Black and White lie on tinted cells.
        for paper in papers[: 2 if name in ("black", "white") else 1]:
            colours |= dict.fromkeys(_blend(paper, ink, FAINT) for ink in (fill, hatch))
    # Pillow looks a colour up to within a few steps only: what nobody could tell from the paper would be taken for it.
    bare = _blend(papers[0], papers[0], 0)
    clear = [colour for colour in colours if not 0 < _apart(colour, bare) < NEAR]
    image = Image.new("P", (1, 1))
    image.putpalette([channel for colour in clear for channel in colour])
    return image


def _apart(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _blends(one: str, other: str, steps: int = 3) -> list[tuple[int, ...]]:
    return [_blend(one, other, step / steps) for step in range(steps + 1)]


def _blend(one: str, other: str, part: float) -> tuple[int, ...]:
    a, b = (tuple(int(code[i : i + 2], 16) for i in (1, 3, 5)) for code in (one, other))
    return tuple(int(p * (1 - part) + q * part) for p, q in zip(a, b, strict=True))
