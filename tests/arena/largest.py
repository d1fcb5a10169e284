"""How long the middle opponent thinks about a move at the start and later, on the largest and the usual board of each
game.

The figures depend on the machine and on whether numba is installed, which also changes the budgets.
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
"""The most CPU seconds for a move on the largest board, and on the usual small one."""
LATER, QUICK = 100, 4
"""The number of plies before the second timed move, and the simulations of the searches that play them."""


@dataclass(frozen=True)
class Timed:
    """The slower of two moves: the first of a match, and one in the middle. A move within the limit scores a point."""

    name: str
    game: str
    seats: int
    options: Mapping[str, str]
    limit: float

    def played(self, matches: int, seed: int) -> Result:
        """Times both moves once: `matches` is ignored, since times hardly vary."""
        del matches
        start = GAMES[self.game].start(self.seats, 0, **self.options)
        club = OPPONENTS[self.game][1]
        middle = later(start, club._replace(budget=QUICK), seed)
        times = [seconds(club, view, seed) for view in (View.of(start, start.turns[0]), middle)]
        return Result(self.name, sum(time <= self.limit for time in times), len(times), seed, max(times))


def later(start: Position, quick: Opponent, seed: int) -> View:
    """The view of the seat to move after LATER plies of quick searches, or before the last ply of a shorter match."""
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
    """The CPU seconds of one move, made as in the service."""
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
