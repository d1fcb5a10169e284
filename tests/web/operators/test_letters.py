"""The letters' page for operators, which others can't open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask

from service.mail.reply_address import mark
from service.store.tables.mail_rows import Letter
from tests.play.conftest import Town
from tests.web.conftest import Visitor, operate

STUCK = "550 5.7.1 <bruno@example.org>: we do not like you, see https://mx.example/why"


@pytest.fixture
def letters(town: Town, app: Flask, ada: Visitor, bruno: Visitor) -> None:
    """Ada is an operator; two letters to Bruno are stuck, and a third is one he didn't want."""
    operate(town, app, ada)
    with town.store.writing() as session:
        for key, error in (("said:a", STUCK), ("sign_in:b", "451 later"), ("c", "")):
            kind, data = key.partition(":")[0], {"text": "for your eyes only", "nonce": "n" * 24, "expires": 0}
            values = {"key": key, "kind": kind, "data": data, "player_id": bruno.id, "created": town.now}
            session.add(Letter(**values, attempts=12, error=error))


def test_operators_see_why_letters_are_stuck_but_not_their_text(letters: None, ada: Visitor) -> None:
    assert "Operators' pages" in ada.read("/account")
    page = ada.get("/operator/letters").text
    assert "<strong>Said</strong> to b*** at example.org" in page
    assert "550 5.7.1 &lt;b*** at example.org&gt;: we do not like you" in page
    assert page.count("12 attempts") == 2
    for number in (1, 2):
        for act in ("Try again to send email", "Drop email"):
            assert f"{act} {number}" in ada.read("/operator/letters"), "A screen reader says which."
    assert "bruno@" not in page
    assert "eyes only" not in page


def test_operators_can_try_letters_again_or_drop_them(town: Town, letters: None, ada: Visitor) -> None:
    def state() -> list[tuple[bool, str]]:
        with town.store.reading() as session:
            found = [session.get_one(Letter, number) for number in (1, 2, 3)]
            return [(letter.due is not None, letter.error) for letter in found]

    ada.client.post("/operator/letters", data=_form(ada) | {"letter": "1", "act": "drop"})
    assert "1 email dropped." in ada.read("/operator/letters")
    assert state() == [(False, ""), (False, "451 later"), (False, "")]
    for only in ({"letter": "1"}, {}):
        ada.client.post("/operator/letters", data=_form(ada) | only | {"act": "again"})
        assert "0 emails will be tried again." in ada.read("/operator/letters")
    ada.client.post("/operator/letters", data=_form(ada) | {"act": "again", "all": "1"})
    assert state() == [(False, ""), (True, "451 later"), (False, "")]
    assert "None. Every email was sent" in ada.read("/operator/letters")


def test_the_page_names_the_one_a_letter_goes_to(town: Town, app: Flask, letters: None, ada: Visitor) -> None:
    club = ("mailto:club@lists.example.org", "discord+https://discord.com/api/webhooks/1/secret")
    town.settings = replace(town.settings, club_notices=club)
    app.extensions["site"] = town.site
    with town.store.writing() as session:
        values = {"player_id": ada.id, "created": town.now, "attempts": 1, "error": "the hook answered 404"}
        for address in club:
            data = {"to": mark(address), "what": "wish", "games": ["go"]}
            session.add(Letter(key=f"club:{address}", kind="club_notice", data=data, **values))
        changed = {"event": "address-changed", "address": "old@example.net"}
        session.add(Letter(key="account:1", kind="account", data=changed, **values))
    shown = ada.read("/operator/letters")
    assert "Club notice to c*** at lists.example.org" in shown
    assert "Club notice to the club's discord hook" in shown
    assert "Account to o*** at example.net" in shown
    assert "secret" not in shown


def test_others_cannot_open_the_page_of_letters(letters: None, bruno: Visitor, anybody: Visitor) -> None:
    assert anybody.get("/operator/letters").location == "/sign-in"
    assert bruno.get("/operator/letters").status_code == 404
    assert bruno.client.post("/operator/letters", data=_form(bruno) | {"act": "again", "all": "1"}).status_code == 404
    assert "Operators' pages" not in bruno.read("/account")


def _form(visitor: Visitor) -> dict[str, str]:
    """The CSRF token in a form of any page."""
    page = visitor.get("/account").text
    return {"csrf_token": page.partition('name="csrf_token" value="')[2].partition('"')[0]}
