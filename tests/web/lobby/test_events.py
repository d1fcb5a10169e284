"""Pages of events: creating, joining, playing and ending them on the web."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from flask import Flask

from service.games import GAMES
from service.play.company import event_matches, event_pages, events
from service.play.operations.sweep import sweep
from service.store.tables.events import Event
from tests.play.company.test_cups import cup, order, running
from tests.play.company.test_leagues import WEEK, begin, decide, league, swept
from tests.play.company.test_tours import tour
from tests.play.conftest import Town
from tests.web.conftest import Visitor, words


def test_a_cup_is_created_joined_and_played_on_the_web(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    others = [sign_in(f"{name}@example.org") for name in ("bruno", "cleo", "dana")]
    founded = ada.send("/events", "", name="Winter cup", game="lotus", clock="3d/move", seats="2")
    assert founded.location == "/events/1"
    for visitor in (ada, *others):
        visitor.send("/events/1", "/events/1/join")
    assert "Withdraw" in ada.read("/events/1")
    assert "Withdraw" not in anybody.read("/events/1")
    assert "Being played by 4 players." in anybody.read("/events")
    assert ["you've joined" in visitor.read("/events") for visitor in (ada, anybody)] == [True, False]
    sweep(town.site)
    order(town, running(town)[0], 0, "resign")
    sweep(town.site)
    assert "End this event" not in ada.read("/events/1"), "people are playing"
    page = anybody.get("/events/1")
    assert "Being played" in words(page)
    assert "0 : 1" in words(page)
    assert page.text.count("/match/") >= 12
    for match_id in running(town):
        order(town, match_id, 1, "resign")
    sweep(town.site)
    assert "Winter cup Lotus, 4 players." in anybody.read("/events")


def test_the_answer_to_a_form_for_an_event_that_isnt_there_says_so(ada: Visitor) -> None:
    ada.send("/events", "", name="Winter cup", game="lotus", clock="3d/move", seats="2")
    answer = ada.send("/events/1", "/events/1/join", to="/events/2/join")
    assert answer.status_code == 404
    assert "There's no such event." in words(answer)


def test_an_invalid_name_is_explained_and_stays_in_the_form(ada: Visitor) -> None:
    answer = ada.send("/events", "", name="Winter", game="lotus", clock="3d/move", seats="2")
    assert answer.status_code == 422
    assert "The name must contain the word cup" in words(answer)
    assert 'value="Winter"' in answer.text


def test_only_its_creator_can_end_a_cup_while_nobody_waits(ada: Visitor, bruno: Visitor) -> None:
    ada.send("/events", "", name="Winter cup", game="lotus", clock="3d/move", seats="2")
    assert "End this event" not in bruno.read("/events/1")
    ada.send("/events/1", "/events/1/join")
    ada.send("/events/1", "/events/1/withdraw")
    ada.send("/events/1", "/events/1/end")
    assert "This event was ended early." in bruno.read("/events/1")


def test_the_page_of_an_event_has_all_the_terms_of_its_clock(town: Town, anybody: Visitor) -> None:
    cup(town, clock="2d/move, weekends off, sleep 23-7, no vacation, late passes")
    page = words(anybody.get("/events/1"))
    assert "Saturdays and Sundays don't count in your own time zone." in page
    assert "The hours from 23:00 to 7:00 don't count in your own time zone." in page
    assert "If you run out of time, you pass that turn" in page
    assert "vacation of 30 days" not in page
    cup(town, name="Spring cup")
    page = words(anybody.get("/events/2"))
    assert "If you run out of time, you lose." in page
    assert "your vacation of 30 days a year is used first" in page


def test_the_page_of_a_tour_says_what_being_late_costs_in_all_its_games(town: Town, ada: Visitor) -> None:
    events.found(town.site, ada.id, events.Plan("Spring tour", "lotus", "3d/move", kind="tour"))
    said = "If you run out of time, you lose, or leave the match if more than two play."
    assert said in words(ada.get("/events/1"))


def test_the_page_of_a_cup_counts_only_the_matches_that_count(town: Town, anybody: Visitor) -> None:
    cup(town)
    events.withdraw(town.site, 1, 1)
    sweep(town.site)
    order(town, running(town)[0], 0, "resign")
    sweep(town.site)
    assert "1 of 3 matches are over." in anybody.read("/events/1")


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
    assert "End this event" not in page
    assert "Withdraw" in page
    ada.send("/events/1", "/events/1/withdraw")
    town.now += timedelta(days=8)
    event_matches.look_after(town.site)
    assert "Join the next season" in ada.read("/events/1")
    assert "Season 2" in ada.read("/events/1")
    assert "Season 1, division 2" in ada.read("/events/1?season=1")
    assert ada.get("/events/1?season=nonsense").status_code == 200


@pytest.mark.parametrize("begun", [True, False], ids=["during season 2", "before season 3"])
def test_every_season_of_a_league_that_was_ended_has_a_way_to_the_others(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor, begun: bool
) -> None:
    form = {"kind": "league", "name": "Winter league", "game": "lotus", "clock": "3d/move", "seats": "2"}
    ada.send("/events", "", **form)
    for visitor in (ada, *(sign_in(f"{name}@example.org") for name in ("bruno", "cleo", "dana", "emil", "fay"))):
        visitor.send("/events/1", "/events/1/join")
    for played in (True, not begun):
        town.now += timedelta(days=8)
        for _ in range(3):
            event_matches.look_after(town.site)
        if played:
            decide(town)
    events.end(town.site, 1, ada.id, is_operator=True)
    ways = [
        [place for place in (1, 2) if f'<a href="/events/1?season={place}">' in anybody.get(f"/events/1{asked}").text]
        for asked in ("", "?season=1", "?season=2")
    ]
    assert ways == [[1], [2], [1]]
    assert "Season 2" in words(anybody.get("/events/1"))


ATOM = {"a": "http://www.w3.org/2005/Atom"}


def titles(visitor: Visitor) -> list[str | None]:
    answer = visitor.get("/events/1/feed.xml")
    assert answer.mimetype == "application/atom+xml"
    return [title.text for title in ElementTree.fromstring(answer.data).findall("a:entry/a:title", ATOM)]


def test_an_event_has_a_feed_of_its_seasons_and_results(town: Town, anybody: Visitor) -> None:
    league(town, 6)
    assert titles(anybody) == []
    begin(town)
    assert titles(anybody) == ["Season 1 has begun"]
    town.now += timedelta(hours=1)
    order(town, running(town)[-1], 0, "resign")
    swept(town)
    latest, begun = titles(anybody)
    assert "won against" in str(latest)
    assert begun == "Season 1 has begun"
    decide(town)
    found = titles(anybody)
    assert "Season 1 has begun" in found
    assert "P00 won against P01" in found
    assert len(found) == 1 + 15
    assert anybody.get("/events/2/feed.xml").status_code == 404


def test_the_feed_of_an_event_has_the_results_that_came_last_however_early_they_were_drawn(
    town: Town, anybody: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "LISTED", 3)
    league(town, 6)
    begin(town)
    first, *_, third, second, last = running(town)
    for number in (last, second, third, first):
        town.now += timedelta(hours=1)
        order(town, number, 0, "resign")
        swept(town)
    found = event_pages.feed(town.site, 1)
    assert found is not None
    assert [item.match_id for item in found.items] == [first, third, second]


def test_an_event_has_a_calendar_of_what_is_to_come(town: Town, anybody: Visitor) -> None:
    tour(town, 4)
    town.now += WEEK
    swept(town)
    answer = anybody.get("/events/1/calendar.ics")
    assert answer.mimetype == "text/calendar"
    assert answer.text.startswith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")
    assert answer.text.count("BEGIN:VEVENT") == len(GAMES) - 1
    second = [*GAMES.values()][1].title
    when = town.now + timedelta(days=14)
    assert f"DTSTART:{when:%Y%m%dT%H%M}" in answer.text
    assert f"SUMMARY:Grand tour: {second} begins\r\n" in answer.text
    assert anybody.get("/events/2/calendar.ics").status_code == 404


def test_a_ladder_on_the_web_has_a_button_for_each_player_who_can_be_challenged(
    town: Town, ada: Visitor, sign_in: Callable[[str], Visitor], anybody: Visitor
) -> None:
    others = [sign_in(f"{name}@example.org") for name in ("bruno", "cleo")]
    ada.send("/events", "", kind="ladder", name="", game="lotus", clock="3d/move", seats="2")
    for visitor in (ada, *others):
        visitor.send("/events/1", "/events/1/join")
    cleo = others[1]
    assert cleo.get("/events/1").text.count("/challenge/") == 2
    assert "Blocking somebody keeps their messages away, but you may still have to play them" in cleo.read("/events/1")
    assert ada.get("/events/1").text.count("/challenge/") == 0
    assert anybody.get("/events/1").text.count("/challenge/") == 0
    cleo.send("/events/1", f"/events/1/challenge/{ada.id}")
    assert "Begins within a minute" in cleo.read("/events/1")
    event_matches.look_after(town.site)
    assert cleo.get("/events/1").text.count("/challenge/") == 1
    others[0].send("/events/1", "/events/1/withdraw")
    assert "Bruno" not in anybody.read("/events/1").partition("Places")[2].partition("How the ladder")[0]


def test_signing_in_to_join_leads_back_to_the_event(town: Town, app: Flask, anybody: Visitor) -> None:
    league(town, 2)
    page = "/events/1"
    guest = Visitor(app.test_client())
    guest.send("/play", "/play/lotus", opponent="", board="")
    for visitor in (anybody, guest):
        visitor.get("/account")  # Which isn't where they want to go any longer.
        link = re.search(r'<a href="(/sign-in[^"]*)">Sign in</a> to join', visitor.get(page).text)
        assert link
        assert "takes you back to the page you were on" in visitor.read(link[1])
        with visitor.client.session_transaction() as session:
            assert session["wanted"] == page


def test_the_page_of_a_tour_of_which_no_game_is_left_has_no_button_to_join(town: Town, ada: Visitor) -> None:
    tour(town, 4)
    town.now += WEEK
    swept(town, 2)
    assert "/events/1/join" in ada.get("/events/1").text
    with town.site.transaction() as tx:
        tx.session.get_one(Event, 1).begins = None
    assert "/events/1/join" not in ada.get("/events/1").text
