"""How long the middle opponent thinks about a move, on the largest and the usual board of each game: at the start, and
later on.

The figure is that of the machine and of what is installed: with numba or without, the budgets differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import process_time

from service.bots.opponents import hurried_order, order
from service.bots.roster import OPPONENTS
from service.bots.thought import Opponent, View, seed_of
from service.engine.game import Position, Seat
from service.games import GAMES
from tests.arena import stones
from tests.arena.match import Result

LARGEST, USUAL = 10.0, 0.5
"""Processor seconds a move may take on the largest board, and on the usual small one."""
LATER, QUICK = 100, 4
"""Plies that searches of so few simulations play before the second move is timed."""


@dataclass(frozen=True)
class Timed:
    """The slowest of two moves: the first of a match, and one in its middle. A move within the limit is a point."""

    name: str
    game: str
    seats: int
    options: Mapping[str, str]
    limit: float

    def played(self, matches: int, seed: int) -> Result:
        """`matches` has no say: what a move costs hardly varies."""
        del matches
        start = GAMES[self.game].start(self.seats, 0, **self.options)
        club = OPPONENTS[self.game][1]
        middle = later(start, club._replace(budget=QUICK), seed)
        times = [seconds(club, view, seed) for view in (View.of(start, start.turns[0]), middle)]
        return Result(self.name, sum(time <= self.limit for time in times), len(times), seed, max(times))


def later(start: Position, quick: Opponent, seed: int) -> View:
    """What a seat sees after LATER plies of quick searches, or at the last move if the match ends before."""
    position, log = start, list[tuple[Seat, str]]()
    view = View.of(start, start.turns[0])
    for ply in range(LATER):
        if position.outcome is not None:
            break
        seat = position.turns[0]
        view = View.of(position, seat, tuple(log[-4:]) if len(position.public_turns) == 1 else ())
        move = order(view, quick, seed_of(seed, ply, seat)).move
        position = position.play(seat, move)
        log.append((seat, move))
    return view


def seconds(club: Opponent, view: View, seed: int) -> float:
    """Processor seconds of one move as the service has it made."""
    begun = process_time()
    hurried_order(view, club.name.lower(), seed)
    return process_time() - begun


BOARDS: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("go", 2, {"size": "19"}),
    ("rosette", 2, {"base": "7"}),
    ("lotus", 2, {}),
    ("medusa", 2, {"base": "10"}),
    ("multigo", 8, {"size": "25"}),
    ("multigo-coop", 8, {"size": "25"}),
    ("multigo-parallel", 8, {"size": "25"}),
    ("multigo-parallel-coop", 8, {"size": "25"}),
    ("pillars", 2, {}),
)
"""The largest board of each game, and the largest table."""

PAIRINGS = tuple(
    Timed(f"{board}: {game}, slowest of two moves", game, seats, options, limit)
    for board, limit, boards in (
        ("largest", LARGEST, BOARDS),
        ("usual", USUAL, (*stones.BOARDS, ("pillars", 2, {}))),
    )
    for game, seats, options in boards
)
