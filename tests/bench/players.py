"""What more players cost: each game for more than two, with eight players and with two, per move."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from service.engine.game import Log, MoveError, Position
from service.games import GAMES
from tests.bench.measure import Figure, ratio

LENGTH = 300
"""Moves: the same number of stones for two and eight players, until the board is nearly full."""


def random_log(name: str, seats: int) -> list[tuple[int, str]]:
    """Random legal placements, no passes."""
    chance = random.Random(seats)
    position = GAMES[name].start(seats)
    names = position.view(None).board.names
    log: list[tuple[int, str]] = []
    while len(log) < LENGTH:
        seat, move = position.turns[0], chance.choice(names)
        try:
            position = position.play(seat, move)
        except MoveError:
            continue
        log.append((seat, move))
    return log


def one_by_one(start: Position, log: Log) -> Position:
    """Plays a log move by move."""
    position = start
    for seat, move in log:
        position = position.play(seat, move)
    return position


def figures() -> Iterator[Figure]:
    for name, game in GAMES.items():
        if game.max_seats > 2:
            yield _figure(name, "", "play()", one_by_one)
            yield _figure(name, "-replay", "replay()", game.replay)


def _figure(name: str, way: str, by: str, go_through: Callable[[Position, Log], Position]) -> Figure:
    many, two = ((GAMES[name].start(seats), random_log(name, seats)) for seats in (8, 2))
    more = ratio(lambda: go_through(*many), lambda: go_through(*two))
    return Figure(f"{name}-eight{way}", more, 1.5, f"{name} by {by} with 8 players over the same with 2, per move")
