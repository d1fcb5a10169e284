"""Runs the tests in processes that are forked once all tests are collected: `pytest --processes 3`.

With pytest-xdist, each process imports and collects everything by itself, and each test costs six messages: 3,300 tests
took 67 seconds of the processor's time in four processes of its, and take 50 in three of these.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from types import SimpleNamespace
from typing import Any

import pytest

from tests.shares import in_shares

FORK = get_context("fork")

Share = Sequence[pytest.Item]
"""Tests that one process runs one after the other."""


CLOSED = 1 << 30
"""More shares than there are."""


class Queue:
    """The shares that no process has taken yet."""

    def __init__(self, shares: Sequence[Share]) -> None:
        self.shares = shares
        self._home = os.getpid()
        self._taken = FORK.Value("i", 0)

    def take(self) -> int | None:
        """The number of the next share, for one process alone."""
        with self._taken.get_lock():
            number: int = self._taken.value
            self._taken.value += 1
        return number if number < len(self.shares) else None

    def close(self) -> None:
        """Nobody takes a share, or begins another test, from here on."""
        self._taken.value = CLOSED

    @property
    def closed(self) -> bool:
        """True also in a process whose parent has ended."""
        taken: int = self._taken.value
        return taken >= CLOSED or self._home not in (os.getpid(), os.getppid())


@dataclass
class Worker:
    """A process that runs tests."""

    process: ForkProcess
    told: Connection
    waiting: deque[pytest.Item] = field(default_factory=deque)
    """The tests of its share whose reports haven't come yet."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=0, help="run the tests in this many processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    option = session.config.option
    if not option.processes or option.collectonly or session.testsfailed:
        return None
    run(session, in_shares(session.items), option.processes)
    return True


def run(session: pytest.Session, shares: Sequence[Share], processes: int) -> None:
    """Runs all shares in this many processes, and passes their reports on to pytest's hooks."""
    vars(session.config)["_tmp_path_factory"].getbasetemp()  # It has a folder for each process.
    queue = Queue(shares)
    workers = {worker.told: worker for worker in (_start(session, queue, number) for number in range(processes))}
    try:
        while workers:
            for told in wait([*workers]):
                if not _heard(session, workers[told], queue):  # type: ignore[index]
                    del workers[told]  # type: ignore[arg-type]
    finally:
        queue.close()
        for worker in workers.values():
            worker.process.join()
    if session.shouldfail:
        raise session.Failed(session.shouldfail)


def _start(session: pytest.Session, queue: Queue, number: int) -> Worker:
    told, tell = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_work, args=(session, queue, tell, number))
    process.start()
    tell.close()  # Then `told` ends with the process.
    return Worker(process, told)


def _heard(session: pytest.Session, worker: Worker, queue: Queue) -> bool:
    """Takes in what a process tells; false at its end."""
    try:
        message = worker.told.recv()
    except EOFError:
        worker.process.join()
        if worker.process.exitcode:
            _crashed(session, worker)
        return False
    if isinstance(message, int):
        worker.waiting.extend(queue.shares[message])
    else:
        hook, config = session.config.hook, session.config
        reports = [hook.pytest_report_from_serializable(config=config, data=data) for data in message]
        _report(session, worker.waiting.popleft(), reports)
    if session.shouldfail or session.shouldstop:
        queue.close()
    return True


def _report(session: pytest.Session, item: pytest.Item, reports: Sequence[pytest.TestReport]) -> None:
    hook = session.config.hook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _crashed(session: pytest.Session, worker: Worker) -> None:
    """Reports the test that a process died of, and those that it didn't come to."""
    code = worker.process.exitcode
    texts = [f"The process that ran this test ended with {code}."]
    for item in worker.waiting:
        text = texts.pop() if texts else f"Not run: its process ended with {code}."
        _report(session, item, [pytest.TestReport(item.nodeid, item.location, {}, "failed", text, "call")])
    if texts:
        session.shouldfail = f"A process that runs tests ended with {code}."


class Reporter:
    """Collects the reports about one test."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.reports: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))


def _work(session: pytest.Session, queue: Queue, tell: Connection, number: int) -> None:
    """What a process does: runs share after share, and tells of each test."""
    config = session.config
    reporter = Reporter(config)
    _settle(config, reporter, number)
    try:
        tests = _taken(queue, tell)
        item = next(tests, None)
        while item is not None and not queue.closed:
            following = next(tests, None)
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            tell.send(reporter.reports)
            reporter.reports.clear()
            item = following
    finally:
        session._setupstate.teardown_exact(None)


def _taken(queue: Queue, tell: Connection) -> Any:
    """The tests of one share after the other. Each share is told of when it is taken."""
    while (number := queue.take()) is not None:
        tell.send(number)
        yield from queue.shares[number]


def _settle(config: pytest.Config, reporter: Reporter, number: int) -> None:
    """Gives this process what it can't have in common with others: a folder, and files for what tests print."""
    plugins = config.pluginmanager
    factory = vars(config)["_tmp_path_factory"]
    factory._basetemp = factory.mktemp(f"p{number}", numbered=False)
    capture = plugins.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()
    # The terminal is the first process's. What fails is described as for the terminal, so the writer is still needed.
    terminal = plugins.unregister(name="terminalreporter")
    plugins.register(SimpleNamespace(_tw=vars(terminal)["_tw"]), "terminalreporter")
    plugins.register(reporter)
