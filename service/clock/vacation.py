"""Days of vacation: each begins by itself when time runs out, and stops clocks of the player for a day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from service.clock.hours import A_DAY, Stretch

DAYS = 30
"""Days of vacation a player has in a calendar year, in each match."""


def days_left(year: int, spent: Sequence[Stretch]) -> int:
    """How many days of a year's vacation are left, where `spent` are the player's days so far that count there."""
    return max(DAYS - sum(begin.year == year for begin, _ in spent), 0)


def vacation_day(deadline: datetime, spent: Sequence[Stretch]) -> Stretch | None:
    """The day of vacation that begins when time runs out at `deadline`; None once the year's are spent.

    `spent` are the player's days so far that count there. Also None while one of them is still going on: a day is never
    spent twice.
    """
    if not days_left(deadline.year, spent) or any(begin <= deadline < end for begin, end in spent):
        return None
    return deadline, deadline + A_DAY
