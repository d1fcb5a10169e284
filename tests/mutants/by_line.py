"""Which test executes which line, and how long each takes: recorded while the whole suite runs once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
from coverage import Coverage

from service.config import ROOT

SECONDS = "STONEPOST_SECONDS"
"""The environment variable with the path of the file for the duration of each test."""

SETTINGS = """
[run]
source = service
parallel = true
patch = subprocess
data_file = {map}
"""

_seconds: dict[str, float] = defaultdict(float)
_failed: set[str] = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if coverage := Coverage.current():
        coverage.switch_context(item.nodeid.partition("[")[0])
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    test = report.nodeid.partition("[")[0]
    _seconds[test] += report.duration
    if report.failed:
        _failed.add(test)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes the durations of the tests that passed, in the process that gets all reports."""
    if not hasattr(session.config, "workerinput"):
        passed = {test: seconds for test, seconds in _seconds.items() if test not in _failed}
        Path(os.environ[SECONDS]).write_text(json.dumps(passed))


def look(folder: Path) -> None:
    """Runs the whole suite and records in a folder which test executes which line.

    Tests of whole deployments are skipped: most of their code runs in other processes. A test that fails is shown, and
    isn't used on mutants.
    """
    with tempfile.TemporaryDirectory() as place:
        settings, seconds = Path(place) / "coveragerc", Path(place) / "seconds.json"
        settings.write_text(SETTINGS.format(map=Path(place) / "lines"))
        coverage = [sys.executable, "-m", "coverage"]
        suite = ["-m", "pytest", "-p", "tests.mutants.by_line", "-m", "not processes", "--numprocesses", "4", "-q"]
        run = [*coverage, "run", f"--rcfile={settings}", *suite]
        subprocess.run(run, cwd=ROOT, env=os.environ | {SECONDS: str(seconds)}, check=False)
        subprocess.run([*coverage, "combine", f"--rcfile={settings}", "-q"], cwd=ROOT, check=True)
        folder.mkdir(exist_ok=True)
        shutil.move(Path(place) / "lines", folder / "lines")
        shutil.move(seconds, folder / "seconds.json")
