"""Pages of events: founded, joined, played and ended on the web."""

from __future__ import annotations

from collections.abc import Callable

from service.play.operations.sweep import sweep
from tests.play.company.test_cups import order, running
from tests.play.conftest import Town
from tests.web.conftest import Visitor, words


def test_a_cup_is_founded_joined_and_played_on_the_web(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    others = [sign_in(f"{name}@example.org") for name in ("bruno", "cleo", "dana")]
    founded = ada.send("/events", "", name="Winter cup", game="lotus", clock="3d/move", seats="2")
    assert founded.location == "/events/1"
    for visitor in (ada, *others):
        visitor.send("/events/1", "/events/1/join")
    assert "Being played by 4 players." in anybody.read("/events")
    sweep(town.site)
    order(town, running(town)[0], 0, "resign")
    sweep(town.site)
    page = anybody.get("/events/1")
    assert "Being played" in words(page)
    assert "0 : 1" in words(page)
    assert page.text.count("/match/") >= 12
    for match_id in running(town):
        order(town, match_id, 1, "resign")
    sweep(town.site)
    assert "Winter cup Lotus, 4 players." in anybody.read("/events")


def test_a_name_that_is_wrong_is_said_and_kept(ada: Visitor) -> None:
    answer = ada.send("/events", "", name="Winter", game="lotus", clock="3d/move", seats="2")
    assert answer.status_code == 422
    assert "The name must contain the word cup" in words(answer)
    assert 'value="Winter"' in answer.text


def test_who_founded_a_cup_ends_it_while_nobody_waits_and_others_do_not(ada: Visitor, bruno: Visitor) -> None:
    ada.send("/events", "", name="Winter cup", game="lotus", clock="3d/move", seats="2")
    assert "End this event" not in bruno.read("/events/1")
    ada.send("/events/1", "/events/1/join")
    ada.send("/events/1", "/events/1/withdraw")
    ada.send("/events/1", "/events/1/end")
    assert "This event was ended early." in bruno.read("/events/1")
