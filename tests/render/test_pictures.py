"""The three pictures of one scene."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest
from PIL import Image

from service.engine.board import Board
from service.render.png import png
from service.render.svg import svg
from service.render.text import WIDTH, read, text
from tests.render.boards import cells, chess, graph, sample, square

BOARDS = [square(9), square(19), graph(3), cells(4), chess(8)]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_every_cell_is_one_element_that_says_what_it_holds(board: Board) -> None:
    root = ET.fromstring(svg(sample(board), standalone=False))
    targets = {cell.get("data-cell"): group for group in root.iter() for cell in group if cell.get("data-cell")}
    assert sorted(map(str, targets)) == sorted(board.names)
    assert targets[board.names[1]].get("data-says") == "White, last move"


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_text_boards_are_narrow_and_read_back(board: Board) -> None:
    scene = sample(board)
    written = text(scene)
    assert max(map(len, written.split("\n"))) <= WIDTH
    seen = read(written, board)
    assert {name for name, cell in seen.items() if cell.symbol != "."} == {board.names[cell] for cell in scene.pieces}
    assert seen[board.names[1]].marks == {"last"}


def test_png_has_the_width_asked_for_and_a_palette() -> None:
    picture = Image.open(io.BytesIO(png(sample(square(9)), 360)))
    assert picture.width == 360
    assert picture.mode == "P"
