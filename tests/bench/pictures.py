"""Pictures against python-chess's SVG and CairoSVG's PNG of the same board."""

from __future__ import annotations

from collections.abc import Iterator

import cairosvg
import chess
import chess.svg

from service.engine.scene import STONES, Piece, Scene
from service.games import GAMES
from service.render.png import png
from service.render.svg import svg
from tests.bench.measure import Figure, ratio

BOARDS = {
    "go19": ("go", 2, "a full 19x19"),
    "rosette7": ("rosette", 2, "a full Rosette board of base 7"),
    "medusa10": ("medusa", 2, "a full Medusa board of base 10"),
    "multigo8": ("multigo", 8, "a full 19x19 in eight colours"),
}
"""By name: game, seats, and what is drawn."""


def full(empty: Scene) -> Scene:
    """The scene with a stone on every cell, the colours scattered, and a last move."""
    stones = [Piece(seat, STONES[colour]) for seat, colour in enumerate(empty.colours)]
    on = {cell: stones[cell * cell % 101 % len(stones)] for cell in range(len(empty.board.names))}
    return Scene(empty.board, on, empty.colours, {40: ("last",)}, title="A full board")


def figures() -> Iterator[Figure]:
    for name, (game, seats, what) in BOARDS.items():
        yield from _compared(name, full(GAMES[game].start(seats).view(None)), what)


def _compared(name: str, scene: Scene, what: str) -> Iterator[Figure]:
    start = chess.Board()
    file, page, picture = svg(scene), svg(scene, standalone=False), png(scene)
    drawn = ratio(lambda: svg(scene), lambda: chess.svg.board(start))
    pressed = ratio(lambda: svg(scene, standalone=False), lambda: chess.svg.board(start))
    pasted = ratio(lambda: png(scene), lambda: cairosvg.svg2png(bytestring=file, output_width=600), rounds=3)
    yield Figure(f"svg-{name}", drawn, 0.25, f"time of {what} over chess.svg.board")
    yield Figure(f"svg-page-{name}", pressed, 0.25, f"time of {what} to embed in a page over chess.svg.board")
    yield Figure(f"svg-kb-{name}", len(file) / 1000, 20, f"kB of {what} as a file")
    yield Figure(f"svg-page-kb-{name}", len(page) / 1000, 20, f"kB of {what} in a page")
    yield Figure(f"png-{name}", pasted, 0.125, f"time of {what}, 600 px, over CairoSVG from our SVG")
    yield Figure(f"png-kb-{name}", len(picture) / 1000, 20, f"kB of {what}, 600 px")
