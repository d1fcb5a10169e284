"""The PNG for mail programs."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from service.engine.board import Board
from service.engine.scene import Piece, Scene
from service.render.art.palette import DESIGNS, Design, Theme, stones, surface
from service.render.png import png
from tests.render.boards import COLOURS, cells, chess, full, graph, sample, square

BOARDS = [square(19), graph(7), cells(10), chess(11)]


def opened(picture: bytes) -> Image.Image:
    return Image.open(io.BytesIO(picture))


def near(one: tuple[int, ...], code: str) -> bool:
    other = tuple(int(code[i : i + 2], 16) for i in (1, 3, 5))
    return all(abs(a - b) <= 6 for a, b in zip(one, other, strict=False))


@pytest.mark.parametrize("width", [360, 600])
@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_pictures_have_a_palette_the_given_width_and_at_most_20_kb(board: Board, width: int) -> None:
    for scene in (full(board), sample(board)):
        picture = png(scene, width)
        assert len(picture) <= 20_000
        assert (opened(picture).width, opened(picture).mode) == (width, "P")


@pytest.mark.parametrize("design", DESIGNS, ids=" ".join)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_stone_has_its_colour_and_the_rest_is_the_board(theme: Theme, design: Design) -> None:
    board = Board("two points", "points", ("a1", "c1"), ((), ()), ((0.0, 0.0), (2.0, 0.0)))
    for side, colour in enumerate(COLOURS):
        picture = opened(png(Scene(board, {0: Piece(side, "?")}, COLOURS), 330, theme, design)).convert("RGBA")
        row = [picture.getpixel((x, picture.height // 2 - 8)) for x in range(picture.width)]
        found = [isinstance(pixel, tuple) and near(pixel, stones(design)[colour].fill) for pixel in row]
        assert 3 < sum(found[:150]) < 110
        assert not any(found[150:])
        ground = row[200]
        assert isinstance(ground, tuple)
        assert "#{:02x}{:02x}{:02x}".format(*ground[:3]) == surface("wood", design, theme).field


def test_the_picture_is_transparent_around_the_board() -> None:
    """Except for its shadow."""
    picture = opened(png(sample(square(9)))).convert("RGBA").getchannel("A")
    corners = [picture.getpixel((x, y)) for x in (0, picture.width - 1) for y in (0, picture.height - 1)]
    assert corners == [0] * 4
    assert picture.getpixel((picture.width // 2, picture.height // 2)) == 255
    below = {picture.getpixel((picture.width // 2, picture.height - up)) for up in range(1, 20)}
    assert below > {0, 255}


def test_a_board_full_of_stones_in_eight_colours_has_at_most_20_kb() -> None:
    """They are drawn flat, since shading would make the file larger."""
    board = square(19)
    crowd = Scene(board, {cell: Piece(cell * cell % 101 % 8, "?") for cell in range(361)}, COLOURS)
    assert len(png(crowd)) <= 20_000


def test_a_scene_drawn_twice_is_the_same_picture() -> None:
    assert png(sample(square(9))) == png(sample(square(9)))
