"""Programs that use the API, each with a token, on a site that judges orders immediately."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.datastructures import Headers
from werkzeug.test import TestResponse

from service.play.accounts import display_names, identity
from service.play.accounts.programs import tokens
from service.play.match.judge import judge_waiting
from service.play.site import Site, Task
from tests.play.conftest import Town, town
from tests.web.conftest import app

__all__ = ["app", "town"]


@dataclass
class Reply:
    """An answer of the API."""

    answer: TestResponse

    @property
    def json(self) -> Any:
        return self.answer.get_json()

    @property
    def status(self) -> int:
        return self.answer.status_code

    @property
    def mimetype(self) -> str:
        return self.answer.mimetype or ""

    @property
    def headers(self) -> Headers:
        return self.answer.headers

    @property
    def text(self) -> str:
        return self.answer.text


@dataclass
class Program:
    """A program that acts for a player through the API."""

    client: FlaskClient
    id: int
    token: str

    def ask(self, path: str, **given: Any) -> Reply:
        return self._sent("GET", path, given)

    def send(self, path: str, body: object = None, method: str = "POST", **headers: str) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._sent(method, path, {} if body is None else {"json": body}, named)

    def order(self, match: int, text: str, **more: Any) -> Reply:
        return self.send(f"/matches/{match}/orders?wait=0", {"text": text, **more})

    def _sent(self, method: str, path: str, given: dict[str, Any], more: dict[str, str] | None = None) -> Reply:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        path = path if path.startswith(("/api", "/.")) else f"/api/v1{path}"
        headers |= (more or {}) | given.pop("headers", {})
        return Reply(self.client.open(path, method=method, headers=headers, **given))


def at_once(town: Town) -> Site:
    """The site of a town in which orders are judged as soon as they're stored."""

    def nudge(task: Task, subject: int) -> None:
        if task == "judge":
            judge_waiting(site, subject)
        else:
            town.queue.append((task, subject))

    site = replace(town.site, nudge=nudge)
    return site


def program(town: Town, app: Flask, name: str, scopes: tuple[str, ...] = tokens.SCOPES) -> Program:
    """A program with a token for these scopes, of a player with this name."""
    with town.store.writing() as session:
        player = identity.by_email(session, f"{name}@example.org", town.now)
        display_names.take(session, player, name.capitalize())
    token, _ = tokens.make(town.site, player.id, "", scopes, None, f"{name} {scopes}")
    return Program(app.test_client(), player.id, token)


@pytest.fixture
def door(town: Town, app: Flask) -> Flask:
    app.extensions["site"] = at_once(town)
    return app


@pytest.fixture
def anybody(door: Flask) -> Program:
    return Program(door.test_client(), 0, "")


@pytest.fixture
def enter(town: Town, door: Flask) -> Callable[..., Program]:
    return lambda name, *scopes: program(town, door, name, scopes or tokens.SCOPES)


@pytest.fixture
def ada(enter: Callable[..., Program]) -> Program:
    return enter("ada")


@pytest.fixture
def bruno(enter: Callable[..., Program]) -> Program:
    return enter("bruno")


@pytest.fixture
def match(ada: Program, bruno: Program) -> int:
    """A running match on a small Rosette board, with Ada as Black."""
    number: int = ada.send("/matches", {"new": "rosette base=5 vs bruno@example.org"}).json["id"]
    assert bruno.send(f"/matches/{number}/answer", {"accept": True}).status == 200
    return number
