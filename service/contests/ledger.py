"""What a finished match does to the ratings of those who played it: idle time, teams, bots, and absences.

A match counts when it ends, with everybody's ratings of that day. All matches that a player loses on time during one
absence are one rating period for that player: each new one is judged together with those before it, by the rating from
before the absence. The others at the table meet that rating too, with the deviation that the absence has widened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import NamedTuple

from service.contests.ratings import NEWCOMER, Played, Rating, rated


@dataclass(frozen=True, slots=True)
class Period:
    """A rating period: the rating before it, the day that one is from, and the matches judged by it so far.

    Every match is a period of its own, but all those lost on time in one absence are one.
    """

    absence: str | None
    before: Rating
    day: float | None
    played: tuple[Played, ...] = ()

    def met(self, day: float) -> Rating:
        """The rating by which a match of that day is judged."""
        return self.before if self.day is None else self.before.aged(day - self.day)


@dataclass(frozen=True, slots=True)
class Account:
    """A player's rating at one game, the day of their latest match, how many they finished, and their absence."""

    rating: Rating = NEWCOMER
    day: float | None = None
    matches: int = 0
    absent: Period | None = None

    def period(self, absence: str | None) -> Period:
        """The period that a match belongs to which was lost on time in that absence, or wasn't (None)."""
        if self.absent and self.absent.absence == absence:
            return self.absent
        return Period(absence, self.rating, self.day)


NOBODY = Account()
"""The account of a player who has finished no match."""


class Seat(NamedTuple):
    """A seat of a finished match: who held it and the share it won.

    `advantage` is what the seat itself is worth, in rating points. `absence` is set if the seat was lost on time, and
    equal for all matches lost in one absence of its holder. A `fixed` seat's holders neither gain nor lose.
    """

    holders: tuple[str, ...]
    share: float
    advantage: float = 0.0
    absence: str | None = None
    bot: bool = False
    fixed: bool = False


def settle(day: float, seats: Sequence[Seat], accounts: Mapping[str, Account]) -> dict[str, Account]:
    """The accounts that a match changes which ended on `day`, a number of days since any date.

    A bot at the table changes the ratings of people only while these are provisional. If nobody's changes, neither does
    the bot's: players with nothing to lose would lift it without end.
    """
    periods = [[accounts.get(name, NOBODY).period(seat.absence) for name in seat.holders] for seat in seats]
    ratings = [[period.met(day) for period in held] for held in periods]
    met = [_side(seat, held) for seat, held in zip(seats, ratings, strict=True)]
    bots = any(seat.bot for seat in seats)
    changed = {}
    for index, seat in enumerate(seats):
        if seat.fixed:
            continue
        played = Played(seat.share, met[index][0], (*met[:index], *met[index + 1 :]), 1 / len(seat.holders))
        for name, period, rating in zip(seat.holders, periods[index], ratings[index], strict=True):
            if seat.bot or not bots or rating.provisional:
                changed[name] = _after(day, period, rating, played, accounts.get(name, NOBODY).matches + 1)
    people = {name for seat in seats if not seat.bot for name in seat.holders}
    return changed if people & changed.keys() else {}


def sides(day: float, seats: Sequence[Seat], accounts: Mapping[str, Account]) -> list[tuple[float, float]]:
    """Each seat's strength and deviation as a match of that day meets them: its holders' mean, and its advantage."""
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
