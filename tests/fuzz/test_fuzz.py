"""A few inputs for every entrance, and inputs that were found to do harm."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from flask import Flask

from tests.cases import cases
from tests.fuzz import mutation, run
from tests.fuzz.doors import Door
from tests.fuzz.every_door import DOORS
from tests.fuzz.run import Trial
from tests.fuzz.stage import Stage
from tests.play.conftest import Town
from tests.web.conftest import Visitor, at_a_browser, seat
from tests.web.page_types import Scenery

FEW = {"words": 200, "setups": 100, "orders": 300, "reader": 20, "records": 10, "smtp": 20, "gtp": 4, "cli": 14}
ON_A_SITE = {"inbox": 6, "machines": 8, "api": 20, "forms": 15}


def test_every_door_is_tried() -> None:
    assert {*FEW, *ON_A_SITE} == {*DOORS}
    assert sum(door.share for door in DOORS.values()) == 1_000


@pytest.mark.parametrize("name", FEW)
def test_no_input_does_harm(name: str, tmp_path: Path) -> None:
    tried(DOORS[name](), FEW[name], tmp_path)


def small(town: Town, app: Flask) -> Scenery:
    """Two players and their match."""
    seated = seat(town)
    visitors = {"ada": at_a_browser(app, *seated.ada), "bruno": at_a_browser(app, *seated.bruno)}
    return Scenery(town, visitors | {"anybody": Visitor(app.test_client())}, {"mine": seated.match})


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    built = Stage(small, lines=("status",))
    yield built
    built.close()


@pytest.mark.parametrize("name", ON_A_SITE)
def test_no_input_harms_a_site(name: str, stage: Stage, tmp_path: Path) -> None:
    tried(DOORS[name](stage), ON_A_SITE[name], tmp_path)  # type: ignore[call-arg]


def tried(door: Door, few: int, folder: Path) -> None:
    result = Trial(door, 1, cases(few, full=10 * few), folder).run()
    door.close()
    assert result.faults == {}
    assert result.inputs == result.accepted + result.refused
    assert result.accepted


class Trap(Door):
    """A door that does everything that is forbidden."""

    name = "trap"
    share = 0

    def make(self, chance: Random) -> str:
        return mutation.text(chance, ["abc"])

    def take(self, given: str) -> bool:
        if "b" not in given:
            raise ValueError("there is no b")
        while len(given) > 300:
            pass
        return True


def test_failing_inputs_are_found_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "SECONDS", 0.05)
    monkeypatch.setattr(run, "HUNG", 0.06)
    found, again = (Trial(Trap(), 3, 300, tmp_path / name).run() for name in ("one", "two"))
    assert found.failed
    assert [Path(kept).name for kept in found.faults] == [Path(kept).name for kept in again.faults]
    assert {why.strip().splitlines()[-1] for why in found.faults.values()} == {
        "ValueError: there is no b",
        "tests.fuzz.run.Hung: more than 0 seconds",
    }
    for kept in found.faults:
        given = ast.literal_eval(Path(kept).read_text().splitlines()[-1])
        assert run.taken(Trap(), given)[2]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "2026-13-45t99:99:99+00:00"),
        ("date", "0001-01-01"),
        ("amount", "99999w" * 3_000),
        ("proposal", f"go{' o' * 49_000}"),
        ("email", "4\n" * 50_000),
        ("email", "e11 and then I think we should go on with it in this way of long lines\n" * 1_400),
        ("email", "say Hello\n" + "if " * 33_000),
    ],
)
def test_inputs_that_did_harm_no_longer_do(kind: str, text: str) -> None:
    _, seconds, wrong = run.taken(DOORS["words"](), (kind, text))
    assert not wrong
    assert seconds < run.SECONDS


def test_a_long_email_is_read_in_time() -> None:
    raw = b"From: ada@example.org\r\n\r\n" + b"I think that e11 is fine and that we should go on like this\r\n" * 1_600
    _, seconds, wrong = run.taken(DOORS["reader"](), raw)
    assert not wrong
    assert seconds < run.SECONDS
