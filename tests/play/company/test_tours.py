"""Tours: a game every two weeks, a point for taking part in each, and another tour the next year."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from fractions import Fraction

import pytest
from sqlalchemy import select, update

from service.games import GAMES
from service.play.company import event_pages, events
from service.play.company.event_results import Part, Table
from service.play.company.events import EventError, Plan
from service.store.models import Match, Player, Seat
from service.store.tables.events import EventMatch, EventSeat
from tests.play.company.test_cups import running, state
from tests.play.company.test_leagues import WEEK, decide, named, said, swept
from tests.play.conftest import Town
from tests.play.once import once

FORTNIGHT = timedelta(days=14)


def tour(town: Town, people: int) -> list[int]:
    """A tour that this many players have joined. Returns their ids."""
    ids = [named(town, f"p{number:02}") for number in range(people)]
    events.found(town.site, ids[0], Plan("Grand tour", "go", "7d/move", kind="tour"))
    for player_id in ids:
        events.join(town.site, 1, player_id)
    return ids


def page(town: Town, season: int | None = None) -> event_pages.EventPage:
    shown = event_pages.page(town.site, 1, None, season)
    assert shown is not None
    return shown


def drawn(town: Town, part: int) -> list[tuple[str, list[int | None]]]:
    """The game and the players of each match of a part."""
    with town.store.reading() as session:
        found = select(Match).join(EventMatch, EventMatch.match_id == Match.id).where(EventMatch.part == part)
        return [(match.game, [seat.player_id for seat in match.seats]) for match in session.scalars(found)]


def test_a_tour_begins_a_week_after_the_fourth_has_joined_and_has_a_game_every_two_weeks(town: Town) -> None:
    ids = tour(town, 3)
    town.now += timedelta(days=30)
    swept(town)
    assert (state(town), running(town)) == ("open", [])
    ids.append(named(town, "late"))
    events.join(town.site, 1, ids[-1])
    town.now += WEEK
    swept(town, 2)
    assert state(town) == "running"
    for part, name in enumerate(GAMES, start=1):
        games = drawn(town, part)
        assert {game for game, _ in games} == {name}
        assert Counter(player for _, players in games for player in players) == dict.fromkeys(ids, 2)
        town.now += FORTNIGHT - timedelta(hours=1)
        swept(town, 2)
        assert drawn(town, part + 1) == []
        town.now += timedelta(hours=1)
        swept(town, 2)
    assert (state(town), page(town).line.event.begins) == ("running", None)
    with town.store.reading() as session:
        first = Counter(session.scalars(select(Seat.player_id).where(Seat.number == 0)))
    assert max(first.values()) - min(first.values()) <= 1


@once
def played_out(town: Town, people: int = 4) -> list[int]:
    """A tour in which the player who joined earlier has won every match."""
    ids = tour(town, people)
    town.now += WEEK
    for _ in GAMES:
        swept(town, 2)
        decide(town)
        town.now += FORTNIGHT
    return ids


def test_a_tour_that_was_played_out_begins_again_a_year_after_it_began(town: Town) -> None:
    played_out(town)
    began = page(town).line.event.began
    assert began is not None
    assert (state(town), page(town).line.event.season) == ("open", 2)
    assert page(town).line.event.begins == began + timedelta(weeks=52)
    assert page(town).line.entrants == 0
    lines = page(town, 1).lines
    assert sum(line.points for line in lines) == sum(
        Fraction(len(players)) / 2 for part in range(1, len(GAMES) + 1) for _, players in drawn(town, part)
    ) + len(GAMES) * len(lines)


def test_after_an_outage_of_weeks_one_game_of_a_tour_begins(town: Town) -> None:
    tour(town, 4)
    town.now += WEEK
    swept(town, 2)
    town.now += 3 * FORTNIGHT
    swept(town, 3)
    assert [bool(drawn(town, part)) for part in (1, 2, 3)] == [True, True, False]
    assert page(town).line.event.begins == town.now + FORTNIGHT
    town.now += FORTNIGHT - timedelta(hours=1)
    swept(town, 2)
    assert not drawn(town, 3)
    town.now += timedelta(hours=1)
    swept(town, 2)
    assert drawn(town, 3)
    assert not drawn(town, 4)


def test_next_years_tour_has_only_those_who_join_it(town: Town) -> None:
    ids = played_out(town, 5)
    for player_id in ids[1:]:
        events.join(town.site, 1, player_id)
    town.now += timedelta(weeks=52)
    swept(town, 2)
    assert (state(town), page(town).season) == ("running", 2)
    assert {int(line.name) for line in page(town).lines} == {*ids[1:]}


def test_next_years_tour_waits_for_the_fourth(town: Town) -> None:
    ids = played_out(town)
    for player_id in ids[1:]:
        events.join(town.site, 1, player_id)
    town.now += timedelta(weeks=52)
    swept(town, 2)
    assert (state(town), running(town)) == ("open", [])
    events.join(town.site, 1, ids[0])
    town.now += WEEK
    swept(town, 2)
    assert state(town) == "running"


def test_a_player_gets_a_point_for_each_game_in_which_they_finish_a_match_in_time(town: Town) -> None:
    ids = tour(town, 4)
    town.now += WEEK
    swept(town, 2)
    decide(town)
    points = {int(line.name): line.points for line in page(town).lines}
    assert sum(points.values()) == 4 + 4
    with town.store.writing() as session:
        session.execute(update(EventSeat).where(EventSeat.player_id == ids[-1]).values(late=True))
    after = {int(line.name): line.points for line in page(town).lines}
    assert after == points | {ids[-1]: points[ids[-1]] - 1}


def test_a_player_who_joins_later_plays_the_remaining_games_and_one_who_withdraws_none(town: Town) -> None:
    ids = tour(town, 4)
    town.now += WEEK
    swept(town, 2)
    new = named(town, "new")
    events.join(town.site, 1, new)
    events.withdraw(town.site, 1, ids[0])
    town.now += FORTNIGHT
    swept(town, 2)
    players = Counter(player for _, seats in drawn(town, 2) for player in seats)
    assert players == dict.fromkeys([*ids[1:], new], 2)


def test_nobody_joins_a_tour_of_which_no_game_is_left(town: Town) -> None:
    ids = tour(town, 4)
    town.now += WEEK
    for _ in GAMES:
        swept(town, 2)
        town.now += FORTNIGHT
    for player_id in (named(town, "new"), ids[0]):
        if player_id == ids[0]:
            events.withdraw(town.site, 1, player_id)
        with pytest.raises(EventError, match="Grand tour has no game left to begin"):
            events.join(town.site, 1, player_id)
    assert events.join(town.site, 1, ids[1]).part == len(GAMES)


def test_a_tour_that_everybody_has_left_ends(town: Town) -> None:
    ids = tour(town, 4)
    town.now += WEEK
    swept(town, 2)
    decide(town)
    for player_id in ids[1:]:
        events.withdraw(town.site, 1, player_id)
    town.now += FORTNIGHT
    swept(town, 2)
    assert (state(town), page(town).line.event.season) == ("open", 2)


def test_entrants_are_informed_of_the_next_game_and_of_the_winner(town: Town) -> None:
    ids = tour(town, 4)
    with town.store.writing() as session:
        session.get_one(Player, ids[0]).post = "instant"
    town.now += WEEK
    swept(town)
    town.work()
    (mail,) = town.post()
    title = next(iter(GAMES.values())).title
    assert mail["Subject"] == f"Grand tour: {title} has begun"
    assert f"The next game in Grand tour is {title}: game 1 of {len(GAMES)}. You have two matches in it" in said(mail)
    for _ in GAMES:
        swept(town, 2)
        decide(town)
        town.now += FORTNIGHT
    town.work()
    (mail,) = [mail for mail in town.post() if mail["Subject"] == "Grand tour is over"]
    assert "Grand tour is over, and you won it. The next season begins on" in said(mail)
    town.reply(mail, "join")
    (answer,) = town.post()
    assert "You're in Grand tour. It begins on" in said(answer)


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (Plan("Grand cup", "go", "7d/move", kind="tour"), "must contain the word tour"),
        (Plan("Grand tour", "go", "7d/move", kind="tour", lowest=1500), "Everybody can join a ladder or a tour"),
        (Plan("Grand tour", "multigo", "7d/move", kind="tour", seats=3), "The tables of a tour have 2 players"),
    ],
)
def test_a_tour_that_cannot_be_founded_says_why(town: Town, plan: Plan, why: str) -> None:
    with pytest.raises(EventError, match=why):
        events.found(town.site, named(town, "ada"), plan)


def test_a_page_with_many_matches_lists_the_running_ones_first() -> None:
    over = [Table(n, 1, n, False, ((1, Fraction(1)), (2, Fraction(0))), frozenset()) for n in range(60)]
    played = Table(60, 1, 60, False, ((1, None), (2, None)), frozenset())
    mine = Table(61, 1, 61, False, ((1, None), (3, None)), frozenset(), mine=True)
    part = Part(1, (), (*over, played, mine))
    assert [table.number for table in part.listed[:3]] == [61, 60, 0]
    assert len(part.listed) == 50
    assert part.between(2, 1) == [*over, played]
    assert part.at(3, 1) == [mine]
    assert part.between(2, 3) == []
    assert [over[0].share(player) for player in (1, 2, 3)] == [1, 0, None]
