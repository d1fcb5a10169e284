"""The PNG: what mail programs show."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from service.engine.board import Board
from service.engine.scene import Piece, Scene
from service.render.png import png
from service.render.stylesheet import GROUND, STONE_INKS, Theme
from tests.render.boards import COLOURS, cells, chess, full, graph, sample, square

BOARDS = [square(19), graph(7), cells(10), chess(11)]


def opened(picture: bytes) -> Image.Image:
    return Image.open(io.BytesIO(picture))


def near(one: tuple[int, ...], code: str) -> bool:
    other = tuple(int(code[i : i + 2], 16) for i in (1, 3, 5))
    return all(abs(a - b) <= 6 for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("width", [360, 600])
@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_pictures_have_a_palette_the_width_asked_for_and_at_most_20_kb(board: Board, width: int) -> None:
    for scene in (full(board), sample(board)):
        picture = png(scene, width)
        assert len(picture) <= 20_000
        assert (opened(picture).width, opened(picture).mode) == (width, "P")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_stone_has_its_colour_and_the_rest_is_paper(theme: Theme) -> None:
    board = Board("two points", "points", ("a1", "c1"), ((), ()), ((0.0, 0.0), (2.0, 0.0)))
    for side, colour in enumerate(COLOURS):
        scene = Scene(board, {0: Piece(side, "?")}, COLOURS)
        picture = opened(png(scene, 330, theme)).convert("RGB")
        beside_hatching = picture.height // 2 - 8
        pixels = [picture.getpixel((x, beside_hatching)) for x in range(picture.width)]
        found = [isinstance(pixel, tuple) and near(pixel, STONE_INKS[colour][0]) for pixel in pixels]
        assert 20 < sum(found[:120]) < 100
        assert pixels[-1] == pixels[200]
        corner = picture.getpixel((0, 0))
        assert isinstance(corner, tuple)
        assert "#{:02x}{:02x}{:02x}".format(*corner) == GROUND[theme]["paper"]
        assert not any(found[120:])


def test_a_scene_drawn_twice_is_the_same_picture() -> None:
    assert png(sample(square(9))) == png(sample(square(9)))
