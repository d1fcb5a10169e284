"""Random legal play, for tests of every game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from service.engine.game import Game, Position, Seat
from service.games import GAMES


@dataclass(frozen=True)
class Variant:
    """A game with a number of seats and options, such as `go size=5`."""

    game: Game
    seats: int
    options: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return " ".join((self.game.name, str(self.seats), *(f"{name}={value}" for name, value in self.options)))

    def start(self, setup: str = "") -> Position:
        options = dict(self.options) | ({"setup": setup} if setup else {})
        return self.game.start(self.seats, **options)  # type: ignore[arg-type]


SMALL = {
    "go": ["2 size=5", "2 size=3x4 komi=0", "2"],
    "rosette": ["2 base=5", "2 base=5 counting=territory"],
    "medusa": ["2 base=4", "2 base=4 repetition=off"],
    "lotus": ["2"],
    "pillars": ["2"],
    "multigo": ["2 size=5", "3 size=5x4", "5 size=5", "4 size=4 strength=weakest-first"],
    "multigo-coop": ["3 size=5", "4 size=4 alliances=open", "3 size=4 prisoners=crossman alliances=off"],
    "multigo-parallel": ["2 size=4", "4 size=5"],
    "multigo-parallel-coop": ["3 size=5", "4 size=4 alliances=open"],
}
"""Boards small enough for much to happen soon: the number of seats, then options. A new game needn't be here."""


def variants() -> Iterator[Variant]:
    for game in GAMES:
        yield from variants_of(game)


def variants_of(game: str) -> Iterator[Variant]:
    for line in SMALL.get(game, [str(GAMES[game].min_seats)]):
        seats, *options = line.split()
        settled = tuple((name, value) for name, _, value in (option.partition("=") for option in options))
        yield Variant(GAMES[game], int(seats), settled)


def small(game: str) -> Variant:
    """The variant of a game with which tests play a short match."""
    return next(variants_of(game))


@dataclass(frozen=True)
class Playout:
    """The positions of a match, one more than its moves."""

    positions: tuple[Position, ...]
    log: tuple[tuple[Seat, str], ...]


@cache
def playout(variant: Variant, seed: int, length: int = 60) -> Playout:
    """`length` random moves, and then those that end the match soonest."""
    chance = random.Random(seed)
    positions = [variant.start()]
    log: list[tuple[Seat, str]] = []
    while positions[-1].turns and len(log) < 4 * length:
        position = positions[-1]
        seat = chance.choice(position.turns)
        moves = [*position.moves(seat)]
        move = chance.choice(moves)
        if len(log) >= length or position.phase != "play":
            move = next((word for word in ("pass", "accept", "alone") if word in moves), move)
        if len(log) >= 3 * length:
            move = "resign"
        positions.append(position.play(seat, move))
        log.append((seat, move))
    return Playout(tuple(positions), tuple(log))
