"""The page of a player's hooks and devices."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser

from service.play.accounts.programs import bot_accounts
from service.play.match.lobby import Chair
from service.play.notify import doors
from tests.mail.letters.test_web_push import EXAMPLE
from tests.play.conftest import Town
from tests.web.conftest import Forms, Visitor, words
from tests.web.live import Live, live

__all__ = ["live"]

PAGE = "/account/doors"
HOOK = "https://bot.example.org/hook"
SUBSCRIPTION = {
    "endpoint": "https://push.example.net/send/1",
    "expirationTime": None,
    "keys": {"p256dh": EXAMPLE["ua_public"], "auth": EXAMPLE["auth"]},
}


def test_a_hook_is_added_tested_rotated_and_removed(town: Town, ada: Visitor) -> None:
    told = ada.send(PAGE, address="https://bot.example.org/hook", format="standard", events="turn")
    assert told.status_code == 303
    page = ada.get(PAGE)
    assert "Your hook is on." in words(page)
    assert "https://bot.example.org/hook" in words(page)
    assert "JSON, signed (Standard Webhooks): turn" in words(page)
    (secret,) = re.findall(r"whsec_[\w+/=]{32}", page.text)
    (door,) = doors.of(town.site, ada.id)
    ada.send(PAGE, f"{PAGE}/{door.id}", what="test")
    assert ("call", door.id) in town.queue
    ada.send(PAGE, f"{PAGE}/{door.id}", what="rotate")
    new, former = re.findall(r"whsec_[\w+/=]{32}", ada.get(PAGE).text)
    assert former == secret != new
    ada.send(PAGE, f"{PAGE}/{door.id}", what="remove")
    assert doors.of(town.site, ada.id) == []


def test_a_bot_has_hooks_that_only_its_owner_sees(town: Town, ada: Visitor, bruno: Visitor) -> None:
    assert "Whose matches" not in ada.get(PAGE).text
    bot = bot_accounts.make(town.site, ada.id, "Rose")
    for visitor in (ada, bruno):
        visitor.client.post(PAGE, data=_form(visitor) | {"holder": str(bot.id), "address": f"{HOOK}{visitor.id}"})
    (door,) = doors.of(town.site, bot.id)
    assert doors.of(town.site, bruno.id) == [], "a hook of somebody else's bot isn't made for him instead"
    assert "for Rose (bot); JSON" in words(ada.get(PAGE))
    bruno.client.post(f"{PAGE}/{door.id}", data=_form(bruno) | {"what": "remove"})
    assert doors.of(town.site, bot.id) != []
    ada.send(PAGE, f"{PAGE}/{door.id}", what="remove")
    assert doors.of(town.site, bot.id) == []


def test_a_form_for_a_bot_deleted_in_another_tab_makes_no_hook_for_its_owner(town: Town, ada: Visitor) -> None:
    bot = bot_accounts.make(town.site, ada.id, "Rose")
    fields = _form(ada) | {"holder": str(bot.id), "address": HOOK}
    bot_accounts.end(town.site, ada.id, bot.id)
    answer = ada.client.post(PAGE, data=fields)
    assert answer.status_code == 422
    assert "You no longer have this bot. Choose again." in words(answer)
    assert doors.of(town.site, ada.id) == []


def _form(visitor: Visitor) -> dict[str, str]:
    token = re.search(r'name="csrf_token" value="([^"]*)"', visitor.get(PAGE).text)
    assert token is not None
    return {"csrf_token": token[1], "format": "standard", "events": "turn"}


def test_an_error_is_shown_beside_its_field_and_nothing_is_lost(ada: Visitor) -> None:
    told = ada.send(PAGE, address="http://bot.example.org/hook", format="ntfy", events="result")
    assert told.status_code == 422
    assert "The address must begin with https://" in words(told)
    assert 'value="http://bot.example.org/hook"' in told.text
    assert 'value="ntfy" selected' in told.text
    assert re.search(r'value="result" checked', told.text)
    assert not re.search(r'value="turn" checked', told.text)


def test_a_device_is_registered_as_its_browser_subscribed(town: Town, ada: Visitor) -> None:
    told = ada.send(PAGE, "/account/devices", subscription=json.dumps(SUBSCRIPTION))
    assert told.json == {"to": PAGE}
    (door,) = doors.of(town.site, ada.id)
    assert (door.form, door.address) == ("push", SUBSCRIPTION["endpoint"])
    assert "This device will notify you" in ada.read(PAGE)
    ada.send(PAGE, "/account/devices", subscription=json.dumps(SUBSCRIPTION))
    assert len(doors.of(town.site, ada.id)) == 1


def test_an_invalid_subscription_is_refused(town: Town, ada: Visitor) -> None:
    wrong = ("", "[]", "7", "{}", '{"endpoint": 1, "keys": "x"}', json.dumps(SUBSCRIPTION | {"endpoint": "http://h/"}))
    for text in (*wrong, "[" * 60_000):
        told = ada.send(PAGE, "/account/devices", subscription=text)
        assert told.status_code == 422
        assert told.json is not None
        assert told.json["message"]
    assert doors.of(town.site, ada.id) == []


def test_the_service_worker_is_at_the_root_and_fresh(ada: Visitor) -> None:
    told = ada.get("/service-worker.js")
    assert (told.status_code, told.mimetype) == (200, "text/javascript")
    assert told.headers["Cache-Control"] == "no-cache"


SHOW = """async (address) => {
    const shown = [];
    WindowClient.prototype.focus = async function () { shown.push(this.url); };
    Clients.prototype.openWindow = async (address) => { shown.push("new"); };
    await show(address);
    return shown;
}"""
"""Where the service worker shows a page. Only a real press of a notification may focus or open a window."""


@pytest.mark.processes
def test_a_notification_shows_the_page_that_is_open_already(browser: Browser, live: Live) -> None:
    page = live.person(browser, "ada@example.org").page
    path = live.begin("ada@example.org", "rosette", {"base": "5"}, Chair("bot"))
    page.goto(f"{path}?reader=1#saying")
    with page.context.expect_event("serviceworker") as registered:
        page.evaluate("navigator.serviceWorker.register('/service-worker.js')")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    worker = registered.value
    assert worker.evaluate(SHOW, live.address + path) == [page.url]
    page.goto(f"{path}#second-look")
    assert worker.evaluate(SHOW, live.address + path) == [page.url]
    assert worker.evaluate(SHOW, f"{live.address}/account") == ["new"]
    page.context.close()


def test_a_hook_needs_an_event_and_its_buttons_do_nothing_once_it_is_removed(town: Town, ada: Visitor) -> None:
    csrf = {"csrf_token": Forms(ada.get(PAGE).text).forms[0][1]["csrf_token"]}
    told = ada.client.post(PAGE, data={"address": HOOK, "format": "ntfy"} | csrf)
    assert told.status_code == 422
    assert "Choose at least one event: " in words(told)
    assert f'value="{HOOK}"' in told.text
    ada.send(PAGE, address=HOOK, format="ntfy", events="turn")
    (door,) = doors.of(town.site, ada.id)
    for what in ("remove", "remove", "rotate", "test"):
        ada.client.post(f"{PAGE}/{door.id}", data={"what": what} | csrf)
    assert doors.of(town.site, ada.id) == []
    assert town.queue == []
