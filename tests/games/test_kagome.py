"""The Medusa board, compared with the inventor's counts and with walks over its cells."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import dist

import pytest

from service.games.kagome import Kagome, kagome

SIDES = {4: (30, 7, 48), 6: (72, 19, 126), 8: (132, 37, 240), 10: (210, 61, 390)}
"""Cells, holes and adjacencies for each number of cells along a side."""


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def lattice(side: int) -> Kagome:
    return kagome(side)


def test_counts(side: int, lattice: Kagome) -> None:
    cells, holes, adjacencies = SIDES[side]
    assert len(lattice.board.names) == len(set(lattice.board.names)) == cells
    assert len(lattice.rings) == sum(area.kind == "hole" for area in lattice.board.areas) == holes
    assert sum(map(len, lattice.board.neighbours)) == 2 * adjacencies


def test_liberties_as_the_inventor_counts_them(side: int, lattice: Kagome) -> None:
    """ "A cell in the center has four neighbours, one on the edge has three and a corner has two." """
    degrees = Counter(map(len, lattice.board.neighbours))
    corners = {name for name, near in zip(lattice.board.names, lattice.board.neighbours, strict=True) if len(near) == 2}
    low, high = side, 2 * side - 1
    letter = "abcdefghijklmnopqrs"
    assert degrees[3] == 6 * (side - 2)
    assert corners == {
        "a1",
        f"{letter[low - 1]}1",
        f"a{low}",
        f"{letter[high - 1]}{low}",
        f"{letter[low - 1]}{high}",
        f"{letter[high - 1]}{high}",
    }


def test_neighbours_are_mutual_and_one_step_apart(lattice: Kagome) -> None:
    board = lattice.board
    for cell, near in enumerate(board.neighbours):
        assert all(cell in board.neighbours[other] for other in near)
        assert all(dist(board.at[cell], board.at[other]) == pytest.approx(1, abs=1e-3) for other in near)


def test_every_hole_has_a_closed_ring_of_six(lattice: Kagome) -> None:
    board = lattice.board
    for ring in lattice.rings:
        assert len(ring) == 6
        assert all(len(ring & set(board.neighbours[cell])) == 2 for cell in ring)


def test_every_cell_is_on_two_unbroken_lines(side: int, lattice: Kagome) -> None:
    lines = Counter(
        frozenset({cell, *ray, *other})
        for cell, rays in enumerate(lattice.rays)
        for ray in rays
        for other in (next((back for back in rays if _opposite(lattice, cell, ray, back)), ()),)
    )
    lengths = list(range(side, 2 * side - 1, 2)) * 2
    assert sorted(map(len, lines)) == sorted(lengths * 3)
    assert Counter(cell for line in lines for cell in line) == dict.fromkeys(range(len(lattice.board.names)), 2)


def _opposite(lattice: Kagome, cell: int, ray: tuple[int, ...], other: tuple[int, ...]) -> bool:
    at = lattice.board.at
    return dist(at[ray[0]], at[other[0]]) == pytest.approx(2, rel=1e-3) and dist(at[ray[0]], at[cell]) == pytest.approx(
        1, rel=1e-3
    )


def test_rays_are_straight(lattice: Kagome) -> None:
    board = lattice.board
    for cell, rays in enumerate(lattice.rays):
        for ray in rays:
            assert all(b in board.neighbours[a] for a, b in pairwise((cell, *ray)))
            assert dist(board.at[cell], board.at[ray[-1]]) == pytest.approx(len(ray), rel=1e-3)


def test_a1_is_at_the_bottom_and_s19_at_the_top() -> None:
    board = kagome(10).board
    assert min(range(210), key=lambda cell: board.at[cell][1]) == board.index["s19"]
    assert max(range(210), key=lambda cell: board.at[cell][1]) == board.index["a1"]
    assert board.at[board.index["j1"]][0] < 0 < board.at[board.index["a10"]][0]
    assert {board.names[near] for near in board.neighbours[board.index["a1"]]} == {"a2", "b1"}
    assert "b2" not in board.index


def test_text_board_leaves_room_between_cells_and_labels(lattice: Kagome) -> None:
    taken = Counter(lattice.board.text_at)
    for row, column, text in lattice.board.text_labels:
        taken.update((row, column + place) for place in range(len(text)))
    assert max(taken.values()) == 1
    assert all(
        (row, column + 1) not in taken and (row, column - 1) not in taken for row, column in lattice.board.text_at
    )
    assert max(column for _, column in taken) < 72
