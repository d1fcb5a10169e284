"""A scheduler for Celery's beat that goes by the monotonic clock, which can't be set."""

from __future__ import annotations

import time

from celery.beat import ScheduleEntry, Scheduler, event_t
from celery.schedules import schedstate


class Steady(Scheduler):  # type: ignore[misc]
    """Starts each entry immediately, and then at regular intervals.

    Celery's own scheduler goes by the time of day. After a clock that was a day ahead is corrected, it starts nothing
    for a day.
    """

    def populate_heap(self) -> None:
        """Puts all entries on the heap, due now."""
        self._heap = [event_t(self._when(entry, 0), 5, entry) for entry in self.schedule.values()]

    def is_due(self, entry: ScheduleEntry) -> schedstate:
        """True: the first entry on the heap is due once its time has come. Its next run is one interval later."""
        return schedstate(is_due=True, next=entry.schedule.seconds)

    def _when(self, _entry: ScheduleEntry, next_time_to_run: float) -> float:
        """The monotonic time in that many seconds."""
        return time.monotonic() + next_time_to_run
