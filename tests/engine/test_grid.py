"""The rectangular boards of Go and Multiplayer Go."""

from __future__ import annotations

import pytest

from service.engine.board import Board
from service.engine.grid import grid


def around(board: Board, name: str) -> list[str]:
    return sorted(board.names[near] for near in board.neighbours[board.index[name]])


def stars(board: Board) -> list[str]:
    middles = [
        tuple(round(sum(axis) / len(area.corners)) for axis in zip(*area.corners, strict=True)) for area in board.areas
    ]
    return [board.names[board.at.index((float(middle[0]), float(middle[1])))] for middle in middles]


def test_names_start_at_the_lower_left_and_skip_column_i() -> None:
    board = grid(19, 19)
    assert (board.names[0], board.names[8], board.names[-1]) == ("a1", "j1", "t19")
    assert around(board, "a1") == ["a2", "b1"]
    assert around(board, "j10") == ["h10", "j11", "j9", "k10"]
    assert around(board, "t10") == ["s10", "t11", "t9"]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 25), (25, 1), (9, 13), (25, 25)])
def test_boards_of_every_size_are_complete(rows: int, columns: int) -> None:
    board = grid(rows, columns)
    assert len(board.names) == len(set(board.names)) == len(board.at) == len(set(board.text_at)) == rows * columns
    assert all(point in board.neighbours[near] for point in range(rows * columns) for near in board.neighbours[point])
    assert sum(map(len, board.neighbours)) == 2 * (rows * (columns - 1) + columns * (rows - 1))
    assert len(board.lines) == rows * (columns > 1) + columns * (rows > 1)


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (5, 9, ""),
        (9, 9, "c3 c7 e5 g3 g7"),
        (13, 13, "d10 d4 g7 k10 k4"),
        (9, 14, "d3 d7 l3 l7"),
        (19, 19, "d10 d16 d4 k10 k16 k4 q10 q16 q4"),
    ],
)
def test_star_points(rows: int, columns: int, expected: str) -> None:
    assert sorted(stars(grid(rows, columns))) == expected.split()


def test_the_text_board_fits_an_email_and_labels_dont_touch_cells() -> None:
    board = grid(25, 25)
    taken = {(row, column + offset) for row, column in board.text_at for offset in (-1, 0, 1)}
    for row, column, text in board.text_labels:
        assert column + len(text) <= 72
        assert not taken & {(row, column + offset) for offset in range(len(text))}
