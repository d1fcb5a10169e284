"""Whether the site is well, for monitors and operators."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from service.app import create_app
from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.inbox.receive import receive
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.operations import health, operator_pages
from service.play.operations.health import TROUBLES, examine
from service.play.operations.metrics import measure
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.store.models import Match, Player
from service.store.tables.mail_rows import Letter
from service.store.tables.pulse import DOOR, HOOKS, THINK, Part, note_failing, note_working
from service.web import places
from tests.play.conftest import Town
from tests.play.test_at_once import begin

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
        (lambda town: health.note_alive(town.site, THINK), 4 * MINUTE, ""),
        (lambda town: health.note_alive(town.site, THINK), 6 * MINUTE, "thoughtless"),
        (lambda town: health.note_alive(town.site, THINK), timedelta(days=2), ""),
        (lambda town: health.note_alive(town.site, HOOKS), 6 * MINUTE, "uncalled"),
        (lambda _town: None, -2 * MINUTE, "future"),
    ],
    ids=[
        "the door answers",
        "the door is silent",
        "the door fails",
        "the door was closed",
        "bots are busy",
        "bots are silent",
        "bots were switched off",
        "the process that calls hooks is silent",
        "a clock that was ahead",
    ],
)
def test_each_part_that_fails_is_named(
    town: Town, happen: Callable[[Town], None], later: timedelta, trouble: str
) -> None:
    sweep(town.site)
    happen(town)
    town.now += later
    if later > timedelta():
        sweep(town.site)
    assert examine(town.site).trouble == trouble


def test_a_door_that_has_failed_for_days_still_fails(town: Town) -> None:
    for later in (timedelta(), timedelta(days=1), MINUTE / 4):
        town.now += later
        with town.store.writing() as session:
            note_failing(session, DOOR, town.now, "smtp: TimeoutError")
        sweep(town.site)
    assert (examine(town.site).trouble, examine(town.site).error) == ("deaf", "smtp: TimeoutError")
    town.now += timedelta(days=1)
    sweep(town.site)
    assert examine(town.site).trouble == ""


def test_a_sign_of_life_is_noted_at_most_once_between_two_sweeps(town: Town) -> None:
    began, step = town.now, timedelta(seconds=town.settings.sweep_seconds)
    noted = []
    for later in (0, 1 / 4, 1, 5 / 4, -1):
        town.now = began + later * step
        health.note_alive(town.site, THINK)
        with town.store.reading() as session:
            noted.append((session.get_one(Part, THINK).worked - began) / step)
    assert noted == [0, 0, 1, 1, -1]


def test_signs_of_life_are_expected_for_a_day(town: Town) -> None:
    began, alive = town.now, [health.alive(town.site)]
    for hours, name in enumerate((HOOKS, THINK)):
        town.now = began + timedelta(hours=hours)
        health.note_alive(town.site, name)
    for hours in (23, 24, 25):
        town.now = began + timedelta(hours=hours)
        alive.append(health.alive(town.site))
    assert alive == [[], [HOOKS, THINK], [THINK], []]


def _invite(town: Town) -> None:
    with town.store.writing() as session:
        ada = identity.by_email(session, "ada@example.org", town.now).id
    lobby.open_match(town.site, ada, "rosette", {"base": "5"}, [Chair("me"), Chair("email", "ben@example.net")])


def _write(town: Town) -> None:
    headers = "From: ada@example.org\r\nMessage-ID: <1@program.example>\r\nDate: Fri, 2 Jan 2026 09:00:00 +0000\r\n"
    proof = f"Authentication-Results: {town.settings.trusted_authserv_id}; spf=pass smtp.mailfrom=ada@example.org\r\n"
    receive(town.site, f"{proof}{headers}Subject: help\r\n\r\nhelp\r\n".encode(), [town.settings.desk], "smtp")


def _send_another(town: Town) -> None:
    """A letter is being sent, and the invitation waits its turn."""
    _invite(town)
    with town.store.writing() as session:
        first = session.scalars(select(Letter)).one()
        row = {one.name: getattr(first, one.name) for one in Letter.__table__.columns if one.name != "id"}
        session.add(Letter(**row | {"key": "another", "due": town.now + 9 * MINUTE, "holder": "here"}))


@pytest.mark.parametrize(
    ("happen", "later", "trouble"),
    [
        (_invite, MINUTE / 2, ""),
        (_invite, MINUTE, "unposted"),
        (_send_another, MINUTE, ""),
        (_send_another, 6 * MINUTE, "unposted"),
        (_write, MINUTE / 2, ""),
        (_write, MINUTE, "unjudged"),
    ],
    ids=["a new letter", "a letter", "a letter of many", "one of too many", "a new command", "a command"],
)
def test_work_that_a_stopped_worker_left_is_named(
    town: Town, happen: Callable[[Town], None], later: timedelta, trouble: str
) -> None:
    happen(town)
    town.now += later
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


def test_a_database_that_hangs_is_named_though_it_keeps_all_other_requests(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "ANSWER", 0.1)
    app, goes_on, reached = create_app(town.site), threading.Event(), threading.Semaphore(0)

    def hang(*_statement: Any) -> None:
        reached.release()
        assert goes_on.wait(60)

    event.listen(town.store.engine, "before_cursor_execute", hang)
    visitors = [threading.Thread(target=app.test_client().get, args=("/matches",)) for _ in range(places.WORKING)]
    try:
        for visitor in visitors:
            visitor.start()
            assert reached.acquire(timeout=60)
        for _ in range(places.MONITORS + 1):
            answer = app.test_client().get("/health")
            assert (answer.status_code, answer.get_data(as_text=True)) == (503, f"{TROUBLES['hung']}\n")
        assert app.test_client().get("/health/live").status_code == 200
    finally:
        goes_on.set()
        for asking in (*visitors, *(thread for thread in threading.enumerate() if thread.name == "health")):
            asking.join()
        event.remove(town.store.engine, "before_cursor_execute", hang)


def test_an_order_that_is_held_or_waits_behind_one_is_not_late(town: Town) -> None:
    """It isn't late as soon as its undo window ends, either: the next sweep has it judged."""
    match_id, ada = begin(town)
    town.now += MINUTE
    sweep(town.site)
    town.work()
    began = town.now
    town.settings = replace(town.settings, redis_url="memory://")
    with town.store.writing() as session:
        session.get_one(Player, ada).grace = 300
    for number, text in enumerate(("f12", "standing f11")):
        submit(town.site, Incoming(f"web:{number}", match_id, 0, ada, 1, parse(text), "web", may_undo=True))
    found = []
    for later in (0, 200, 301, 320, 346):
        town.now = began + timedelta(seconds=later)
        sweep(town.site)
        seen = {metric.name: metric.values for metric in measure(town.site)}
        age = seen["queue_age_seconds"]["queue", "judge"]
        well = examine(town.site)
        waiting = {len(operator_pages.orders(town.site)), seen["orders_unjudged"]["", ""], well.orders}
        found.append((waiting, age, well.trouble))
    assert found == [({0}, 0, ""), ({0}, 0, ""), ({2}, 1, ""), ({2}, 20, ""), ({2}, 46, "unjudged")]


def test_a_substitutes_order_doesnt_wait_behind_one_that_the_former_player_holds(town: Town) -> None:
    match_id, ada = begin(town)
    town.settings = replace(town.settings, redis_url="memory://")
    with town.store.writing() as session:
        session.get_one(Player, ada).grace = 300
        ben = session.get_one(Match, match_id).seats[1].player_id
    assert ben is not None
    for number, (whose, text) in enumerate(((ada, "f12"), (ben, "f11"))):
        submit(town.site, Incoming(f"web:{number}", match_id, 0, whose, 1, parse(text), "web", may_undo=whose == ada))
    assert [waiting.seat for waiting in operator_pages.orders(town.site)] == [0]


@pytest.mark.parametrize(("sweeps", "trouble"), [(1, ""), (2, ""), (4, "deaf")])
def test_signs_of_life_may_be_as_far_apart_as_sweeps(town: Town, sweeps: int, trouble: str) -> None:
    town.settings = replace(town.settings, sweep_seconds=300.0)
    with town.store.writing() as session:
        for part in (DOOR, THINK, HOOKS):
            note_working(session, part, town.now)
    town.now += timedelta(seconds=sweeps * 300 + 5)
    sweep(town.site)
    assert examine(town.site).trouble == trouble


def test_a_letter_may_wait_for_the_next_sweep(town: Town) -> None:
    town.settings = replace(town.settings, sweep_seconds=300.0)
    _invite(town)
    sweep(town.site)
    town.now += timedelta(seconds=305)
    assert examine(town.site).trouble == ""
