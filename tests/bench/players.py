"""What more players cost: the four games of Multiplayer Go on 19x19 with eight and with two, per move."""

from __future__ import annotations

import random
from collections.abc import Iterator

from service.engine.game import MoveError
from service.games import GAMES
from tests.bench.measure import Figure, Work, ratio

Log = list[tuple[int, str]]
LENGTH = 240
"""Moves; the same number of stones, whoever places them."""


def random_log(name: str, seats: int) -> Log:
    """Random legal placements, no passes."""
    chance = random.Random(seats)
    position = GAMES[name].start(seats)
    names = position.view(None).board.names
    log: Log = []
    while len(log) < LENGTH:
        seat, move = position.turns[0], chance.choice(names)
        try:
            position = position.play(seat, move)
        except MoveError:
            continue
        log.append((seat, move))
    return log


def playing(name: str, seats: int) -> Work:
    """A match of these moves, one position after another."""
    log = random_log(name, seats)

    def play() -> None:
        position = GAMES[name].start(seats)
        for seat, move in log:
            position = position.play(seat, move)

    return play


def figures() -> Iterator[Figure]:
    for name in (name for name in GAMES if GAMES[name].max_seats > 2):
        more = ratio(playing(name, 8), playing(name, 2))
        yield Figure(f"{name}-eight", more, 1.5, f"{name} with 8 players over the same with 2, per move on 19x19")
