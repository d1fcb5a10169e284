"""The page of metrics, which only Prometheus can read."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import update

from service.config import ROOT
from service.mail.grammar.orders import parse
from service.play.accounts import passwords
from service.play.operations.metrics import DOMAINS, Metric
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.store.models import Player, Seat
from service.store.tables.doors import Call, Door
from service.store.tables.mail_rows import Letter
from service.store.tables.pulse import DOOR, note_failing, note_working
from tests.play.conftest import Town
from tests.play.test_at_once import begin
from tests.web.conftest import Visitor

OPEN = {"Authorization": "Bearer a token for Prometheus"}


@pytest.fixture
def monitored(town: Town, app: Flask) -> Town:
    town.settings = replace(town.settings, metrics_token="a token for Prometheus", redis_url="memory://")
    app.extensions["site"] = town.site
    return town


def metrics(anybody: Visitor) -> dict[str, float]:
    lines = anybody.client.get("/metrics", headers=OPEN).text.splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_waiting_work_is_counted_and_timed(monitored: Town, anybody: Visitor) -> None:
    match_id, ada = begin(monitored)
    monitored.work()
    sweep(monitored.site)
    assert metrics(anybody)["stonepost_orders_unjudged"] == 0
    submit(monitored.site, Incoming("web:1", match_id, 0, ada, 1, parse("f12"), "web"))
    monitored.now = monitored.now.replace(minute=monitored.now.minute + 1)
    found = metrics(anybody)
    assert found["stonepost_orders_unjudged"] == 1
    assert found['stonepost_queue_age_seconds{queue="judge"}'] >= 30
    assert found['stonepost_queue_age_seconds{queue="think"}'] == 0
    assert found['stonepost_queue_age_seconds{queue="review"}'] == 0
    assert found["stonepost_sweep_age_seconds"] >= 30
    assert found['stonepost_emails_last_hour{verdict="bounce"}'] == 0
    received = 'stonepost_emails_last_hour{verdict="obeyed"}'
    monitored.write("ada@example.org", "status")
    assert metrics(anybody)[received] == 1
    monitored.now += timedelta(hours=1)
    assert received not in metrics(anybody)


def test_the_age_of_a_sweep_that_never_ran_is_infinite(monitored: Town, anybody: Visitor) -> None:
    assert metrics(anybody)["stonepost_sweep_age_seconds"] == math.inf


def test_calls_of_hooks_and_passed_deadlines_are_timed(monitored: Town, anybody: Visitor) -> None:
    def waited(queue: str) -> float:
        return metrics(anybody)[f'stonepost_queue_age_seconds{{queue="{queue}"}}']

    match_id, ada = begin(monitored)
    with monitored.store.writing() as session:
        door = Door(player_id=ada, form="json", address="https://example.org", seed="", keys={}, events="turn")
        door.made = door.rests = monitored.now
        session.add(door)
        session.flush()
        call = {"door_id": door.id, "event": "turn", "data": {}, "created": monitored.now}
        session.add(Call(key="now", due=monitored.now, **call))
        session.add(Call(key="sent", due=None, sent=monitored.now, **call))
        deadline = monitored.now + timedelta(days=1)
        session.execute(update(Seat).where(Seat.match_id == match_id, Seat.number == 0).values(deadline=deadline))
    assert waited("rest") == 0
    monitored.now += timedelta(minutes=1)
    assert 60 <= waited("hooks") < 90
    monitored.now = deadline + timedelta(minutes=1)
    assert 60 <= waited("rest") < 90


def test_refused_sign_ins_are_counted(monitored: Town, anybody: Visitor) -> None:
    for _ in range(2):
        with pytest.raises(passwords.PasswordError):
            passwords.sign_in(monitored.site, "ada@example.org", "not this one")
    found = metrics(anybody)
    assert found['stonepost_sign_ins_refused_total{way="password"}'] == 2
    assert found['stonepost_sign_ins_refused_total{way="link"}'] == 0
    monitored.settings = replace(monitored.settings, redis_url="redis://127.0.0.1:1/0")
    anybody.client.application.extensions["site"] = monitored.site
    assert not [name for name in metrics(anybody) if "refused" in name], "Redis is away"


def test_strangers_cannot_add_labels(monitored: Town, anybody: Visitor) -> None:
    with monitored.store.writing() as session:
        for number in range(DOMAINS + 5):
            player = Player(name="x", email=f"x@{number}.example", created=monitored.now)
            session.add(player)
            session.flush()
            given = {"key": f"said:{number}", "kind": "said", "data": {}, "player_id": player.id}
            session.add(Letter(**given, created=monitored.now, due=monitored.now))
    owed = {name: value for name, value in metrics(anybody).items() if "letters_owed" in name}
    assert len(owed) == DOMAINS + 1
    assert owed['stonepost_letters_owed{domain="others"}'] == 5


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer another token", "a token for Prometheus"])
def test_the_metrics_are_not_found_without_the_token(monitored: Town, anybody: Visitor, given: str) -> None:
    assert anybody.client.get("/metrics", headers={"Authorization": given}).status_code == 404


def test_the_metrics_are_not_found_unless_a_token_is_set(anybody: Visitor) -> None:
    assert anybody.client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_alerts_and_dashboard_use_metrics_that_exist(monitored: Town, anybody: Visitor) -> None:
    there = {name.partition("{")[0] for name in metrics(anybody)} | {"stonepost_part_failing_seconds"}
    dashboard = json.loads((ROOT / "service/cli/monitoring/dashboard.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += re.findall(r"expr: (.*)", (ROOT / "service/cli/monitoring/alerts.yml").read_text())
    assert {name for query in asked for name in re.findall(r"stonepost_\w+", query)} == there


def test_large_numbers_are_exact(monitored: Town, anybody: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [Metric("orders_unjudged", "Orders.", {("", ""): number}) for number in (12_345_678, 0.25)]
    monkeypatch.setattr("service.web.operators.metrics.measure", lambda _site: made)
    text = anybody.client.get("/metrics", headers=OPEN).text
    assert "stonepost_orders_unjudged 12345678\n" in text
    assert "stonepost_orders_unjudged 0.25\n" in text


def test_receiving_email_fails_while_its_process_is_silent_until_it_counts_as_switched_off(
    monitored: Town, anybody: Visitor
) -> None:
    def failing() -> float:
        return metrics(anybody)['stonepost_part_failing_seconds{part="door"}']

    with monitored.store.writing() as session:
        note_working(session, DOOR, monitored.now)
    monitored.now += timedelta(seconds=20)
    assert failing() == 0
    monitored.now += timedelta(minutes=2)
    assert 140 <= failing() < 200
    with monitored.store.writing() as session:
        note_failing(session, DOOR, monitored.now, "smtp: TimeoutError")
    monitored.now += timedelta(seconds=20)
    assert 20 <= failing() < 40
    monitored.now += timedelta(days=1)
    assert failing() == 0
