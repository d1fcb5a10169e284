"""Lengths of time as people write them: `3d`, `1d12h`, `90min`, `2 weeks`."""

from __future__ import annotations

import re
from datetime import timedelta

LONGEST = timedelta(days=366)

_UNITS = {"w": timedelta(weeks=1), "d": timedelta(days=1), "h": timedelta(hours=1), "min": timedelta(minutes=1)}
_PART = re.compile(r"(\d{1,5})\s*(weeks?|w|days?|d|hours?|h|minutes?|mins?|m)(?![a-z])")


class ClockError(ValueError):
    """A clock that can't be set. The message is one or two sentences with an example of one that can."""


def read_amount(text: str) -> timedelta:
    """A length of time from a minute to a year; raises ClockError."""
    rest, total = text.strip().lower(), timedelta()
    while total <= LONGEST and (part := _PART.match(rest)):
        total += int(part[1]) * _UNITS["min" if part[2].startswith("m") else part[2][0]]
        rest = rest[part.end() :].lstrip()
    if (rest and total <= LONGEST) or not text.strip():
        raise ClockError(
            f"{text.strip()[:40]!r} isn't a length of time. Write days as 3d, hours as 12h, both as 1d12h."
        )
    if not _UNITS["min"] <= total <= LONGEST:
        raise ClockError(f"{text.strip()[:40]!r} isn't between one minute and one year.")
    return total


def write_amount(amount: timedelta) -> str:
    """The text, in days, hours and minutes, that `read_amount` reads back."""
    minutes = int(amount / _UNITS["min"])
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    return "".join(f"{count}{unit}" for count, unit in parts if count)
