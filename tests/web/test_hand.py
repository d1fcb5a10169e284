"""The hand over a board, in a real browser: what is under the pointer, what is dragged, and what moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.browsing import DESK, MY_MOVE, SMALL, new_page
from tests.web.live import Live, live

__all__ = ["live"]

pytestmark = pytest.mark.processes

COUNT = """() => {
    const { dataset } = document.body;
    dataset.moving = 0;
    const count = (node) => { if (node.matches?.("g.rings[transform]")) dataset.moving = Number(dataset.moving) + 1; };
    new MutationObserver((records) => records.forEach((record) => record.addedNodes.forEach(count)))
        .observe(document, { childList: true, subtree: true });
}"""
"""Counts what is animated in a picture, which starts after the preview is shown."""


@pytest.fixture(scope="module")
def guest(browser: Browser, live: Live) -> Iterator[Page]:
    page = new_page(browser, live.address, DESK)
    yield page
    page.context.close()


def begin(page: Page, game: str, choice: str = "", value: str = "") -> None:
    page.goto("/play")
    if choice:
        page.get_by_label(choice, exact=True).select_option(value)
    page.get_by_role("button", name=f"Play {game}", exact=True).click()
    expect(page).to_have_title(MY_MOVE)
    page.locator("#board [data-cell][tabindex='0']").wait_for(state="attached")


def spot(page: Page, cell: str) -> tuple[float, float]:
    box = page.locator(f'#board [data-cell="{cell}"]').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_ghost_and_the_coordinate_are_under_the_pointer_and_the_stone_lands(guest: Page) -> None:
    begin(guest, "Lotus")
    guest.mouse.move(*spot(guest, "k3"))
    expect(guest.locator("#board .tip")).to_have_text("k3")
    expect(guest.locator("#board .black.ghost")).to_have_count(1)
    guest.evaluate(COUNT)
    guest.mouse.click(*spot(guest, "k3"))
    expect(guest.locator("#preview")).to_contain_text("Preview of k3")
    expect(guest.locator("body")).to_have_attribute("data-moving", "1")
    guest.emulate_media(reduced_motion="reduce")
    guest.mouse.click(*spot(guest, "a1"))
    expect(guest.locator("#preview")).to_contain_text("Preview of a1")
    guest.wait_for_timeout(200)
    expect(guest.locator("body")).to_have_attribute("data-moving", "1")
    guest.emulate_media(reduced_motion="no-preference")


def test_a_piece_is_dragged_and_pressing_it_again_drops_it(guest: Page) -> None:
    errors: list[str] = []
    guest.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    begin(guest, "Pillars of Medusa")
    x, y = spot(guest, "i2")
    guest.mouse.move(x, y)
    expect(guest.locator("#board .tip")).to_have_text("i2")
    for picked in (1, 0):
        guest.mouse.click(x, y)
        expect(guest.locator("#board .picked")).to_have_count(picked)
    guest.mouse.down()
    guest.mouse.move(x, y - 20)
    expect(guest.locator("#board .rings .piece")).to_have_count(1)
    guest.mouse.move(*spot(guest, "i4"))
    guest.mouse.up()
    expect(guest.locator("#preview")).to_contain_text("Preview of I2-I4")
    expect(guest.locator("#preview")).not_to_contain_text("Half-moves")
    guest.mouse.click(*spot(guest, "i6"))
    expect(guest.locator("#verdict .refused")).to_be_visible()
    assert errors == []


def test_a_guest_moves_in_four_presses_and_dense_boards_are_magnified_first(browser: Browser, live: Live) -> None:
    page = new_page(browser, live.address, SMALL, touch=True)
    page.goto("/")
    page.get_by_role("link", name="Play now").tap()
    page.get_by_role("button", name="Play Lotus", exact=True).tap()
    page.locator("#board [data-cell][tabindex='0']").wait_for(state="attached")
    page.touchscreen.tap(*spot(page, "k3"))
    expect(page.locator("#preview")).to_contain_text("Preview of k3")
    whole, seen = page.evaluate("(({scrollHeight, clientHeight}) => [scrollHeight, clientHeight])(preview)")
    assert whole <= seen, "the whole sentence can be read before the move is sent"
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Send", exact=True).tap()
    expect(page.locator(".moves")).to_contain_text("k3")
    assert page.locator(".moves td a").first.evaluate("link => link.offsetHeight") >= 44
    assert page.locator(".moves td a").first.evaluate("link => link.offsetWidth") >= 44
    assert page.locator(".player").last.evaluate(BELOW_NAME) == ["A", "A"]

    begin(page, "Go", "Board of Go", "19")
    assert width(page, "d4") < 24
    page.touchscreen.tap(*spot(page, "d4"))
    assert width(page, "d4") == pytest.approx(44, abs=1)
    expect(page.locator("#text")).to_have_value("")
    page.touchscreen.tap(*spot(page, "d4"))
    expect(page.locator("#preview")).to_contain_text("Preview of d4")
    page.context.close()


def test_a_dense_board_is_magnified_where_a_click_does_not_say_that_it_is_a_touch(browser: Browser, live: Live) -> None:
    """As in Safari, where a click is a MouseEvent."""
    page = new_page(browser, live.address, SMALL, touch=True)
    page.add_init_script("addEventListener('click', (event) => Object.defineProperty(event, 'pointerType', {}), true)")
    begin(page, "Go", "Board of Go", "19")
    page.touchscreen.tap(*spot(page, "d4"))
    assert width(page, "d4") == pytest.approx(44, abs=1)
    expect(page.locator("#text")).to_have_value("")
    page.touchscreen.tap(*spot(page, "d4"))
    expect(page.locator("#preview")).to_contain_text("Preview of d4")
    page.context.close()


BELOW_NAME = """(card) => {
    const { left, bottom } = card.querySelector(".name").getBoundingClientRect();
    return [25, 8].map((up) => document.elementFromPoint(left + 3, bottom - up).tagName);
}"""
"""What a finger meets on a player's name, and on the line below it."""


def width(page: Page, cell: str) -> float:
    box = page.locator(f'#board [data-cell="{cell}"]').bounding_box()
    assert box is not None
    return box["width"]
