"""Medusa's kagome board and reversal against our own square board and capture."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from service.engine.stone_games.stones import place as capture
from service.games import GAMES
from service.games.kagome import kagome
from service.games.reversal import Rules
from service.games.reversal import place as reverse
from tests.bench.kernel import GRID, random_games
from tests.bench.measure import Figure, Work, seconds

MEDUSA, GO = GAMES["medusa"], GAMES["go"]
LATTICE = kagome(10)
RULES = Rules("Medusa", LATTICE.board, LATTICE.rings, 9)


@cache
def placements(number: int = 6, length: int = 166) -> tuple[tuple[int, ...], ...]:
    """Random cells to fill in turn, until the board is four fifths full, like the square one after 300 stones."""
    chance = random.Random(10)
    return tuple(tuple(chance.sample(range(len(LATTICE.board.names)), length)) for _ in range(number))


def squares(length: int = 300) -> list[tuple[tuple[int, int], ...]]:
    """The kernel's games, cut to the same fullness."""
    return [game[:length] for game in random_games()]


def on_kagome() -> None:
    for game in placements():
        cells = [0] * len(LATTICE.board.names)
        for ply, point in enumerate(game):
            reverse(cells, LATTICE.board.neighbours, point, 1 + ply % 2, RULES.immune)


def on_squares() -> None:
    for game in squares():
        cells = [0] * len(GRID.names)
        for point, colour in game:
            capture(cells, GRID.neighbours, point, colour)


def medusa_turns() -> None:
    names = LATTICE.board.names
    for game in placements():
        position = MEDUSA.start()
        for ply, point in enumerate(game):
            position = position.play(ply % 2, names[point])


def go_turns() -> None:
    for game in squares():
        position = GO.start()
        for point, colour in game:
            position = position.play(colour - 1, GRID.names[point])


def figures() -> Iterator[Figure]:
    yield _figure("kagome-placement", on_kagome, on_squares, "stone on the kagome board, with reversal")
    yield _figure("medusa-turn", medusa_turns, go_turns, "judged placement of Medusa")


def _figure(name: str, ours: Work, theirs: Work, what: str) -> Figure:
    """The ratio per placement, because the games differ in length."""
    mine, other = seconds(ours, theirs)
    number, other_number = sum(map(len, placements())), sum(map(len, squares()))
    return Figure(name, mine / number / (other / other_number), 1.25, f"{what}, over the same on our own 19x19 board")
