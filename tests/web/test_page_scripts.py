"""Scripts of pages, where a visitor or a connection does something unusual."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from service.play.match.lobby import Chair
from tests.web.browsing import HURRY, MY_MOVE, PHONE, SMALL, Person, new_page
from tests.web.live import Live, live

__all__ = ["live"]

pytestmark = pytest.mark.processes


@pytest.fixture
def guest(browser: Browser, live: Live) -> Iterator[Page]:
    """Somebody without an account, at a page whose scripts mustn't fail."""
    page = new_page(browser, live.address, SMALL)
    faults: list[Exception] = []
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: faults.append(error))
    yield page
    page.context.close()
    assert faults == []


@pytest.fixture(scope="module")
def ada(browser: Browser, live: Live) -> Person:
    return live.person(browser, "ada@example.org", SMALL, touch=True)


def come_back(page: Page) -> None:
    """Comes back to the tab."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.evaluate("new Promise((done) => setTimeout(done, 300))")


def test_the_page_of_a_past_position_asks_for_no_news_and_its_board_can_be_turned(guest: Page, live: Live) -> None:
    path = live.begin("ada@example.org", "rosette", {"base": "5"}, Chair("bot"))
    asked: list[str] = []
    guest.on("request", lambda request: asked.append(request.url))
    guest.goto(f"{path}/at/0", wait_until="networkidle")
    asked.clear()
    come_back(guest)
    assert asked == []
    button = guest.locator("[data-sight] [name=turned]")
    button.click()
    expect(button).to_have_attribute("value", "no", timeout=5_000)
    assert path in guest.url


def test_a_figure_says_so_if_it_is_never_answered_and_can_be_pressed_again(guest: Page) -> None:
    guest.add_init_script(HURRY)
    guest.goto("/rules/rosette")
    unanswered: list[Route] = []
    guest.route("**/try?*", lambda route: unanswered.append(route), times=1)
    figure = guest.locator("figure.try").first
    figure.scroll_into_view_if_needed()
    cell = figure.locator('[data-cell][aria-label$=", empty"]').last
    cell.click()
    expect(figure.get_by_role("status")).to_contain_text("connection", timeout=10_000)
    guest.unroute_all()
    cell.click()
    expect(figure.get_by_role("button", name="Back")).to_be_enabled(timeout=10_000)
    assert len(unanswered) == 1


def test_the_board_of_the_front_page_keeps_the_focus_when_it_renews_itself(guest: Page, live: Live) -> None:
    path = live.begin("ada@example.org", "rosette", {"base": "5"}, Chair("bot"))
    guest.clock.install()
    guest.goto("/")
    for link in (guest.locator("#live a.plate"), guest.locator("#live figcaption a").first):
        link.focus()
        guest.locator("#live").evaluate("live => { live.dataset.at = ''; live.firstElementChild.title = 'before'; }")
        guest.clock.run_for(15_000)
        expect(guest.locator("#live [title=before]")).to_have_count(0, timeout=5_000)
        expect(link).to_be_focused(timeout=5_000)
    assert path


def test_a_form_whose_sending_was_stopped_can_be_sent_again(guest: Page) -> None:
    guest.clock.install()
    guest.goto("/sign-in")
    guest.get_by_label("Email address").fill("stopped@example.org")
    unanswered: list[Route] = []
    guest.route("**/sign-in", lambda route: unanswered.append(route), times=1)
    button = guest.get_by_role("button", name="Send me the link")
    button.click(no_wait_after=True)
    while not unanswered:
        guest.wait_for_timeout(50)
    unanswered[0].abort("aborted")
    guest.clock.run_for(10_000)
    button.click(no_wait_after=True)
    expect(guest.get_by_role("heading", name="Check your email")).to_be_visible(timeout=5_000)


def test_a_phone_that_is_turned_can_enlarge_the_board(live: Live, ada: Person) -> None:
    page = ada.page
    page.set_viewport_size({"width": 1000, "height": 900})
    page.goto(live.begin(ada.email, "go", {"size": "13"}, Chair("bot")))
    expect(page).to_have_title(MY_MOVE)
    zoom = page.get_by_role("button", name="Zoom")
    page.locator("#board [data-cell][tabindex='0']").wait_for(state="attached")
    expect(zoom).to_be_hidden(timeout=5_000)
    page.set_viewport_size(PHONE)
    expect(zoom).to_be_visible(timeout=5_000)
    page.set_viewport_size({"width": 1000, "height": 900})
    expect(zoom).to_be_hidden(timeout=5_000)


def test_a_press_without_a_finger_presses_the_cell_though_a_finger_enlarged_the_board_before(
    live: Live, ada: Person
) -> None:
    page = ada.page
    page.set_viewport_size(SMALL)
    page.goto(live.begin(ada.email, "go", {"size": "19"}, Chair("bot")))
    expect(page).to_have_title(MY_MOVE)
    cell = page.locator('#board [data-cell="e9"]')
    cell.wait_for(state="attached")
    cell.tap(force=True)
    expect(page.locator("#board.zoomed")).to_have_count(1, timeout=5_000)
    page.get_by_role("button", name="Zoom").press("Enter")
    expect(page.locator("#board.zoomed")).to_have_count(0, timeout=5_000)
    cell.dispatch_event("click")
    expect(page.locator("#preview")).to_contain_text("Preview of e9", timeout=5_000)
