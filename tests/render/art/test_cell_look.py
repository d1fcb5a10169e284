"""What a cell shows, also in words."""

from __future__ import annotations

import pytest

from service.engine.scene import Piece, Scene
from service.render.art.cell_look import EMPTY, Look, look, looks
from tests.render.boards import sample, square


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (EMPTY, "empty"),
        (Look("white", "stone", marks=("last",)), "White, last move"),
        (Look("black", "mounted-advisor", petrified=True, morph=True), "Black Mounted Advisor, petrified, Morph"),
        (Look(marks=("captured",), owner="red"), "empty, captured here, Red's territory"),
        (Look("blue", "stone", marks=("ghost",)), "Blue, your sealed move"),
    ],
)
def test_words(shown: Look, words: str) -> None:
    assert shown.words() == words


def test_a_reversed_stone_remembers_its_former_colour() -> None:
    scene = Scene(square(3), {0: Piece(1, "O")}, ("black", "white"), {0: ("reversed",)})
    assert look(scene, 0).former == "black"


def test_territory_is_not_shown_under_living_stones() -> None:
    scene = Scene(
        square(3), {0: Piece(1, "O"), 1: Piece(0, "X")}, ("black", "white"), {1: ("dead",)}, {0: 1, 1: 1, 2: 1}
    )
    assert [look(scene, cell).owner for cell in (0, 1, 2)] == ["", "white", "white"]


def test_groups_have_every_cell_once_and_agree_with_single_looks() -> None:
    scene = sample(square(9), 3, 5)
    groups = looks(scene)
    assert sorted(cell for cells in groups.values() for cell in cells) == list(range(81))
    assert all(look(scene, cell) == shown for shown, cells in groups.items() for cell in cells)
