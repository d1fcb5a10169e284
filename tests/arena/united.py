"""Cooperative tables of bots: does a coalition win whose points are enough, whatever the others do?

These coalitions are found by trying, independently of the bots: the engine decides the match for each coalition against
every way in which the others could ally.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count, islice
from time import process_time

from service.bots.roster import OPPONENTS
from service.bots.stones.opponents import order
from service.bots.thought import View, seed_of
from service.engine.game import Outcome, Position, Seat
from service.games import GAMES
from service.games.multiplayer_go.alliances import Alliances
from service.games.multiplayer_go.count import qualifies
from tests.arena.match import LONGEST, Result

QUICK = 60
"""Simulations per move until the count; choosing allies needs no search."""


@dataclass(frozen=True)
class United:
    """A point for each match that the best coalition wins. Matches without one don't count.

    The best coalition is the smallest alliance that wins whatever the others declare. There may be several.
    """

    name: str
    game: str
    seats: int
    options: Mapping[str, str]

    def played(self, matches: int, seed: int) -> Result:
        begun = process_time()
        ends = islice(((self.declared(position), best) for position, best in self.decidable(seed)), matches)
        won = sum(winners(end) in best for end, best in ends)
        return Result(self.name, won, matches, seed, (process_time() - begun) / matches)

    def decidable(self, seed: int) -> Iterator[tuple[Alliances, list[frozenset[Seat]]]]:
        """An endless series of alliance rounds with a best coalition, each with all its best coalitions."""
        for number in count(seed):
            position = self.until_counted(number)
            if isinstance(position, Alliances) and (best := smallest(position)):
                yield position, best

    def until_counted(self, seed: int) -> Position:
        """A match of quick searches at its alliance round, or at its end if it has none."""
        position: Position = GAMES[self.game].start(self.seats, 0, **self.options)
        for ply in range(LONGEST):
            if position.outcome is not None or isinstance(position, Alliances):
                break
            position = self.ordered(position, seed_of(seed, ply, position.turns[0]))
        return position

    def declared(self, position: Position) -> Position:
        """The end of the match after all bots have declared."""
        while position.outcome is None:
            position = self.ordered(position, 0)
        return position

    def ordered(self, position: Position, seed: int) -> Position:
        """The position after the next bot's order."""
        seat = position.turns[0]
        club = OPPONENTS[self.game][1]._replace(budget=QUICK)
        return position.play(seat, order(View.of(position, seat), club, seed).move)


def winners(position: Position) -> frozenset[Seat]:
    """The seats that share the victory."""
    assert isinstance(position.outcome, Outcome)
    return frozenset(seat for seat, score in enumerate(position.outcome.scores) if score)


def smallest(position: Alliances) -> list[frozenset[Seat]]:
    """The smallest alliances of two or more that win whatever the others do; empty if a single seat does."""
    for size in range(1, len(position.active) + 1):
        found = [frozenset(side) for side in combinations(position.active, size) if sure(position, side)]
        if found:
            return found if size > 1 else []
    return []


def sure(position: Alliances, side: Sequence[Seat]) -> bool:
    """Whether these seats win as allies whatever the others declare.

    An alliance with too few points doesn't count, although its members could still win alone.
    """
    table = position.table
    points = table.rules.count(table.cells, table.tally)
    if len(side) > 1 and not qualifies(points.points(side), points.total):
        return False
    rest = [seat for seat in position.active if seat not in side]
    return all(winners(decided(position, [side, *others])) == {*side} for others in partitions(rest))


def partitions(seats: Sequence[Seat]) -> Iterator[list[Sequence[Seat]]]:
    """All ways to divide the seats into groups."""
    if not seats:
        yield []
        return
    first, *rest = seats
    for size in range(len(rest) + 1):
        for friends in combinations(rest, size):
            for others in partitions([seat for seat in rest if seat not in friends]):
                yield [(first, *friends), *others]


def decided(position: Position, groups: Sequence[Sequence[Seat]]) -> Position:
    """The end of the match if the seats of each group ally."""
    for group in groups:
        for seat in group:
            allies = " ".join(position.sides[ally] for ally in group if ally != seat)
            position = position.play(seat, f"ally {allies}" if allies else "alone")
    return position


PAIRINGS = tuple(
    United(f"{game}: the best coalition of {seats} wins", game, seats, {"size": "5"})
    for game in ("multigo-coop", "multigo-parallel-coop")
    for seats in (3, 4, 5)
)
