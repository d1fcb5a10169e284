"""Who may do what with cups and wishes, and what a form that is sent twice does: one test for each guard."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from service.play.company import event_matches, events, pairing, wishes
from service.play.company.events import EventError, Plan
from service.play.company.wish_text import Wanted, WishError
from service.play.match import lobby
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair
from service.play.table import replay
from service.store.models import Match, Player, Seat
from service.store.tables.events import Entrant, EventMatch, EventSeat
from service.store.tables.ratings import PlayerRating, RatedSeat
from tests.play.company.test_cups import NAMES, cup, flag, order, running, seat_of, shown, state
from tests.play.company.test_pairing import player, tables, wish
from tests.play.conftest import Town

SPRING = Plan("Spring cup", "lotus", "3d/move")

DOORS: dict[str, Callable[[Town, int], object]] = {
    "found": lambda town, guest: events.found(town.site, guest, SPRING),
    "join": lambda town, guest: events.join(town.site, 1, guest),
    "wish": lambda town, guest: wishes.make(town.site, guest, Wanted(("lotus",))),
    "meet": lambda town, guest: pairing.meet(town.site, guest, "lotus", "web:1"),
}


@pytest.mark.parametrize("door", DOORS)
def test_guests_must_sign_in_first(town: Town, door: str) -> None:
    cup(town, NAMES[:1])
    wish(town, "ben", "lotus")
    guest = player(town, "gus")
    with town.store.writing() as session:
        session.get_one(Player, guest).email = None
    with pytest.raises((EventError, WishError, LobbyError), match="Sign in with your email address first"):
        DOORS[door](town, guest)


def test_a_founder_can_have_three_cups_that_wait_for_players(town: Town) -> None:
    ada = player(town, "ada")
    plans = [Plan(f"{word} cup", "lotus", "3d/move") for word in ("Winter", "Spring", "Summer", "Autumn")]
    numbers = [events.found(town.site, ada, plan) for plan in plans[:3]]
    with pytest.raises(EventError, match="up to 3 events waiting"):
        events.found(town.site, ada, plans[3])
    events.end(town.site, numbers[0], ada, is_operator=False)
    events.found(town.site, ada, plans[3])


def test_a_form_sent_twice_founds_one_cup(town: Town) -> None:
    ada = player(town, "ada")
    assert events.found(town.site, ada, SPRING, "web:1") == events.found(town.site, ada, SPRING, "web:1")


def test_a_player_who_deleted_their_account_is_not_drawn(town: Town) -> None:
    cup(town, NAMES[:3])
    ben = player(town, "ben")
    with town.store.writing() as session:
        session.get_one(Player, ben).left = town.now
    events.join(town.site, 1, player(town, "dana"))
    assert state(town) == "open"
    events.join(town.site, 1, player(town, "emil"))
    with town.store.reading() as session:
        assert ben not in session.scalars(select(EventSeat.player_id)).all()
    assert state(town) == "running"


def test_a_player_who_leaves_between_the_draw_and_the_start_gets_no_match(town: Town) -> None:
    cup(town)
    with town.store.writing() as session:
        session.get_one(Player, player(town, "ben")).left = town.now
    event_matches.look_after(town.site)
    assert [table.void for table in shown(town).tables].count(True) == 3
    assert len(running(town)) == 3


def test_a_player_cannot_withdraw_from_a_cup_that_is_over(town: Town) -> None:
    cup(town)
    events.end(town.site, 1, player(town, "ada"), is_operator=True)
    with pytest.raises(EventError, match="You aren't taking part"):
        events.withdraw(town.site, 1, player(town, "ben"))


def test_a_founder_can_end_a_cup_that_waits_and_only_operators_one_that_has_begun(town: Town) -> None:
    cup(town, NAMES[:3])
    ada, ben = player(town, "ada"), player(town, "ben")
    with pytest.raises(EventError, match="Only an operator"):
        events.end(town.site, 1, ben, is_operator=False)
    events.join(town.site, 1, player(town, "dana"))
    with pytest.raises(EventError, match="Only an operator"):
        events.end(town.site, 1, ada, is_operator=False)
    assert state(town) == "running"


def test_a_cup_that_is_over_cannot_be_ended(town: Town) -> None:
    cup(town)
    event_matches.look_after(town.site)
    for match_id in running(town):
        order(town, match_id, 0, "resign")
    event_matches.look_after(town.site)
    events.end(town.site, 1, player(town, "ada"), is_operator=True)
    assert state(town) == "over"


def barred(town: Town) -> int:
    """Ada has lost a match of a cup on time."""
    cup(town)
    event_matches.look_after(town.site)
    with town.store.writing() as session:
        one = select(EventSeat.number).where(EventSeat.player_id == 1).limit(1).scalar_subquery()
        session.execute(update(EventSeat).where(EventSeat.player_id == 1, EventSeat.number == one).values(late=True))
    return events.found(town.site, player(town, "ben"), SPRING)


@pytest.mark.parametrize(("hours", "absence", "enters"), [(1, None, True), (1, "late again", False), (-1, None, False)])
def test_a_player_who_lost_on_time_enters_after_finishing_a_match_in_time(
    town: Town, hours: int, absence: str | None, enters: bool
) -> None:
    second = barred(town)
    with town.store.writing() as session:
        one = session.scalars(select(Seat).where(Seat.player_id == 1)).first()
        assert one is not None
        own = RatedSeat(match_id=one.match_id, player_id=1, game="go", seat=one.number, share="0", absence=absence)
        own.rating_before, own.rating, own.deviation = 1500.0, 1500.0, 300.0
        own.bot, own.fixed, own.ended = False, False, town.now + timedelta(hours=hours)
        session.add(own)
    if enters:
        events.join(town.site, second, 1)
    else:
        with pytest.raises(EventError, match="once you've finished 1 rated match"):
            events.join(town.site, second, 1)


def test_a_match_that_a_player_has_left_isnt_finished_in_time(town: Town) -> None:
    second = barred(town)
    left = lobby.open_match(town.site, player(town, "ben"), "go", {}, [Chair("me"), Chair("open")])
    with town.store.writing() as session:
        own = RatedSeat(match_id=left, player_id=1, game="go", seat=0, share="0", absence=None)
        own.rating_before, own.rating, own.deviation = 1500.0, 1500.0, 300.0
        own.bot, own.fixed, own.ended = False, False, town.now + timedelta(hours=1)
        session.add(own)
    with pytest.raises(EventError, match="once you've finished 1 rated match"):
        events.join(town.site, second, 1)


def test_a_loss_on_time_keeps_nobody_out_for_more_than_a_year(town: Town) -> None:
    second = barred(town)
    with town.store.writing() as session:
        session.execute(update(EventMatch).values(drawn=town.now - timedelta(days=366)))
    events.join(town.site, second, 1)


def at_four(town: Town) -> list[int]:
    """A cup at tables of four; the four matches that it has begun."""
    cup(town, game="multigo", seats=4)
    event_matches.look_after(town.site)
    return running(town)


def asked(town: Town) -> bool:
    with town.store.reading() as session:
        return session.get_one(Entrant, (1, 1)).asked is not None


def test_a_player_who_was_asked_is_not_asked_again_before_they_answer(town: Town) -> None:
    matches = at_four(town)
    for match_id in matches[:2]:
        flag(town, match_id, 1)
    event_matches.look_after(town.site)
    assert asked(town)
    town.now += timedelta(days=2)
    flag(town, matches[2], 1)
    event_matches.look_after(town.site)
    town.now += timedelta(days=1, minutes=1)
    event_matches.look_after(town.site)
    assert shown(town).states[1] == "out"


def test_a_player_who_has_withdrawn_is_not_asked_whether_they_play_on(town: Town) -> None:
    matches = at_four(town)
    events.withdraw(town.site, 1, 1)
    for match_id in matches[:3]:
        flag(town, match_id, 1)
    event_matches.look_after(town.site)
    assert not asked(town)


def test_a_player_who_is_removed_loses_their_running_match_and_it_counts(town: Town) -> None:
    """Only a match that had hardly begun wouldn't count."""
    cup(town, clock="14d/move")
    event_matches.look_after(town.site)
    own = [number for number in running(town) if seat_of(town, number, 1) is not None]
    for _ in range(event_matches.YOUNG):
        for seat in (0, 1):
            _move(town, own[-1], seat)
    for match_id in own[:-1]:
        flag(town, match_id, 1)
    event_matches.look_after(town.site)
    town.now += timedelta(days=3, minutes=1)
    event_matches.look_after(town.site)
    town.work()
    assert shown(town).states[1] == "out"
    assert not any(table.void for table in shown(town).tables)
    with town.store.reading() as session:
        match = session.get_one(Match, own[-1])
        assert (match.state, match.reason, match.rated) == ("over", "resignation", True)


def _move(town: Town, match_id: int, seat: int) -> None:
    with town.store.reading() as session:
        position = replay.position(session, session.get_one(Match, match_id))
        move = next(iter(position.moves(seat)))
    order(town, match_id, seat, move)


def test_two_players_dont_begin_a_second_match_of_the_same_game(town: Town) -> None:
    wish(town, "ada", "lotus 1d up to 5")
    ben = wish(town, "ben", "lotus 7d up to 5")
    pairing.meet(town.site, ben, "lotus", "web:1")
    with pytest.raises(LobbyError, match="Nobody you could play is looking for Lotus any more"):
        pairing.meet(town.site, ben, "lotus", "web:2")
    assert len(tables(town)) == 1


def test_a_wish_is_shown_only_to_players_with_the_rating_it_asks_for(town: Town) -> None:
    wish(town, "ada", "lotus rating 1800-2000")
    ben = player(town, "ben")
    assert wishes.seekers(town.site, ben) == []
    with pytest.raises(LobbyError, match="Nobody you could play"):
        pairing.meet(town.site, ben, "lotus", "web:1")
    with town.store.writing() as session:
        row = {"deviation": 80.0, "volatility": 0.06, "floor": 0.0, "matches": 9, "at": town.now, "game": "lotus"}
        session.add(PlayerRating(player_id=ben, rating=1900.0, **row))
    assert [one.people for one in wishes.seekers(town.site, ben)] == [1]
