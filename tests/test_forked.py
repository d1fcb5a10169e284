"""What `pytest --processes` reports is what happened, whatever becomes of its processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent
ALONE = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
PYTEST = (sys.executable, "-m", "pytest", "-p", "tests.forked", "-p", "no:cacheprovider", "-rA", "--processes", "2")


def ran(folder: Path, *options: str, **files: str) -> tuple[int, str]:
    """How pytest ends with tests in these files, and what it prints."""
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    command = [*PYTEST, *options, f"--rootdir={folder}", str(folder)]
    done = subprocess.run(command, cwd=HERE, env=ALONE, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def outcomes(text: str) -> set[str]:
    return {f"{what} {test}" for what, test in re.findall(r"^([A-Z]+) \S*/(test_\S+)", text, re.MULTILINE)}


@pytest.mark.processes
def test_outcomes_and_what_was_printed_come_from_every_process(tmp_path: Path) -> None:
    one = "def test_right(tmp_path): print('A word of its own')\ndef test_wrong(): print('Another'); assert [1] == [2]"
    two = (
        "import pytest\n@pytest.fixture(scope='module')\ndef ended(): yield; raise OSError\ndef test_late(ended): pass"
    )
    code, text = ran(tmp_path, one=one, two=two)
    assert code == 1
    assert outcomes(text) == {
        "PASSED test_one.py::test_right",
        "FAILED test_one.py::test_wrong",
        "PASSED test_two.py::test_late",
        "ERROR test_two.py::test_late",
    }
    assert re.search("test_wrong.*assert \\[1\\] == \\[2\\].*Captured stdout call -+\nAnother", text, re.DOTALL)
    assert "1 failed, 2 passed, 1 error" in text


@pytest.mark.processes
def test_a_process_that_dies_fails_its_test_and_those_it_did_not_come_to(tmp_path: Path) -> None:
    dead = "import os\ndef test_first(): pass\ndef test_deadly(): os._exit(3)\ndef test_after(): pass"
    code, text = ran(tmp_path, dead=dead, well="def test_well(): pass")
    assert code == 1
    assert outcomes(text) == {
        "PASSED test_dead.py::test_first",
        "FAILED test_dead.py::test_deadly",
        "FAILED test_dead.py::test_after",
        "PASSED test_well.py::test_well",
    }
    assert "The process that ran this test ended with 3." in text
    assert "Not run: its process ended with 3." in text


@pytest.mark.processes
def test_a_process_that_dies_after_its_tests_fails_them_all(tmp_path: Path) -> None:
    leave = "import os, pytest\n@pytest.fixture(scope='session')\ndef left(): yield; os._exit(3)\n"
    code, text = ran(tmp_path, late=f"{leave}def test_late(left): pass")
    assert code == 1
    assert outcomes(text) == {"FAILED test_late.py::test_late"}


@pytest.mark.processes
def test_no_test_begins_after_the_first_fault_if_so_asked(tmp_path: Path) -> None:
    slow = "import time\n" + "\n".join(f"def test_{number}(): time.sleep(0.2)" for number in range(60))
    code, text = ran(tmp_path, "-x", slow=slow, wrong="def test_wrong(): assert False")
    assert code == 1
    assert len(outcomes(text)) < 30


@pytest.mark.processes
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_tests_clear_up(tmp_path: Path, how: int) -> None:
    """Ctrl-C reaches all processes; these signals, the first one alone."""
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    text = (
        "import pathlib, pytest, time\n@pytest.fixture(scope='session')\n"
        f"def kept(): yield; pathlib.Path({str(ended)!r}).touch()\n"
        f"def test_slow(kept): pathlib.Path({str(begun)!r}).touch(); time.sleep(1)\n"
        "def test_next(kept): time.sleep(60)\n"
    )
    (tmp_path / "test_slow.py").write_text(text)
    command = [*PYTEST, f"--rootdir={tmp_path}", str(tmp_path)]
    with subprocess.Popen(command, cwd=HERE, env=ALONE, stdout=subprocess.PIPE, text=True) as run:
        while not begun.exists():
            assert run.poll() is None
            time.sleep(0.02)
        os.kill(run.pid, how)
        printed, _ = run.communicate(timeout=30)
    assert ended.exists()  # Its output is at its end when all processes are.
    if how == signal.SIGINT:
        assert run.returncode == 2
        assert "KeyboardInterrupt" in printed
