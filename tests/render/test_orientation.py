"""Boards as the opponent sees them, and boards without coordinates."""

from __future__ import annotations

import pytest

from service.engine.board import Board
from service.render.art.board_art import frame
from service.render.orientation import Sight, seen
from service.render.svg import svg
from service.render.text import text
from tests.render.boards import cells, chess, graph, sample, square

BOARDS = [square(9), graph(3), cells(4), chess(8)]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_turning_a_board_moves_every_cell_to_the_opposite_side_and_turning_twice_none(board: Board) -> None:
    scene = sample(board)
    turned = seen(scene, Sight(turned=True))
    assert turned.board.names == board.names
    assert [(-x, -y) for x, y in turned.board.at] == [*board.at]
    assert svg(seen(turned, Sight(turned=True))) == svg(scene)
    assert svg(turned) != svg(scene)
    assert text(turned) == text(scene)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_a_board_without_coordinates_has_no_text_and_is_not_smaller(board: Board) -> None:
    bare = seen(sample(board), Sight(coordinates=False))
    assert "<text" not in svg(bare, standalone=False)
    assert frame(bare.board).width <= frame(board).width
    assert seen(sample(board), Sight(coordinates=False)).board is bare.board, "Drawings cached for it are reused."
