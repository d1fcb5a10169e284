"""The back button, with every form: going back and pressing again does nothing twice and loses nothing.

Without scripts, in a real browser, which fetches the page again or has cached it, and restores what was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import Page as Tab
from sqlalchemy import select

from service.play.accounts import sessions
from service.store.rows import Row
from tests.cases import FULL
from tests.play.conftest import Town
from tests.web.browsing import PATIENCE, SMALL
from tests.web.conftest import Visitor, judge
from tests.web.live import served
from tests.web.page_types import PAGES, PASSWORD, Scenery, kept, scene
from tests.web.test_hostile import FILLED, MACHINES, UNSENT, endpoint

__all__ = ["kept", "scene"]

pytestmark = pytest.mark.processes

SCRIPTED = {
    "doors.add_device",
    "keys.add_passkey",
    "keys.ask_new_passkey",
    "keys.ask_passkey",
    "keys.enter_by_passkey",
    "operators.ask_passkey",
    "operators.unlock",
}
"""Endpoints for scripts, which no form posts to."""

ELSEWHERE = {"doors.change", "second_look.again", "second_look.ask_for_dead"}
"""Buttons of pages that aren't in the scene; tests/web/account/test_doors.py and match/test_second_look.py press
them."""

ANEW = {
    "auth.send": "asks for another link, and both work",
    "settings.send_link": "asks for another link, and both work",
    "settings.renew_feeds": "the page tells the new addresses, and that a press makes others",
    "sight.choose": "turns the board the other way round",
    "post_office.answer": "sends another mail, as a mail program would",
    "Give 3 days": "the page tells how much time there is by now",
}
"""Buttons whose second press, after going back, is a request of its own: endpoints, and the buttons' texts."""

LAST = (
    "wishes.end",
    "comments.remove",
    "events.withdraw",
    "events.end",
    "Send the links",
    "Cancel the change",
    "Yes, resign",
    "settings.sign_out",
    "auth.leave",
    "leaving.leave",
)
"""Buttons after which others can no longer be pressed: a change of address cancels the one before it, and a wish that
has ended can't be changed."""

UNSEEN = ("visit", "used_link", "submission")
"""Tables whose contents nobody sees: browsers, used links, and judged orders."""

WRITTEN = FILLED | {
    "match.preview": {"text": "e11"},
    "leaving.leave": {"words": "leave"},
    "auth.enter": {"name": "Dora"},
    "keys.prove_by_password": {"password": PASSWORD},
    "post.stopped": {"address": "bruno@example.org"},
}
"""What is typed into forms that are empty by default."""

BUTTONS = """() => [...document.querySelectorAll("form[method=post]")].flatMap((form, at) =>
    [...form.querySelectorAll("button:not([type=button])")].map((button, number) => [at, number,
        new URL(button.hasAttribute("formaction") ? button.formAction : form.action).pathname,
        button.textContent.trim()]))"""

FILL = """([at, fields]) => {
    const form = document.querySelectorAll("form[method=post]")[at];
    for (const [name, value] of Object.entries(fields)) {
        for (const one of form.querySelectorAll(`:is(input:not([type=hidden]), textarea)[name="${name}"]`)) {
            if (one.type === "radio") one.checked = one.value === value;
            else one.value ||= value;
        }
    }
}"""

PRESS = """([at, number]) => {
    const form = document.querySelectorAll("form[method=post]")[at];
    form.requestSubmit(form.querySelectorAll("button:not([type=button])")[number]);
}"""


class Buttons(HTMLParser):
    """The buttons of a page that send a form: its address, and the buttons' texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.form = self.button = ""
        self.said: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.form = given.get("action", "here") if given.get("method") == "post" else ""
        elif tag == "button":
            self.button = "" if given.get("type") == "button" else given.get("formaction", self.form)
            self.said = []

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "button" and self.form and self.button:
            self.found.append((self.button, "".join(self.said).strip()))


@dataclass(frozen=True)
class Press:
    """A button of a form, who presses it, and on which page."""

    who: str
    page: str
    action: str
    label: str
    name: str
    """The endpoint that the form posts to."""

    def known_as(self) -> str:
        """Orders and changes of address are told apart by their buttons' texts, other forms by their endpoints."""
        return self.label if self.name in ("match.send", "address.send") else self.name


def presses(scene: Scenery) -> list[Press]:
    """Every form of every page once; those after which others couldn't be sent come last."""
    found: dict[str, Press] = {}
    for page in PAGES:
        path = scene.path(page)
        shown = [] if page.post or page.status != 200 else Buttons(scene.visitors[page.who].get(path).text).found
        for to, label in shown:
            action = (path if to == "here" else to).partition("?")[0]
            press = Press(page.who, path, action, label, endpoint(scene, action))
            found.setdefault(press.known_as(), press)
    rank = {name: at for at, name in enumerate(LAST, start=1)}
    sent = [press for press in found.values() if press.name not in SCRIPTED]
    return sorted(sent, key=lambda press: rank.get(press.known_as(), 0))


@dataclass
class Walk:
    """Somebody at a browser who presses a button, goes back, presses it again, and then goes back and forward."""

    town: Town
    tab: Tab
    press: Press

    def faults(self) -> list[str]:
        """What goes wrong on the way."""
        self.tab.goto(self.press.page, wait_until="domcontentloaded")
        statuses = [self._send(), self._leaf(self.tab.go_back)]
        before = everything(self.town)
        told, turns = True, [self.tab.go_forward, self.tab.go_back]
        if self._place():
            statuses.append(self._send())
            told = statuses[-1] == 200 or self._is_told()
            turns.reverse()
        statuses += map(self._leaf, turns)
        anew = self.press.name in ANEW or self.press.label in ANEW
        doubled = [] if anew else [table for table, rows in everything(self.town).items() if rows != before[table]]
        found = [f"{table} doubled" for table in doubled] + ([] if told else ["refused without a sentence, or lost"])
        return [f"{self.press.name} {self.press.label!r}: {fault}" for fault in (*found, *_errors(statuses))]

    def _place(self) -> list[int]:
        """The index of the form with the button, and the button's index in it; empty if there is none."""
        wanted = [self.press.action, self.press.label]
        return next(([at, number] for at, number, *known in self.tab.evaluate(BUTTONS) if known == wanted), [])

    def _send(self) -> int:
        at, number = self._place()
        self.tab.evaluate(FILL, [at, WRITTEN.get(self.press.name, {})])
        with self.tab.expect_navigation(wait_until="domcontentloaded") as answer:
            self.tab.evaluate(PRESS, [at, number])
        judge(self.town)
        return answer.value.status

    def _leaf(self, turn: Callable[..., Any]) -> int:
        answer = turn(wait_until="domcontentloaded")
        return 200 if answer is None else int(answer.status)

    def _is_told(self) -> bool:
        """Whether the page says why, and still has what was typed."""
        text = self.tab.content()
        says_why = 'role="alert"' in text or 'aria-invalid="true"' in text
        return says_why and all(word in text for word in WRITTEN.get(self.press.name, {}).values())


def _errors(statuses: Iterable[int]) -> list[str]:
    return [f"answered with {status}" for status in statuses if status not in (200, 422)]


def everything(town: Town) -> dict[str, list[Any]]:
    """All rows, except those that nobody sees."""
    tables = [table for table in Row.metadata.sorted_tables if table.name not in UNSEEN]
    with town.store.reading() as session:
        return {table.name: [tuple(row) for row in session.execute(select(table))] for table in tables}


def sit_down(town: Town, context: BrowserContext, site: str, visitor: Visitor) -> None:
    """Signs the visitor in again on this browser; for somebody without an account, it is the first visit."""
    context.clear_cookies()
    if visitor.id:
        with visitor.client.session_transaction() as session:
            session["visit"] = sessions.begin(town.site, visitor.id, "Firefox on Linux")
        cookie = visitor.client.get_cookie("stonepost")
        assert cookie is not None
        context.add_cookies([{"name": "stonepost", "value": cookie.value, "url": site}])


IN_SHORT = UNSENT.keys() | {"Send", "talk.say", "lobby.open_match", "records.bring", "auth.send", "Send the links"}
"""The buttons that are pressed without STONEPOST_CASES=full: those that test_hostile.py, which has no browser, doesn't
press twice, and some with a text."""


def test_going_back_to_a_form_and_sending_it_again_does_nothing_twice(
    app: Flask, town: Town, scene: Scenery, browser: Browser
) -> None:
    town.work()
    known = presses(scene)
    posts = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    posts = {name for name in posts if not name.startswith("api.")}  # These have an Idempotency-Key.
    assert posts - {press.name for press in known} - SCRIPTED - ELSEWHERE - MACHINES == set(), (
        "a form that no page shows"
    )
    faults = []
    with served(app) as site:
        context = browser.new_context(base_url=site, java_script_enabled=False, viewport=SMALL)
        context.set_default_timeout(1000 * PATIENCE)
        tab = context.new_page()
        # Loading what only changes the look of pages would take half of the time.
        network = context.new_cdp_session(tab)
        network.send("Network.enable")
        network.send("Network.setBlockedURLs", {"urls": ["*/static/*", "*/ink.css*", "*.png", "*.svg"]})
        for press in known:
            if FULL or press.known_as() in IN_SHORT:
                sit_down(town, context, site, scene.visitors[press.who])
                faults += Walk(town, tab, press).faults()
        context.close()
    assert not faults, "\n".join(faults)


def test_a_page_that_answered_a_form_is_still_there_after_going_back_to_it(
    app: Flask, town: Town, scene: Scenery, browser: Browser
) -> None:
    """Browsers would show an error of their own if such a page couldn't be cached."""
    with served(app) as site:
        context = browser.new_context(base_url=site, java_script_enabled=False)
        context.set_default_timeout(1000 * PATIENCE)
        sit_down(town, context, site, scene.visitors["ada"])
        tab = context.new_page()
        tab.goto(scene.places["mine"])
        tab.locator("#text").fill("f9")
        for button in ("Preview", "Send"):
            with tab.expect_navigation():
                tab.get_by_role("button", name=button, exact=True).click()
        tab.go_back()
        assert "Preview of f9" in tab.locator("#preview").inner_text()
        assert tab.locator("#text").input_value() == "f9"
        before = everything(town)
        with tab.expect_navigation():
            tab.get_by_role("button", name="Send", exact=True).click()
        judge(town)
        assert everything(town)["entry"] == [*before["entry"], everything(town)["entry"][-1]]
        context.close()
