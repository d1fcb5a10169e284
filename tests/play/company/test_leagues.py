"""Leagues: divisions in which everybody meets, promotion and relegation of two, and seasons that begin
automatically."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from email.message import EmailMessage
from itertools import combinations

import pytest
from sqlalchemy import select, update

from service.play.accounts import display_names
from service.play.company import event_matches, event_pages, events
from service.play.company.events import EventError, Plan
from service.play.operations.sweep import sweep
from service.store.models import Match, Player, Seat
from service.store.tables.events import Entrant, EventMatch, EventSeat
from service.store.tables.mail_rows import Letter
from service.store.tables.ratings import PlayerRating
from tests.play.company.test_cups import flag, order, running, shown, state
from tests.play.company.test_pairing import player
from tests.play.conftest import Town, plain
from tests.play.once import once

WEEK = timedelta(days=7, minutes=1)


def league(town: Town, people: int, **plan: object) -> list[int]:
    """A league that this many players have joined. Returns their ids."""
    ids = [named(town, f"p{number:02}") for number in range(people)]
    wanted = {"name": "Winter league", "game": "lotus", "clock": "3d/move", "kind": "league", **plan}
    number = events.found(town.site, ids[0], Plan(**wanted))  # type: ignore[arg-type]
    for player_id in ids:
        events.join(town.site, number, player_id)
    return ids


def named(town: Town, name: str) -> int:
    number = player(town, name)
    with town.store.writing() as session:
        display_names.take(session, session.get_one(Player, number), name.capitalize())
    return number


def swept(town: Town, times: int = 1) -> None:
    """Does what the sweep does for events, as often as it takes to start many matches."""
    for _ in range(times):
        event_matches.look_after(town.site)


def begin(town: Town) -> None:
    town.now += WEEK
    swept(town, 4)


def decide(town: Town) -> None:
    """Ends all running matches. The player who joined earlier wins."""
    with town.store.writing() as session:
        for match in session.scalars(select(Match).where(Match.state == "running")):
            match.state, match.reason = "over", "resignation"
            best = min(match.seats, key=lambda seat: seat.player_id or 0)
            for seat in match.seats:
                seat.score, seat.deadline, seat.to_move = ("1" if seat is best else "0"), None, False
    swept(town)


def divisions(town: Town, season: int) -> list[list[int]]:
    """The players of each division of a season, in the order of the standings."""
    page = shown_of(town, season)
    return [[int(line.name) for line in part.lines] for part in page.parts]


def shown_of(town: Town, season: int | None = None) -> event_pages.EventPage:
    page = event_pages.page(town.site, 1, None, season)
    assert page is not None
    return page


@once
def under_way(town: Town, people: int) -> list[int]:
    """A league of this many players whose first season has begun."""
    ids = league(town, people)
    begin(town)
    return ids


@once
def one_season(town: Town) -> list[int]:
    """A league of sixteen players in two divisions, whose first season is over."""
    ids = under_way(town, 16)
    decide(town)
    return ids


def test_a_league_begins_a_week_after_the_sixth_has_joined(town: Town) -> None:
    ids = league(town, 5)
    town.now += timedelta(days=30)
    swept(town)
    assert (state(town), running(town)) == ("open", [])
    events.join(town.site, 1, named(town, "late"))
    town.now += timedelta(days=6)
    swept(town)
    assert state(town) == "open"
    events.withdraw(town.site, 1, ids[1])
    town.now += timedelta(days=2)
    swept(town)
    assert state(town) == "open"  # Five are too few.
    events.join(town.site, 1, ids[1])
    begin(town)
    assert (state(town), len(running(town))) == ("running", 15)


def test_in_a_division_all_matches_run_at_once_and_everybody_has_the_first_seat_equally_often(town: Town) -> None:
    under_way(town, 16)
    assert [len(division) for division in divisions(town, 1)] == [8, 8]
    with town.store.reading() as session:
        matches = session.scalars(select(Match)).all()
        pairs = Counter(frozenset(seat.player_id for seat in match.seats) for match in matches)
        first = Counter(session.scalars(select(Seat.player_id).where(Seat.number == 0)))
    assert pairs == Counter(frozenset(two) for division in divisions(town, 1) for two in combinations(division, 2))
    assert set(first.values()) == {3, 4}


def test_newcomers_are_divided_by_their_ratings(town: Town) -> None:
    ids = league(town, 12)
    with town.store.writing() as session:
        row = {"deviation": 80.0, "volatility": 0.06, "floor": 0.0, "matches": 9, "at": town.now, "game": "lotus"}
        session.add(PlayerRating(player_id=ids[-1], rating=1900.0, **row))
        session.add(PlayerRating(player_id=ids[0], rating=1100.0, **row))
    begin(town)
    top, bottom = divisions(town, 1)
    assert ids[-1] in top
    assert ids[0] in bottom


def test_a_sweep_starts_no_more_than_twenty_matches(town: Town) -> None:
    league(town, 16)
    town.now += WEEK
    counts = []
    for _ in range(4):
        swept(town)
        counts.append(len(running(town)))
    assert counts == [0, 20, 40, 56]


def test_after_a_season_two_are_promoted_and_two_relegated_and_the_next_begins_a_week_later(town: Town) -> None:
    ids = one_season(town)
    assert divisions(town, 1) == [ids[:8], ids[8:]]
    assert state(town) == "open"
    event = shown_of(town).line.event
    assert (event.season, event.over) == (2, town.now)
    town.now += timedelta(days=6)
    swept(town, 3)
    assert running(town) == []
    town.now += timedelta(days=2)
    swept(town, 4)
    assert [sorted(division) for division in divisions(town, 2)] == [
        sorted([*ids[:6], *ids[8:10]]),
        sorted([*ids[6:8], *ids[10:]]),
    ]
    assert len(running(town)) == 56
    assert divisions(town, 1) == [ids[:8], ids[8:]]


def test_of_players_who_share_a_place_those_who_joined_earlier_are_ahead(town: Town) -> None:
    ids = league(town, 10)
    with town.store.writing() as session:
        for place, player_id in enumerate(reversed(ids)):
            session.get_one(Entrant, (1, player_id)).joined = town.now - timedelta(days=20 - place)
    begin(town)
    before = divisions(town, 1)
    with town.store.writing() as session:
        for match in session.scalars(select(Match).where(Match.state == "running")):
            match.state, match.reason = "over", "agreement"
            for seat in match.seats:
                seat.score, seat.deadline, seat.to_move = "1/2", None, False
    swept(town)
    upper, lower = divisions(town, 1)
    assert (upper, lower) == (sorted(before[0], reverse=True), sorted(before[1], reverse=True))
    begin(town)
    assert [{*division} for division in divisions(town, 2)] == [{*upper[:3], *lower[:2]}, {*upper[3:], *lower[2:]}]


def test_players_who_withdraw_between_seasons_are_out_and_newcomers_enter_the_lowest_division(town: Town) -> None:
    ids = one_season(town)
    events.withdraw(town.site, 1, ids[0])
    new = named(town, "new")
    events.join(town.site, 1, new)
    town.now += WEEK
    swept(town)
    top, bottom = divisions(town, 2)
    assert ids[0] not in (*top, *bottom)
    assert new in bottom
    assert ids[6] in top  # There is room for one of the two who were to go down.


def test_a_player_who_joins_during_a_season_enters_the_next_one_and_can_change_their_mind(town: Town) -> None:
    under_way(town, 6)
    new, other = named(town, "new"), named(town, "other")
    for player_id in (new, other):
        events.join(town.site, 1, player_id)
        events.join(town.site, 1, player_id)
    events.withdraw(town.site, 1, other)
    assert len(divisions(town, 1)[0]) == 6
    decide(town)
    begin(town)
    assert new in divisions(town, 2)[0]
    assert other not in divisions(town, 2)[0]


def test_a_player_who_withdraws_during_a_season_offers_their_seats_and_isnt_in_the_next(town: Town) -> None:
    ids = under_way(town, 7)
    events.withdraw(town.site, 1, ids[3])
    with town.store.reading() as session:
        assert len(session.scalars(select(Seat).where(Seat.player_id == ids[3], Seat.sought == 0)).all()) == 6
    decide(town)
    begin(town)
    assert sorted(divisions(town, 2)[0]) == [one for one in ids if one != ids[3]]
    events.join(town.site, 1, ids[3])
    decide(town)
    begin(town)
    assert ids[3] in divisions(town, 3)[0]


def test_a_league_with_too_few_players_waits_for_the_fourth(town: Town) -> None:
    ids = under_way(town, 6)
    decide(town)
    for player_id in ids[:3]:
        events.withdraw(town.site, 1, player_id)
    begin(town)
    assert (state(town), running(town)) == ("open", [])
    events.join(town.site, 1, ids[0])
    begin(town)
    assert (state(town), len(running(town))) == ("running", 6)


def test_a_player_who_lost_on_time_doesnt_enter_the_next_season_automatically(town: Town) -> None:
    ids = one_season(town)
    with town.store.writing() as session:
        session.execute(update(EventSeat).where(EventSeat.player_id == ids[5]).values(late=True))
        session.get_one(Player, ids[5]).post = "instant"
    town.now += WEEK
    swept(town)
    assert all(ids[5] not in division for division in divisions(town, 2))
    town.work()
    (mail,) = [mail for mail in town.post() if "season" in mail["Subject"]]
    assert mail["Subject"] == "Winter league: you aren't in this season"
    assert "You can join again once you've finished 7 rated matches" in " ".join(plain(mail).split())
    with pytest.raises(EventError, match="once you've finished 7 rated matches"):
        events.join(town.site, 1, ids[5])


def test_a_player_who_isnt_in_a_season_that_lacks_players_doesnt_read_that_it_has_begun(town: Town) -> None:
    ids = under_way(town, 6)
    decide(town)
    for player_id in ids[:2]:
        events.withdraw(town.site, 1, player_id)
    with town.store.writing() as session:
        session.execute(update(EventSeat).where(EventSeat.player_id == ids[5]).values(late=True))
        session.get_one(Player, ids[5]).post = "instant"
    begin(town)
    town.work()
    assert state(town) == "open"
    (mail,) = [mail for mail in town.post() if "season" in mail["Subject"]]
    assert "You aren't in season 2 of Winter league, because you've lost event matches on time." in said(mail)


def test_a_silent_player_is_asked_about_this_season_only(town: Town) -> None:
    """Matches lost on time in an earlier season don't count towards half of the matches of this one."""
    ids = one_season(town)
    begin(town)
    with town.store.writing() as session:
        session.execute(update(EventSeat).where(EventSeat.player_id == ids[3], EventSeat.number < 9).values(late=True))
        own = select(EventMatch).join(EventSeat, EventSeat.number == EventMatch.number)
        rows = session.scalars(own.where(EventSeat.player_id == ids[3], EventMatch.season == 2)).all()
        assert len(rows) == 7
        for row in rows[:3]:
            match = session.get_one(Match, row.match_id)
            match.state, match.reason = "over", "time"
            for seat in match.seats:
                seat.score = "0" if seat.player_id == ids[3] else "1"
    swept(town)
    with town.store.reading() as session:
        assert session.get_one(Entrant, (1, ids[3])).asked is None


def test_who_lost_everything_on_time_reads_what_they_owe_once_the_season_is_over(town: Town) -> None:
    ids = league(town, 6, clock="1d/move, no vacation")
    begin(town)
    with town.store.writing() as session:
        session.execute(update(Letter).values(due=None))
        session.get_one(Player, ids[5]).post = "instant"
    for match_id in running(town):
        with town.store.reading() as session:
            people = [seat.player_id for seat in session.get_one(Match, match_id).seats]
        flag(town, match_id, ids[5] if ids[5] in people else people[0] or 0)
    swept(town)
    town.work()
    (over,) = town.post()
    assert over["Subject"] == "Winter league: season 1 is over"
    assert "so you're in it only if you finish 5 rated matches before then without running out of time." in said(over)
    assert "and you're in it." not in said(over)
    town.reply(over, "join")
    (answer,) = town.post()
    assert "You can enter again once you've finished 5 rated matches" in said(answer)


def test_everybody_reads_that_a_season_begins_and_how_it_ended(town: Town) -> None:
    ids = league(town, 16)
    with town.store.writing() as session:
        for player_id in (ids[0], ids[6], ids[8], ids[15]):
            session.get_one(Player, player_id).post = "instant"
    town.now += WEEK
    swept(town)
    town.work()
    begun = {mail["To"].addresses[0].username: mail for mail in town.post()}
    assert {mail["Subject"] for mail in begun.values()} == {"Winter league: season 1 has begun"}
    assert "You're in division 1." in said(begun["p00"])
    assert "You're in division 2." in said(begun["p15"])
    swept(town, 3)
    with town.store.writing() as session:
        session.execute(update(Letter).where(Letter.kind != "event_news").values(due=None))
    decide(town)
    town.work()
    over = {mail["To"].addresses[0].username: said(mail) for mail in town.post() if "is over" in mail["Subject"]}
    assert "You won division 1. You stay in your division" in over["p00"]
    assert "You came 7th there. You go down to the division below, unless there's room" in over["p06"]
    assert "You won division 2. You go up to the division above." in over["p08"]
    assert "You came 8th there. You stay in your division" in over["p15"]
    assert "and you're in it. If you don't want to play it, reply with: withdraw" in over["p15"]


def said(mail: EmailMessage) -> str:
    return " ".join(plain(mail).split())


def test_a_reply_to_the_end_of_a_season_withdraws_and_joins_again(town: Town) -> None:
    ids = under_way(town, 6)
    with town.store.writing() as session:
        session.get_one(Player, ids[1]).post = "instant"
    decide(town)
    town.work()
    (over,) = [mail for mail in town.post() if "season 1 is over" in mail["Subject"]]
    town.reply(over, "withdraw")
    (answer,) = town.post()
    assert "You're no longer in Winter league." in said(answer)
    with town.store.reading() as session:
        assert session.get(Entrant, (1, ids[1])) is None
    town.reply(over, "join", message_id="<again@example.org>")
    (answer,) = town.post()
    assert "You're in Winter league. It begins on" in said(answer)
    town.reply(over, "standings", message_id="<table@example.org>")
    (answer,) = town.post()
    assert " 1. P00" in said(answer)


def test_a_founder_can_end_a_league_before_its_first_season_and_an_operator_at_any_time(town: Town) -> None:
    ids = one_season(town)
    with pytest.raises(EventError, match="Only an operator"):
        events.end(town.site, 1, ids[0], is_operator=False)
    events.end(town.site, 1, ids[1], is_operator=True)
    begin(town)
    assert (state(town), running(town)) == ("ended", [])


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (Plan("Winter cup", "lotus", "3d/move", kind="league"), "must contain the word league"),
        (Plan("Winter league", "multigo", "3d/move", seats=5, kind="league"), "The tables of a league have 2 to 4"),
        (Plan("Winter league", "lotus", "none", kind="league"), "An event needs a clock"),
        (Plan("Winter gala", "lotus", "3d/move", kind="gala"), "Choose a cup, a league, a ladder or a tour"),
    ],
)
def test_a_league_that_cannot_be_founded_says_why(town: Town, plan: Plan, why: str) -> None:
    with pytest.raises(EventError, match=why):
        events.found(town.site, named(town, "ada"), plan)


def test_tables_of_three_in_a_league_give_everybody_each_seat_once(town: Town) -> None:
    league(town, 6, game="multigo", seats=3)
    begin(town)
    with town.store.reading() as session:
        seats = Counter((seat.number, seat.player_id) for seat in session.scalars(select(Seat)))
    assert len(running(town)) == 6
    assert set(seats.values()) == {1}


def test_a_season_played_out_by_orders_ends(town: Town) -> None:
    under_way(town, 6)
    for match_id in running(town):
        order(town, match_id, match_id % 2, "resign")
    sweep(town.site)
    assert state(town) == "open"
    assert sum(line.points for line in shown(town).lines) == 15
