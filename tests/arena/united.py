"""Cooperative tables of bots: does the coalition win that can win by its points, whatever the others do?

What the points say is found by trying: the engine decides the match for each coalition, against every way in which the
others could unite. It is not asked of the bots.
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
"""Simulations a move until the count; the partners to unite with are not searched for."""


@dataclass(frozen=True)
class United:
    """A point for each match that ends with the victory of the best coalition. Matches without one don't count.

    The best is the smallest alliance that wins whatever the others declare. Several of one size are all right.
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
        """Alliance rounds in which a coalition can win by its points, and the best ones; without end."""
        for number in count(seed):
            position = self.until_counted(number)
            if isinstance(position, Alliances) and (best := smallest(position)):
                yield position, best

    def until_counted(self, seed: int) -> Position:
        """A match of quick searches, up to the alliance round."""
        position: Position = GAMES[self.game].start(self.seats, 0, **self.options)
        for ply in range(LONGEST):
            if position.outcome is not None or isinstance(position, Alliances):
                break
            position = self.ordered(position, seed_of(seed, ply, position.turns[0]))
        return position

    def declared(self, position: Position) -> Position:
        """The end of the match, when all bots have named the partners they want."""
        while position.outcome is None:
            position = self.ordered(position, 0)
        return position

    def ordered(self, position: Position, seed: int) -> Position:
        """The position after the order of the bot that is next."""
        seat = position.turns[0]
        club = OPPONENTS[self.game][1]._replace(budget=QUICK)
        return position.play(seat, order(View.of(position, seat), club, seed).move)


def winners(position: Position) -> frozenset[Seat]:
    """The seats that share the victory."""
    assert isinstance(position.outcome, Outcome)
    return frozenset(seat for seat, score in enumerate(position.outcome.scores) if score)


def smallest(position: Alliances) -> list[frozenset[Seat]]:
    """The smallest alliances of two and more that win whatever the others do; none if a single seat does."""
    for size in range(1, len(position.active) + 1):
        found = [frozenset(side) for side in combinations(position.active, size) if sure(position, side)]
        if found:
            return found if size > 1 else []
    return []


def sure(position: Alliances, side: Sequence[Seat]) -> bool:
    """Whether these seats, united, are the winners whatever the others declare.

    An alliance of too few points isn't one: its members could still win, each alone.
    """
    table = position.table
    points = table.rules.count(table.cells, table.tally)
    if len(side) > 1 and not qualifies(points.points(side), points.total):
        return False
    rest = [seat for seat in position.active if seat not in side]
    return all(winners(decided(position, [side, *others])) == {*side} for others in partitions(rest))


def partitions(seats: Sequence[Seat]) -> Iterator[list[Sequence[Seat]]]:
    """All ways to divide seats into groups."""
    if not seats:
        yield []
        return
    first, *rest = seats
    for size in range(len(rest) + 1):
        for friends in combinations(rest, size):
            for others in partitions([seat for seat in rest if seat not in friends]):
                yield [(first, *friends), *others]


def decided(position: Position, groups: Sequence[Sequence[Seat]]) -> Position:
    """The end of the match if each group unites."""
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
