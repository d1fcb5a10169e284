"""A whole match of every game on the page of a small phone, and one in which a browser plays against email.

Eva plays with only the keyboard and reads the accessibility tree; Mia plays by touch, and never has to scroll.
"""

from __future__ import annotations

import re
import time
from itertools import count
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from service.games import GAMES
from service.mail.grammar.orders import parse
from service.play.match import invitations
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from tests.cases import FULL
from tests.web.browsing import PATIENCE, SMALL, Person
from tests.web.live import Live, live
from tests.web.test_keyboard import press, reach_the_board

__all__ = ["live"]

pytestmark = pytest.mark.processes


class Plan(NamedTuple):
    """A short match: options as the form has them, orders `side: order` separated by semicolons, how it ends.

    Orders in parentheses aren't sent from the page, which only shows their results: another of these matches sends
    similar ones from the page. With all cases, they too are sent from the page.
    """

    options: dict[str, str]
    orders: str
    end: str


COUNTED = "black: pass; white: pass; black: accept; white: accept"
COUNTED_ELSEWHERE = "(black: pass); (white: pass); (black: accept); (white: accept)"

PLANS = {
    "medusa": Plan(
        {"base": "4"},
        "(black: e4); (white: c2); (black: f7); (white: c6); (black: g7); (white: g4); "
        f"black: g6 g7-e7; white: d5; {COUNTED}",
        "White won on points.",
    ),
    "lotus": Plan({}, f"black: e1; white: f1; {COUNTED_ELSEWHERE}", "White won on points."),
    "rosette": Plan({"base": "5"}, "(black: e9); white: e10; black: e11; white: resign", "Black won by resignation."),
    "pillars": Plan(
        {"setup": "k10/11/1K9/11/11/11/11/11/11/11/2T8 w - 0 1"}, "white: T-C11", "White won by checkmate."
    ),
    "go": Plan(
        {"size": "9"},
        "black: c3; white: g7; (black: pass); (white: pass); black: dead g7; white: accept",
        "Black won on points.",
    ),
    "multigo": Plan({"size": "5"}, f"black: b2; white: d4; {COUNTED_ELSEWHERE}", "Black and White drew on points."),
    "multigo-coop": Plan(
        {"size": "5"},
        f"(black: b2); white: d4; {COUNTED_ELSEWHERE}; black: ally white; black: alone; white: alone",
        "Black and White drew on points.",
    ),
    "multigo-parallel": Plan(
        {"size": "5"},
        "black: b2; black: c2; white: d4; (black: pass); (white: pass); black: accept; white: accept",
        "Black and White drew on points.",
    ),
    "multigo-parallel-coop": Plan(
        {"size": "5"},
        "white: d4; black: b2; (white: pass); (black: pass); (white: accept); (black: accept); "
        "black: ally white; white: ally black",
        "Black and White drew on points.",
    ),
}


PLAYED = [*GAMES] if FULL else ["medusa", "pillars", "go", "multigo-coop", "multigo-parallel"]
"""Games whose pages have something that no other page has; with all cases, all games."""


def plan_of(game: str) -> Plan:
    """The plan for a game; one without a plan here is opened, looked at and resigned."""
    first, other = GAMES[game].sides(2)
    return PLANS.get(game, Plan({}, f"{first}: resign", f"{other.capitalize()} won by resignation."))


@pytest.fixture(scope="module")
def eva(browser: Browser, live: Live) -> Person:
    return live.person(browser, "eva@example.org", SMALL)


@pytest.fixture(scope="module")
def mia(browser: Browser, live: Live) -> Person:
    return live.person(browser, "mia@example.org", SMALL, touch=True)


@pytest.mark.parametrize("touch_begins", [False, True] if FULL else [False])
@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_match_is_played_on_the_page(
    live: Live, eva: Person, mia: Person, game: str, touch_begins: bool
) -> None:
    plan = plan_of(game)
    first, second = (mia, eva) if touch_begins else (eva, mia)
    path = live.begin(first.email, game, plan.options, Chair("email", second.email))
    invitations.answer(live.site, int(path.rpartition("/")[2]), live.player(second.email), accept=True)
    live.worker.queue.join()
    for person in (eva, mia):
        person.page.goto(path)
    people = dict(zip(GAMES[game].sides(2), (first, second), strict=True))
    expect(people[plan.orders.strip("(").partition(":")[0]].page).to_have_title(re.compile("^● Your move"))
    for line in plan.orders.split("; "):
        side, _, order = line.strip("()").partition(": ")
        if line.startswith("(") and not FULL:
            elsewhere(live, path, [*people].index(side), people[side].email, order)
        else:
            send(people[side].page, order)
    for person in people.values():
        glance(person.page)
        expect(person.page.locator(".turn-line")).to_have_text(plan.end)
        expect(person.page.locator("#order")).to_have_count(0)
    assert eva.faults + mia.faults == []


_orders = count()


def elsewhere(live: Live, path: str, seat: int, email: str, text: str) -> None:
    """Sends an order other than from the page, and has it judged."""
    match = int(path.rpartition("/")[2])
    incoming = Incoming(
        key=f"elsewhere:{next(_orders)}",
        match_id=match,
        seat=seat,
        player_id=live.player(email),
        round=None,
        order=parse(text),
        door="web",
    )
    submit(live.site, incoming)
    judge_waiting(live.site, match)


def test_a_whole_match_is_played_on_the_page_against_email(live: Live, eva: Person) -> None:
    email = "max@example.org"
    path = open_against(eva.page, "go", email, {"size": "9"})
    for subject, answer, order in (
        ("invites you to play", "accept", "c3"),
        ("your move 2", "g7\n\nGood luck", "pass"),
        ("your move 4", "pass", "accept"),
    ):
        live.answer_letter(email, subject, answer)
        glance(eva.page)
        expect(eva.page).to_have_title(re.compile("^● Your move"))
        send(eva.page, order)
    live.answer_letter(email, "your move 6", "accept")
    glance(eva.page)
    expect(eva.page.locator(".turn-line")).to_have_text("White won on points.")
    expect(eva.page.locator(".moves")).to_contain_text("Good luck")
    assert eva.page.url.endswith(path)


def open_against(page: Page, game: str, opponent: str, options: dict[str, str]) -> str:
    """Opens a match from the form, with the first seat, against an address; returns its path."""
    page.goto(f"/new/{game}?seats=2")
    page.get_by_placeholder("ada@example.org").fill(opponent)
    for name, value in options.items():
        field = page.locator(f"[name={name}]")
        if not field.is_visible():
            page.locator("details", has=field).locator("summary").click()
        if field.evaluate("field => field.localName") == "select":
            field.select_option(value)
        else:
            field.fill(value)
    page.get_by_role("button", name="Open the match").click()
    page.wait_for_url("**/match/*")
    return page.url[page.url.index("/match/") :]


def send(page: Page, order: str) -> None:
    """Builds an order by pressing the board and the buttons, as far as they go; sends it; waits for the verdict."""
    glance(page)
    if order == "resign":
        page.locator("summary", has_text="More").click()
        page.locator("summary", has_text="Resign").click()
        with page.expect_navigation():
            page.get_by_role("button", name="Yes, resign").click()
        return
    build(page, order)
    assert not has_touch(page) or page.evaluate(OFF_SCREEN) == [], "The board, the turn and Send share the screen."
    with page.expect_response("**/order") as answer:
        act(page, page.locator("#send"))
    number = answer.value.json()["order"]
    expect(page.locator(f'#match[data-order="{number}"]')).to_have_attribute("data-verdict", "accepted")
    if not has_touch(page):
        tree = page.locator("#match").aria_snapshot()
        assert re.search(r'button "\w+, (empty|Black|White)', tree) or page.locator("#order").count() == 0
        words = order.replace("ally", "ally with").lower()
        assert f'link "{order}"' in tree or words in tree.lower(), "A screen reader can read what was played."


OFF_SCREEN = """() => scrollY || [...document.querySelectorAll("#board, .turn-line, #order #send")].filter((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top < 0 || Math.floor(bottom) > innerHeight;
}).map((part) => part.id || part.className)"""


def has_touch(page: Page) -> bool:
    return bool(page.evaluate("navigator.maxTouchPoints > 0"))


def act(page: Page, button: Locator) -> None:
    """Presses a button, with a finger or with the keyboard."""
    if has_touch(page):
        button.tap()
    else:
        button.press("Enter")


def build(page: Page, order: str) -> None:
    """Presses until the order box says `order`; orders without a press, such as declarations, are typed."""
    text, choices = "", page.locator("#draft").evaluate("script => JSON.parse(script.textContent).choices")
    while text != order:
        whole = [(choice, [choice], choice) if isinstance(choice, str) else choice for choice in choices]
        fitting = [choice for choice in whole if f"{order} ".startswith(f"{choice[0]} ")]
        if not fitting:
            return page.locator("#text").fill(order)
        text, cells, label = max(fitting, key=lambda choice: len(choice[0]))
        choices = pressed(page, cells, label)["choices"]
        expect(page.locator("#text")).to_have_value(text)
    return None


def pressed(page: Page, cells: list[str], label: str) -> Any:
    """The server's answer once the cells of a choice, or its button, are pressed."""
    with page.expect_response("**/preview") as answer:
        if has_touch(page):
            for cell in cells:
                touch(page, cell)
        elif cells:
            reach_the_board(page)
            press(page, cells)
        menu = page.locator("#choices .choice").get_by_text(label, exact=True)
        if not cells or menu.count():
            act(page, menu.first)
    return answer.value.json()


def touch(page: Page, cell: str) -> None:
    """Touches a cell; where cells are tiny, the first touch only magnifies the board around it."""
    zoomed = page.locator("#board.zoomed").count()
    page.locator(f'#board [data-cell="{cell}"]').tap()
    if page.locator("#board.zoomed").count() > zoomed:
        page.locator(f'#board [data-cell="{cell}"]').tap()


def glance(page: Page) -> None:
    """Comes back to the tab, where the page immediately polls for news, and waits until it shows the latest."""
    news, shown = f"{page.url.partition('?')[0]}/news", page.locator("#match")
    deadline = time.monotonic() + PATIENCE
    # An email may be processed meanwhile, so the latest state is requested again each time.
    while shown.get_attribute("data-at") != page.request.get(news).json()["at"]:
        assert time.monotonic() < deadline, "the page stays behind"
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_timeout(100)
