"""Pictures for other sites and for the screen of a phone: a board on a wide card, and our mark as an icon."""

from __future__ import annotations

import io

import resvg_py
from PIL import Image

from service.engine.scene import Scene
from service.render.png import png

WIDTH, HEIGHT = 1200, 630
"""Pixels of a card: the size that the Open Graph previews of most sites are made for."""

PAPER = "#f7f2e8"
"""The ground of our pages by day."""

_MARGIN = 15

_MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" fill="{paper}"/>'
    '<g transform="translate(8 8)"><circle cx="12" cy="16" r="10" fill="#b3211d"/><path d="M20 9.500q3-2.400 6 0t6 0'
    'M22 16q2.500-2.400 5 0t5 0M20 22.500q3-2.400 6 0t6 0" fill="none" stroke="#8f8675" stroke-width="2"/></g></svg>'
)
"""The mark of the page's own icon, on paper. All of it is within the middle that every phone shows of an icon."""


def card(scene: Scene) -> bytes:
    """A scene as a PNG of WIDTH by HEIGHT pixels, the board in the middle."""
    board: Image.Image = Image.open(io.BytesIO(png(scene)))
    room = HEIGHT - 2 * _MARGIN
    if board.height > room:
        board = Image.open(io.BytesIO(png(scene, width=board.width * room // board.height)))
    paper = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    board = board.convert("RGBA")
    paper.paste(board, ((WIDTH - board.width) // 2, (HEIGHT - board.height) // 2), board)
    # A median cut would find little better colours, and take forty times as long.
    return _packed(paper.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))


def icon(size: int) -> bytes:
    """Our mark as a square PNG of `size` pixels, with room around it for phones that cut icons round."""
    picture = _MARK.format(paper=PAPER)
    drawn = resvg_py.svg_to_bytes(svg_string=picture, width=size, height=size, skip_system_fonts=True)
    return _packed(Image.open(io.BytesIO(drawn)).convert("RGB").quantize(64))


def _packed(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
