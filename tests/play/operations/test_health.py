"""Whether the site is well, for monitors and operators."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import pytest
from sqlalchemy.orm import Session

from service.app import create_app
from service.play.operations.health import TROUBLES, examine
from service.play.operations.sweep import sweep
from service.store.tables.pulse import DOOR, Part, note_failing, note_working
from tests.play.conftest import Town

MINUTE = timedelta(minutes=1)


class Disk(NamedTuple):
    free: int


def _door(act: Callable[[Session, Town], None]) -> Callable[[Town], None]:
    def happen(town: Town) -> None:
        with town.store.writing() as session:
            act(session, town)

    return happen


@pytest.mark.parametrize(
    ("happen", "later", "trouble"),
    [
        (_door(lambda session, town: note_working(session, DOOR, town.now)), MINUTE / 2, ""),
        (_door(lambda session, town: note_working(session, DOOR, town.now)), 2 * MINUTE, "deaf"),
        (_door(lambda session, town: note_failing(session, DOOR, town.now, "smtp: TimeoutError")), MINUTE / 2, "deaf"),
        (_door(lambda session, town: note_working(session, DOOR, town.now)), timedelta(days=2), ""),
        (lambda _town: None, -2 * MINUTE, "future"),
    ],
    ids=["the door answers", "the door is silent", "the door fails", "the door was closed", "a clock that was ahead"],
)
def test_each_way_that_is_blocked_is_named(
    town: Town, happen: Callable[[Town], None], later: timedelta, trouble: str
) -> None:
    sweep(town.site)
    happen(town)
    town.now += later
    if later > timedelta():
        sweep(town.site)
    assert examine(town.site).trouble == trouble


def test_a_full_disk_is_named(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep(town.site)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Disk(free=99_000_000))
    assert examine(town.site).trouble == "full"


def test_the_first_failure_in_a_row_is_kept_until_the_part_works(town: Town) -> None:
    with town.store.writing() as session:
        note_failing(session, DOOR, town.now, "smtp: TimeoutError")
        note_failing(session, DOOR, town.now + MINUTE, "lmtp: ConnectionRefusedError")
        session.flush()
        part = session.get_one(Part, DOOR, populate_existing=True)
        assert (part.failing, part.error) == (town.now, "lmtp: ConnectionRefusedError")
        note_working(session, DOOR, town.now + 2 * MINUTE)
        part = session.get_one(Part, DOOR, populate_existing=True)
        assert (part.failing, part.error, part.worked) == (None, "", town.now + 2 * MINUTE)


def test_a_web_process_that_answers_is_alive_whatever_else_is_wrong(town: Town) -> None:
    asking = create_app(town.site).test_client()
    assert asking.get("/health").get_data(as_text=True) == f"{TROUBLES['unswept']}\n"
    assert asking.get("/health/live").status_code == 200
