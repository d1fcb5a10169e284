"""Hooks through the API: added, called about a turn, given a new secret, tested and removed, for a person or a bot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest
from flask import Flask
from sqlalchemy import update
from standardwebhooks.webhooks import Webhook

from service.api.subjects.hooks import Told
from service.play.accounts.programs import bot_accounts
from service.play.notify import doors
from service.store.tables.doors import Door
from tests.api.conftest import Program
from tests.api.test_doors import refused
from tests.play.conftest import Town, plain
from tests.play.outbox.receiver import Posted, Receiver, receiving
from tests.play.outbox.test_calls import later

ADDRESS = "https://bot.example.org/stonepost"


@pytest.fixture
def receiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, town: Town, door: Flask) -> Iterator[Receiver]:
    town.settings = replace(town.settings, hooks_private=True)
    site = door.extensions["site"]
    door.extensions["site"] = replace(site, settings=town.settings)
    with receiving(tmp_path, monkeypatch) as told:
        yield told


def proofs(posted: Posted, secrets: list[str]) -> list[str]:
    """The signatures that the reference library gives this call, with each of the secrets."""
    when = datetime.fromtimestamp(int(posted.headers["webhook-timestamp"]), tz=UTC)
    name = posted.headers["webhook-id"]
    return [Webhook(one).sign(name, when, posted.body.decode()) for one in secrets]


def test_the_events_are_those_that_hooks_get() -> None:
    assert get_args(Told) == doors.EVENTS


def test_a_hook_is_added_tested_told_rotated_and_removed(
    town: Town, ada: Program, bruno: Program, match: int, receiver: Receiver
) -> None:
    made = ada.send("/hooks", {"address": receiver.at("ada")})
    assert made.status == 201
    assert ada.ask("/hooks").json["hooks"] == [made.json]
    assert (made.json["format"], made.json["state"], len(made.json["secrets"])) == ("standard", "on", 1)
    assert made.json["events"] == ["turn", "invitation", "result", "said"]
    ada.order(match, "e9")
    bruno.order(match, "e10")
    town.work()
    turned = ada.send(f"{made.json['url']}/rotate").json
    assert turned["secrets"][1:] == made.json["secrets"]
    assert ada.send(f"{made.json['url']}/test").status == 202
    town.work()
    turn, test = receiver.posted
    assert [json.loads(one.body)["type"] for one in (turn, test)] == ["turn", "test"]
    assert turn.headers["webhook-signature"].split() == proofs(turn, made.json["secrets"])
    assert test.headers["webhook-signature"].split() == proofs(test, turned["secrets"])
    town.now += timedelta(days=1, seconds=1)
    (now,) = ada.ask("/hooks").json["hooks"]
    assert now["secrets"] == turned["secrets"][:1]
    assert [ada.send(made.json["url"], None, "DELETE").status for _ in range(2)] == [200, 404]
    assert ada.ask("/hooks").json["hooks"] == []


def test_one_hook_of_many_is_found_by_its_number(town: Town, ada: Program) -> None:
    ada.send("/hooks", {"address": ADDRESS})
    with town.store.writing() as session:
        session.execute(update(Door).values(id=1_000))
    ada.send("/hooks", {"address": f"{ADDRESS}/2"})
    assert ada.send("/hooks/1000", None, "DELETE").status == 200
    assert [one["address"] for one in ada.ask("/hooks").json["hooks"]] == [f"{ADDRESS}/2"]


def test_the_same_address_is_the_same_hook(ada: Program) -> None:
    first = ada.send("/hooks", {"address": ADDRESS}).json
    second = ada.send("/hooks", {"address": ADDRESS, "format": "discord", "events": ["turn"]}).json
    assert (first["id"], second["format"], second["events"], second["secrets"]) == (
        second["id"],
        "discord",
        ["turn"],
        [],
    )
    refused(ada.send(f"{second['url']}/rotate"), 422, "refused")


@pytest.mark.parametrize(
    ("body", "kind", "field"),
    [
        ({"address": "http://bot.example.org/"}, "refused", "address"),
        ({"address": "https://10.0.0.1/"}, "refused", "address"),
        ({"address": ADDRESS, "format": "push"}, "malformed", "format"),
        ({"address": ADDRESS, "events": []}, "malformed", "events"),
        ({"address": ADDRESS, "events": ["moved"]}, "malformed", "events"),
        ({"address": ADDRESS, "secret": "mine"}, "malformed", "secret"),
    ],
)
def test_an_invalid_hook_is_refused(ada: Program, body: object, kind: str, field: str) -> None:
    answer = ada.send("/hooks", body)
    refused(answer, 422, kind)
    assert answer.json["field"] == field
    assert ada.ask("/hooks").json["hooks"] == []


def test_nobody_sees_or_changes_anothers_hooks_or_any_devices(town: Town, ada: Program, bruno: Program) -> None:
    url = ada.send("/hooks", {"address": ADDRESS}).json["url"]
    assert bruno.ask("/hooks").json["hooks"] == []
    for path, method in ((url, "DELETE"), (f"{url}/rotate", "POST"), (f"{url}/test", "POST")):
        refused(bruno.send(path, None, method), 404, "not-found")
    with town.store.writing() as session:
        session.get_one(Door, int(url.rpartition("/")[2])).form = doors.PUSH
    refused(ada.send(url, None, "DELETE"), 404, "not-found")
    assert len(doors.of(town.site, ada.id)) == 1


def test_a_bot_has_hooks_of_its_own_and_its_owner_gets_an_email_when_they_fail(
    town: Town, door: Flask, ada: Program, bruno: Program, receiver: Receiver
) -> None:
    made = ada.send("/bots", {"name": "Rose"}).json
    bot = Program(door.test_client(), made["id"], made["token"])
    hook = bot.send("/hooks", {"address": receiver.at("rose")}).json
    assert ada.ask("/hooks").json["hooks"] == []
    number = bruno.send("/matches", {"new": "rosette base=5 vs open"}).json["id"]
    bot.send(f"/matches/{number}/join", {})
    bruno.order(number, "e9")
    town.work()
    assert [json.loads(one.body)["type"] for one in receiver.posted] == ["turn"]
    town.post()
    receiver.status = 410
    bot.send(f"{hook['url']}/test")
    town.work()
    assert bot.ask("/hooks").json["hooks"][0]["state"] == "off"
    refused(bot.send(f"{hook['url']}/test"), 422, "refused")
    (mail,) = [one for one in town.post() if one["Subject"].startswith("Your hook")]
    assert mail["To"].addresses[0].addr_spec == "ada@example.org"
    assert "The hook of the account Rose (bot) at localhost" in " ".join(plain(mail).split())
    receiver.status = 204
    bot.send("/hooks", {"address": receiver.at("rose")})
    bot.send(f"{hook['url']}/test")
    later(town, seconds=1)
    assert bot.ask("/hooks").json["hooks"][0]["state"] == "on"


def test_a_deleted_bot_has_no_hooks(town: Town, door: Flask, ada: Program) -> None:
    made = ada.send("/bots", {"name": "Rose"}).json
    Program(door.test_client(), made["id"], made["token"]).send("/hooks", {"address": ADDRESS})
    bot_accounts.end(town.site, ada.id, made["id"])
    assert doors.of(town.site, made["id"]) == []
