"""Which hours count: weekends and nights may not, nor does time off, such as vacation or an outage.

All arithmetic is done in UTC; a zone only says where its days begin and end, so that a day on which clocks are put
forward has 23 hours that count, and nobody gains or loses by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo

Stretch: TypeAlias = tuple[datetime, datetime]
"""From its beginning to just before its end, both in UTC."""

NEVER = datetime(9999, 1, 1, tzinfo=UTC)
A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Hours:
    """`days_off` are weekdays (0 is Monday) and `asleep` hours of the night, in the player's own zone."""

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
        """Whether the moment after `at` is one that counts."""
        begin, _ = next(self._running(at, zone, off), (NEVER, NEVER))
        return begin <= at

    def after(self, since: datetime, amount: timedelta, zone: ZoneInfo, off: Sequence[Stretch] = ()) -> datetime:
        """The last moment at which no more than `amount` has been counted from `since` on; NEVER if that has no end.

        Time that is used up at the end of a Friday before a free weekend lasts until Monday begins.
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
        """The stretches that neither weekends nor nights take away, from `since` or somewhat before."""
        if not self.days_off and self.asleep is None:
            yield since, NEVER
            return
        day, reached = since.astimezone(zone).date() - A_DAY, since - 3 * A_DAY
        while day.year < NEVER.year:
            for begin, end in self._parts(day):
                # Where a zone leaves out an hour, its two sides fall together, and a part may be empty.
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
    """The first instant at which clocks in `zone` show `local`, or would had they not been put forward."""
    return local.replace(tzinfo=zone).astimezone(UTC)
