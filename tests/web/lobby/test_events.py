"""Pages of events: founded, joined, played and ended on the web."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from service.play.company import event_matches
from service.play.operations.sweep import sweep
from tests.play.company.test_cups import order, running
from tests.play.company.test_leagues import decide
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


def test_a_league_on_the_web_shows_its_divisions_the_viewers_turn_and_earlier_seasons(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    others = [sign_in(f"{name}@example.org") for name in ("bruno", "cleo", "dana", "emil", "fay", "gus", "hal", "ida")]
    form = {"kind": "league", "name": "Winter league", "game": "lotus", "clock": "3d/move", "seats": "2"}
    assert ada.send("/events", "", **form).location == "/events/1"
    assert "0 of 6 players have joined. It begins a week after the last of them joins." in anybody.read("/events/1")
    for visitor in (ada, *others):
        visitor.send("/events/1", "/events/1/join")
    assert "Season 1 begins on" in anybody.read("/events/1")
    town.now += timedelta(days=8)
    for _ in range(3):
        event_matches.look_after(town.site)
    page = ada.read("/events/1")
    assert "Season 1, division 1" in page
    assert "Season 1, division 2" in page
    assert "your turn" in page
    assert "your turn" not in anybody.read("/events/1")
    assert "Join" not in anybody.read("/events/1").partition("Season 1, division 1")[0].replace("to join", "")
    decide(town)
    page = ada.read("/events/1")
    assert "Season 2 begins on" in page
    assert "Withdraw" in page
    ada.send("/events/1", "/events/1/withdraw")
    town.now += timedelta(days=8)
    event_matches.look_after(town.site)
    assert "Join the next season" in ada.read("/events/1")
    assert "Season 2" in ada.read("/events/1")
    assert "Season 1, division 2" in ada.read("/events/1?season=1")
    assert ada.get("/events/1?season=nonsense").status_code == 200
