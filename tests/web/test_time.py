"""Time on the pages: choosing a clock, reading about it before accepting, and seeing it run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from service.store.models import Match, Player
from tests.play.conftest import Town
from tests.web.conftest import Visitor, judge, words

Play = Callable[[Visitor, str], str]


def new_match(ada: Visitor, **fields: str) -> str:
    sent = ada.send("/new/rosette", other1="email", address1="bruno@example.org", base="5", **fields)
    assert sent.status_code == 303
    return str(sent.location)


def clock(town: Town, path: str) -> str:
    with town.store.reading() as session:
        return session.get_one(Match, int(path.rpartition("/")[2])).clock


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, "7d/move"),
        ({"clock": "3d/move", "weekends": "off"}, "3d/move, weekends off"),
        ({"clock": "none", "weekends": "off"}, "none"),
        ({"clock": "3d/move", "own_clock": "Fischer 5d + 12h, no vacation"}, "fischer 5d+12h, no vacation"),
    ],
)
def test_a_clock_is_chosen_or_typed(town: Town, ada: Visitor, fields: dict[str, str], kept: str) -> None:
    assert clock(town, new_match(ada, **fields)) == kept


def test_a_clock_that_cannot_be_set_is_refused_with_a_reason(ada: Visitor) -> None:
    sent = ada.send("/new/rosette", other1="open", own_clock="soon")
    assert sent.status_code == 422
    assert "'soon' isn't a clock. Write one of these: 3d/move" in words(sent)


def test_an_invitation_explains_the_clock_with_a_date_in_the_readers_own_zone(
    town: Town, ada: Visitor, bruno: Visitor
) -> None:
    with town.store.writing() as session:
        session.get_one(Player, bruno.id).zone = "Europe/Lisbon"
    page = bruno.read(new_match(ada, clock="3d/move", weekends="off"))
    assert "You have 3 days for each move. Saturdays and Sundays don't count in your own time zone." in page
    assert "If your first turn began now, it would last until Thursday 26 November, 00:00 (Lisbon)." in page


def test_the_time_left_is_shown_to_everybody(
    town: Town, match: str, ada: Visitor, bruno: Visitor, anybody: Visitor, play: Play
) -> None:
    town.now += timedelta(days=1)
    assert "You have until Saturday 28 November, 12:00 (UTC)" in ada.read(match)
    assert "Black has until Saturday 28 November, 12:00 (UTC)" in anybody.read(match)
    assert "Your move, 6 days left" in ada.read("/")
    play(ada, "e9")
    assert "White has until Sunday 29 November, 12:00 (UTC)" in ada.read(match)


def test_matches_are_listed_by_time_left(town: Town, ada: Visitor, bruno: Visitor) -> None:
    paths = {}
    for days in (3, 1):
        paths[days] = new_match(ada, clock=f"{days}d/move")
        bruno.send(paths[days], f"{paths[days]}/answer", answer="accept")
    front = ada.get("/").text
    assert front.index(f'href="{paths[1]}"') < front.index(f'href="{paths[3]}"')


def test_an_opponent_can_give_time_with_a_button(town: Town, match: str, ada: Visitor, bruno: Visitor) -> None:
    assert "Give more time" not in ada.read(match)
    assert "Black gets 3 more days." in bruno.read(match)
    bruno.send(match, f"{match}/order", text="extend")
    judge(town)
    assert "Black 10 days left" in ada.read(match)


def test_players_choose_their_own_zone_and_vacation(town: Town, ada: Visitor) -> None:
    ada.send("/account", zone="Asia/Kathmandu", vacation="")
    with town.store.reading() as session:
        person = session.get_one(Player, ada.id)
        assert (person.zone, person.vacation) == ("Asia/Kathmandu", False)
    refused = ada.send("/account", zone="Atlantis")
    assert refused.status_code == 422
    assert "isn't a time zone we know. Write it like Europe/Lisbon." in words(refused)
