"""The web application over a real site, and people who use it like a browser without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from argon2 import PasswordHasher
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, select, update
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Settings
from service.play.accounts import display_names, identity, passwords, sessions
from service.play.match import invitations, lobby
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair
from service.play.site import Site
from service.store.models import Player
from service.store.session import Store
from service.store.tables.credentials import Visit
from service.web.security import limiter
from tests import compiled
from tests.play.conftest import Town, town
from tests.play.once import once
from tests.web.browsing import browser, site

__all__ = ["browser", "site", "town"]


class Forms(HTMLParser):
    """The forms of a page that post: the address of each, and what it would send if nothing were changed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            action = given.get("action", "")
            self.forms.append((action if given.get("method") == "post" else f"get {action}", {}))
        elif (
            tag in ("input", "textarea")
            and "name" in given
            and (given.get("type") not in ("radio", "checkbox") or "checked" in given)
        ):
            self.forms[-1][1][given["name"]] = given.get("value", "")


@dataclass
class Visitor:
    """Somebody with a browser."""

    client: FlaskClient
    id: int = 0

    def get(self, path: str) -> TestResponse:
        return self.client.get(path)

    def read(self, path: str) -> str:
        """The words of a page, without its markup."""
        return words(self.get(path))

    def send(self, page: str, action: str = "", to: str = "", **fields: str) -> TestResponse:
        """Fills in and sends the form of `page` that goes to `action`, or by one of its buttons somewhere else."""
        forms = dict(reversed(Forms(self.get(page).text).forms))
        answer = self.client.post(to or action or page, data=forms[action] | fields)
        assert (answer.status_code == 303) is (answer.location is not None), "a browser goes on with GET after a 303"
        return answer


def operate(town: Town, app: Flask, *visitors: Visitor) -> None:
    """Makes operators of visitors, who have opened the operators' pages on their browsers."""
    with town.store.writing() as session:
        ids = [visitor.id for visitor in visitors]
        emails = session.scalars(select(Player.email).where(Player.id.in_(ids))).all()
        session.execute(update(Visit).where(Visit.player_id.in_(ids)).values(operating=town.now))
    town.settings = replace(town.settings, operators=frozenset(email for email in emails if email))
    app.extensions["site"] = town.site


def words(response: TestResponse) -> str:
    """What a page says, without markup, with single blanks."""
    body = re.sub(r"(?s)<(script|svg|pre)\b.*?</\1>", " ", response.text.partition("<body>")[2])
    return " ".join(re.sub(r"<[^>]*>", " ", body).replace("&#39;", "'").split())


def markup(response: TestResponse) -> str:
    """The markup of a page without its tokens, which may contain any short word."""
    return re.sub(r'(name="(?:csrf_token|nonce)" value=)"[^"]*"', r"\1", response.text)


def application(site: Site, number: int = 0) -> Flask:
    """The application with this number, as if it had just been made for this site.

    Making one takes a tenth of a second, so tests have the same ones in turn.
    """
    app, config = _made(replace(site.settings, data=Path(), database_url="", dkim_key=Path()), number)
    app.extensions["site"] = site
    app.config.clear()
    app.config.update(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limiter, "enabled", limiter.enabled)  # The next line sets it.
        limiter.init_app(app)  # Nothing has been counted yet.
    return app


@cache
def _made(settings: Settings, number: int) -> tuple[Flask, dict[str, Any]]:
    """An application for these settings, and its configuration."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limiter, "enabled", True)  # Otherwise, the application never has limits.
        app = create_app(Site(settings, Store("sqlite://"), lambda _task, _subject: None))
    app.jinja_env.bytecode_cache = compiled.kept("page")
    app.config["TESTING"] = True
    app.test_client_class = Client
    return app, dict(app.config)


ELSEWHERE, MADE = {303, 307, 308}, {201, 202}
"""Statuses that always have a Location, and those that may have one."""
STATUSES = {200, 204, 304, 400, 401, 403, 404, 405, 409, 410, 412, 413, 414, 415, 422, 429, 500, 501, 503}
"""The others that the service answers with."""


class Client(FlaskClient):
    """Checks that each answer has a status that the service intends to use, and the headers that belong to it."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        answer = super().open(*args, **kwargs)
        assert answer.status_code in MADE | (ELSEWHERE if answer.location else STATUSES)
        assert answer.status_code != 405 or answer.headers.get("Allow")
        return answer


THOROUGH = passwords.hasher
"""The service's own hasher. A hash takes it a third of a second of processor time."""


def quick() -> PasswordHasher:
    """A hasher that does as little work as possible."""
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "hasher", quick)


@pytest.fixture
def app(town: Town) -> Flask:
    town.settings = replace(town.settings, redis_url="memory://", inbound_secret="open sesame")
    return application(town.site)


@pytest.fixture
def anybody(app: Flask) -> Visitor:
    return Visitor(app.test_client())


@pytest.fixture
def sign_in(app: Flask, town: Town) -> Callable[[str], Visitor]:
    """Somebody signed in, whose name is the part of the address before the @."""

    return lambda email: at_a_browser(app, *signed_in(town, email))


def signed_in(town: Town, email: str) -> tuple[int, str]:
    """The id of a player with a name, and their visit."""
    with town.store.writing() as session:
        player = identity.by_email(session, email, town.now)
        display_names.take(session, player, email.partition("@")[0].capitalize())
    return player.id, sessions.begin(town.site, player.id, "Firefox on Linux")


def at_a_browser(app: Flask, player: int, visit: str) -> Visitor:
    visitor = Visitor(app.test_client(), player)
    with visitor.client.session_transaction() as session:
        session["visit"] = visit
    return visitor


@contextmanager
def statements(town: Town) -> Iterator[list[str]]:
    """The statements sent to the database within the block, except those that begin transactions."""
    seen: list[str] = []

    def note(connection: object, cursor: object, statement: str, *others: object) -> None:
        if not statement.startswith(("BEGIN", "COMMIT", "ROLLBACK")):
            seen.append(statement)

    event.listen(town.store.engine, "before_cursor_execute", note)
    yield seen
    event.remove(town.store.engine, "before_cursor_execute", note)


def judge(town: Town) -> None:
    """Judges all orders, but doesn't send the letters about them."""
    for task, subject in town.queue:
        if task == "judge":
            judge_waiting(town.site, subject)
    town.queue.clear()


def links(town: Town) -> list[str]:
    """The paths of the sign-in links posted since the last look."""
    texts = [str(mail.get_body(("plain",)).get_content()) for mail in town.post()]  # type: ignore[union-attr]
    return [path for text in texts for path in re.findall(r"https?://[^/\s]+(/sign-in/\S+)", text)]


class Seated(NamedTuple):
    """Two players with their visits, and the path of their match."""

    ada: tuple[int, str]
    bruno: tuple[int, str]
    match: str


@once
def seat(town: Town) -> Seated:
    ada, bruno = (signed_in(town, f"{name}@example.org") for name in ("ada", "bruno"))
    chairs = [Chair("me"), Chair("email", "bruno@example.org")]
    number = lobby.open_match(town.site, ada[0], "rosette", {"base": "5"}, chairs)
    invitations.answer(town.site, number, bruno[0], accept=True)
    town.queue.clear()
    return Seated(ada, bruno, f"/match/{number}")


@pytest.fixture
def seated(request: pytest.FixtureRequest, town: Town, app: Flask) -> Seated | None:
    """The starting point of tests with a match, built once."""
    return seat(town) if "match" in request.fixturenames else None


@pytest.fixture
def ada(app: Flask, seated: Seated | None, sign_in: Callable[[str], Visitor]) -> Visitor:
    return at_a_browser(app, *seated.ada) if seated else sign_in("ada@example.org")


@pytest.fixture
def bruno(app: Flask, seated: Seated | None, sign_in: Callable[[str], Visitor]) -> Visitor:
    return at_a_browser(app, *seated.bruno) if seated else sign_in("bruno@example.org")


@pytest.fixture
def match(town: Town, seated: Seated | None) -> str:
    """The path of a running match on a small Rosette board, with Ada as Black and Bruno as White."""
    return (seated or seat(town)).match


def play_on_page(town: Town, match: str, visitor: Visitor, text: str, **fields: str) -> str:
    """Sends an order from the match page, and returns what the page says once it is judged."""
    answer = visitor.send(match, f"{match}/order", **({"text": text, "shown": text} | fields))
    assert answer.status_code == 303
    judge(town)
    return visitor.read(str(answer.location))


@pytest.fixture
def play(town: Town, match: str) -> Callable[..., str]:
    """`play_on_page` of the match."""
    return partial(play_on_page, town, match)
