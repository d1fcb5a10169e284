"""Agreements on the page: what is offered, to whom, and what can be answered with one press."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tests.play.conftest import Town
from tests.web.conftest import Forms, Visitor, judge

Play: TypeAlias = Callable[[Visitor, str], str]


def press(town: Town, visitor: Visitor, page: str, text: str) -> None:
    """Presses the button whose form sends this order."""
    form = next(fields for _, fields in Forms(visitor.get(page).text).forms if fields.get("text") == text)
    assert visitor.client.post(f"{page}/order", data=form).status_code == 303
    judge(town)


def test_a_takeback_is_asked_for_and_agreed_to(
    town: Town, match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, play: Play
) -> None:
    assert 'value="takeback"' not in ada.get(match).text
    play(ada, "e9")
    press(town, ada, match, "takeback")
    assert "You have asked to take the last move back." in ada.read(match)
    assert "Black asks to take the last move back." in bruno.read(match)
    assert "take the last move back" not in anybody.read(match)
    press(town, bruno, match, "accept takeback")
    page = ada.get(match).text
    assert "<s>e9</s>" in page
    assert "Black took the last move back." in ada.read(match)
    assert "Your move" in ada.read(match)


def test_a_pause_is_asked_for_withdrawn_and_agreed_to(
    town: Town, match: str, ada: Visitor, bruno: Visitor, anybody: Visitor
) -> None:
    press(town, ada, match, "pause for 14 days")
    press(town, ada, match, "withdraw")
    assert "asks for a pause" not in bruno.read(match)
    press(town, bruno, match, "pause for 14 days")
    text = next(
        fields["text"] for _, fields in Forms(ada.get(match).text).forms if "accept pause" in fields.get("text", "")
    )
    press(town, ada, match, text)
    for visitor in (ada, bruno, anybody):
        assert "Paused by agreement until Saturday 5 December, 12:00 (UTC) ." in visitor.read(match)
    assert "Ask to play on" in ada.read(match)
