"""The kernel's validated move (capture, suicide, repetition) on a 19x19 graph, against sgfmill."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from sgfmill.boards import Board

from service.engine.grid import grid
from service.engine.stone_games.stones import Past, Suicide, Trail, keys, place, recurs, without
from tests.bench.measure import Figure, ratio

GRID = grid(19, 19)


@cache
def random_games(number: int = 6, length: int = 400) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Games of random legal placements, (point, colour), the colours in turn."""
    chance = random.Random(19)
    return tuple(tuple(_random_game(chance, length)) for _ in range(number))


def _random_game(chance: random.Random, length: int) -> Iterator[tuple[int, int]]:
    cells, colour = [0] * 361, 1
    for _ in range(length):
        empty = [point for point, stone in enumerate(cells) if not stone]
        for point in chance.sample(empty, len(empty)):
            try:
                place(cells, GRID.neighbours, point, colour)
            except Suicide:
                continue
            yield point, colour
            break
        colour = 3 - colour


def ours() -> None:
    """Plays every game and checks each move in full."""
    neighbours, table = GRID.neighbours, keys(361, 2)
    for game in random_games():
        cells, code, past = [0] * 361, 0, Past([0])
        trail: Trail = []
        vacated: set[int] = set()
        for point, colour in game:
            assert not cells[point]
            taken = place(cells, neighbours, point, colour)
            code ^= table[point][colour]
            if taken:
                code = without(code, table, taken)
                for _, gone in taken:
                    vacated.update(gone)
            assert point not in vacated or not recurs(code, trail, vacated, past)
            trail.append((point, code))


def sgfmill() -> None:
    """The same games; sgfmill allows suicide and doesn't check for repetition."""
    for game in random_games():
        board = Board(19)
        for point, colour in game:
            board.play(point // 19, point % 19, "bw"[colour - 1])


def figures() -> Iterator[Figure]:
    random_games()
    yield Figure(
        "kernel-move", ratio(ours, sgfmill), 1 / 8, "validated move of a random 19x19 game over sgfmill's play"
    )
