"""Which hours count: weekends and nights may not, and time off, such as vacation or an outage, never does.

All arithmetic is done in UTC; a zone only says when its days begin and end. So a day on which clocks are put forward
has 23 hours that count, and nobody gains or loses time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo

Stretch: TypeAlias = tuple[datetime, datetime]
"""Beginning and end in UTC; the end isn't part of it."""

NEVER = datetime(9999, 1, 1, tzinfo=UTC)
YEARS = 100
"""How many years of days off and nights are looked at, one day after another. No match lasts longer."""
A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Hours:
    """What doesn't count, in the player's zone: `days_off` (0 is Monday), and `asleep` from one hour to another."""

    days_off: frozenset[int] = frozenset()
    asleep: tuple[int, int] | None = None

    def counted(self, since: datetime, until: datetime, zone: ZoneInfo, off: Sequence[Stretch] = ()) -> timedelta:
        """How much of the time from `since` to `until` counts; `off` is in order of time."""
        total = timedelta()
        for begin, end in self._running(since, zone, off):
            if begin >= until:
                break
            total += min(end, until) - begin
        return total

    def counts(self, at: datetime, zone: ZoneInfo, off: Sequence[Stretch] = ()) -> bool:
        """Whether the time right after `at` counts."""
        begin, _ = next(self._running(at, zone, off), (NEVER, NEVER))
        return begin <= at

    def after(self, since: datetime, amount: timedelta, zone: ZoneInfo, off: Sequence[Stretch] = ()) -> datetime:
        """The last moment at which no more than `amount` has been counted since `since`; NEVER if there is none.

        With days off or nights, also NEVER if it is a hundred years away.

        Time that runs out at the end of a Friday before a free weekend lasts until Monday begins.
        """
        for begin, end in self._running(since, zone, off):
            if end - begin > amount:
                return min(begin + amount, NEVER)
            amount -= end - begin
        return NEVER

    def _running(self, since: datetime, zone: ZoneInfo, off: Sequence[Stretch]) -> Iterator[Stretch]:
        """The stretches from `since` on that count, in order."""
        since = since.astimezone(UTC)
        for begin, end in self._awake(since, zone):
            begin = max(begin, since)
            for away, back in off:
                if away > begin:
                    if away >= end:
                        break
                    yield begin, away
                begin = max(begin, back)
            if begin < end:
                yield begin, end

    def _awake(self, since: datetime, zone: ZoneInfo) -> Iterator[Stretch]:
        """The stretches outside days off and nights, from `since` or shortly before."""
        if not self.days_off and self.asleep is None:
            yield since, NEVER
            return
        day, reached = since.astimezone(zone).date() - A_DAY, since - 3 * A_DAY
        last = min(since.year + YEARS, NEVER.year)
        while day.year < last:
            for begin, end in self._parts(day):
                # If a zone skips an hour, both its ends are the same instant, so a part may be empty.
                begin_utc, end_utc = max(_utc(begin, zone), reached), _utc(end, zone)
                if begin_utc < end_utc:
                    yield begin_utc, end_utc
                    reached = end_utc
            day += A_DAY

    def _parts(self, day: date) -> Iterator[tuple[datetime, datetime]]:
        """The parts of a local day that count, as naive local times."""
        if day.weekday() in self.days_off:
            return
        midnight = datetime.combine(day, time())
        if self.asleep is None:
            yield midnight, midnight + A_DAY
            return
        falls, wakes = (midnight + timedelta(hours=hour) for hour in self.asleep)
        if falls > wakes:
            yield wakes, falls
        else:
            yield midnight, falls
            yield wakes, midnight + A_DAY


def _utc(local: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which clocks in `zone` show `local`, or would if they weren't put forward."""
    return local.replace(tzinfo=zone).astimezone(UTC)
