"""The trail of an order: its id in the log, from the email or form it came from to the letters it caused."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import replace

import pytest
from sqlalchemy import select

from service.mail.grammar import orders
from service.play.inbox.warm_up import rehearse
from service.play.orders.submit import Incoming, submit
from service.play.site import steps
from service.store.models import Match
from service.store.tables.mail_rows import IncomingMail, Letter
from tests.play.conftest import Town, database, town
from worker.logs import write_steps

__all__ = ["database", "town"]

ADA, BRUNO = "ada@example.org", "bruno@example.org"


@pytest.fixture
def log(town: Town, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    town.settings = replace(town.settings, log_orders=True)
    caplog.set_level(logging.INFO, steps.name)
    return caplog


def lines(log: pytest.LogCaptureFixture) -> list[dict[str, str | int | None]]:
    """The steps that were logged since the last look, without their times."""
    found = [json.loads(record.getMessage()) for record in log.records if record.name == steps.name]
    log.clear()
    return [{name: value for name, value in line.items() if name != "at"} for line in found]


def begun(town: Town) -> None:
    town.reply(town.write(ADA, "new rosette base=5 vs bruno@example.org")[0], "accept")


def test_an_order_by_email_has_one_trail_up_to_its_letters(town: Town, log: pytest.LogCaptureFixture) -> None:
    begun(town)
    turn = next(mail for mail in town.post() if "your move 1" in mail["Subject"])
    log.clear()
    town.reply(turn, "g10\n\na remark from ada@example.org")
    with town.store.reading() as session:
        mail = session.scalars(select(IncomingMail).order_by(IncomingMail.id.desc())).first()
        letters = {letter.id: letter for letter in session.scalars(select(Letter))}
    assert mail is not None
    written = log.text
    kept, came, judged, *sent = lines(log)
    trail = {"trail": f"mail-{mail.id}"}
    assert came == trail | {"step": "mail", "door": "smtp", "verdict": "order", "player": mail.player_id}
    assert kept.items() >= (trail | {"step": "order", "match": 1, "door": "mail"}).items()
    assert judged == trail | {"step": "verdict", "order": kept["order"], "match": 1, "verdict": "accepted", "ply": 1}
    assert {line["kind"] for line in sent} == {"turn", "receipt"}
    for line in sent:
        assert line.items() >= (trail | {"step": "sent", "match": 1}).items()
        assert isinstance(line["letter"], int)
        assert letters[line["letter"]].trail == f"mail-{mail.id}"
    assert "g10" not in written
    assert "@" not in written


def test_commands_by_email_have_one_trail_too(town: Town, log: pytest.LogCaptureFixture) -> None:
    begun(town)
    named = lines(log)
    assert {line["step"] for line in named} >= {"mail", "order", "verdict", "sent"}
    invited, accepted = dict.fromkeys(line["trail"] for line in named)
    assert [line["kind"] for line in named if line["trail"] == invited and line["step"] == "sent"] == [
        "invitation",
        "answer",
    ]
    assert {"turn", "begun"} <= {line.get("kind") for line in named if line["trail"] == accepted}


def test_the_trail_of_an_order_from_the_web_is_named_after_the_order(town: Town, log: pytest.LogCaptureFixture) -> None:
    begun(town)
    log.clear()
    with town.store.reading() as session:
        match = session.scalars(select(Match)).one()
        seat = match.seats[0]
    order = orders.parse("no such move")
    assert seat.player_id is not None
    number = submit(town.site, Incoming("web:1", match.id, seat.number, seat.player_id, None, order, "web"))
    town.work()
    kept, judged = lines(log)
    assert kept["trail"] == judged["trail"] == f"order-{number}"
    assert judged["verdict"] == "refused"


def test_a_transaction_that_was_rolled_back_logs_no_steps(town: Town, log: pytest.LogCaptureFixture) -> None:
    with suppress(ZeroDivisionError), town.site.transaction() as tx:
        tx.follow(1, None)
        tx.note("order", order=1)
        raise ZeroDivisionError
    assert not lines(log)


def test_steps_are_written_as_json_and_only_if_a_setting_asks_for_it(
    town: Town, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        write_steps()
        town.site.note("order-1", "verdict", verdict="accepted")
        assert capfd.readouterr().err == ""
        town.settings = replace(town.settings, log_orders=True)
        town.site.note("order-1", "verdict", verdict="accepted")
    finally:
        steps.handlers.clear()
        steps.setLevel(logging.NOTSET)
        steps.propagate = True
    at = town.now.isoformat(timespec="milliseconds")
    assert json.loads(capfd.readouterr().err) == {
        "at": at,
        "trail": "order-1",
        "step": "verdict",
        "verdict": "accepted",
    }


def test_the_rehearsal_logs_no_steps(town: Town, log: pytest.LogCaptureFixture) -> None:
    assert rehearse(town.settings) > 0
    assert not lines(log)
