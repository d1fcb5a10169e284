"""Rounds at fixed hours: `rounds at 18:00 mon wed fri Europe/Lisbon`. All seats share one clock, in its own zone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from service.clock.duration import ClockError
from service.clock.hours import A_DAY, Hours, Stretch
from service.clock.systems import Absolute, Budget, Byoyomi, Canadian, Fischer, Fixed, System

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

LEAST = timedelta(hours=6)
"""The shortest round: one that begins less than this before its hour lasts until the next one."""

_UTC = ZoneInfo("UTC")
_EVERY_DAY = frozenset(range(7))
_HORIZON = 400


@dataclass(frozen=True, slots=True)
class Rounds(System):
    """A round ends when all have chosen, or else at `hour` on the next of `days` (0 is Monday) in `zone`."""

    kind = "rounds"
    hour: time
    days: frozenset[int] = _EVERY_DAY
    zone: ZoneInfo = _UTC
    by_round: bool = True

    @classmethod
    def read(cls, text: str) -> Rounds | None:
        if not re.match(r"rounds?\b", text):
            return None
        found = re.fullmatch(r"rounds?\s+at\s+(\d{1,2})(?::(\d\d))?\b\s*(.*)", text)
        if not found or int(found[1]) > 23 or int(found[2] or 0) > 59:
            raise ClockError("Write rounds at fixed hours like this: rounds at 18:00 mon wed fri Europe/Lisbon.")
        hour = time(int(found[1]), int(found[2] or 0))
        days, zone = set[int](), _UTC
        for word in found[3].replace("(", " ").replace(")", " ").split():
            named = {WEEKDAYS.index(day[:3]) for day in word.split("/") if day[:3] in WEEKDAYS}
            if len(named) == len(word.split("/")):
                days |= named
            elif word not in ("daily", "on", "and", "utc"):
                zone = _zone(word)
        return Rounds(hour, frozenset(days) or _EVERY_DAY, zone)

    def write(self) -> str:
        days = "" if self.days == _EVERY_DAY else " " + " ".join(WEEKDAYS[day] for day in sorted(self.days))
        return f"rounds at {self.hour:%H:%M}{days}{'' if self.zone.key == 'UTC' else f' {self.zone.key}'}"

    def begin(self) -> Budget:
        return Budget()

    def prolonged(self, budget: Budget) -> Budget | None:
        return None if budget.count else replace(budget, count=1)

    def press(self, budget: Budget, used: timedelta) -> Budget:
        del budget, used
        return Budget()

    def lasts(self, budget: Budget, since: datetime, hours: Hours, off: Sequence[Stretch]) -> timedelta | None:
        """The counted time of a round: until its hour, or the next one if prolonged, plus any extra time.

        An hour that doesn't count, such as one within a pause or an outage, doesn't end a round; None if all are such.
        """
        ends = (end for end in self._hours(since) if hours.counts(end, self.zone, off))
        spans = (span for end in ends if (span := hours.counted(since, end, self.zone, off)) >= LEAST)
        found = next(spans, None)
        if budget.count:
            found = next(spans, None)
        return None if found is None else found + budget.main

    def _hours(self, since: datetime) -> Iterator[datetime]:
        """The instants after `since` at which rounds may end, in UTC."""
        day = since.astimezone(self.zone).date()
        for _ in range(_HORIZON):
            if day.weekday() in self.days:
                end = datetime.combine(day, self.hour, self.zone).astimezone(UTC)
                if end > since:
                    yield end
            day += A_DAY


SYSTEMS: tuple[type[System], ...] = (Rounds, Fischer, Byoyomi, Canadian, Absolute, Fixed)
"""All systems, in the order in which they try to read a clock."""


@cache
def _zones() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}


def _zone(text: str) -> ZoneInfo:
    """The zone with this name, given in lower case; raises ClockError."""
    if text not in _zones():
        raise ClockError(f"{text[:40]!r} isn't a day of the week or a time zone. Write mon wed fri, or Europe/Lisbon.")
    return ZoneInfo(_zones()[text])
