"""The conversation on an open match page: what is said appears, and its reader isn't disturbed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from service.play.talk import messages
from tests.web.browsing import DESK, Person
from tests.web.live import Live, live
from tests.web.test_staying_current import begun, look, send

__all__ = ["live"]

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def ada(browser: Browser, live: Live) -> Person:
    return live.person(browser, "ada@example.org", DESK)


AT_THE_END = "() => said.scrollTop > 0 && said.scrollTop + said.clientHeight >= said.scrollHeight - 1"


def test_a_long_conversation_shows_its_latest_message_until_its_reader_scrolls(live: Live, ada: Person) -> None:
    page, path = ada.page, begun(live, ada, "rosette", {"base": "5"})
    number = int(path.rpartition("/")[2])
    for word in ("first", "second"):
        messages.say(live.site, number, live.player(ada.email), f"{word}\n" * 40, word)
    page.goto(path)
    said = page.locator("#said")
    page.wait_for_function(AT_THE_END)
    said.evaluate("said => said.scrollTo(0, 0)")
    send(page, "e9")
    expect(page.locator(".moves")).to_contain_text("e9")
    assert said.evaluate("said => said.scrollTop") == 0
    messages.say(live.site, number, live.player(ada.email), "third", "third")
    look(page)
    expect(said).to_contain_text("third")
    page.wait_for_function(AT_THE_END)


def test_a_conversation_of_more_messages_than_a_page_shows_goes_on(
    live: Live, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "HEARD", 2)
    page, path = ada.page, begun(live, ada, "rosette", {"base": "5"})
    number = int(path.rpartition("/")[2])
    for word in ("one", "two"):
        messages.say(live.site, number, live.player(ada.email), word, word)
    page.goto(path)
    for word in ("three", "four"):
        messages.say(live.site, number, live.player("bruno@example.org"), word, word)
        look(page)
        expect(page.locator("#said")).to_contain_text(word)
    assert page.locator("#said blockquote").all_inner_texts() == ["one", "two", "three", "four"]


def test_keys_that_scroll_a_part_or_select_text_do_not_leave_the_page(live: Live, ada: Person) -> None:
    page, path = ada.page, begun(live, ada, "rosette", {"base": "5"})
    page.goto(path)
    send(page, "e9")
    expect(page.locator(".steps a[rel=start]")).to_be_visible()
    page.evaluate("document.addEventListener('click', (event) => { window.left = true; event.preventDefault(); })")
    page.get_by_role("log").press("Home")
    page.locator("#as-text").evaluate("details => { details.open = true; }")
    page.locator(".text-board").press("ArrowLeft")
    page.locator(".text-board").blur()
    for keys in ("Shift+ArrowLeft", "Shift+Home"):
        page.keyboard.press(keys)
    assert page.evaluate("window.left") is None
    page.get_by_role("link", name="All rules").press("Home")
    assert page.evaluate("window.left") is True
