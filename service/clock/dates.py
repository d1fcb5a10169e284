"""How long something lasts, as people write it: `until 24 December`, `until 2027-01-06`, `for 10 days`."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from service.clock.duration import ClockError, read_amount

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_ALSO = (
    "januar", "januari", "janvier", "janeiro", "februar", "februari", "febrero", "febbraio", "mars", "marts", "marzo",
    "aprile", "mayo", "juni", "juli", "junio", "julio", "junho", "julho", "augusti", "augustus", "septembre",
    "septiembre", "octobre", "octubre", "novembre", "noviembre", "novembro", "decembre",
)  # fmt: skip
"""Names in other languages that begin like the English ones."""
_DAY = re.compile(
    r"(?:the\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<month>[a-z]{3,})\.?(?:,?\s+(?P<year>\d{4}))?"
)
_MONTH = re.compile(r"(?P<month>[a-z]{3,})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?")
_DOTTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")

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
    if dotted := _DOTTED.fullmatch(said):
        return date(int(dotted[3]), int(dotted[2]), int(dotted[1]))
    found = _DAY.fullmatch(said) or _MONTH.fullmatch(said)
    month = _month(found["month"]) if found else 0
    if not found or not month:
        return None
    number = int(found["day"])
    if found["year"]:
        return date(int(found["year"]), month, number)
    years = (year for year in range(today.year, today.year + _LONGEST_WAIT) if number <= monthrange(year, month)[1])
    return min(day for year in years if (day := date(year, month, number)) > today)


def _month(name: str) -> int:
    """The number of the month with this name, which may be shortened to three letters; 0 if there is none."""
    begins = name[:3] if name in _ALSO else name
    return next((at for at, known in enumerate(_NAMES, 1) if known.startswith(begins)), 0)
