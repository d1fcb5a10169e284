"""A scene as a palette PNG, pasted together from sprites; what mail programs show."""

from __future__ import annotations

import io
from functools import lru_cache

import resvg_py
from PIL import Image, ImageDraw, ImageFont

from service.engine.board import Board
from service.engine.scene import Scene
from service.render.art import draw
from service.render.ground import UNIT, frame, shading
from service.render.ink import GROUND, STONE_INKS, Theme, style
from service.render.look import EMPTY, Look, looks


def png(scene: Scene, width: int = 600, theme: Theme = "light") -> bytes:
    """The picture of `scene`, `width` pixels wide. Coordinates are set in Aileron (CC0), which Pillow carries."""
    board = scene.board
    scale = width / frame(board).width
    picture = _ground(board, width, theme).copy()
    for shown, cells in looks(scene).items():
        if shown == EMPTY:
            continue
        for cell in cells:
            sprite, mask = _sprite(shown, _paper(board, cell, theme), scale, theme)
            x, y = _pixel(board, cell, scale)
            picture.paste(sprite, (x - sprite.width // 2, y - sprite.height // 2), mask)
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=6)
    return out.getvalue()


def _pixel(board: Board, cell: int, scale: float) -> tuple[int, int]:
    left, top, _, _ = frame(board)
    x, y = board.at[cell]
    return round((x * UNIT - left) * scale), round((y * UNIT - top) * scale)


def _paper(board: Board, cell: int, theme: Theme) -> str:
    """The ground under a cell, which the rims of its sprite blend into."""
    return GROUND[theme][f"tint{board.tints[cell]}" if board.tints else "paper"]


@lru_cache(maxsize=8)
def _ground(board: Board, width: int, theme: Theme) -> Image.Image:
    """The empty board with its coordinates."""
    left, top, wide, high = frame(board)
    scale = width / wide
    height = round(high * scale)
    view = f"{left} {top} {wide} {high}"
    picture = _raster(shading(board), view, width, height, theme).convert("RGB")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(8.5 * scale)
    for label, (x, y) in board.labels:
        spot = ((x * UNIT - left) * scale, (y * UNIT - top) * scale)
        pen.text(spot, label, GROUND[theme]["label"], font, anchor="mm")
    return picture.quantize(palette=_palette(theme), dither=Image.Dither.NONE)


@lru_cache(maxsize=2048)
def _sprite(shown: Look, paper: str, scale: float, theme: Theme) -> tuple[Image.Image, Image.Image]:
    """One look on its ground, in the palette, and the mask of what it covers."""
    side = round(UNIT * scale * 1.1) | 1
    reach = side / scale / 2
    clear = _raster(draw(shown), f"{-reach} {-reach} {2 * reach} {2 * reach}", side, side, theme)
    solid = Image.new("RGBA", clear.size, paper)
    solid.alpha_composite(clear)
    inked = solid.convert("RGB").quantize(palette=_palette(theme), dither=Image.Dither.NONE)
    return inked, clear.getchannel("A").point(lambda alpha: 255 * (alpha > 24)).convert("1")


def _raster(inside: str, view: str, width: int, height: int, theme: Theme) -> Image.Image:
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="{view}" width="{width}" height="{height}">'
        f"<style>{style(theme)}</style>{inside}</svg>"
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
