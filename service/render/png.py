"""A scene as a palette PNG, pasted together from sprites, for mail programs.

This is our own code, because rasterising the whole SVG of a board with a library takes thirty times as long and makes
files three times as large. Here each sprite is rasterised once per process, and boards are only pasted and packed.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import floor, gcd
from struct import pack
from typing import Literal, NamedTuple
from zlib import crc32

import resvg_py
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont
from zlib_ng import zlib_ng

from service.engine.board import Board, Point
from service.engine.scene import Scene
from service.render.art.board_art import DEFINITIONS, UNIT, frame, letter_size, place, shading, side
from service.render.art.cell_art import BOX, draw
from service.render.art.cell_look import EMPTY, Look, looks
from service.render.art.palette import CLASSIC, DOT, SLAB, Design, Surface, Theme, rim, stones, surface
from service.render.art.pieces import PIECES
from service.render.art.stylesheet import BLUR, FALL, SHADE, style


def png(scene: Scene, width: int = 600, theme: Theme = "light", design: Design = CLASSIC) -> bytes:
    """The picture of `scene`, `width` pixels wide, transparent around the board.

    Coordinates are in Aileron (CC0), which comes with Pillow. Stones are flat if the file would be larger than `LARGE`.
    """
    cells = tuple((look, tuple(cells)) for look, cells in looks(scene).items())
    return _file(scene.board, cells, width, theme, design)


Cells = tuple[tuple[Look, tuple[int, ...]], ...]
"""All cells of a board, grouped by look."""


@lru_cache(maxsize=64)
def _file(board: Board, cells: Cells, width: int, theme: Theme, design: Design) -> bytes:
    """The picture as a file, cached because letters to all players of a match show the same one."""
    for flat in (False, True):
        dye = Dye(board.material, design, theme, flat)
        file = _packed(_drawn(board, cells, width, dye), _clear(dye))
        if len(file) <= LARGE:
            break
    return file


LARGE = 20_000
"""The number of bytes above which stones are drawn flat, as for hundreds of stones in many colours."""


def _drawn(board: Board, cells_by_look: Cells, width: int, dye: Dye) -> Image.Image:
    canvas = _canvas(board, width)
    picture = _ground(board, canvas, dye).copy()
    pixels = _pixels(board, canvas)
    for shown, cells in cells_by_look:
        for ground, spots in _by_ground(board, cells if shown != EMPTY else ()).items():
            sprite, mask = _sprite(shown, board.style, ground, canvas.across, dye)
            reach = sprite.width // 2
            for cell in spots:
                x, y = pixels[cell]
                picture.paste(sprite, (x - reach, y - reach), mask)
    return picture


class Dye(NamedTuple):
    """Everything that colours depend on."""

    material: str
    design: Design
    theme: Theme
    flat: bool

    @property
    def surface(self) -> Surface:
        """The colours of the board."""
        return surface(self.material, self.design, self.theme)

    @property
    def sheet(self) -> str:
        """The stylesheet without shadows of boards, which `_shadowed` draws, and without grain and sheen, which would
        make files half as large again."""
        hidden = ".sheen,.shade,[fill]" if self.flat else ".sheen"
        return f"{style(self.theme, self.design, self.material)}{hidden}{{display:none}}.board .edge{{filter:none}}"


def _packed(picture: Image.Image, clear: bytes) -> bytes:
    """The picture as a file; `clear` has the opacity of each colour. See https://www.w3.org/TR/png-3/.

    Pillow takes twice as long for larger files where Python itself has loaded zlib, as Debian's has: Pillow's own
    zlib-ng is then not used.
    """
    width, height = picture.size
    rows = Image.new("P", (width + 1, height))  # A row begins with its filter, which is 0: none.
    rows.paste(picture, (1, 0))
    chunks = {
        b"IHDR": pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0),
        b"PLTE": bytes(picture.getpalette() or ()),
        b"tRNS": clear,
        b"IDAT": zlib_ng.compress(rows.tobytes(), 6),
        b"IEND": b"",
    }
    parts = (pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data)) for kind, data in chunks.items())
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


class Canvas(NamedTuple):
    """The position of a board on the pixels: the point at the top left, pixels per SVG unit, and the size."""

    left: float
    top: float
    across: float
    down: float
    width: int
    height: int

    def spot(self, at: Point) -> tuple[float, float]:
        """The position of `at` in pixels."""
        x, y = place(at)
        return (x - self.left) * self.across, (y - self.top) * self.down

    @property
    def view(self) -> str:
        """The visible part of the plane, as an SVG `viewBox`."""
        return f"{self.left} {self.top} {self.width / self.across} {self.height / self.down}"


@lru_cache(maxsize=64)
def _canvas(board: Board, width: int) -> Canvas:
    """The board scaled slightly, so that its cells are on whole pixels.

    Then lines are sharp, stones are exactly on them, and the picture repeats itself, so that the file is small.
    """
    frame_left, frame_top, wide, high = frame(board)
    xs, ys = zip(*map(place, board.at), strict=True)
    across = _fitted(xs, width / wide)
    down = _fitted(ys, across)
    margin = (width / across - wide) / 2
    # The first cell is in the middle of a pixel, and so are all cells that are whole steps away.
    left = xs[0] - (floor((xs[0] - frame_left + margin) * across) + 0.5) / across
    top = ys[0] - (floor((ys[0] - frame_top) * down) + 0.5) / down
    return Canvas(left, top, across, down, width, round(high * down))


def _fitted(places: tuple[int, ...], scale: float) -> float:
    """The largest scale up to about `scale` at which `places` are whole pixels apart, if they have a common step."""
    step = gcd(*(x - places[0] for x in places))
    if step * scale < 4:
        return scale
    return floor(step * scale * NEARLY) / step


NEARLY = 1.004
"""How much the scale may grow into the margin of the frame."""


@lru_cache(maxsize=64)
def _pixels(board: Board, canvas: Canvas) -> tuple[tuple[int, int], ...]:
    """The pixel with the middle of each cell."""
    return tuple((floor(x), floor(y)) for x, y in map(canvas.spot, board.at))


def _by_ground(board: Board, cells: tuple[int, ...]) -> Mapping[str, Sequence[int]]:
    """Cells by their ground, into which the rims of their sprites blend."""
    if not board.tints:
        return {"tint0" if board.outlines else "field": cells}
    grounds: dict[str, list[int]] = {}
    for cell in cells:
        grounds.setdefault(f"tint{board.tints[cell]}", []).append(cell)
    return grounds


@lru_cache(maxsize=32)
def _ground(board: Board, canvas: Canvas, dye: Dye) -> Image.Image:
    """The empty board with its coordinates, in the palette's colours."""
    drawing = _shadowed(board, canvas, dye)
    solid = Image.new("RGBA", drawing.size, dye.surface.edge)
    picture = Image.alpha_composite(solid, drawing).convert("RGB")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(letter_size(board) * canvas.across)
    for label, at in board.labels:
        pen.text(canvas.spot(at), label, dye.surface.label, font, anchor="mm")
    picture = picture.quantize(palette=_palette(dye), dither=Image.Dither.NONE)
    picture.putpalette([*_colours(dye), *_channels(dye.surface.edge) * CLEAR])
    around = drawing.getchannel("A")
    first = len(_colours(dye)) // 3
    picture.paste(around.point([first + alpha * CLEAR // 256 for alpha in range(256)]), around.point(_UNDER))
    return picture


def _shadowed(board: Board, canvas: Canvas, dye: Dye) -> Image.Image:
    """The empty board on its shadow, without coordinates. With resvg, the shadow would take eight times as long."""
    flat, thrower = (
        _raster(DEFINITIONS + part, canvas.view, canvas.width, canvas.height, dye)
        for part in (shading(board), side(board))
    )
    fallen = ImageChops.offset(thrower.getchannel("A"), 0, round(FALL * canvas.down))
    soft = fallen.filter(ImageFilter.GaussianBlur(BLUR * canvas.across))
    shadow = Image.new("RGBA", flat.size)
    shadow.putalpha(soft.point([alpha * SHADE // 255 for alpha in range(256)]))
    return Image.alpha_composite(shadow, flat)


CLEAR = 8
"""How many steps of opacity there are below full, for the edge of the board and its shadow."""
_UNDER = [255] * 255 + [0]


def _clear(dye: Dye) -> bytes:
    """The opacity of each colour of the palette, from 0 to 255."""
    return bytes([255] * (len(_colours(dye)) // 3) + [step * 255 // CLEAR for step in range(CLEAR)])


@lru_cache(maxsize=2048)
def _sprite(
    shown: Look, style: Literal["points", "cells"], ground: str, scale: float, dye: Dye
) -> tuple[Image.Image, Image.Image]:
    """One look on its ground, in the palette's colours, and the mask of its pixels."""
    side = round(UNIT * scale) | 1
    reach = side / (UNIT * scale) * BOX / 2
    drawing = DEFINITIONS + draw(shown, style)
    clear = _raster(drawing, f"{-reach} {-reach} {2 * reach} {2 * reach}", side, side, dye)
    solid = Image.new("RGBA", clear.size, getattr(dye.surface, ground))
    solid.alpha_composite(clear)
    inked = solid.convert("RGB").quantize(palette=_palette(dye), dither=Image.Dither.NONE)
    return inked, clear.getchannel("A").point(lambda alpha: 255 * (alpha > 24)).convert("1")


def _raster(inside: str, view: str, width: int, height: int, dye: Dye) -> Image.Image:
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board {dye.material}" viewBox="{view}" '
        f'preserveAspectRatio="none" width="{width}" height="{height}">'
        f"<style>{dye.sheet}</style>{inside}</svg>"
    )
    return Image.open(io.BytesIO(resvg_py.svg_to_bytes(svg_string=picture, skip_system_fonts=True))).convert("RGBA")


@lru_cache(maxsize=32)
def _palette(dye: Dye) -> Image.Image:
    """The opaque colours as a palette image for Pillow."""
    image = Image.new("P", (1, 1))
    image.putpalette(_colours(dye))
    return image


BLENDS = 40
"""The number of blended colours, in addition to the exact ones: more would make no visible difference."""


@lru_cache(maxsize=32)
def _colours(dye: Dye) -> list[int]:
    """The colours of everything that can be on such a board: red, green and blue of each in turn.

    The colours of the design are exact; blends are taken from a picture of all stones and pieces.
    """
    blends = _samples(dye).quantize(BLENDS, Image.Quantize.MEDIANCUT).getpalette() or []
    found: list[tuple[int, ...]] = []
    for colour in (*_exact(dye), *zip(*[iter(blends)] * 3, strict=True)):
        if all(_apart(colour, known) >= NEAR for known in found):
            found.append(colour)
    return [channel for colour in found for channel in colour]


NEAR = 8
"""Colours that differ by less than this in every channel are merged, since Pillow might confuse them."""


def _apart(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _exact(dye: Dye) -> list[tuple[int, ...]]:
    """The colours that people compare, and the blends at the edges of lines and letters."""
    its = dye.surface
    inks = [its.plate, its.field]
    for name, stone in stones(dye.design).items():
        inks += [stone.fill, stone.hatch, rim(name, dye.material, dye.design, dye.theme)]
    inks += [*its, *SLAB, DOT, "#ffffff"]
    edges = [(its.plate, its.label), *((ground, its.line) for ground in (its.field, its.tint0, its.tint1))]
    return [*map(_channels, inks), *(_blend(*pair, part / 3) for pair in edges for part in (1, 2))]


def _samples(dye: Dye) -> Image.Image:
    """A picture of everything that may be drawn, on each of its grounds."""
    marked: tuple[tuple[str, ...], ...] = ((), ("dead",), ("last",))
    looks = [Look(colour, "stone", marks=marks) for colour in stones(dye.design) for marks in marked]
    if dye.material == "paper":
        looks += [Look(colour, kind, petrified) for colour in SIDES for kind in PIECES for petrified in (False, True)]
    row = [f'<g transform="translate({at * BOX} 0)">{draw(look, "cells")}</g>' for at, look in enumerate(looks)]
    grounds = dict.fromkeys((dye.surface.field, dye.surface.tint0, dye.surface.tint1))
    strips = Image.new("RGBA", (len(looks) * SAMPLE, len(grounds) * SAMPLE))
    for at, ground in enumerate(grounds):
        strip = _raster(
            f'{DEFINITIONS}<rect x="-99" y="-99" width="9999" height="999" fill="{ground}"/>{"".join(row)}',
            f"{-BOX / 2} {-BOX / 2} {len(looks) * BOX} {BOX}",
            strips.width,
            SAMPLE,
            dye,
        )
        strips.paste(strip, (0, at * SAMPLE))
    return strips.convert("RGB")


SAMPLE = 28
"""The width of a sample in pixels, as of a stone in an email."""
SIDES = ("black", "white")


def _blend(one: str, other: str, part: float) -> tuple[int, ...]:
    return tuple(int(p * (1 - part) + q * part) for p, q in zip(_channels(one), _channels(other), strict=True))


def _channels(code: str) -> tuple[int, ...]:
    """Red, green and blue of `#rrggbb`."""
    return tuple(int(code[at : at + 2], 16) for at in (1, 3, 5))
