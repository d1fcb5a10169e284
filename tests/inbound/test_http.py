"""Mail over HTTP is handled like mail over SMTP."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from flask import Flask
from sqlalchemy import select

from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town, town
from tests.web.conftest import Visitor, ada, app, bruno, seated, sign_in

__all__ = ["ada", "app", "bruno", "seated", "sign_in", "town"]

KEY = {"Authorization": "Bearer open sesame"}


@pytest.fixture
def turn(town: Town, ada: Visitor, bruno: Visitor) -> EmailMessage:
    """The first turn mail of a match, to Ada."""
    path = str(ada.send("/new/rosette", other1="email", address1="bruno@example.org", base="5").location)
    bruno.send(path, f"{path}/answer", answer="accept")
    town.work()
    return next(mail for mail in town.post() if "your move" in mail["Subject"])


def test_a_reply_is_played_once(app: Flask, town: Town, turn: EmailMessage, bruno: Visitor) -> None:
    raw, (recipient,) = town.written(turn, "e9\n\nGood luck")
    client = app.test_client()
    answers = {
        client.post("/inbound/mail", data=raw, headers=KEY, query_string={"to": recipient}).status_code,
        client.post("/inbound/mail", data=raw, headers=KEY | {"X-Envelope-To": recipient}).status_code,
        client.post("/inbound/mail", data=raw, headers=KEY).status_code,
    }
    assert answers == {204}
    town.work()
    assert "Black played e9. Black: Good luck" in bruno.read("/match/1")
    assert bruno.get("/match/1/at/2").status_code == 404


def test_the_envelope_takes_precedence_over_the_message(app: Flask, town: Town, turn: EmailMessage) -> None:
    raw, (recipient,) = town.written(turn, "e9")
    raw = raw.replace(recipient.encode(), b"undisclosed@example.org")
    client = app.test_client()
    for given in ({"query_string": {"to": recipient}}, {"headers": KEY | {"X-Envelope-To": recipient}}, {}):
        assert client.post("/inbound/mail", data=raw, **{"headers": KEY} | given).status_code == 204
    with town.store.reading() as session:
        mails = session.scalars(select(IncomingMail.recipient).order_by(IncomingMail.id)).all()
    assert [*mails] == [recipient, "undisclosed@example.org"]


@pytest.mark.parametrize("odd", ["Bob [work] <bob@example.org>", "Bob @ Work <bob@example.org>"])
@pytest.mark.parametrize("is_told", [True, False])
def test_an_odd_address_beside_ours_loses_nothing(
    app: Flask, town: Town, turn: EmailMessage, bruno: Visitor, odd: str, is_told: bool
) -> None:
    raw, (recipient,) = town.written(turn, "e9")
    envelope = {"to": [recipient, odd]} if is_told else {}
    copied = f"Cc: {odd}\r\n".encode() + raw
    assert app.test_client().post("/inbound/mail", data=copied, headers=KEY, query_string=envelope).status_code == 204
    town.work()
    assert "Black played e9" in bruno.read("/match/1")


@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer open"}, {"Authorization": "Basic b3Blbjpz"}, {"Authorization": "open sesame"}],
)
def test_only_the_secret_opens_the_door(app: Flask, headers: dict[str, str]) -> None:
    answer = app.test_client().post("/inbound/mail", data=b"Subject: x\r\n\r\n", headers=headers)
    assert answer.status_code == 401


def test_guessing_the_secret_is_slow(app: Flask) -> None:
    client = app.test_client()
    guesses = [client.post("/inbound/mail", headers={"Authorization": f"Bearer {n}"}).status_code for n in range(21)]
    assert guesses == [401] * 20 + [429]


def test_a_message_that_is_too_large_is_refused(app: Flask) -> None:
    answer = app.test_client().post("/inbound/mail", data=b"x" * (10 * 1024 * 1024 + 1), headers=KEY)
    assert answer.status_code == 413


def test_a_message_to_nobody_here_is_kept_but_plays_nothing(app: Flask, town: Town) -> None:
    raw = b"From: eve@example.org\r\nTo: stranger@play.example\r\nMessage-ID: <1@x>\r\n\r\ne9\r\n"
    assert app.test_client().post("/inbound/mail", data=raw, headers=KEY).status_code == 204
    assert town.queue == []
