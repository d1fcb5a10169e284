"""Notifications on devices: what they show, when they stay quiet, and when a subscription is forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from service.mail.grammar.orders import parse
from service.mail.letters.web_push import CURVE, public, unpadded
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.notify import doors, preferences
from service.play.notify.doors import DoorError
from service.play.orders.submit import Incoming, submit
from service.store.tables.doors import Door
from tests.mail.letters.test_web_push import opened
from tests.play.conftest import Town
from tests.play.inbox.test_company_commands import named
from tests.play.outbox.receiver import Receiver, receiving
from tests.play.outbox.test_calls import invite, later

KEY, AUTH = ec.derive_private_key(7, CURVE), bytes(range(16))
KEYS = {"p256dh": unpadded(public(KEY)), "auth": unpadded(AUTH)}


@pytest.fixture
def receiver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, town: Town) -> Iterator[Receiver]:
    town.settings = replace(town.settings, hooks_private=True)
    with receiving(tmp_path, monkeypatch) as told:
        yield told


def phone(town: Town, receiver: Receiver, player: int) -> Door:
    return doors.add_device(town.site, player, receiver.at("phone"), KEYS, "Firefox on Android")


def shown(receiver: Receiver) -> list[dict[str, str]]:
    """The notifications, as the device shows them."""
    return [json.loads(opened(one.body, KEY, AUTH))["notification"] for one in receiver.posted]


def play(town: Town, match: int, player: int, move: str) -> None:
    submit(town.site, Incoming(f"web:{match}:{move}", match, 0, player, None, parse(move), door="web"))
    town.work()


def test_a_turn_is_shown_once(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    phone(town, receiver, ada)
    invite(town, ada, ben)
    later(town, minutes=1)
    (notification,) = shown(receiver)
    assert notification == {
        "title": "Lotus 1: your move",
        "body": "It's your move in Lotus 1. You play black.",
        "navigate": "http://127.0.0.1:8000/match/1",
        "tag": "match-1",
        "lang": "en",
    }
    assert receiver.posted[0].headers["authorization"].startswith("vapid t=")
    assert b"Lotus" not in receiver.posted[0].body


@pytest.mark.parametrize("status", [404, 410])
def test_a_subscription_that_has_ended_is_deleted(town: Town, receiver: Receiver, status: int) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    phone(town, receiver, ada)
    receiver.status = status
    invite(town, ada, ben)
    assert doors.of(town.site, ada) == []
    invite(town, ada, ben)
    assert len(receiver.posted) == 1


def test_a_push_service_that_is_down_is_tried_again(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    phone(town, receiver, ada)
    receiver.status = 503
    invite(town, ada, ben)
    receiver.status = 201
    later(town, minutes=1)
    topics = [one.headers["topic"] for one in receiver.posted]
    assert topics == topics[:1] * 2
    assert shown(receiver) == shown(receiver)[:1] * 2


def test_a_device_stays_quiet_while_the_match_is_on_a_screen(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    match = invite(town, ada, ben)
    phone(town, receiver, ben)
    preferences.saw(town.site, match, ben)
    play(town, match, ada, "k4")
    town.now += timedelta(seconds=20)
    preferences.saw(town.site, match, ben)
    later(town, minutes=2)
    later(town, minutes=2)
    assert receiver.posted == []


def test_a_device_is_called_if_the_player_left_the_page_before_the_turn(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    match = invite(town, ada, ben)
    phone(town, receiver, ben)
    preferences.saw(town.site, match, ben)
    play(town, match, ada, "k4")
    assert receiver.posted == []
    later(town, minutes=1)
    later(town, minutes=1)
    assert [one["title"] for one in shown(receiver)] == [f"Lotus {match}: your move"]


def test_a_turn_that_is_already_over_is_not_shown(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    phone(town, receiver, ada)
    receiver.status = 503
    match = invite(town, ada, ben)
    play(town, match, ada, "k4")
    receiver.status = 201
    later(town, minutes=2)
    later(town, minutes=2)
    assert len(receiver.posted) == 1


def test_what_could_not_be_shown_for_a_day_is_no_longer_shown(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    phone(town, receiver, ada)
    receiver.status = 503
    invite(town, ada, ben)
    receiver.status = 201
    later(town, minutes=25 * 60)
    assert len(receiver.posted) == 1


@pytest.mark.parametrize("what", ["accepted", "withdrawn"])
def test_an_invitation_that_nobody_waits_for_any_more_is_not_shown(town: Town, receiver: Receiver, what: str) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    phone(town, receiver, ben)
    receiver.status = 503
    chairs = [Chair("me"), Chair("email", "ben@example.org"), Chair("open")]
    match = lobby.open_match(town.site, ada, "multigo", {}, chairs)
    town.work()
    if what == "accepted":
        invitations.answer(town.site, match, ben, True)
    else:
        invitations.withdraw(town.site, match, ada)
    receiver.status = 201
    later(town, minutes=2)
    later(town, minutes=2)
    assert [one["body"][:17] for one in shown(receiver)] == ["You're invited to"]


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"p256dh": KEYS["p256dh"]},
        KEYS | {"auth": "x"},
        KEYS | {"auth": "A" * 40},
        KEYS | {"p256dh": "B" + "A" * 86},
        KEYS | {"p256dh": "\0" * 87},
    ],
)
def test_a_subscription_without_usable_keys_is_refused(town: Town, keys: dict[str, str]) -> None:
    ada = named(town, "ada@example.org")
    with pytest.raises(DoorError, match="incomplete"):
        doors.add_device(town.site, ada, "https://push.example.net/1", keys, "A browser")


def test_a_device_whose_keys_are_broken_is_forgotten_and_its_player_not_emailed(town: Town, receiver: Receiver) -> None:
    ada, ben = named(town, "ada@example.org"), named(town, "ben@example.org")
    door = phone(town, receiver, ada)
    with town.store.writing() as session:
        session.get_one(Door, door.id).keys = {"p256dh": "AAAA", "auth": "AAAA"}
    invite(town, ada, ben)
    assert doors.of(town.site, ada) == []
    assert receiver.posted == []
    assert not [mail for mail in town.post() if "hook" in mail["Subject"]]
