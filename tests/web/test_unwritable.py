"""A database that accepts no writes just now: a full disk, a read-only file, a lock that isn't released, or none at
all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from service.play.accounts.programs import tokens
from tests.play.conftest import Town
from tests.web.conftest import Forms, Visitor, words

SORRY = "We couldn't save that. Please try again in a few minutes. Moves we've confirmed are safe."

TROUBLES = {
    "full": "PRAGMA max_page_count = 1",
    "read-only": "PRAGMA query_only = ON",
    "locked": "PRAGMA busy_timeout = 1",
}


@pytest.fixture
def broken(app: Flask) -> None:
    """Errors are answered as in production."""
    app.config.update(TESTING=False, PROPAGATE_EXCEPTIONS=False)


@contextmanager
def unwritable(town: Town, trouble: str) -> Iterator[None]:
    """The database accepts no writes within the block."""

    def hinder(connection: Any, _record: object) -> None:
        connection.execute(TROUBLES[trouble])

    with town.store.engine.connect() as other:
        if trouble == "full":  # No page is free.
            other.exec_driver_sql("VACUUM")
        town.store.close()
        event.listen(town.store.engine, "connect", hinder)
        if trouble == "locked":
            other.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            event.remove(town.store.engine, "connect", hinder)
            other.rollback()
    town.store.close()


def filled(visitor: Visitor, match: str, form: str, **typed: str) -> dict[str, str]:
    """The fields of a form on the match page, with words typed into it."""
    return dict(reversed(Forms(visitor.get(match).text).forms))[f"{match}/{form}"] | typed


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_move_that_cannot_be_saved_is_shown_again(
    town: Town, ada: Visitor, match: str, broken: None, trouble: str
) -> None:
    remark = "Good luck! " * 800  # More than the room left in a page of SQLite's.
    data = filled(ada, match, "order", text="e9", remark=remark)
    with unwritable(town, trouble):
        answer = ada.client.post(f"{match}/order", data=data)
    assert answer.status_code == 503
    assert f"{SORRY} Your text e9 Your remark {remark}" in words(answer)
    assert "Ada" in words(answer), "still signed in"
    assert data["csrf_token"] not in answer.text
    assert ada.client.post(f"{match}/order", data=data).status_code == 303


@pytest.mark.parametrize("form", ["say", "note"])
def test_words_that_cannot_be_saved_are_shown_again(
    town: Town, ada: Visitor, match: str, broken: None, form: str
) -> None:
    data = filled(ada, match, form, text="Well </textarea><b>played</b>, & thanks!")
    with unwritable(town, "read-only"):
        answer = ada.client.post(f"{match}/{form}", data=data)
    assert answer.status_code == 503
    assert "readonly>Well &lt;/textarea&gt;&lt;b&gt;played&lt;/b&gt;, &amp; thanks!</textarea>" in answer.text
    assert ada.client.post(f"{match}/{form}", data=data).status_code == 303


def test_a_password_is_never_shown_again(town: Town, ada: Visitor, broken: None) -> None:
    page = ada.get("/account/keys").text
    data = {"csrf_token": page.partition('name="csrf_token" value="')[2].partition('"')[0], "password": "horse staple"}
    with unwritable(town, "read-only"):
        answer = ada.client.post("/account/keys/password", data=data)
    assert answer.status_code == 503
    assert SORRY in words(answer)
    assert "horse" not in answer.text


def test_the_script_of_the_page_gets_the_sentence(town: Town, ada: Visitor, match: str, broken: None) -> None:
    data = filled(ada, match, "order", text="e9")
    with unwritable(town, "read-only"):
        answer = ada.client.post(f"{match}/order", data=data, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json) == (503, {"message": SORRY})


def test_a_page_that_cannot_be_read_says_so(town: Town, app: Flask, ada: Visitor, match: str, broken: None) -> None:
    data = filled(ada, match, "say", text="Well played")
    town.store.close()
    place = Path(str(town.store.engine.url.database))
    away = place.rename(place.with_suffix(".away"))
    place.mkdir()
    said, seen = ada.client.post(f"{match}/say", data=data), ada.get(match)
    told = app.test_client().get("/health")
    place.rmdir()
    away.rename(place)
    assert (said.status_code, seen.status_code) == (503, 503)
    assert "Well played" in said.text
    assert "This page can't be shown right now. Please try again in a few minutes." in words(seen)
    assert (told.status_code, told.text) == (503, "The database can't be used.\n")


@pytest.mark.parametrize("trouble", ["read-only", "locked"])
def test_pages_are_shown_even_if_the_visit_cannot_be_noted(town: Town, ada: Visitor, match: str, trouble: str) -> None:
    town.write("ada@example.org", "instant unseen")
    town.now += timedelta(hours=2)
    with unwritable(town, trouble):
        page = ada.get(match)
    assert page.status_code == 200
    assert "Ada" in words(page), "still signed in"


@pytest.mark.parametrize("trouble", ["read-only", "locked"])
def test_programs_can_read_even_if_the_use_of_their_token_cannot_be_noted(
    town: Town, app: Flask, ada: Visitor, trouble: str
) -> None:
    token, _ = tokens.make(town.site, ada.id, "A program", ["read"], None, "form")
    with unwritable(town, trouble):
        answer = app.test_client().get("/api/v1/matches", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200
