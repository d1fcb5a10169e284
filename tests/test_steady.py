"""Celery's beat uses a clock that nobody can set."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from celery import Celery
from celery.beat import ScheduleEntry

from worker.steady import Steady


class Noting(Steady):
    """Notes what it would have started."""

    def __init__(self, app: Celery) -> None:
        self.started: list[str] = []
        super().__init__(app)

    def apply_entry(self, entry: ScheduleEntry, producer: object = None) -> None:
        """Notes it."""
        self.started.append(entry.name)


@pytest.mark.parametrize("hours", [-30, 0, 30])
def test_a_periodic_task_starts_at_once_and_then_on_time_whatever_the_clock_says(hours: int) -> None:
    beat = Noting(Celery(broker="memory://", beat_schedule={"sweep": {"task": "sweep", "schedule": 15.0}}))
    began, wrong = time.monotonic(), datetime.now(UTC) + timedelta(hours=hours)
    for passed, starts in ((0, 1), (14, 1), (15, 2), (16, 2), (30, 3)):
        with (
            patch("time.monotonic", lambda seconds=passed: began + seconds),
            patch.object(Celery, "now", lambda _, at=wrong: at),
        ):
            while beat.tick() == 0:
                pass
        assert len(beat.started) == starts
        wrong -= timedelta(hours=hours)
