"""Playouts of Go on 9x9: the kernel of the bots against OpenSpiel's C++."""

from __future__ import annotations

from collections.abc import Iterator

import pyspiel

from service.bots.compiler import COMPILED, compiled
from service.bots.stones.kernel.chains import EMPTIES, EMPTY, KO, PASSES, SEAT, SLOT, Stones, copy, drawn, fresh
from service.bots.stones.kernel.desk import Desk, laid
from service.bots.stones.kernel.graph import Graph
from service.bots.stones.kernel.playouts import finish, fits
from service.bots.stones.kernel.rules import play
from service.bots.stones.loading import graph_of, load
from service.engine.stone_games.stone_position import StonePosition
from service.games import GAMES
from tests.bench.measure import Figure, seconds

START = GAMES["go"].start(2, 0, size="9")
NUMBER = 200 if COMPILED else 20
LONGEST = 243


@compiled
def random_game(graph: Graph, stones: Stones, most: int) -> None:
    """Random legal moves that don't fill eyes, to the end."""
    for _ in range(most):
        if stones[PASSES] >= 2:
            return
        colour, left, found = stones[SEAT] + 1, stones[EMPTIES], -1
        while left:
            place = drawn(stones, left)
            point = stones[EMPTY + place]
            if point != stones[KO] and fits(graph, stones, point, colour):
                found = point
                break
            left -= 1
            other = stones[EMPTY + left]
            stones[EMPTY + place], stones[SLOT + other] = other, place
            stones[EMPTY + left], stones[SLOT + point] = point, left
        play(graph, stones, found)


@compiled
def light(graph: Graph, root: Stones, work: Stones, number: int, most: int) -> None:
    for _ in range(number):
        copy(graph, work, root)
        random_game(graph, work, most)


@compiled
def heavy(graph: Graph, root: Stones, work: Stones, desk: Desk, number: int, most: int) -> None:
    for _ in range(number):
        copy(graph, work, root)
        finish(graph, work, desk, most)


def open_spiel(number: int) -> None:
    """Random legal moves, in C++, until OpenSpiel ends the game: these may fill eyes."""
    game = pyspiel.load_game("go(board_size=9,komi=7.5)")
    bots = [pyspiel.make_uniform_random_bot(seat, 7) for seat in (0, 1)]
    for seed in range(number):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)


def figures() -> Iterator[Figure]:
    assert isinstance(START, StonePosition)
    graph = graph_of(START)
    root, work, desk = load(graph, START, 0), fresh(graph), laid([0, 15], [])
    light(graph, root, work, 1, LONGEST)
    heavy(graph, root, work, desk, 1, LONGEST)
    ours, thought, theirs = seconds(
        lambda: light(graph, root, work, NUMBER, LONGEST),
        lambda: heavy(graph, root, work, desk, NUMBER, LONGEST),
        lambda: open_spiel(100),
        rounds=5,
    )
    how = "with the compiler" if COMPILED else "without a compiler"
    goal = 3 if COMPILED else 0.3
    speed = NUMBER / ours
    yield Figure(
        "bot-playouts",
        speed / (100 / theirs),
        goal,
        f"random playouts on 9x9 a second, {how}, over OpenSpiel's in C++ ({speed:.0f})",
        ">=",
    )
    yield Figure("bot-playouts-heavy", NUMBER / thought, None, f"playouts of the bots a second, {how}")
