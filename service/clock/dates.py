"""How long something lasts, as people write it: `until 24 December`, `until 2027-01-06`, `for 10 days`."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from service.clock.duration import ClockError, read_amount

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?P<month>[a-z]{3})[a-z]*\.?(?:,?\s+(?P<year>\d{4}))?")
_MONTH = re.compile(r"(?P<month>[a-z]{3})[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?")

_LONGEST_WAIT = 9
"""In how many years any day of the calendar comes, also 29 February."""


def read_end(text: str, now: datetime, zone: ZoneInfo) -> datetime:
    """The end as an instant in UTC; a named day means the beginning of that day in `zone`. Raises ClockError.

    Also reads an instant as written in JSON.
    """
    said = re.sub(r"^(until|till|to)\s+", "", " ".join(text.lower().split()).strip(" .,;"))
    refusal = ClockError(f"{text.strip()[:40]!r} isn't a date. Write it like until 24 December or until 2027-01-06.")
    try:
        ends = _instant(said, now, zone)
    except (ValueError, OverflowError) as error:  # There's no such day, or its year is out of range.
        raise refusal from error
    if ends is not None:
        return ends
    if re.match(r"(for\s+)?\d+\s*[a-z]", said):
        return now + read_amount(said.removeprefix("for").strip())
    raise refusal


def _instant(said: str, now: datetime, zone: ZoneInfo) -> datetime | None:
    """The beginning of the day that `said` names, or the instant; None if it names neither."""
    if re.fullmatch(r"\d{4}-\d\d-\d\dt[\d:.]+\+00:00", said):
        return datetime.fromisoformat(said.upper())
    day = _day(said, now.astimezone(zone).date())
    return None if day is None else datetime.combine(day, time(), zone).astimezone(UTC)


def _day(said: str, today: date) -> date | None:
    """The day that `said` names; without a year, the next such day after today. None for other text.

    Raises ValueError if there's no such day.
    """
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", said):
        return date.fromisoformat(said)
    found = _DAY.fullmatch(said) or _MONTH.fullmatch(said)
    if not found or found["month"] not in _MONTHS:
        return None
    month, number = _MONTHS.index(found["month"]) + 1, int(found["day"])
    if found["year"]:
        return date(int(found["year"]), month, number)
    years = (year for year in range(today.year, today.year + _LONGEST_WAIT) if number <= monthrange(year, month)[1])
    return min(day for year in years if (day := date(year, month, number)) > today)
