"""The sender of an email that can't be read learns why; automatic answers get one answer a week."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from service.play.inbox.receive import receive
from service.store.models import Match
from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town, whole
from tests.play.inbox.test_quoting import turn
from tests.play.match.test_remarks import TWO, table


def send(town: Town, to: str, message: str) -> list[str]:
    """Sends an email to this address; the text of every email that follows."""
    town.mails += 1
    raw = f"From: ada@example.org\nTo: {to}\nMessage-ID: <{town.mails}@example.org>\n{message}"
    receive(town.site, raw.encode(), [to], "smtp")
    town.work()
    return [" ".join(whole(mail).split()) for mail in town.post()]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Content-Type: application/pkcs7-mime; name=smime.p7m\n\nMIAG\n", "encrypted or sealed with S/MIME"),
        ("\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n", "encrypted with PGP"),
        ("Content-Type: application/ms-tnef\n\nx\n", "came as a winmail.dat file"),
        ("Content-Type: text/calendar\n\nBEGIN:VCALENDAR\n", "the answer to a calendar invitation"),
    ],
)
def test_the_answer_names_the_cause(town: Town, message: str, told: str) -> None:
    match = table(town, TWO)
    (answer,) = send(town, turn(town)["Reply-To"].addresses[0].addr_spec, message)
    assert told in answer
    assert "Nothing was played." in answer
    with town.store.reading() as session:
        assert session.get_one(Match, match).ply == 0


def test_an_automatic_answer_is_answered_once_a_week(town: Town) -> None:
    table(town, TWO)
    to = turn(town)["Reply-To"].addresses[0].addr_spec
    away = "\nHello,\n\nI am out of the office until Monday.\n"
    (answer,) = send(town, to, away)
    assert "looks like an automatic reply" in answer
    assert send(town, to, away) == []
    with town.store.reading() as session:
        assert {mail.verdict for mail in session.scalars(select(IncomingMail)).all()} == {"automatic"}
    town.now += timedelta(days=7)
    assert any("looks like an automatic reply" in text for text in send(town, to, away))
