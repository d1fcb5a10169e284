"""Runs a Python program in a fork of this process, which shares everything imported so far."""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import os
import runpy
import select
import shlex
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pkgutil import resolve_name
from string import Template

from service.cli.deployment import output

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
"""prctl(2): choose the signal that a process gets when its parent dies for any reason; give the process a name."""

PROGRAMS = {"gunicorn": "gunicorn.app.wsgiapp:run", "celery": "celery.__main__:main"}
"""Console scripts, and the functions that they call."""

IDLE = ["chrt", "--idle", "0"]
"""The prefix of a command that runs only when no other process needs the processor; see sched(7)."""

GRACE = 12.0
"""Seconds between SIGTERM and SIGKILL, in which processes can finish their work."""

SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
"""The signals that the supervisor handles. In a process that it forks, they have Python's default handlers again."""


def can_run(command: str) -> bool:
    """Whether this is a Python program that needs no new interpreter."""
    words = command.removeprefix(" ".join(IDLE)).split()
    return words[0] in PROGRAMS or words[:2] == ["python", "-m"]


class Forked:
    """A forked process that runs a command for which `can_run` is true."""

    def __init__(self, name: str, command: str, environment: Mapping[str, str]) -> None:
        """Variables in the command are replaced by their values in the environment."""
        words = shlex.split(Template(command).substitute(environment))
        self._process = multiprocessing.get_context("fork").Process(
            target=_become, name=name, args=(os.getpid(), name, words, environment)
        )
        output.drop_unwritten()
        # Otherwise, signals that arrive before the new process has set its own handlers would be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        self.pid: int = self._process.pid or 0

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._process.exitcode

    def wait(self) -> int:
        """Waits until it has ended. Returns its exit code."""
        self._process.join()
        return self._process.exitcode or 0

    def send_signal(self, sig: int) -> None:
        """Signals it, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, sig)


def die_with(parent: int) -> None:
    """Has this process get SIGTERM when its parent, given by its process id, dies. Exits if the parent is dead
    already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(0)


def _become(parent: int, name: str, words: list[str], environment: Mapping[str, str]) -> None:
    # A group of its own, so that Ctrl-C reaches only the supervisor. A session of its own would be wrong: with
    # autogroups, see sched(7), Linux divides processor time among sessions, and a process would no longer yield to
    # other sessions.
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    death = os.pidfd_open(os.getppid())
    die_with(parent)
    threading.Thread(target=_outlive_by_grace, args=(death,), daemon=True).start()
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    logging.getLogger().handlers.clear()
    os.environ.clear()
    os.environ.update(environment)
    if words[: len(IDLE)] == IDLE:
        words = words[len(IDLE) :]
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    _run(words)


def _outlive_by_grace(death: int) -> None:
    """Kills the whole group GRACE seconds after the parent has died, which the pidfd `death` reports.

    SIGTERM may not be enough: Celery first keeps looking for its queue, which died with the parent.
    """
    select.select([death], [], [])
    time.sleep(GRACE)
    os.killpg(0, signal.SIGKILL)


def _run(words: list[str]) -> None:
    if words[:2] == ["python", "-m"]:
        sys.argv = words[2:]
        runpy.run_module(words[2], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.exit(resolve_name(PROGRAMS[words[0]])())
