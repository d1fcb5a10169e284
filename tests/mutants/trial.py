"""Trying a mutant in a copy of the repository, with the tests that execute its line."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import subprocess
import sys
from bisect import bisect
from collections import defaultdict
from collections.abc import Collection
from contextlib import suppress
from itertools import accumulate, chain, groupby
from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData

from service.config import ROOT
from tests.mutants.draw import Mutant
from tests.mutants.forks import ANSWERS, ASKED, Answer, Request
from tests.shares import SHARE

GROUPS = (10.0,)
"""A new pytest collects all its tests before it runs one. So they run in groups, divided after these sums of their
seconds; if one fails, later groups don't run."""

LONGEST = 100
"""Seconds for one test. A mutant that makes a test take longer counts as noticed."""

PATIENCE = 400
"""Seconds for a group of tests."""

READ_CODE = {
    "tests/test_limits.py::test_the_list_has_all_limits_as_they_are",
    "tests/api/test_document.py::test_the_document_is_as_committed",
}
"""Tests that show what modules contain, and so execute none of their lines."""

PYTEST = (sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", f"--timeout={LONGEST}")

FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/[^\s\[]+)", re.MULTILINE)


class Plan(NamedTuple):
    """Tests in groups, to run one after another, and whether the line that they try runs on import."""

    groups: list[list[str]]
    on_import: bool


class Map:
    """Which tests execute which lines."""

    def __init__(self, folder: Path, most: float) -> None:
        """`most`: the seconds' worth of tests for each mutant."""
        self._data, self._most = CoverageData(str(folder / "lines")), most
        self._data.read()
        self._seconds: dict[str, float] = json.loads((folder / "seconds.json").read_text())

    def plan(self, mutant: Mutant) -> Plan:
        """The tests that execute the mutant's line, and those of the file that mirrors it, in groups to run one after
        another.

        Those of the mirroring file may use what an earlier test has left in a cache. For a line that runs on import,
        outside all functions or in a function that no test calls, these are all tests that execute a line of its file.
        If there are none, these are all tests.
        """
        by_line = self._data.contexts_by_lineno(str(ROOT / mutant.path))
        found = set(by_line.get(mutant.line, ())) & self._seconds.keys()
        if on_import := not found or not _is_in_function(mutant):
            found = {test for tests in by_line.values() for test in tests} | READ_CODE
        found |= {test for test in self._seconds if _file(test).endswith(_mirror(mutant.path))}
        found = found & self._seconds.keys() or set(self._seconds)
        tests = self._in_order(mutant.path, found)
        taken = [*accumulate(self._seconds[test] for test in tests)]
        wanted = tests[: bisect(taken, self._most) + 1]
        parts = groupby(zip(wanted, taken, strict=False), key=lambda each: bisect(GROUPS, each[1]))
        return Plan([[test for test, _ in part] for _, part in parts], on_import)

    def _in_order(self, path: str, tests: Collection[str]) -> list[str]:
        """The tests of the file that mirrors the path; then the quickest of each file, the second quickest and so on.

        Tests that need a browser or a server come last.
        """
        files = defaultdict[str, list[str]](list)
        for test in sorted(tests, key=lambda test: (self._seconds[test], test)):
            files[_file(test)].append(test)
        rank = {test: place for some in files.values() for place, test in enumerate(some)}
        return sorted(
            tests,
            key=lambda test: (
                not _file(test).endswith(_mirror(path)),
                _file(test) in SHARE,
                rank[test],
                self._seconds[test],
                test,
            ),
        )


def _file(test: str) -> str:
    return test.partition("::")[0]


def _mirror(path: str) -> str:
    """The end of the path of the tests that mirror a file."""
    return f"/test_{Path(path).stem}.py"


def _is_in_function(mutant: Mutant) -> bool:
    tree = ast.parse((ROOT / mutant.path).read_text())
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return any(one.body[0].lineno <= mutant.line <= (one.end_lineno or 0) for one in functions)


class Copy:
    """A copy of the repository, from git's index, and a pytest in it that forks a process for each mutant."""

    def __init__(self, place: Path) -> None:
        self.place = place
        subprocess.run(["git", "checkout-index", "--all", f"--prefix={place}/"], cwd=ROOT, check=True)
        asked, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self._pytest = subprocess.Popen(
            [*PYTEST, "-p", "tests.mutants.forks"],
            cwd=place,
            env=os.environ | {ASKED: str(asked), ANSWERS: str(answers)},
            pass_fds=(asked, answers),
            stdout=subprocess.DEVNULL,
        )
        os.close(asked)
        os.close(answers)
        # Before that, it would import a file that has been changed, and keep the change for all later mutants.
        if not self._line():
            raise RuntimeError(f"No tests could be collected in {place}.")

    def noticed_by(self, mutant: Mutant, plan: Plan) -> str:
        """The test that notices the mutant, or the error of the run; empty if no test notices it."""
        path = self.place / mutant.path
        source = path.read_text()
        changed = mutant.of(source)
        _write(path, changed)
        try:
            if not plan.on_import:
                answer = self._answer(Request(str(path), source, changed, [*chain(*plan.groups)], PATIENCE))
                if answer.able:
                    return answer.failing
            found = (self.failing(tests, "-x", patience=PATIENCE) for tests in plan.groups)
            return next((failing[0] for failing in found if failing), "")
        finally:
            _write(path, source)

    def _answer(self, request: Request) -> Answer:
        with os.fdopen(os.dup(self._requests), "w") as pipe:
            print(json.dumps(request), file=pipe)
        return Answer(*json.loads(self._line()))

    def _line(self) -> str:
        with os.fdopen(os.dup(self._answers)) as pipe:
            return pipe.readline()

    def close(self) -> None:
        os.close(self._requests)
        self._pytest.wait()
        os.close(self._answers)

    def failing(self, tests: list[str], *options: str, patience: float | None = None) -> list[str]:
        """The tests that fail, or the error of the run; empty if all pass. `patience`: seconds for all together."""
        chosen = self.place / ".chosen"
        chosen.write_text("\n".join(tests))
        command = [*PYTEST, *options, "-rfE", f"@{chosen}"]
        # Processes that a test has started end with it.
        with subprocess.Popen(
            command, cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        ) as run:
            try:
                said, _ = run.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                said = "takes too long"
            finally:
                _end(run.pid)
        return [] if run.returncode == 0 else FAILED.findall(said) or [said.strip()[-200:]]


def _end(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _write(path: Path, source: str) -> None:
    path.write_text(source)
    # Python matches compiled code to its source only by size and second, which a mutant may share with the original.
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()
