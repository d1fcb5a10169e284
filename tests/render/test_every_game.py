"""The boards of all games, drawn from random matches."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from service.engine.scene import Scene
from service.games import GAMES
from service.render.art.cell_look import look
from service.render.png import png
from service.render.svg import svg
from service.render.text import WIDTH, read, text
from tests.render.boards import targets


@cache
def scene(name: str, moves: int) -> Scene:
    """What the public sees of a match after this many random moves."""
    choose, position = Random(moves), GAMES[name].start()
    for _ in range(moves):
        if position.turns:
            seat = position.turns[0]
            position = position.play(seat, choose.choice(list(position.moves(seat))))
    return position.view(None)


@pytest.mark.parametrize("moves", [0, 40])
@pytest.mark.parametrize("name", GAMES)
def test_the_text_board_says_what_the_picture_shows(name: str, moves: int) -> None:
    shown = scene(name, moves)
    written = text(shown)
    assert max(map(len, written.split("\n"))) <= WIDTH
    seen = read(written, shown.board)
    for cell, piece in shown.pieces.items():
        assert seen[shown.board.names[cell]].symbol == piece.symbol
    for cell in shown.marks:
        assert seen[shown.board.names[cell]].marks >= {*look(shown, cell).marks}
    assert sum(cell.symbol != "." for cell in seen.values()) == len(shown.pieces)


@pytest.mark.parametrize("name", GAMES)
def test_pictures_have_at_most_20_kb(name: str) -> None:
    shown = scene(name, 40)
    assert len(svg(shown)) <= 20_000
    assert len(png(shown)) <= 20_000
    assert {*targets(svg(shown, standalone=False))} == {*shown.board.names}
