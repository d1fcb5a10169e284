"""When Celery's beat starts what is due at regular intervals: by a clock that nobody sets."""

from __future__ import annotations

import time

from celery.beat import ScheduleEntry, Scheduler, event_t
from celery.schedules import schedstate


class Steady(Scheduler):  # type: ignore[misc]
    """Starts each entry at once, and then again at its interval.

    Celery's own scheduler notes when it started something by the time of day. If that was ever a day ahead, it starts
    nothing for a day once the clock is right again.
    """

    def populate_heap(self) -> None:
        """All entries are due."""
        self._heap = [event_t(self._when(entry, 0), 5, entry) for entry in self.schedule.values()]

    def is_due(self, entry: ScheduleEntry) -> schedstate:
        """Whatever comes first on the heap has waited its time."""
        return schedstate(is_due=True, next=entry.schedule.seconds)

    def _when(self, _entry: ScheduleEntry, next_time_to_run: float) -> float:
        """The monotonic time that many seconds from now."""
        return time.monotonic() + next_time_to_run
