"""Gives a door its inputs one by one, and keeps those that do something forbidden."""

from __future__ import annotations

import logging
import os
import re
import resource
import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from tests.conftest import luck
from tests.fuzz.doors import Door, Input

SECONDS = 3.0
"""The most that one input may take: of processor time, and of total time except waiting for a processor."""
HUNG = 10.0
"""Seconds of processor time after which an input is given up."""
MEGABYTES = 400
"""The most by which a process may grow after the first input."""
KEPT_ALIKE = 2
"""How many inputs that fail at the same line are kept."""


class Hung(BaseException):
    """An input takes far too long. No door catches this."""


@dataclass
class Result:
    """The results of one door's inputs."""

    door: str
    inputs: int = 0
    accepted: int = 0
    slowest: float = 0.0
    """Seconds."""
    slowest_number: int = 0
    peak: int = 0
    """Megabytes of the whole process."""
    seconds: float = 0.0
    """Processor time for all inputs."""
    failed: int = 0
    faults: dict[str, str] = field(default_factory=dict)
    """What went wrong, and the last lines of the traceback, by the file that has the input."""

    @property
    def refused(self) -> int:
        return self.inputs - self.accepted - self.failed


@dataclass
class Trial:
    """One door, its inputs from `first` on, and the directory for those that fail and the slowest one."""

    door: Door
    seed: int
    count: int
    folder: Path
    first: int = 0
    log: list[str] = field(default_factory=list)
    """The errors that were logged meanwhile: strangers must not be able to fill a log."""

    def run(self) -> Result:
        result, alike = Result(self.door.name), Counter[str]()
        begun, used = _peak(), time.process_time()
        slowest: Input = None
        with _listening() as self.log:
            for number in range(self.first, self.first + self.count):
                given = self._made(number)
                self.log.clear()
                accepted, seconds, wrong = taken(self.door, given)
                wrong = wrong or "".join(self.log[:1])
                if not wrong and seconds > SECONDS + self.door.thinking:
                    wrong = f"{seconds:.1f} seconds"
                if not wrong and _peak() - begun > MEGABYTES:
                    wrong = f"{_peak() - begun} more megabytes"
                result.inputs += 1
                result.accepted += accepted and not wrong
                result.failed += bool(wrong)
                if seconds > result.slowest:
                    result.slowest, result.slowest_number, slowest = seconds, number, given
                if wrong:
                    alike[_place(wrong)] += 1
                    if alike[_place(wrong)] <= KEPT_ALIKE:
                        result.faults[str(self._keep(str(number), given, wrong))] = wrong
        self._keep("slowest", slowest, f"input {result.slowest_number}: {result.slowest:.3f} seconds")
        result.peak, result.seconds = _peak(), time.process_time() - used
        return result

    def _made(self, number: int) -> Input:
        """An input, which follows from the seed, the door and its number. Resets the door first if it's due."""
        name = f"{self.seed} {self.door.name} {number}"
        if number == self.first or (self.door.every and number % self.door.every == 0):
            luck(name)
            self.door.begin()
        luck(name)
        return self.door.make(Random(name))

    def _keep(self, name: str, given: Input, why: str) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = self.folder / f"{self.door.name}-{name}.txt"
        told = "".join(f"# {line}\n" for line in (f"{self.door.name}, seed {self.seed}", *why.splitlines()))
        kept.write_text(f"{told}{given!r}\n", errors="backslashreplace")
        return kept


def taken(door: Door, given: Input) -> tuple[bool, float, str]:
    """Whether the door accepts an input, how many seconds that took, and what went wrong, or ""."""
    waited, wall, processor = _waited(), time.perf_counter(), time.process_time()
    accepted, wrong = False, ""
    try:
        with _interrupting(HUNG + door.thinking):
            accepted = door.take(given)
    except (Exception, Hung):
        wrong = "".join(traceback.format_exc(limit=-6, chain=False))
    spent = time.perf_counter() - wall - (_waited() - waited)
    return accepted, max(spent, time.process_time() - processor), wrong


@contextmanager
def _interrupting(seconds: float) -> Iterator[None]:
    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise Hung(f"more than {seconds:.0f} seconds")

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Collects the errors that are logged."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(f"{record.name} logged:\n{self.format(record)[-2_000:]}\n")

    ear = Ear(logging.ERROR)
    logging.getLogger().addHandler(ear)
    yield heard
    logging.getLogger().removeHandler(ear)


def _place(wrong: str) -> str:
    """Where and with which words it failed: the same for inputs that show the same fault."""
    places = [line for line in wrong.splitlines() if line.startswith("  File ")]
    return "\n".join([*places[-2:], re.sub(r"\d+|[^a-zA-Z ]", "", wrong.strip().splitlines()[-1])[:60]])


def _peak() -> int:
    """The most memory that the process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _waited() -> float:
    """Seconds for which the threads were ready but had no processor; 0 if the system doesn't count them."""
    waited = 0
    with suppress(OSError):
        for thread in os.scandir("/proc/self/task"):
            with suppress(OSError), open(f"{thread.path}/schedstat") as counted:
                waited += int(counted.read().split()[1])
    return waited / 1e9


def table(results: list[Result]) -> str:
    """A line for each door, and one for all."""
    rows: list[tuple[str, ...]] = [
        ("door", "inputs", "accepted", "refused", "failed", "slowest ms", "peak MB", "seconds")
    ]
    rows += [_row(one.door, one, one.slowest, one.peak) for one in results]
    every = Result("all", *(sum(getattr(one, name) for one in results) for name in ("inputs", "accepted")))
    every.failed, every.seconds = sum(one.failed for one in results), sum(one.seconds for one in results)
    slowest, peak = max(one.slowest for one in results), max(one.peak for one in results)
    rows.append(_row("all", every, slowest, peak))
    return "\n".join(f"{row[0]:12}" + "".join(f"{cell:>12}" for cell in row[1:]) for row in rows)


def _row(name: str, one: Result, slowest: float, peak: int) -> tuple[str, ...]:
    counts = (one.inputs, one.accepted, one.refused, one.failed)
    return (name, *(f"{count:,}" for count in counts), f"{1000 * slowest:,.0f}", str(peak), f"{one.seconds:,.0f}")
