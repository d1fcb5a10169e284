"""The lessons as pages: a newcomer who has read nothing else does them, with the script and without."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from service.games import GAMES
from service.play.pages import lessons
from tests.render.boards import targets
from tests.web.browsing import new_page
from tests.web.conftest import Visitor, words
from tests.web.live import Live, live

__all__ = ["live"]

PHONE = ViewportSize(width=360, height=640)


@pytest.mark.parametrize("game", GAMES)
def test_a_newcomer_does_the_whole_lesson_without_a_script(anybody: Visitor, game: str) -> None:
    """Follows only links on the pages, from the list of lessons to the end, and uses the form below each board."""
    path, steps = f"/learn/{game}", lessons.lesson(game).steps
    assert f'href="{path}"' in anybody.get("/learn").text
    for number, step in enumerate(steps, start=1):
        page = unescape(anybody.get(path).text)
        assert step.title in page
        assert step.task in page
        assert f'action="{path}"' in page
        answer = anybody.get(f"{path}?{urlencode({'move': step.right[0]})}")
        assert f"Right. {step.answer}" in unescape(words(answer))
        path = unescape(re.findall(r'<a class="button primary" href="([^"]*)"', answer.text)[0])
        assert path == (f"/learn/{game}/{number + 1}" if number < len(steps) else f"/learn/{game}/end")
    end = anybody.get(path).text
    assert all(credit.link in end for credit in lessons.lesson(game).credits)
    assert f'action="/play/{game}"' in end


@pytest.mark.parametrize(
    ("move", "status", "said"),
    [
        ("u2", 200, "Right. u1 and s2 both lost their last liberty"),
        ("U2.", 200, "Right. u1 and s2"),
        ("a1", 200, "Not quite. Both white stones are still there."),
        ("u1", 422, "That can't be played."),
        ("the top, please", 422, "'the top, please' is"),
        ("x" * 3_000, 422, "An order can have up to"),
        ("", 200, "Black to move."),
    ],
)
def test_an_answer_is_judged_and_what_was_typed_stays(anybody: Visitor, move: str, status: int, said: str) -> None:
    answer = anybody.get(f"/learn/lotus/2?{urlencode({'move': move})}")
    assert answer.status_code == status
    assert said in words(answer)
    assert f'name="move" value="{move}"' in unescape(answer.text)


def test_after_an_answer_the_board_shows_what_it_did(anybody: Visitor) -> None:
    assert targets(anybody.get("/learn/lotus/2?move=u2").text)["u1"].says == "Black, changed colour"
    assert targets(anybody.get("/learn/lotus/2?move=u1").text)["u1"].says == "White"


def pressed(visitor: Visitor, game: str, step: int, **asked: str) -> Any:
    return visitor.get(f"/learn/{game}/{step}/try?{urlencode(asked)}").json


def test_presses_build_an_order_until_it_is_complete(anybody: Visitor) -> None:
    begun = pressed(anybody, "medusa", 5, text="a1")
    assert (begun["text"], begun["complete"], "judged" in begun) == ("a1", True, False)
    assert "a1 e1-c1" in [text for text, _, _ in begun["choices"]]
    whole = pressed(anybody, "medusa", 5, text="a1", play="yes")
    assert (whole["judged"], whole["choices"]) == (True, [])
    assert "Not quite." in whole["told"]
    assert "Next step" not in whole["told"]


def test_the_right_order_is_judged_although_more_could_follow(anybody: Visitor) -> None:
    right = pressed(anybody, "medusa", 1, text="b1")
    assert right["judged"]
    assert "Right." in right["told"]
    assert '/learn/medusa/2"' in right["told"]


def test_an_impossible_press_is_explained(anybody: Visitor) -> None:
    answer = anybody.get("/learn/lotus/2/try?text=u1")
    assert answer.status_code == 200
    assert "u1" in (answer.json or {})["message"]


@pytest.mark.parametrize(
    "path", ["/learn/chess", "/learn/lotus/0", "/learn/lotus/99", "/learn/lotus/99/try", "/learn/chess/end"]
)
def test_an_unknown_lesson_or_step_is_not_found(anybody: Visitor, path: str) -> None:
    assert anybody.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/", "/play", "/rules", "/rules/lotus"])
def test_newcomers_are_led_to_the_lessons(anybody: Visitor, path: str) -> None:
    assert re.search(r'href="/learn(/lotus)?"', anybody.get(path).text.partition("<footer")[0])


def test_doing_a_lesson_sets_no_cookie(anybody: Visitor) -> None:
    for path in ("/learn", "/learn/lotus", "/learn/lotus/2?move=u2", "/learn/lotus/2/try?text=u2"):
        assert "Set-Cookie" not in anybody.get(path).headers


SLOW = "const now = fetch; fetch = (...asked) => new Promise((go) => setTimeout(go, 200)).then(() => now(...asked))"
"""Makes answers of the server come only after the next press."""


@pytest.mark.processes
def test_a_lesson_is_done_by_touch_and_keyboard_on_a_phone(live: Live, browser: Browser) -> None:
    """Steps by a press of the board, by keys, by a button, and by two presses with a menu; a wrong answer isn't the
    end."""
    page = new_page(browser, live.address, PHONE)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto("/learn/lotus")
    told = page.get_by_role("status")

    def cell(name: str) -> Any:
        return page.locator(f'figure.lesson [data-cell="{name}"]')

    cell("a1").click()
    expect(told).to_contain_text("Not quite.")
    cell("u2").click()
    expect(told).to_contain_text("Right.")
    expect(cell("a1").locator("xpath=..")).to_have_attribute("data-says", "empty")
    told.get_by_role("link", name="Next step").click()
    page.locator('figure.lesson [tabindex="0"]').focus()
    # From the middle of the board to u2, at its edge.
    for key in [*["ArrowUp"] * 8, "ArrowRight", "Enter"]:
        page.keyboard.press(key)
    expect(told).to_contain_text("Right.")
    page.goto("/learn/lotus/6")
    page.get_by_role("button", name="pass").click()
    expect(told).to_contain_text("Right.")
    page.add_init_script(SLOW)
    page.goto("/learn/pillars/7?move=pass")
    cell("d6").dblclick()
    cell("i1").click()
    page.get_by_role("button", name="become a Morph Mounted Advisor").click()
    expect(told).to_contain_text("Checkmate.")
    told.get_by_role("link", name="Next step").click()
    assert page.url.endswith("/learn/pillars/8")
    assert faults == []
    page.close()
