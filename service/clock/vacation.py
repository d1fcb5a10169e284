"""Days of vacation: each begins automatically when time runs out, and stops the player's clocks for a day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from service.clock.hours import A_DAY, Stretch

DAYS = 30
"""The days of vacation that a player has in each match in a calendar year."""


def days_left(year: int, spent: Sequence[Stretch]) -> int:
    """How many days of a year's vacation are left; `spent` are the days spent so far that count."""
    return max(DAYS - sum(begin.year == year for begin, _ in spent), 0)


def vacation_day(deadline: datetime, spent: Sequence[Stretch]) -> Stretch | None:
    """The day of vacation that begins when time runs out at `deadline`; None once the year's days are spent.

    `spent` are the days spent so far that count. Also None while one of them is still going on, so that a day is never
    spent twice.
    """
    if not days_left(deadline.year, spent) or any(begin <= deadline < end for begin, end in spent):
        return None
    return deadline, deadline + A_DAY
