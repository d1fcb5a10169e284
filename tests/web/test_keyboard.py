"""The board for people without a mouse or who can't see it, on the smallest screen; and figures to try moves on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Response, expect

from service.games import GAMES
from service.play.match import lobby
from tests.web.browsing import DESK, MY_MOVE, SMALL, Person, new_page
from tests.web.live import Live, live

__all__ = ["live"]

pytestmark = pytest.mark.processes

NAMES = """() => [...document.querySelectorAll("#board [data-cell]")].map((cell) =>
    [cell.dataset.cell, cell.getAttribute("role"), cell.getAttribute("aria-label"), cell.getAttribute("tabindex")])"""

HERE = """() => document.activeElement.dataset?.cell ?? null"""

WAY = """([name, before]) => {
    const { activeElement: now } = document, here = now.dataset.cell;
    if (here === name) return [here, ""];
    const middle = (cell) => { const box = cell.getBBox(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    const [x, y] = middle(now), [there, top] = middle(document.querySelector(`#board [data-cell="${name}"]`));
    const level = there < x ? "ArrowLeft" : "ArrowRight", upright = top < y ? "ArrowUp" : "ArrowDown";
    return [here, (Math.abs(there - x) > Math.abs(top - y)) !== (here === before) ? level : upright];
}"""
"""Where the keyboard is, and the arrow key that leads nearest to a cell, or the next best if the last led nowhere."""

NEAREST = """(choices) => {
    const [start] = document.querySelectorAll("#board [data-cell][tabindex='0']");
    const place = (cell) => cell.getBoundingClientRect();
    const away = (name) => {
        const [from, to] = [place(start), place(document.querySelector(`#board [data-cell="${name}"]`))];
        return Math.hypot(from.x - to.x, from.y - to.y);
    };
    const far = (cells) => Math.max(...cells.map(away));
    const all = choices.map((choice) => typeof choice === "string" ? [choice, [choice], choice] : choice);
    const whole = all.filter(([, cells]) => cells.length && new Set(cells).size === cells.length);
    return whole.filter(([, cells]) => far(cells) > 40).sort(([, one], [, two]) => far(one) - far(two))[0];
}"""
"""One of these choices whose cells are near the one that Tab leads to, but not that one."""


@pytest.fixture(scope="module")
def guest(browser: Browser, live: Live) -> Iterator[Page]:
    """Somebody without an account, on a small phone."""
    page = new_page(browser, live.address, SMALL)
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def practising(browser: Browser, live: Live) -> Person:
    return live.person(browser, "eva@example.org", SMALL)


@pytest.mark.parametrize("game", GAMES)
def test_a_move_of_every_game_can_be_made_with_only_the_keyboard(live: Live, practising: Person, game: str) -> None:
    page = practising.page
    page.goto(f"/match/{lobby.practise(live.site, live.player(practising.email), game)}")
    expect(page).to_have_title(MY_MOVE)
    page.locator("#board [data-cell][tabindex='0']").wait_for(state="attached")

    cells = page.evaluate(NAMES)
    assert all(role == "button" and re.fullmatch(rf"{name}, \w.*", label) for name, role, label, _ in cells)
    assert [tabindex for *_, tabindex in cells].count("0") == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]

    choices = page.locator("#draft").evaluate("script => JSON.parse(script.textContent).choices")
    text, names, _ = page.evaluate(NEAREST, choices)
    order, onto = page.locator("#text"), names[-1]
    before = page.locator(f'#board [data-cell="{onto}"]').get_attribute("aria-label")
    reach_the_board(page)
    press(page, names)
    expect(order).to_have_value(text)
    expect(page.locator("#preview")).to_contain_text(f"Preview of {text}:")
    assert page.evaluate(HERE) == onto, "The keyboard stays on its cell."
    expect(page.locator(f'#board [data-cell="{onto}"]')).not_to_have_attribute("aria-label", str(before))
    page.keyboard.press("Escape")
    expect(order).to_have_value("")
    expect(page.locator(f'#board [data-cell="{onto}"]')).to_have_attribute("aria-label", str(before))
    press(page, names)
    expect(order).to_have_value(text)
    page.locator("#send").press("Enter")
    entry = re.compile(rf"\b{re.escape(text)}(?!\w)")  # A bot that moves at the same time may come first.
    expect(page.locator(".moves td", has_text=entry).first).to_be_attached()
    assert page.evaluate("document.activeElement.closest('#board, #order') !== null"), "The keyboard stays near."
    expect(page.locator("#news")).to_contain_text(re.compile("Your move|to move"))


FOCUS = """() => document.activeElement.dataset?.cell ?? document.activeElement.id"""


@pytest.mark.parametrize(("game", "first", "typed"), [("rosette", "e9", "f9"), ("pillars", "e3", "E3-E4")])
def test_the_keyboard_stays_near_when_undo_or_clear_has_emptied_the_order(
    live: Live, practising: Person, game: str, first: str, typed: str
) -> None:
    page = practising.page
    page.goto(f"/match/{lobby.practise(live.site, live.player(practising.email), game)}")
    expect(page).to_have_title(MY_MOVE)
    page.locator("#board [data-cell][tabindex='0']").wait_for(state="attached")
    undo = page.get_by_role("button", name="Undo")
    reach_the_board(page)
    press(page, [first])
    expect(undo).to_be_visible()
    reach(page, "undo")
    page.keyboard.press("Enter")
    expect(undo).to_be_hidden()
    assert page.evaluate(FOCUS) == first

    page.locator("#text").fill(typed)
    reach(page, "look")
    page.keyboard.press("Enter")
    expect(page.locator("#preview")).to_contain_text(f"Preview of {typed}")
    reach(page, "undo")
    page.keyboard.press("Enter")
    expect(undo).to_be_hidden()
    assert page.evaluate(FOCUS) == "text"


def test_the_keyboard_goes_from_a_choice_to_undo(live: Live, practising: Person) -> None:
    page = practising.page
    page.goto(f"/match/{lobby.practise(live.site, live.player(practising.email), 'lotus')}")
    expect(page).to_have_title(MY_MOVE)
    choice = page.locator("#choices .choice").first
    choice.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#preview")).to_contain_text("Preview of pass")
    assert page.evaluate(FOCUS) == "undo"


def reach(page: Page, name: str) -> None:
    """Presses Tab until the element with this id or name has the focus."""
    for _ in range(40):
        if page.evaluate("document.activeElement.id || document.activeElement.name") == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {name}.")


def reach_the_board(page: Page) -> None:
    for _ in range(40):
        if page.evaluate(HERE):
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not lead to the board.")


def press(page: Page, names: list[str]) -> None:
    """Goes to each of the cells with the arrow keys, and presses it."""
    for name in names:
        before = None
        for _ in range(80):
            before, key = page.evaluate(WAY, [name, before])
            if not key:
                break
            page.keyboard.press(key)
        assert before == name
        page.keyboard.press("Enter")


def test_giving_something_up_has_to_be_confirmed_and_the_board_can_be_turned(guest: Page) -> None:
    guest.goto("/play")
    guest.get_by_role("button", name="Play Lotus", exact=True).click()
    guest.locator("#board [data-cell][tabindex='0']").wait_for(state="attached")
    top = cast(dict[str, float], guest.locator('#board [data-cell="u1"]').bounding_box())["y"]
    guest.locator("#text").fill("k2")
    guest.get_by_role("button", name="Preview").click()
    expect(guest.locator("#preview")).to_contain_text("Preview of k2")
    guest.get_by_role("button", name="Turn").click()
    expect(guest.get_by_role("button", name="Turn")).to_have_attribute("aria-pressed", "true")
    expect(guest.locator('#board [data-cell="k2"]')).to_have_attribute("aria-label", "k2, Black, last move")
    assert cast(dict[str, float], guest.locator('#board [data-cell="u1"]').bounding_box())["y"] > top + 50
    guest.locator("#text").fill("pass")
    guest.locator("#send").click()
    expect(guest.locator("#preview")).to_contain_text("Send it again to confirm.")
    expect(guest.locator("#send")).to_be_focused()
    guest.keyboard.press("Enter")
    expect(guest.locator(".moves")).to_contain_text("pass")


def _begun_turn(guest: Page) -> tuple[Locator, Locator, Locator]:
    """A figure in the rules of Medusa after two presses of a turn, what it says, and its Back button."""
    guest.goto("/rules/medusa")
    figure = guest.locator("figure.try").nth(2)
    figure.scroll_into_view_if_needed()
    words, back = figure.get_by_role("status"), figure.get_by_role("button", name="Back")
    for cell in ("f5", "h5"):
        figure.locator(f'[data-cell="{cell}"]').click()
    expect(words).to_contain_text("end the turn, or go on")
    return figure, words, back


def test_a_figure_of_the_rules_can_be_played_on(guest: Page) -> None:
    figure, words, back = _begun_turn(guest)
    back.click()
    expect(figure.locator('[data-cell="f5"]')).to_have_attribute("aria-label", "f5, Black")
    for cell in ("f5", "h5"):
        figure.locator(f'[data-cell="{cell}"]').click()
    figure.get_by_role("button", name="End the turn").click()
    expect(words).to_contain_text("White to move.")
    figure.locator('[data-cell="h5"]').click()
    expect(words).to_contain_text("h5 is taken by Black")
    figure.get_by_role("button", name="Start again").click()
    expect(words).to_contain_text("Black to move.")
    expect(back).to_be_disabled()


def test_the_buttons_of_a_figure_work_with_the_keyboard(guest: Page) -> None:
    figure, words, back = _begun_turn(guest)
    back.press("Enter")
    expect(figure.locator('[data-cell="f5"]')).to_have_attribute("aria-label", "f5, Black")
    figure.locator('[data-cell="f5"]').click()
    figure.locator('[data-cell="h5"]').click()
    figure.get_by_role("button", name="End the turn").press(" ")
    expect(words).to_contain_text("White to move.")


def test_back_keeps_the_keyboard_until_there_is_nothing_to_go_back_to(guest: Page) -> None:
    guest.goto("/rules/rosette")
    figure = guest.locator("figure.try").first
    figure.scroll_into_view_if_needed()
    back, empty = figure.get_by_role("button", name="Back"), figure.locator('[aria-label$=", empty"]')
    figure.locator("[data-cell]").first.wait_for(state="attached")
    count = empty.count()
    for left in (count - 1, count - 2):
        empty.last.click()
        expect(empty).to_have_count(left)
    back.focus()
    guest.keyboard.press("Enter")
    expect(empty).to_have_count(count - 1)
    expect(back).to_be_focused()
    guest.keyboard.press("Enter")
    expect(back).to_be_disabled()
    assert guest.evaluate(HERE), "The keyboard goes to the board."


def test_keys_of_the_browser_work_on_the_board(live: Live, practising: Person) -> None:
    page = practising.page
    page.goto(f"/match/{lobby.practise(live.site, live.player(practising.email), 'rosette')}")
    reach_the_board(page)
    before = page.evaluate(HERE)
    page.evaluate("addEventListener('keydown', (event) => { window.taken = event.defaultPrevented; })")
    for held in ("altKey", "ctrlKey", "metaKey"):
        page.locator(f'#board [data-cell="{before}"]').dispatch_event("keydown", {"key": "ArrowLeft", held: True})
        assert page.evaluate("window.taken") is False, held
    assert page.evaluate(HERE) == before


def test_a_number_of_players_chosen_with_the_keyboard_waits_for_its_button(live: Live, practising: Person) -> None:
    page = practising.page
    page.goto("/new/multigo?seats=3")
    seats = page.locator("#seats")
    for chosen in ("4", "5"):
        seats.press("ArrowDown")
        expect(seats).to_have_value(chosen)
        expect(seats).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/new/multigo?seats=5")
    seats.select_option("4")
    page.wait_for_url("**/new/multigo?seats=4")


def test_a_cell_pressed_by_a_screen_reader_counts_though_no_pointer_is_on_it(live: Live, practising: Person) -> None:
    page = practising.page
    page.goto(f"/match/{lobby.practise(live.site, live.player(practising.email), 'rosette')}")
    page.locator("#board [data-cell][tabindex='0']").wait_for(state="attached")
    # Assistive programs press an element without saying where.
    page.locator('#board [data-cell="e9"]').dispatch_event("click")
    expect(page.locator("#preview")).to_contain_text("Preview of e9", timeout=10_000)


VISIBLE = """() => {
    const both = [document.activeElement, document.querySelector("#board")];
    const [cell, frame] = both.map((one) => one.getBoundingClientRect());
    return frame.left <= cell.left && cell.right <= frame.right && frame.top <= cell.top && cell.bottom <= frame.bottom;
}"""


def test_the_keyboard_stays_in_view_on_an_enlarged_board(live: Live, practising: Person) -> None:
    page = practising.page
    page.goto(f"/match/{lobby.practise(live.site, live.player(practising.email), 'rosette')}")
    page.get_by_role("button", name="Zoom").click()
    reach_the_board(page)
    for key in ("ArrowLeft", "ArrowUp"):
        for _ in range(5):
            page.keyboard.press(key)
            assert page.evaluate(VISIBLE), page.evaluate(HERE)


def test_a_first_visit_to_a_match_is_light_and_requests_nothing_from_other_hosts(
    browser: Browser, live: Live, guest: Page
) -> None:
    guest.goto("/play")
    guest.get_by_label("Board of Medusa", exact=True).select_option("10")
    guest.get_by_role("button", name="Play Medusa", exact=True).click()
    guest.wait_for_url("**/match/*")
    seen: list[Response] = []
    with new_page(browser, live.address, DESK).context as fresh:
        (page,) = fresh.pages
        page.on("response", lambda answer: seen.append(answer))
        page.goto(guest.url, wait_until="networkidle")
        sizes: list[Any] = [answer.request.sizes() for answer in seen]
        # Spectators can move over the board as well.
        reach_the_board(page)
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.role ?? document.activeElement.getAttribute('role')") == "img"
        assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(page.evaluate(HERE))
    assert {urlsplit(answer.url).netloc for answer in seen} == {urlsplit(live.address).netloc}
    assert len(seen) >= 8
    assert sum(each["responseBodySize"] + each["responseHeadersSize"] for each in sizes) < 40_000
