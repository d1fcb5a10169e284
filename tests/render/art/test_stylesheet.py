"""Stones can be told apart without colour: by colour-blind people, and on grey paper."""

from __future__ import annotations

import io
from itertools import combinations, product
from typing import TypeAlias

import pytest
from PIL import Image, ImageChops, ImageStat

from service.engine.board import Board
from service.engine.scene import Piece, Scene
from service.render.png import png
from tests.render.boards import COLOURS

Matrix: TypeAlias = tuple[float, ...]

EYES: dict[str, Matrix] = {
    "protanopia": (0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998),
    "deuteranopia": (0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881),
    "tritanopia": (1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900),
    "grey paper": (0.299, 0.587, 0.114) * 3,
}
"""Machado, Oliveira and Fernandes (2009), severity 1; the last is the luma of ITU-R BT.601."""


def stones(width: int, *marks: str) -> list[Image.Image]:
    """One stone of each colour on a row of points, each with these marks, cut out of the finished picture."""
    at = tuple((float(x), 0.0) for x in range(len(COLOURS)))
    board = Board("a row", "points", COLOURS, ((),) * len(COLOURS), at)
    scene = Scene(board, {side: Piece(side, "?") for side in range(8)}, COLOURS, dict.fromkeys(range(8), marks))
    row = Image.open(io.BytesIO(png(scene, width)))
    cell = width / (len(COLOURS) + 0.2)
    middle = row.height / 2
    boxes = [(round((x + 0.1) * cell), round(middle - cell / 2)) for x in range(8)]
    side = round(cell)
    return [row.convert("RGBA").convert("RGB").crop((x, y, x + side, y + side)) for x, y in boxes]


def seen(stone: Image.Image, eye: Matrix) -> Image.Image:
    """The stone as seen by a kind of vision: linear light, the matrix, and back."""
    linear = stone.point([round(255 * (level / 255) ** 2.2) for level in range(256)] * 3)
    mixed = linear.convert("RGB", (*eye[:3], 0.0, *eye[3:6], 0.0, *eye[6:], 0.0))
    return mixed.point([round(255 * (level / 255) ** (1 / 2.2)) for level in range(256)] * 3)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("width", [8 * 17, 8 * 28], ids=["19 points on a phone", "19 points in an email"])
def test_eight_stones_look_different_to_every_kind_of_vision(width: int, eye: str) -> None:
    views = {colour: seen(stone, EYES[eye]) for colour, stone in zip(COLOURS, stones(width), strict=True)}
    for one, other in combinations(COLOURS, 2):
        difference = ImageStat.Stat(ImageChops.difference(views[one], views[other])).rms
        assert max(difference) > 30, f"{one} and {other} look alike"


@pytest.mark.parametrize("eye", EYES)
def test_dead_stones_differ_from_each_other_and_from_living_ones(eye: str) -> None:
    living = [seen(stone, EYES[eye]) for stone in stones(8 * 28)]
    dead = [seen(stone, EYES[eye]) for stone in stones(8 * 28, "dead")]
    for one, other in combinations(dead, 2):
        assert max(ImageStat.Stat(ImageChops.difference(one, other)).rms) > 18
    for one, other in product(dead, living):
        assert max(ImageStat.Stat(ImageChops.difference(one, other)).rms) > 40


@pytest.mark.parametrize("eye", EYES)
def test_hatching_alone_distinguishes_the_six_colours(eye: str) -> None:
    """Each stone is normalised to the same range of grey, so that only its lines are left."""
    views = {}
    for colour, stone in zip(COLOURS[2:], stones(8 * 28)[2:], strict=True):
        side = stone.width
        inner = seen(stone, EYES[eye]).convert("L").crop((side // 4, side // 4, side - side // 4, side - side // 4))
        low, high = inner.getextrema()
        assert isinstance(low, (int, float))
        assert isinstance(high, (int, float))
        bright_lines = colour not in ("yellow", "orange")
        span = [round(255 * (level - low) / (high - low)) if high > low else 0 for level in range(256)]
        levels = [max(0, min(255, level if bright_lines else 255 - level)) for level in span]
        views[colour] = inner.point(levels)
    for one, other in combinations(views, 2):
        assert max(ImageStat.Stat(ImageChops.difference(views[one], views[other])).rms) > 40, f"{one} and {other}"
