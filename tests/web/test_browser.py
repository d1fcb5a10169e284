"""The pages in a real browser: first against a real deployment, then against a site of this process."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import update

from service.games import GAMES
from service.play.accounts import display_names
from service.play.match.lobby import Chair
from service.play.operations import announcements
from service.store.models import Player
from tests.web.browsing import DESK, MY_MOVE, PATIENCE, PHONE, SIDEWAYS, SMALL, TINY, WIDE, Person, new_page
from tests.web.live import Live, live

__all__ = ["live"]

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def ada(browser: Browser, live: Live) -> Person:
    return live.person(browser, "ada@example.org")


def open_match(live: Live, person: Person, game: str, opponent: Chair) -> str:
    """Opens a match on the smallest board, and shows it; returns its path."""
    smallest = {option.name: option.choices[-1] for option in GAMES[game].options if option.name == "base"}
    path = live.begin(person.email, game, smallest, opponent)
    person.page.goto(path)
    return path


def test_a_match_is_played_on_the_board_and_by_mail(browser: Browser, site: str) -> None:
    ada, bruno = (Person(new_page(browser, site, DESK), f"{name}@example.org").sign_in() for name in ("ada", "bruno"))
    ada.page.goto("/new/rosette?seats=2")
    ada.page.get_by_placeholder("ada@example.org").fill(bruno.email)
    ada.page.locator("#base").select_option(index=ada.page.locator("#base option").count() - 1)
    ada.page.get_by_role("button", name="Open the match").click()
    ada.page.wait_for_url("**/match/*")
    path = ada.page.url[ada.page.url.index("/match/") :]
    bruno.page.goto(path)
    bruno.page.get_by_role("button", name="Accept").click()
    expect(ada.page).to_have_title(re.compile("● Your move · Rosette vs Bruno"))
    expect(ada.page.locator(".brand")).to_contain_text("1 waiting for you")
    ada.page.get_by_label("Write to White").fill("A word begun")
    bruno.page.get_by_label("Write to Black").fill("Hello from Porto")
    bruno.page.get_by_role("button", name="Send message").click()
    expect(ada.page.locator("#said")).to_contain_text("Hello from Porto")

    ada.cell("e9").click()
    expect(ada.page.locator("#text")).to_have_value("e9")
    expect(ada.cell("e9")).to_have_attribute("aria-label", "e9, Black, last move")
    ada.cell("f9").click()
    expect(ada.cell("e9")).to_have_attribute("aria-label", "e9, empty")
    ada.page.get_by_role("button", name="Send", exact=True).click()
    expect(ada.page.locator(".told")).to_contain_text("White to move")
    expect(ada.page).to_have_title("Rosette vs Bruno")
    expect(ada.page.locator(".brand")).not_to_contain_text("waiting")

    expect(bruno.page).to_have_title(MY_MOVE)
    bruno.page.locator("#text").fill("f9")
    bruno.page.locator("#text").press("Enter")
    expect(bruno.page.locator("#verdict")).to_contain_text("f9 is taken by Black.")
    bruno.answer_letter("your move 2", "e10\n\nLet us see")
    expect(bruno.page.locator("#letters a", has_text="your move 3").first).to_be_visible()

    expect(ada.page.locator(".told")).to_contain_text("Let us see")
    ada.cell("e9").focus()
    for key in ("ArrowUp", "ArrowUp", "Enter"):
        ada.page.keyboard.press(key)
    order = ada.page.locator("#text")
    expect(order).not_to_have_value("")
    order.press("Enter")
    expect(ada.page.locator(".told")).to_contain_text("White to move")

    bruno.page.goto(path)
    bruno.page.locator("summary", has_text="More").click()
    bruno.page.locator("summary", has_text="Resign").click()
    bruno.page.get_by_role("button", name="Yes, resign").click()
    expect(bruno.page.locator(".told")).to_contain_text("Black won by resignation.")
    expect(ada.page.locator(".told")).to_contain_text("Black won by resignation.")
    expect(ada.page.get_by_label("Write to White")).to_have_value("A word begun")
    bruno.page.get_by_role("button", name="Rematch").click()
    expect(bruno.page.get_by_role("link", name="Go to the rematch")).to_be_visible()
    ada.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(ada.page.get_by_role("button", name="Rematch")).to_have_count(0)
    assert ada.faults + bruno.faults == []
    ada.page.context.close()
    bruno.page.context.close()


def test_a_message_goes_only_to_the_readers_that_are_ticked(browser: Browser, live: Live, ada: Person) -> None:
    page, bruno = ada.page, live.person(browser, "bruno@example.org")
    page.goto("/new/rosette")
    page.get_by_label("Daisy, a computer opponent").check()
    page.get_by_text("Play in teams").click()
    page.get_by_label("On your team", exact=True).fill("bruno@example.org")
    page.get_by_role("button", name="Open the match").click()
    page.wait_for_url("**/match/*")
    bruno.page.goto(page.url)
    expect(bruno.page.get_by_text("Ada and Daisy would like to play Rosette with you.")).to_be_visible()
    bruno.page.get_by_role("button", name="Accept").click()
    bruno.page.get_by_label("my team").check()
    expect(bruno.page.get_by_label("only the players ticked here")).to_be_checked()
    bruno.page.get_by_label("Write to").fill("For us two")
    bruno.page.get_by_role("button", name="Send message").click()
    expect(bruno.page.locator("#said")).to_contain_text("to the team only")
    assert bruno.faults == []
    bruno.page.context.close()


def test_a_move_works_without_scripts(browser: Browser, live: Live, ada: Person) -> None:
    path = live.begin(ada.email, "rosette", {"base": "5"}, Chair("bot"))
    context = browser.new_context(
        base_url=live.address, java_script_enabled=False, storage_state=ada.page.context.storage_state()
    )
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    page.goto(path)
    expect(page.locator("#order-help noscript")).to_be_visible()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("#text:invalid")).to_have_count(1)
    expect(page.locator("#verdict")).to_be_empty()
    page.get_by_role("button", name="pass", exact=True).click()
    expect(page.locator("#text")).to_have_value("pass")
    page.locator("#text").fill("e9")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator('#board g[data-says^="Black"][data-on="e9"]')).to_have_count(1)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".moves")).to_contain_text("e9")
    context.close()


def test_the_first_screen_of_a_phone_shows_everything_for_a_move(live: Live, ada: Person) -> None:
    for game in GAMES:
        open_match(live, ada, game, Chair("bot"))
        expect(ada.page).to_have_title(MY_MOVE)
        for size in (PHONE, SIDEWAYS):
            ada.page.set_viewport_size(size)
            assert unseen(ada.page) == [], f"{game} at {size}"
    ada.page.set_viewport_size(DESK)


def test_a_phone_held_sideways_shows_pass_below_the_longest_title_and_what_happened_last(
    live: Live, ada: Person
) -> None:
    open_match(live, ada, max(GAMES, key=lambda game: len(GAMES[game].title)), Chair("bot"))
    passing = ada.page.get_by_role("button", name="pass", exact=True)
    ada.page.set_viewport_size(WIDE)
    ada.page.locator("#text").fill("c3")
    ada.page.get_by_role("button", name="Send", exact=True).click()
    expect(ada.page.locator(".bar .report")).to_contain_text("White")
    expect(ada.page).to_have_title(MY_MOVE)
    expect(passing).to_be_in_viewport(ratio=1)
    assert unseen(ada.page) == []
    ada.page.set_viewport_size(SIDEWAYS)
    assert unseen(ada.page) == []
    ada.page.reload()
    expect(passing).to_be_in_viewport(ratio=1)
    ada.page.set_viewport_size(DESK)


def test_an_announcement_leaves_room_for_the_board_on_a_phone(live: Live, ada: Person) -> None:
    announcements.announce(live.site, live.player(ada.email), "Off on Sunday. " * 25, timedelta(hours=1))
    open_match(live, ada, "multigo", Chair("bot"))
    for size in (TINY, PHONE):
        ada.page.set_viewport_size(size)
        expect(ada.page.locator(".announcement")).to_be_in_viewport(ratio=1)
        assert unseen(ada.page) == []
    ada.page.set_viewport_size(DESK)
    announcements.announce(live.site, live.player(ada.email), "", timedelta())


def unseen(page: Page) -> list[str]:
    """The parts needed for a move that the first screen doesn't show, or shows behind the bar."""
    found: list[str] = page.evaluate(UNSEEN)
    return found


UNSEEN = """() => ["#board svg", ".turn-line", "#send"].filter((part) => {
    const { left, right, top, bottom } = document.querySelector(part).getBoundingClientRect();
    const seen = document.elementFromPoint((left + right) / 2, bottom - 2);
    return top < 0 || bottom > innerHeight || right > innerWidth || !seen.closest(part);
})"""


def test_a_screen_reader_meets_no_signs_and_nothing_empty(live: Live, ada: Person) -> None:
    open_match(live, ada, "rosette", Chair("bot"))
    expect(ada.page).to_have_title(MY_MOVE)
    heard = ada.page.locator("main").aria_snapshot()
    assert {"Your notes", "Your move"} <= set(re.findall("Your [a-z]+", heard))
    assert set("▸▾●") & set(heard) == set()
    assert "What happened last" not in heard


CARD = """() => {
    const [card] = document.querySelectorAll(".player");
    const [name, chip] = [".name", ".chip"].map((part) => card.querySelector(part).getBoundingClientRect());
    const first = document.createRange();
    first.setStart(card.querySelector(".name a").firstChild, 0);
    first.setEnd(card.querySelector(".name a").firstChild, 1);
    const { left, right } = first.getBoundingClientRect();
    return [name.left <= left + 1 && right <= name.right + 1, chip.width === chip.height];
}"""
"""Whether the first letter of a name can be seen, and whether the mark of its side is round."""

COLOURS = """() => [".player .chip.black", ".player .chip.white", ".player.turn", ".player:not(.turn)"].map((one) => {
    const { backgroundColor, borderBottomColor } = getComputedStyle(document.querySelector(one));
    return one.includes("chip") ? backgroundColor : borderBottomColor;
})"""


@pytest.mark.parametrize("sign", ["W", "\N{ARABIC LETTER MEEM}"])
def test_a_long_name_begins_beside_the_mark_of_its_side(browser: Browser, live: Live, sign: str) -> None:
    long = live.person(browser, "long@example.org", SMALL)
    open_match(live, long, "rosette", Chair("bot"))
    number = live.player(long.email)
    with live.site.store.writing() as session:
        display_names.take(session, session.get_one(Player, number), sign * 60)
    long.page.reload()
    assert long.page.evaluate(CARD) == [True, True]
    long.page.context.close()


def test_sides_and_whose_turn_it_is_can_be_told_apart_when_a_device_replaces_all_colours(
    live: Live, ada: Person
) -> None:
    open_match(live, ada, "rosette", Chair("bot"))
    expect(ada.page).to_have_title(MY_MOVE)
    ada.page.emulate_media(forced_colors="active")
    black, white, turn, other = ada.page.evaluate(COLOURS)
    assert black != white
    assert turn != other
    ada.page.goto("/matches")
    chosen, others = ada.page.locator(".filters [aria-current]"), ada.page.locator(".filters a:not([aria-current])")
    shade = "link => getComputedStyle(link).backgroundColor"
    assert chosen.first.evaluate(shade) != others.first.evaluate(shade)
    ada.page.emulate_media(forced_colors="none")


def test_moves_are_tried_by_pressing_a_private_board(live: Live, ada: Person) -> None:
    page = ada.page
    page.goto(f"{live.begin(ada.email, 'rosette', {'base': '5'}, Chair('open'))}/explore/0")
    for cell, side in (("e9", "Black"), ("f9", "White")):
        ada.cell(cell).click()
        page.wait_for_url("**/explore/0?at=*")
        expect(ada.cell(cell)).to_have_attribute("aria-label", f"{cell}, {side}, last move")
    expect(page.locator(".tried")).to_contain_text(re.compile("e9.*f9", re.DOTALL))
    ada.cell("e9").click()
    expect(page.locator("#verdict")).to_contain_text("e9 is taken by Black.")
    page.get_by_role("link", name="Previous", exact=True).click()
    expect(ada.cell("f9")).to_have_attribute("aria-label", "f9, empty")
    page.get_by_role("button", name="Delete this move").click()
    expect(page.locator(".tried")).to_have_count(0)
    assert ada.faults == []


def test_a_move_is_sent_as_soon_as_it_is_complete_on_the_board(live: Live, ada: Person) -> None:
    page, wish = ada.page, "Send a move as soon as it's complete on the board"

    def choose(at_once: bool) -> None:
        page.goto("/account")
        page.get_by_label(wish).set_checked(at_once)
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("status")).to_contain_text("Saved.")

    choose(True)
    open_match(live, ada, "rosette", Chair("bot"))
    expect(page).to_have_title(MY_MOVE)
    ada.cell("e9").click()
    expect(page.locator(".moves td", has_text=re.compile(r"\be9\b")).first).to_be_attached()
    choose(False)
    assert ada.faults == []


def test_a_button_pressed_twice_sends_once_until_the_visitor_comes_back(browser: Browser, live: Live) -> None:
    page = new_page(browser, live.address, DESK)
    sent: list[str] = []
    page.on("request", lambda asked: sent.append(asked.url) if asked.method == "POST" else None)
    for number in (1, 2):
        page.goto("/sign-in") if number == 1 else page.go_back()
        page.get_by_label("Email address").fill("twice@example.org")
        page.get_by_role("button", name="Send me the link").dblclick(no_wait_after=True)
        expect(page.get_by_role("heading", name="Check your email")).to_be_visible()
        assert len(sent) == number
    page.context.close()


def test_a_refused_order_clears_the_one_before_it(ada: Person) -> None:
    page = ada.page
    page.goto("/play")
    page.get_by_role("button", name="Play Pillars").click()
    page.wait_for_url("**/match/*")
    box, preview, verdict = page.locator("#text"), page.locator("#preview"), page.locator("#verdict")
    box.fill("e3e5")
    page.get_by_role("button", name="Preview").click()
    expect(preview).to_contain_text("Preview of")
    box.fill("~A-b5")
    page.get_by_role("button", name="Preview").click()
    expect(verdict).to_contain_text("'~A-b5' is not a move.")
    expect(preview).to_have_text("")
    expect(ada.cell("e3")).to_have_attribute("aria-label", "e3, White Sword")
    expect(box).to_have_value("~A-b5")
    ada.cell("f1").click()
    expect(preview).to_contain_text("The King on F1 has no legal move.")
    expect(page.locator(".picked")).to_have_count(1)
    ada.cell("f6").click()
    expect(verdict).to_contain_text("The King on F1 cannot go to F6; it has no legal move.")
    assert ada.faults == []


def test_on_a_phone_a_held_move_and_its_undo_are_beside_the_box(browser: Browser, live: Live) -> None:
    cleo = live.person(browser, "cleo.held@example.org")
    page = cleo.page
    with live.site.transaction() as tx:
        tx.session.execute(update(Player).where(Player.email == cleo.email).values(grace=60))
    page.set_viewport_size(PHONE)
    open_match(live, cleo, "rosette", Chair("bot"))
    for move in ("e9", "f9"):
        page.locator("#text").fill(move)
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.locator(".held")).to_contain_text(f"No one has seen your move {move} yet.")
        expect(page.locator("#text")).to_have_value("")
    for part in (page.locator(".held"), page.locator(".held button")):
        box = part.bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= box["y"] + box["height"] <= PHONE["height"]
    page.locator(".held button").click()
    expect(page.locator("#verdict")).to_have_text(re.compile("Your move was withdrawn, and no one has seen it."))
    expect(page.locator(".held")).to_have_count(0)
    expect(page).to_have_title(MY_MOVE)
    assert cleo.faults == []
    page.context.close()
