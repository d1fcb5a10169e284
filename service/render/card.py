"""Pictures for other sites and for home screens of phones: a board on a wide card, and our logo as an icon."""

from __future__ import annotations

import io

import resvg_py
from PIL import Image

from service.engine.scene import Scene
from service.render.png import png

WIDTH, HEIGHT = 1200, 630
"""The size of a card in pixels: what most sites expect for Open Graph previews."""

PAPER = "#f7f2e8"
"""The background of our pages in the light theme."""

_MARGIN = 15

_MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" fill="{paper}"/>'
    '<g transform="translate(8 8)"><circle cx="12" cy="16" r="10" fill="#b3211d"/><path d="M20 9.500q3-2.400 6 0t6 0'
    'M22 16q2.500-2.400 5 0t5 0M20 22.500q3-2.400 6 0t6 0" fill="none" stroke="#8f8675" stroke-width="2"/></g></svg>'
)
"""The logo of the page icon, on paper, within the middle of an icon that all phones show."""


def card(scene: Scene) -> bytes:
    """A scene as a PNG of WIDTH by HEIGHT pixels, with the board in the middle."""
    board: Image.Image = Image.open(io.BytesIO(png(scene)))
    room = HEIGHT - 2 * _MARGIN
    if board.height > room:
        board = Image.open(io.BytesIO(png(scene, width=board.width * room // board.height)))
    paper = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    board = board.convert("RGBA")
    paper.paste(board, ((WIDTH - board.width) // 2, (HEIGHT - board.height) // 2), board)
    # A median cut would find slightly better colours, but take forty times as long.
    return _packed(paper.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))


def icon(size: int) -> bytes:
    """Our logo as a square PNG of `size` pixels, with room around it for phones with round icons."""
    picture = _MARK.format(paper=PAPER)
    drawn = resvg_py.svg_to_bytes(svg_string=picture, width=size, height=size, skip_system_fonts=True)
    return _packed(Image.open(io.BytesIO(drawn)).convert("RGB").quantize(64))


def _packed(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
