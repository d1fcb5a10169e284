"""Games that the rows of all matches are made from: short random games of every kind, and beginnings of such games."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from service.store.entries import Logged, pack
from tests.games.playing import Playout, Variant, playout, variants

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
YEARS = 3
"""How long the site has been running."""

LONGEST = 60
"""Moves after which a random game is ended."""

MEAN_PAUSE = 86_400
"""Seconds between two moves, on average."""


class Finished(NamedTuple):
    """A match that is over, with its log packed."""

    id: int
    game: str
    options: str
    seed: int
    round: int
    ply: int
    reason: str
    scores: str
    created: datetime
    moved: datetime
    log: bytes


class Begun(NamedTuple):
    """A running match, up to this ply; `waits` has a 1 for each seat whose turn it is."""

    id: int
    game: str
    options: str
    seed: int
    round: int
    ply: int
    waits: str
    seats: int


class Move(NamedTuple):
    """A move of a running match."""

    id: int
    ply: int
    seat: int
    move: str
    round: int


def played(size: int, seed: int) -> Iterator[tuple[Variant, Playout]]:
    """Random games, of all kinds in turn."""
    kinds = [one for one in variants() if one.seats < 4]
    for number in range(size):
        kind = kinds[number % len(kinds)]
        yield kind, playout.__wrapped__(kind, seed + number, LONGEST)


def finished(size: int, seed: int = 1) -> Iterator[Finished]:
    """Matches that are over, with random times. Their moves have no orders: many matches share a game of the pool."""
    chance = random.Random(seed)
    ended = ((kind, game) for kind, game in played(2 * size, seed) if game.positions[-1].outcome is not None)
    for number, (kind, game) in enumerate(islice(ended, size), 1):
        created = moment = NOW - timedelta(days=chance.uniform(150, 365 * YEARS))
        log = []
        for ply, (seat, move) in enumerate(game.log, 1):
            moment += timedelta(seconds=chance.expovariate(1 / MEAN_PAUSE))
            log.append(Logged(ply, seat, move, "", moment, game.positions[ply - 1].round, False, None, ""))
        outcome = game.positions[-1].outcome
        assert outcome is not None
        scores = ",".join(map(str, outcome.scores))
        row = (number, kind.game.name, _options(kind), 0, game.positions[-1].round, len(log), outcome.reason, scores)
        yield Finished(*row, created, moment, pack(log))


def begun(size: int, longest: int, seed: int = 1_000_001) -> Iterator[tuple[Begun, list[Move]]]:
    """Running matches with up to `longest` moves."""
    chance = random.Random(seed)
    number = 0
    for kind, game in played(2 * size, seed):
        ply = chance.randint(0, longest)
        if number == size:
            return
        if ply >= len(game.positions) or game.positions[ply].phase != "play" or not game.positions[ply].turns:
            continue
        number += 1
        position = game.positions[ply]
        waits = "".join(str(int(seat in position.turns)) for seat in range(kind.seats))
        row = Begun(number, kind.game.name, _options(kind), 0, position.round, ply, waits, kind.seats)
        yield row, [Move(number, at, *game.log[at - 1], game.positions[at - 1].round) for at in range(1, ply + 1)]


def _options(kind: Variant) -> str:
    return json.dumps(kind.game.settle(kind.seats, dict(kind.options)))
