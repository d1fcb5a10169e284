"""What a finished match does to its players' ratings: idle time, teams, bots, and absences.

A match counts when it ends, with everybody's ratings of that day. All matches that a player loses on time during one
absence are one rating period for that player: each new one is judged together with those before it, by the rating from
before the absence. That rating, with its deviation widened by the absence, also counts for the others at the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

from service.contests.ratings import NEWCOMER, Played, Rating, rated


@dataclass(frozen=True, slots=True)
class Period:
    """A rating period: the rating before it, the day of that rating, and the matches judged by it so far.

    Every match is a period of its own, except that all matches lost on time in one absence are one period.
    """

    absence: str | None
    before: Rating
    day: float | None
    played: tuple[Played, ...] = ()

    def met(self, day: float) -> Rating:
        """The rating by which a match on this day is judged."""
        return self.before if self.day is None else self.before.aged(day - self.day)


@dataclass(frozen=True, slots=True)
class Account:
    """A player's rating at one game, the day of their latest match, the number finished, and their absence."""

    rating: Rating = NEWCOMER
    day: float | None = None
    matches: int = 0
    absent: Period | None = None

    def period(self, absence: str | None) -> Period:
        """The period of a match that was lost on time in this `absence`, or of any other match if it is None."""
        if self.absent and self.absent.absence == absence:
            return self.absent
        return Period(absence, self.rating, self.day)


NOBODY = Account()
"""The account of a player who hasn't finished a match."""


class Seat(NamedTuple):
    """A seat of a finished match: its holders and its share of the win.

    `advantage` is what the seat is worth, in rating points. `absence` is set if the seat lost on time, and is the same
    for all matches lost in one absence of its holder. The `fixed` ones among its holders neither gain nor lose.
    """

    holders: tuple[str, ...]
    share: float
    advantage: float = 0.0
    absence: str | None = None
    bot: bool = False
    fixed: frozenset[str] = frozenset()


def settle(day: float, seats: Sequence[Seat], accounts: Mapping[str, Account]) -> dict[str, Account]:
    """The accounts changed by a match that ended on `day`, a number of days since any date.

    A match with a bot changes people's ratings only while they are provisional. If no person's rating changes, neither
    does the bot's; otherwise players with nothing to lose could raise it without end.
    """
    periods = [[accounts.get(name, NOBODY).period(seat.absence) for name in seat.holders] for seat in seats]
    ratings = [[period.met(day) for period in held] for held in periods]
    met = [_side(seat, held) for seat, held in zip(seats, ratings, strict=True)]
    bots = any(seat.bot for seat in seats)
    changed = {}
    for index, seat in enumerate(seats):
        played = Played(seat.share, met[index][0], (*met[:index], *met[index + 1 :]), 1 / len(seat.holders))
        for name, period, rating in zip(seat.holders, periods[index], ratings[index], strict=True):
            if name not in seat.fixed and (seat.bot or not bots or rating.provisional):
                changed[name] = _after(day, period, rating, played, accounts.get(name, NOBODY).matches + 1)
    people = {name for seat in seats if not seat.bot for name in seat.holders}
    return changed if people & changed.keys() else {}


def sides(day: float, seats: Sequence[Seat], accounts: Mapping[str, Account]) -> list[tuple[float, float]]:
    """Each seat's strength and deviation in a match on this day: its holders' mean rating plus its advantage."""
    return [
        _side(seat, [accounts.get(name, NOBODY).period(seat.absence).met(day) for name in seat.holders])
        for seat in seats
    ]


def _side(seat: Seat, holders: Sequence[Rating]) -> tuple[float, float]:
    if len(holders) == 1:
        return holders[0].rating + seat.advantage, holders[0].deviation
    mean = sum(holder.rating for holder in holders) / len(holders)
    return mean + seat.advantage, hypot(*(holder.deviation for holder in holders)) / len(holders)


def _after(day: float, period: Period, met: Rating, played: Played, matches: int) -> Account:
    together = (*period.played, played)
    absent = None if period.absence is None else Period(period.absence, period.before, period.day, together)
    return Account(rated(met, together), day, matches, absent)
