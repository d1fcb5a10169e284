"""`python -m tests.chaos.clock run` runs the service with a clock that can be set while it runs.

The clock shifts the time of the service, of Celery and of all Python code that calls `time.time`, but not monotonic
time or that of the queue, the database and the file system.
"""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime, tzinfo
from importlib import import_module
from pathlib import Path

VARIABLE = "CHAOS_CLOCK"
"""The environment variable with the path of the file that contains the seconds to add."""


def make_clock(place: Path) -> tuple[Path, dict[str, str]]:
    """A correct clock, and the environment for programs that use it."""
    clock = place / "clock"
    set_clock(clock, 0)
    return clock, {VARIABLE: str(clock)}


def set_clock(clock: Path, seconds: float) -> None:
    """Shifts the time that programs see by this many seconds, until the next call."""
    half = clock.with_suffix(".new")
    half.write_text(str(seconds))
    half.replace(clock)


def go_by(clock: Path) -> None:
    """Makes this process and its forks use a clock. Call it before importing anything that asks for the time."""
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
