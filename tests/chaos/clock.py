"""`python -m tests.chaos.clock run` runs the service by a clock that can be set while it runs.

The time of the service, of Celery and of everything in Python that asks `time.time` is moved; monotonic time and
that of the queue, the database and the file system aren't.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime, tzinfo
from importlib import import_module
from pathlib import Path

VARIABLE = "CHAOS_CLOCK"
"""Names the file that has the seconds to add."""


def make_clock(place: Path) -> tuple[Path, dict[str, str]]:
    """A clock that is right, and the environment of programs that go by it."""
    clock = place / "clock"
    set_clock(clock, 0)
    return clock, {VARIABLE: str(clock)}


def set_clock(clock: Path, seconds: float) -> None:
    """From now on, programs see a time that many seconds later."""
    half = clock.with_suffix(".new")
    half.write_text(str(seconds))
    half.replace(clock)


def go_by(clock: Path) -> None:
    """Has this process go by a clock, and those that it forks. Call it before anything is imported that asks for the
    time."""
    right = time.time
    vars(time)["time"] = lambda: right() + float(clock.read_text())

    class Moved(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.fromtimestamp(time.time(), tz)

    for module in ("service.play.site", "celery.app.base"):
        vars(import_module(module))["datetime"] = Moved


if __name__ == "__main__":
    go_by(Path(os.environ[VARIABLE]))

    from service.cli import main

    sys.exit(main(sys.argv[1:]))
