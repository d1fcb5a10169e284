"""Every kind of page is cheap, can be used by everybody, and fits a small phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask, template_rendered
from jinja2 import Template
from playwright.sync_api import Browser, ViewportSize
from playwright.sync_api import Page as Tab
from werkzeug.test import TestResponse

from service.play.accounts import display_names
from service.store.models import Player
from tests.cases import FULL
from tests.play.conftest import Town
from tests.web.browsing import DESK, PATIENCE, SMALL
from tests.web.conftest import Forms, statements
from tests.web.live import served
from tests.web.page_types import NO_PAGES, PAGES, Page, Scenery, kept, more, scene

__all__ = ["kept", "scene"]


def opened(scene: Scenery, page: Page, fields: dict[str, str]) -> TestResponse:
    """The page, or the server's answer to its form."""
    visitor, path = scene.visitors[page.who], scene.path(page)
    return visitor.client.post(urlsplit(path).path, data=fields) if page.post else visitor.get(path)


def filled(scene: Scenery, page: Page) -> dict[str, str]:
    """The fields of the form that leads to a page."""
    forms = Forms(scene.visitors[page.who].get("/sign-in" if page.who == "anybody" else "/account").text).forms
    token = next(fields["csrf_token"] for _, fields in forms if "csrf_token" in fields)
    return dict(parse_qsl(urlsplit(scene.path(page)).query)) | {"csrf_token": token}


def test_no_kind_of_page_is_missing(app: Flask) -> None:
    """A page added later fails this test until it is in the table, or listed as not a page."""
    shown = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    shown = {endpoint for endpoint in shown if not endpoint.startswith("api.")}  # tests/api has these
    told = {page.endpoint for page in PAGES if not page.post} - {""}
    assert shown - told - NO_PAGES.keys() == set()
    assert (told | NO_PAGES.keys()) - {rule.endpoint for rule in app.url_map.iter_rules()} == set()
    assert not told & NO_PAGES.keys()


def test_a_page_needs_few_statements_however_much_there_is(town: Town, scene: Scenery) -> None:
    few = counted(scene)
    more(town, scene.visitors["ada"], scene.visitors["bruno"])
    many = counted(scene)
    assert [f"{page.path} as {page.who}: {few[page]}" for page in PAGES if few[page] > page.most] == []
    assert [f"{page.path} as {page.who}: {many[page]}" for page in PAGES if many[page] > few[page]] == []


def counted(scene: Scenery) -> dict[Page, int]:
    """How many statements each page takes the second time it is opened."""
    found = {}
    for page in PAGES:
        fields = filled(scene, page) if page.post else {}
        opened(scene, page, fields)
        with statements(scene.town) as seen:
            answer = opened(scene, page, fields)
        assert answer.status_code == page.status, page.path
        found[page] = len(seen)
    return found


def test_no_page_needs_what_its_policy_forbids(scene: Scenery) -> None:
    """No script, style or handler within a page, nothing from another host; and every form that sends has its token."""
    for page in PAGES:
        text = opened(scene, page, filled(scene, page) if page.post else {}).text
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text), page.path
        scripts = re.findall(r"<script[^>]*>", text)
        assert all("src=" in tag or 'type="application/json"' in tag for tag in scripts), page.path
        assert not re.search(r'(?:\ssrc=|<link(?! rel="alternate")[^>]*\shref=)"(?:https?:)?//', text), page.path
        sending = [fields for action, fields in Forms(text).forms if not action.startswith("get ")]
        numbers = [fields["nonce"] for fields in sending if "nonce" in fields]
        assert all(re.fullmatch(r"[\w-]{16}", number) for number in numbers), page.path
        # The signed link is the token of a page that an email leads to.
        assert page.endpoint.startswith("post.") or all("csrf_token" in fields for fields in sending), page.path


def tabs(browser: Browser, site: str, scene: Scenery) -> dict[str, Tab]:
    """A tab on a small phone for each visitor of the scene, signed in as they are."""
    found = {}
    for who, visitor in scene.visitors.items():
        context = browser.new_context(base_url=site, viewport=SMALL)
        context.set_default_timeout(1000 * PATIENCE)
        if cookie := visitor.client.get_cookie("stonepost"):
            context.add_cookies([{"name": "stonepost", "value": cookie.value, "url": site}])
        found[who] = context.new_page()
    return found


def show(tab: Tab, scene: Scenery, page: Page) -> None:
    """Opens a page, by submitting the form in the browser if one leads to it."""
    if not page.post:
        tab.goto(scene.path(page))
        return
    where = urlsplit(scene.path(page))
    tab.goto("/sign-in" if page.who == "anybody" else "/account/leave")
    with tab.expect_navigation() as answer:
        tab.evaluate(SUBMIT, [where.path, parse_qsl(where.query)])
    assert answer.value.status == page.status, page.path


SUBMIT = """([action, fields]) => {
    const form = document.querySelector("form[method=post]");
    for (const { name } of form.querySelectorAll("input:not([name=csrf_token])")) form.elements[name].remove();
    form.action = action;
    for (const [name, value] of fields)
        form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    form.submit();
}"""


FAULTS = {"resultTypes": ["violations"]}
"""Only violations are reported in full."""


def lens(browser: Browser, site: str) -> Tab:
    """A tab with axe in it. Loading axe takes as long as checking a page, so all pages are copied into this tab."""
    tab = browser.new_context(base_url=site, viewport=DESK).new_page()
    tab.goto("/")
    Axe().run(tab, None, FAULTS)
    return tab


COPY = """async (html) => {
    const { documentElement } = new DOMParser().parseFromString(html, "text/html");
    document.replaceChild(document.adoptNode(documentElement), document.documentElement);
    const sheets = [...document.querySelectorAll("link[rel=stylesheet]")];
    const seen = (link) => link.sheet || new Promise((done) => { link.onload = link.onerror = done; });
    await Promise.all(sheets.map(seen));
    return sheets.length > 0 && sheets.every((link) => link.sheet);
}"""
"""Shows a page as its scripts have left it. Copied scripts don't run."""


def by_day(lens: Tab, left_out: str) -> list[str]:
    """What axe finds wrong with a page, without a part that has been checked before."""
    context = {"exclude": [[left_out]]} if left_out else None
    return told(lens.evaluate("([context, faults]) => axe.run(context ?? document, faults)", [context, FAULTS]))


def by_night(lens: Tab) -> list[str]:
    """What axe finds wrong with the contrast of the dark colours."""
    lens.emulate_media(color_scheme="dark")
    found = told(lens.evaluate("faults => axe.run(document, { ...faults, runOnly: ['color-contrast'] })", FAULTS))
    lens.emulate_media(color_scheme="light")
    return found


def by_keyboard(tab: Tab) -> list[str]:
    """Controls that Tab doesn't reach, or that don't show the focus."""
    return [f"no keyboard comes to {html}" for html in tab.evaluate(UNREACHED)]


UNREACHED = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter((one) => one.checkVisibility() && !one.disabled && one.type !== "hidden")
    .filter((one) => {
        one.focus({ focusVisible: true });
        return one.tabIndex < 0 || document.activeElement !== one || getComputedStyle(one).outlineStyle === "none";
    })
    .map((one) => one.outerHTML.slice(0, 200))"""


FINE_PRINT = """() => [...document.querySelectorAll("input, select, textarea")]
    .filter((one) => !["hidden", "radio", "checkbox"].includes(one.type))
    .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 16)
    .map((one) => one.outerHTML.slice(0, 200))"""
"""The fields whose text is so small that iPhones enlarge the page while one has the focus."""

SMALL_TARGETS = """() => {
    const words = (one) => one.innerText.trim().replace(/\\s+/g, " ");
    const alone = ({ parentElement: row }) => words(row) === [...row.querySelectorAll("a")].map(words).join(" ");
    return [...document.querySelectorAll("summary, p > a, nav > a")]
        .filter((one) => one.checkVisibility() && (one.tagName === "SUMMARY" || alone(one)))
        .filter((one) => one.getBoundingClientRect().height < 44)
        .map((one) => one.outerHTML.slice(0, 200));
}"""
"""Summaries, and links with no other words beside them, that are too low for a finger."""


def told(found: dict[str, Any]) -> list[str]:
    return [f"{fault['help']}: {[node['html'] for node in fault['nodes']]}" for fault in found["violations"]]


NAMED = {
    "anybody": ("/", "/rules/pillars"),
    "ada": (
        "/",
        "/new",
        "/matches",
        "/account",
        "/player/{bruno}",
        "{mine}",
        "{over}",
        "{invited}",
        "{mine}/explore/1",
        "/events/3",
        "/events/4",
        "/operator/reports",
    ),
}
"""Pages with names, and others with wide parts, by who sees them."""

WIDE = """() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    const { clientWidth, scrollWidth } = document.documentElement;
    const outside = [...document.querySelectorAll("main :is(p, blockquote, .move)")].filter((one) =>
        one.checkVisibility() && !one.closest(".scroll, .players, pre") && one.getBoundingClientRect().x < 0);
    return scrollWidth > clientWidth || outside.length ? `${clientWidth} pixels show ${scrollWidth}` : "";
}"""
"""How much wider the page is than the window with everything opened, or begins left of it; "" if it fits."""


@pytest.mark.processes
def test_neither_long_names_nor_text_twice_as_large_are_too_wide_for_a_small_phone(
    app: Flask, scene: Scenery, browser: Browser
) -> None:
    with scene.town.store.writing() as session:
        for person, sign in (("ada", "W"), ("bruno", "M")):
            display_names.take(
                session, session.get_one(Player, scene.visitors[person].id), sign * display_names.LONGEST_NAME
            )
    large = ViewportSize(width=SMALL["width"] // 2, height=SMALL["height"] // 2)
    wide = {}
    with served(app) as site:
        tab_of = tabs(browser, site, scene)
        for who, paths in NAMED.items():
            for path in paths:
                tab_of[who].goto(path.format(**scene.places))
                for size in (large, SMALL):
                    tab_of[who].set_viewport_size(size)
                    wide[who, path, size["width"]] = tab_of[who].evaluate(WIDE)
    assert {page: width for page, width in wide.items() if width} == {}


@contextmanager
def rendered(app: Flask) -> Iterator[list[str]]:
    """The names of the templates that were rendered within the block, until they are cleared."""
    names: list[str] = []

    def note(_app: Flask, template: Template, **_more: object) -> None:
        names.append(str(template.name))

    with template_rendered.connected_to(note, app):
        yield names


BOARD = "#board"
"""The part of a match page on which axe spends most time, and which is the same in each state of a match."""

ALSO_BY_NIGHT = ("/", "{mine}")
"""The pages on which dark colours are checked; with all cases, every page."""


@pytest.mark.processes
def test_everybody_can_use_every_page_in_light_and_dark_and_on_a_small_phone(
    app: Flask, scene: Scenery, browser: Browser
) -> None:
    """Every page is checked on a phone and with the keyboard. Axe checks every third kind of page, and the first page
    of each template; with all cases, all pages."""
    faults = []
    known: set[object] = set()
    seen: set[str] = set()
    chosen = cycle((True, FULL, FULL))
    with served(app) as site, rendered(app) as names:
        tab_of, glass = tabs(browser, site, scene), lens(browser, site)
        for page in PAGES:
            tab = tab_of[page.who]
            names.clear()
            show(tab, scene, page)
            templates = frozenset(names[page.post :])  # A form is sent from a page that comes first.
            found = by_keyboard(tab)
            wide = tab.evaluate("document.documentElement.scrollWidth")
            found += [f"{wide} pixels wide"] if wide > SMALL["width"] else []
            found += [f"an iPhone zooms into {html}" for html in tab.evaluate(FINE_PRINT)]
            found += [f"a finger misses {html}" for html in tab.evaluate(SMALL_TARGETS)]
            kind = page if FULL or page.endpoint == "match.show" else templates
            if kind not in known:
                tab.set_viewport_size(DESK)
                found += by_keyboard(tab)
                if next(chosen) or page.path in ALSO_BY_NIGHT:
                    assert glass.evaluate(COPY, tab.content()), page.path
                    found += by_day(glass, BOARD if templates <= seen and not FULL else "")
                    seen |= templates
                    found += by_night(glass) if FULL or page.path in ALSO_BY_NIGHT else []
                tab.set_viewport_size(SMALL)
            known.add(kind)
            faults += [f"{page.path} as {page.who}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)
