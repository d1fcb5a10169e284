"""A pytest that has imported and collected everything, and forks a process for each mutant.

A forked process exchanges the code of the functions that a mutant changes, which saves the ten seconds that a new
pytest needs. It can't do so for a line that runs on import. `Copy` in `tests/mutants/trial.py` loads it with
`-p tests.mutants.forks`, and talks to it.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import _lru_cache_wrapper
from types import CodeType, FunctionType
from typing import NamedTuple, TypeAlias

import pytest

ASKED, ANSWERS = "STONEPOST_ASKED", "STONEPOST_ANSWERS"
"""Environment variables with the file descriptors of two pipes: each line is a `Request`, or an `Answer` to it. The
first answer is `ready`."""

WARM = "tests/play/match/test_offers.py"
"""Its first test runs once, so that each process has an empty database and compiled templates."""


class Request(NamedTuple):
    """A file of the service with a change, the tests to run until one fails, and how long they may take together."""

    path: str
    before: str
    after: str
    tests: list[str]
    seconds: float


class Answer(NamedTuple):
    """`failing`: the test that failed, or what went wrong; empty if all passed. `able`: whether the change was made."""

    able: bool
    failing: str


Functions: TypeAlias = defaultdict[tuple[str, CodeType], list[FunctionType]]
"""The functions that have the same code, by its file and itself."""


class Unable(Exception):
    """The change isn't one of functions that exist."""


_failing: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _failing.append(report.nodeid.partition("[")[0])


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    by_name = defaultdict[str, list[pytest.Item]](list)
    for item in session.items:
        by_name[item.nodeid.partition("[")[0]].append(item)
    first, other = session.items[0], session.items[-1]
    first = next((item for item in session.items if item.nodeid.startswith(WARM)), first)
    first.config.hook.pytest_runtest_protocol(item=first, nextitem=other)
    functions = Functions(list)
    for thing in _everything():
        if isinstance(thing, FunctionType):
            functions[thing.__code__.co_filename, thing.__code__].append(thing)
    with os.fdopen(int(os.environ[ASKED])) as asked, os.fdopen(int(os.environ[ANSWERS]), "w") as answers:
        print("ready", file=answers, flush=True)
        for line in asked:
            answer = _in_a_fork(Request(*json.loads(line)), by_name, functions)
            print(json.dumps(answer), file=answers, flush=True)
    return True


def _in_a_fork(request: Request, by_name: dict[str, list[pytest.Item]], functions: Functions) -> Answer:
    assert threading.active_count() == 1, threading.enumerate()
    reader, writer = os.pipe()
    if not (child := os.fork()):
        os.setsid()
        answer = Answer(True, "")
        try:
            _change(request, functions)
            answer = Answer(True, _run([item for name in request.tests for item in by_name[name]]))
        except Unable as error:
            answer = Answer(False, str(error))
        except BaseException as error:
            answer = Answer(True, repr(error)[-200:])
        finally:
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
    os.close(writer)
    signal.signal(signal.SIGALRM, lambda *_: _end(child))
    signal.setitimer(signal.ITIMER_REAL, request.seconds)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    signal.setitimer(signal.ITIMER_REAL, 0)
    _end(child)
    os.waitpid(child, 0)
    return Answer(*json.loads(said)) if said else Answer(True, "takes too long, or ends the process")


def _end(child: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def _run(items: list[pytest.Item]) -> str:
    """The first test that fails, or empty."""
    _failing.clear()
    # What is set up already, such as the empty database, belongs to all these processes, so none takes it down.
    for finalizers, _ in items[0].session._setupstate.stack.values():
        finalizers.clear()
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if _failing:
            item.session._setupstate.teardown_exact(None)
            return _failing[0]
    return ""


def _change(request: Request, functions: Functions) -> None:
    """Gives each function that the mutant changes its new code, and empties all caches.

    Raises:
        Unable: if a function that has changed doesn't exist yet, or if anything else has changed.
    """
    pairs = [*_changed(*(compile(text, request.path, "exec", dont_inherit=True) for text in request[1:3]))]
    if not pairs:
        raise Unable("nothing changes")
    for before, after in pairs:
        found = functions.get((request.path, before), [])
        if not found:
            raise Unable(f"no function has the code of {before.co_qualname}")
        for function in found:
            try:
                function.__code__ = after
            except ValueError as error:
                raise Unable(str(error)) from error
    for thing in _everything():
        if isinstance(thing, _lru_cache_wrapper):
            thing.cache_clear()


def _everything() -> list[object]:
    """All objects, also those that `tests/conftest.py` keeps from the garbage collector."""
    gc.unfreeze()
    found = gc.get_objects()
    gc.freeze()
    return found


def _changed(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The outermost functions whose code differs, in a module or a class body."""
    own, new = _inner(before), _inner(after)
    if len(own) != len(new):
        raise Unable("the number of functions changes")
    if _own(before) != _own(after):
        raise Unable("a line that runs on import changes")
    for one, other in zip(own, new, strict=True):
        if one == other:
            continue
        if one.co_flags & 0x2:  # CO_NEWLOCALS: a function, not the body of a class
            yield one, other
        else:
            yield from _changed(one, other)


def _inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _own(code: CodeType) -> tuple[object, ...]:
    """What a body does, apart from the functions in it."""
    consts = [(type(const), const) for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, repr(consts), code.co_names
