"""Keeps a deployment's processes running. Restarts them when they die, with back-off, and leaves no orphans.

Our own, because `make run` should need only Python, processes should end when the supervisor is killed, and Python
programs start immediately if they are forked from a process that has imported what they need. Production can use
systemd or any other host for a Procfile instead.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from service.cli.deployment import fork

log = logging.getLogger(__name__)

QUICKEST, SLOWEST = 0.2, 10.0
"""Seconds before a restart. Each restart doubles the delay; after a minute of running, it is QUICKEST again."""


class Running(Protocol):
    """A child process, which leads a group of its own."""

    pid: int

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""

    def wait(self) -> int:
        """Waits until it has ended. Returns its exit code."""

    def send_signal(self, sig: int) -> None:
        """Signals it, unless it has ended."""


@dataclass
class Process:
    """One line of the Procfile, and the process that currently runs it."""

    name: str
    command: str
    environment: Mapping[str, str]
    running: Running | None = None
    started: float = 0.0
    next_start: float = 0.0
    delay: float = field(default=QUICKEST)
    gave_up: Callable[[], None] = lambda: None
    """Called when the process exits with code 1: something keeps it from running."""

    def tend(self, now: float) -> None:
        """Starts the process if it is due, or schedules a restart if it has died."""
        if self.running is None:
            if now >= self.next_start:
                self._start(now)
        elif (code := self.running.poll()) is not None:
            self._clear_up()
            if code == 1:
                self.gave_up()
            if now - self.started > 60:
                self.delay = QUICKEST
            if code < 0:
                log.warning("%s was killed (signal %d); restarting it in %.1f s", self.name, -code, self.delay)
            else:
                log.warning("%s exited with code %d; restarting it in %.1f s", self.name, code, self.delay)
            self.next_start, self.delay = now + self.delay, min(self.delay * 2, SLOWEST)

    def stop(self, number: signal.Signals) -> None:
        """Signals the process. SIGKILL also goes to every process it has started."""
        if self.running is None or self.running.poll() is not None:
            return
        if number == signal.SIGKILL:
            self._clear_up()
        else:
            self.running.send_signal(number)

    def _start(self, now: float) -> None:
        self.started = now
        # In its own group, so that Ctrl-C reaches only the supervisor, which stops the processes in order.
        if fork.can_run(self.command):
            self.running = fork.Forked(self.name, self.command, self.environment)
        else:
            self.running = subprocess.Popen(  # noqa: S603 (the command is our own Procfile's)
                ["/bin/sh", "-c", f"exec {self.command}"],
                env=dict(self.environment),
                process_group=0,
                preexec_fn=partial(fork.die_with, os.getpid()),  # Safe: this process has one thread.
            )

    def _clear_up(self) -> None:
        """Kills everything the process left behind in its group."""
        assert self.running is not None
        with suppress(ProcessLookupError):
            os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait()
        self.running = None


def read_procfile(text: str, environment: Mapping[str, str]) -> list[Process]:
    """One Process for each `name: command` line except `release`, which hosts run once before the others start."""
    lines = (line.partition(":") for line in text.splitlines() if line.strip() and not line.startswith("#"))
    commands = {name.strip(): command.strip() for name, _, command in lines}
    return [Process(name, command, environment) for name, command in commands.items() if name != "release"]


class Supervisor:
    """Tends processes until it gets SIGINT, SIGTERM or SIGHUP.

    Processes in `ground`, such as the queue, start before the others and stop after them.
    """

    def __init__(self, processes: Sequence[Process], ground: Sequence[Process] = ()) -> None:
        self.processes, self.ground = processes, ground
        self.stopping = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask_to_stop)

    def tend(self, seconds: float = 0.1) -> None:
        """Tends each process once, then sleeps."""
        for process in (*self.ground, *self.processes):
            process.tend(time.monotonic())
        time.sleep(seconds)

    def tend_until_stopped(self) -> None:
        """Tends until a signal asks it to stop."""
        while not self.stopping:
            self.tend()

    def stop(self) -> None:
        """Stops all processes with SIGTERM, and after fork.GRACE seconds with SIGKILL."""
        deadline = time.monotonic() + fork.GRACE
        for together in (self.processes, self.ground):
            for process in together:
                process.stop(signal.SIGTERM)
            while any(p.running and p.running.poll() is None for p in together) and time.monotonic() < deadline:
                time.sleep(0.05)
        for process in (*self.processes, *self.ground):
            process.stop(signal.SIGKILL)

    def _ask_to_stop(self, *_: object) -> None:
        self.stopping = True
