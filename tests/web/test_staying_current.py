"""An open match page updates itself, and what its player was doing stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from service.play.match import invitations
from service.play.match.lobby import Chair
from service.store.tables.reviews import Review, ReviewedMove
from tests.web.browsing import DESK, HURRY, MY_MOVE, SMALL, Person
from tests.web.live import Live, live

__all__ = ["live"]

pytestmark = pytest.mark.processes

RECORD = Path(__file__).parent.parent / "data" / "games" / "rosette.record"
NO_POINT = "There's no point z99 on this board."


@pytest.fixture(scope="module")
def ada(browser: Browser, live: Live) -> Person:
    return live.person(browser, "ada@example.org", DESK)


@pytest.fixture
def page(live: Live, ada: Person) -> Iterator[Page]:
    """A match in which Ada is to move."""
    ada.page.goto(live.begin(ada.email, "rosette", {"base": "5"}, Chair("bot")))
    expect(ada.page).to_have_title(MY_MOVE)
    yield ada.page
    ada.page.unroute_all()
    assert ada.faults == []


def answered(page: Page, news: dict[str, Any], times: int | None = 1) -> None:
    """The answer to the page's next `times` requests for news; None for all of them."""
    page.route("**/news*", lambda route: route.fulfill(json=news), times=times)


def send(page: Page, order: str) -> None:
    page.locator("#text").fill(order)
    page.get_by_role("button", name="Send", exact=True).click()


def look(page: Page) -> None:
    """Comes back to the tab, which polls immediately."""
    with page.expect_response("**/news*"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_a_verdict_is_shown_though_the_match_changes_before_the_order_is_judged(page: Page) -> None:
    answered(page, {"at": "changed", "verdict": {"state": "waiting", "message": ""}})
    send(page, "z99")
    expect(page.locator("#verdict")).to_contain_text(NO_POINT)
    expect(page.locator("#text")).to_have_value("z99")


def test_the_reason_of_a_refusal_stays_while_the_match_continues_in_the_same_round(page: Page) -> None:
    send(page, "z99")
    expect(page.get_by_label("Your move")).to_have_accessible_description(re.compile(NO_POINT))
    answered(page, {"at": "changed", "verdict": None}, times=None)  # It also polls every few seconds.
    with page.expect_response(lambda answer: "/news" not in answer.url and "/match/" in answer.url):
        look(page)
    expect(page.locator("#match[data-verdict]")).to_have_count(0)
    box = page.get_by_label("Your move")
    expect(box).to_have_value("z99")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(box).to_have_accessible_description(re.compile(NO_POINT))
    send(page, "e9")
    expect(page.locator(".moves")).to_contain_text("e9")
    expect(box).to_have_attribute("aria-invalid", "false")


RED = "rgb(179, 33, 29)"


def test_the_last_point_pressed_counts_though_the_answer_to_an_earlier_one_is_slower(page: Page) -> None:
    slow: list[Route] = []
    page.route("**/preview*", lambda route: slow.append(route), times=1)
    with page.expect_request("**/preview*"):
        page.locator('#board [data-cell="e9"]').click()
    page.locator('#board [data-cell="f9"]').click()
    expect(page.locator("#preview")).to_contain_text("Preview of f9")
    expect(page.locator("#text")).not_to_have_css("border-top-color", RED)
    with page.expect_response("**/preview*") as late:
        slow[0].continue_()
    late.value.finished()
    page.evaluate("new Promise((done) => setTimeout(done, 100))")  # The page's script takes the answer meanwhile.
    expect(page.locator("#preview")).to_contain_text("Preview of f9")
    expect(page.locator("#text")).to_have_value("f9")
    page.locator("#text").fill("z99")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#verdict")).to_contain_text(NO_POINT)
    expect(page.locator("#text")).to_have_css("border-top-color", RED)


def test_a_preview_of_an_earlier_board_is_not_shown_below_a_later_one(page: Page) -> None:
    slow: list[Route] = []
    page.route("**/preview*", lambda route: slow.append(route))
    answered(page, {"at": "changed", "verdict": None}, times=None)
    with page.expect_request("**/preview*"):
        page.locator('#board [data-cell="e9"]').click()
    page.locator("#match").evaluate("match => { match.dataset.before = ''; }")
    look(page)
    expect(page.locator("#match[data-before]")).to_have_count(0)
    with page.expect_response("**/preview*") as late:
        slow[0].fulfill(
            json={"text": "e9", "complete": True, "choices": [], "board": "<svg/>", "told": "Late", "facts": ""}
        )
    late.value.finished()
    page.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert page.locator("#preview").inner_text() == ""
    expect(page.locator("#text")).to_have_value("e9")


def test_a_move_that_could_not_be_saved_stays_to_be_sent_again(page: Page) -> None:
    page.route("**/order", lambda route: route.fulfill(status=503, json={"message": "We couldn't save that."}), times=1)
    send(page, "z99")
    expect(page.locator("#verdict")).to_have_text("We couldn't save that.")
    expect(page.locator("#text")).to_have_value("z99")
    send(page, "z99")
    expect(page.locator("#verdict")).to_contain_text(NO_POINT)


def test_a_board_that_could_not_be_turned_stays_as_it_is(page: Page) -> None:
    address = page.url
    page.route("**/sight", lambda route: route.fulfill(status=503, content_type="text/html", body="Not now"), times=1)
    button = page.locator("[data-sight] [name=turned]")
    with page.expect_response("**/sight"):
        button.click()
    button.click()
    expect(button).to_have_attribute("value", "no")
    assert page.url == address


def test_an_order_is_known_to_be_played_though_the_board_was_turned_before_it_was_judged(page: Page) -> None:
    at, said = page.evaluate(
        "[document.querySelector('#match'), document.querySelector('#conversation')]"
        ".map(({ dataset }) => dataset.at ?? dataset.said)"
    )
    answered(page, {"at": at, "said": said, "verdict": {"state": "waiting", "message": ""}}, None)
    send(page, "e5")
    button = page.locator("[data-sight] [name=turned]")
    button.click()
    expect(button).to_have_attribute("value", "no")
    page.unroute_all()
    look(page)
    expect(page.locator("#verdict")).to_contain_text("Your move e5 was accepted.")
    expect(page.locator("#text")).to_have_value("")


def test_a_request_that_is_never_answered_is_repeated(page: Page) -> None:
    page.evaluate(HURRY)
    unanswered: list[Route] = []
    page.route("**/news*", lambda route: unanswered.append(route), times=1)
    send(page, "z99")
    expect(page.locator("#verdict")).to_contain_text(NO_POINT, timeout=10_000)
    assert len(unanswered) == 1


def test_an_order_or_preview_that_is_never_answered_can_be_sent_again(page: Page) -> None:
    page.evaluate(HURRY)
    unanswered: list[Route] = []
    for request in ("**/preview*", "**/order"):
        page.route(request, lambda route: unanswered.append(route), times=1)
    page.locator("#text").fill("z99")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#verdict")).to_contain_text("The connection failed.", timeout=10_000)
    for told in ("The connection failed.", NO_POINT):
        send(page, "z99")
        expect(page.locator("#verdict")).to_contain_text(told, timeout=10_000)
    assert len(unanswered) == 2


def import_match(page: Page) -> Locator:
    """Adds a match that is over; returns its last move in the list."""
    page.goto("/import")
    page.locator("#text").fill(RECORD.read_text())
    page.get_by_role("button", name="Import it").click()
    last = page.locator(".moves .here")
    last.wait_for()
    return last


def test_the_moves_list_shows_the_last_move_of_a_long_match(ada: Person) -> None:
    import_match(ada.page)
    ada.page.wait_for_function(WITHIN)  # The page's script may still be scrolling.


WITHIN = """() => {
    const row = document.querySelector(".moves .here").getBoundingClientRect();
    const seen = document.querySelector(".moves .scroll").getBoundingClientRect();
    return seen.top <= row.top && row.bottom <= seen.bottom;
}"""


def test_a_match_is_printed_with_all_moves_and_without_buttons(ada: Person) -> None:
    import_match(ada.page)
    ada.page.emulate_media(media="print")
    assert ada.page.locator(".moves .scroll").evaluate("list => list.clientHeight >= list.scrollHeight")
    expect(ada.page.get_by_role("button")).to_have_count(0)
    chip = ada.page.locator(".moves .chip").first
    assert chip.evaluate("chip => getComputedStyle(chip).printColorAdjust") == "exact", "Sides can be told apart."
    ada.page.emulate_media(media="screen")


RING = """(ply) => {
    const link = document.querySelector(`.moves td a[href$="/at/${ply}"]`);
    link.focus();
    const [list, header] = [".moves .scroll", ".moves thead th"].map((name) => document.querySelector(name));
    const [seen, head, box] = [list, header, link].map((one) => one.getBoundingClientRect());
    const { outlineOffset, outlineWidth } = getComputedStyle(link);
    const reach = parseFloat(outlineOffset) + parseFloat(outlineWidth);
    return head.bottom <= box.top - reach && box.bottom + reach <= seen.bottom && seen.left <= box.left - reach
        ? "" : [ply, reach, head.bottom, box.top, box.bottom, seen.bottom, seen.left, box.left].join(" ");
}"""
"""What covers part of the focus ring around a move: "" if nothing does."""


def test_the_ring_around_a_move_is_seen_below_the_header_of_the_list(ada: Person) -> None:
    import_match(ada.page)
    ada.page.keyboard.press("Tab")  # From here on, the focused element has a ring.
    seen = [ada.page.evaluate(RING, ply) for ply in (30, 24, 17, 9, 3, 1)]
    assert not any(seen), seen


def test_the_whole_page_shows_that_the_match_is_over_and_unsent_words_stay(
    browser: Browser, live: Live, ada: Person
) -> None:
    bruno = live.person(browser, "bruno@example.org")
    path = live.begin(ada.email, "rosette", {"base": "5"}, Chair("player", player_id=live.player(bruno.email)))
    bruno.page.goto(path)
    bruno.page.get_by_role("button", name="Accept").click()
    page = ada.page
    page.goto(path)
    expect(page).to_have_title(MY_MOVE)
    expect(page.locator("#talk .hint")).to_contain_text("once the match is over")
    page.get_by_label("Write to White").fill("A word begun")
    page.locator("#note summary").click()
    page.get_by_label("Notes on this match").fill("A thought")
    page.get_by_label("Write to White").focus()
    expect(page.locator("#comments")).to_have_count(0)
    bruno.page.goto(path)
    bruno.page.get_by_text("More", exact=True).click()
    bruno.page.locator("summary", has_text="Resign").click()
    bruno.page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator(".told")).to_contain_text("Black won by resignation.")
    expect(page.locator("#talk .hint")).to_contain_text("Watchers can read it right away.")
    expect(page.get_by_role("heading", name="Comments")).to_be_visible()
    expect(page.get_by_label("Write to White")).to_have_value("A word begun")
    expect(page.get_by_label("Write to White")).to_be_focused()
    expect(page.get_by_label("Notes on this match")).to_have_value("A thought")
    expect(page.get_by_label("Notes on this match")).to_be_visible()
    page.get_by_role("button", name="Send message").click()
    expect(page.locator("#said")).to_contain_text("A word begun")
    assert ada.faults + bruno.faults == []
    bruno.page.context.close()


def begun(live: Live, ada: Person, game: str, options: dict[str, str], *others: Chair) -> str:
    """The path of a match of Ada with these others and Bruno, who has the last seat."""
    bruno = live.player("bruno@example.org")
    path = live.begin(ada.email, game, options, *others, Chair("player", player_id=bruno))
    invitations.answer(live.site, int(path.rpartition("/")[2]), bruno, accept=True)
    return path


def test_a_page_that_shows_why_a_form_was_refused_stays_current_too(live: Live, ada: Person) -> None:
    page = ada.page
    page.goto(path := begun(live, ada, "multigo", {"size": "9"}, Chair("bot")))
    page.locator("summary", has_text="More").click()
    page.locator("summary", has_text="Offer my seat").click()
    page.get_by_label("to the player with this email address").check()
    page.get_by_label("Email address", exact=True).fill(ada.email)
    page.get_by_role("button", name="Offer it").click()
    expect(page.get_by_text("The seat is already yours.")).to_be_visible()
    assert not page.url.endswith(path)
    send(page, "e5")
    expect(page.locator("#verdict")).to_contain_text("Your move e5 was accepted.")


def test_what_is_being_filled_in_below_the_board_stays_when_somebody_moves(live: Live, ada: Person) -> None:
    page = ada.page
    page.goto(begun(live, ada, "multigo", {"size": "9"}, Chair("bot")))
    page.locator("summary", has_text="More").click()
    page.locator("summary", has_text="Offer my seat").click()
    heir, address = page.locator("[name=heir][value=somebody]"), page.get_by_label("Email address", exact=True)
    heir.check()
    address.fill("carl@example.org")
    page.locator("#match").evaluate("match => { match.dataset.before = ''; }")
    answered(page, {"at": "changed", "verdict": None}, times=None)  # A page may fail to load once.
    look(page)
    expect(page.locator("#match[data-before]")).to_have_count(0)
    expect(address).to_have_value("carl@example.org")
    expect(address).to_be_focused()
    expect(heir).to_be_checked()
    expect(page.locator("[name=heir][value=anybody]")).not_to_be_checked()


def test_the_row_of_players_begins_at_the_one_to_move_and_stays_where_it_was_scrolled_to(
    live: Live, ada: Person
) -> None:
    page = ada.page
    page.set_viewport_size(SMALL)
    page.goto(begun(live, ada, "multigo", {"size": "5"}, *[Chair("bot")] * 2))
    expect(page).to_have_title(MY_MOVE)
    players = page.locator(".players")
    players.evaluate("row => row.scrollTo(60, 0)")
    send(page, "a1")
    expect(page.locator(".moves")).to_contain_text("a1")
    expect(page.locator(".player.turn")).to_contain_text("Bruno")
    assert players.evaluate("row => row.scrollLeft") == 60
    page.reload()
    assert players.evaluate("row => row.scrollLeft + row.clientWidth >= row.scrollWidth - 1"), (
        "Bruno's seat is the last"
    )
    page.set_viewport_size(DESK)


def test_the_page_of_a_review_updates_itself_with_what_the_computer_finds(live: Live, ada: Person) -> None:
    page = ada.page
    import_match(page)
    number = int(page.url.rpartition("/")[2])
    with live.site.store.writing() as session:
        # Leased, so that no process continues it.
        session.add(Review(match_id=number, leased=live.site.now() + timedelta(days=1)))
    page.clock.install()
    page.reload()
    look = page.locator("#second-look")
    expect(look).to_contain_text("The computer has looked at 0 of")
    link = look.get_by_role("link", name="Refresh")
    link.focus()
    for done in (1, 2):
        with live.site.store.writing() as session:
            session.add(ReviewedMove(match_id=number, ply=done, shares=[0.5, 0.5], best="f12", line=["f12"]))
        page.clock.run_for(5_000)
        expect(look).to_contain_text(f"The computer has looked at {done} of")
        expect(link).to_be_focused()
    with live.site.store.writing() as session:
        session.get_one(Review, number).finished = live.site.now()
    page.clock.run_for(5_000)
    expect(look).not_to_contain_text("The computer has looked at")
    expect(look).to_contain_text("winning chances by 50 percentage points")
    assert ada.faults == []
