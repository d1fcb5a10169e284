"""Cups: four strangers are enough, everybody plays everybody, and a cup doesn't wait for players who are out of it."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from fractions import Fraction

import pytest
from sqlalchemy import delete, select

from service.contests.ledger import Account
from service.contests.ratings import Rating
from service.contests.standings import standings
from service.mail.grammar.orders import parse
from service.mail.reply_address import Purpose, ReplyAddress
from service.play.accounts import deletion
from service.play.accounts.programs import bot_accounts
from service.play.company import event_matches, event_pages, events
from service.play.company.events import EventError, Plan
from service.play.inbox.receive import receive
from service.play.match import substitutes
from service.play.match.invitations import LobbyError
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_lists
from service.play.ratings.rate import columns
from service.play.table import replay
from service.play.talk import moderation
from service.store.models import Entry, Match, Player, Seat, Submission, TimeOff
from service.store.tables.events import Entrant, Event, EventMatch, EventSeat
from service.store.tables.pulse import Pulse
from service.store.tables.ratings import PlayerRating, RatedSeat
from tests.play.company.test_pairing import player
from tests.play.conftest import Town, plain
from tests.play.once import once

NAMES = ("ada", "ben", "cleo", "dana")


def cup(town: Town, names: tuple[str, ...] = NAMES, **plan: object) -> int:
    """A cup that the first of these has created and all have joined."""
    wanted = {"name": "Winter cup", "game": "lotus", "clock": "3d/move", **plan}
    number = events.found(town.site, player(town, names[0]), Plan(**wanted))  # type: ignore[arg-type]
    for name in names:
        events.join(town.site, number, player(town, name))
    return number


def running(town: Town) -> list[int]:
    with town.store.reading() as session:
        return list(session.scalars(select(Match.id).where(Match.state == "running").order_by(Match.id)))


def order(town: Town, match_id: int, seat: int, text: str) -> str | None:
    with town.store.reading() as session:
        own = session.get_one(Seat, (match_id, seat)).player_id
    assert own is not None
    key = f"{match_id}:{seat}:{text}:{town.now.isoformat()}"
    number = submit(town.site, Incoming(key, match_id, seat, own, None, parse(text), "web"))
    town.work()
    with town.store.reading() as session:
        return session.get_one(Submission, number).verdict


def seat_of(town: Town, match_id: int, player_id: int) -> int | None:
    with town.store.reading() as session:
        place = session.get_one(Match, match_id).place_of(player_id)
    return place.number if place else None


def state(town: Town, number: int = 1) -> str:
    with town.store.reading() as session:
        return session.get_one(Event, number).state


def shown(town: Town, number: int = 1, viewer: int | None = None) -> event_pages.EventPage:
    page = event_pages.page(town.site, number, viewer)
    assert page is not None
    return page


def wait(town: Town, days: float) -> None:
    town.now += timedelta(days=days)
    with town.store.writing() as session:
        session.merge(Pulse(id=1, at=town.now))
    for _ in range(2):
        sweep(town.site)
        town.work()


def test_six_matches_begin_within_a_sweep_once_the_fourth_player_joins(town: Town) -> None:
    cup(town, NAMES[:3])
    sweep(town.site)
    assert (state(town), running(town)) == ("open", [])
    events.join(town.site, 1, player(town, "dana"))
    before = town.now
    sweep(town.site)
    sweep(town.site)
    assert len(running(town)) == 6
    assert town.now - before + timedelta(seconds=town.settings.sweep_seconds) <= timedelta(seconds=60)
    with town.store.reading() as session:
        pairs = Counter(frozenset(seat.player_id for seat in match.seats) for match in session.scalars(select(Match)))
        first = Counter(session.scalars(select(Seat.player_id).where(Seat.number == 0)))
    assert set(pairs.values()) == {1}
    assert len(pairs) == 6
    assert max(first.values()) - min(first.values()) <= 1


def test_a_cup_that_was_played_out_is_over_and_its_standings_agree_with_a_recount(town: Town) -> None:
    cup(town)
    sweep(town.site)
    for match_id in running(town):
        order(town, match_id, match_id % 2, "resign")
    sweep(town.site)
    assert state(town) == "over"
    with town.store.reading() as session:
        results = [
            ({str(seat.player_id): Fraction(seat.score or "0") for seat in match.seats}, frozenset[str]())
            for match in session.scalars(select(Match))
        ]
    assert shown(town).lines == tuple(standings(results))
    assert sum(line.points for line in shown(town).lines) == 6


def test_entrants_hear_of_the_end_unless_they_want_no_emails(town: Town) -> None:
    cup(town)
    with town.store.writing() as session:
        session.get_one(Player, 2).post = "instant"
    sweep(town.site)
    for match_id in running(town):
        order(town, match_id, 0, "resign")
    sweep(town.site)
    town.work()
    (mail,) = [mail for mail in town.post() if mail["Subject"] == "Winter cup is over"]
    assert mail["To"].addresses[0].username == "ben"
    assert "Winter cup is over, and " in plain(mail)
    assert "http://127.0.0.1:8000/events/1" in plain(mail)


def test_a_player_who_deleted_their_account_isnt_counted_as_an_entrant(town: Town) -> None:
    cup(town, NAMES[:3])
    deletion.leave(town.site, player(town, "ben"))
    (listed,), _ = event_pages.all_listed(town.site, None)
    assert (listed.entrants, shown(town).line.entrants, len(shown(town).coming)) == (2, 2, 2)
    for name in ("dana", "emil"):
        assert state(town) == "open"
        events.join(town.site, 1, player(town, name))
    assert state(town) == "running"


def test_in_a_cup_with_tables_of_three_everybody_has_each_seat_once(town: Town) -> None:
    cup(town, NAMES[:3], game="multigo", seats=3)
    sweep(town.site)
    assert len(running(town)) == 3
    with town.store.reading() as session:
        seats = Counter((seat.number, seat.player_id) for seat in session.scalars(select(Seat)))
    assert len(seats) == 9


def test_a_player_who_withdraws_before_the_cup_begins_is_out_and_afterwards_offers_their_seats(town: Town) -> None:
    cup(town, NAMES[:3])
    ben = player(town, "ben")
    events.withdraw(town.site, 1, ben)
    assert len(shown(town).names) == 2
    for name in ("ben", "dana"):
        events.join(town.site, 1, player(town, name))
    sweep(town.site)
    events.withdraw(town.site, 1, ben)
    assert shown(town).states[ben] == "withdrawn"
    with town.store.reading() as session:
        assert len(session.scalars(select(Seat).where(Seat.player_id == ben, Seat.sought == 0)).all()) == 3
    with pytest.raises(EventError, match="You aren't taking part in Winter cup"):
        events.withdraw(town.site, 1, ben)


def test_a_match_not_yet_started_when_a_player_withdraws_is_void(town: Town) -> None:
    cup(town)
    events.withdraw(town.site, 1, 1)
    sweep(town.site)
    assert len(running(town)) == 3
    assert sum(table.void for table in shown(town).tables) == 3
    for match_id in running(town):
        order(town, match_id, 0, "resign")
    sweep(town.site)
    assert state(town) == "over"


@once
def silent(town: Town) -> int:
    """Ada has lost two of her three matches on time, and the others' matches have ended. Returns her last match."""
    cup(town, clock="14d/move")
    sweep(town.site)
    ada = player(town, "ada")
    own = [number for number in running(town) if seat_of(town, number, ada) is not None]
    for match_id in running(town):
        if match_id not in own:
            order(town, match_id, 0, "resign")
    last = own[-1]
    for match_id in own[:-1]:
        flag(town, match_id, ada)
    sweep(town.site)
    town.work()
    return last


def flag(town: Town, match_id: int, player_id: int) -> None:
    """Ends a match on time for a player, as the sweep would once the deadline has passed."""
    with town.store.writing() as session:
        match = session.get_one(Match, match_id)
        match.state, match.reason = "over", "time"
        for seat in match.seats:
            seat.score = "0" if seat.player_id == player_id else "1"
            seat.deadline = None
            if seat.player_id == player_id:
                match.ply += 1
                row = {"match_id": match_id, "ply": match.ply, "seat": seat.number, "move": "timeout", "round": 1}
                session.execute(_ENTRY.insert().values(**row, private=False, fate="", remark="", played=town.now))


_ENTRY = Seat.metadata.tables["entry"]


def test_a_player_who_stops_playing_is_asked_and_then_their_young_match_does_not_count(town: Town) -> None:
    last = silent(town)
    ada = player(town, "ada")
    assert shown(town, viewer=ada).asked
    town.now += timedelta(days=2)
    event_matches.look_after(town.site)
    assert shown(town).states[ada] == "in"
    town.now += timedelta(days=1, minutes=1)
    event_matches.look_after(town.site)
    town.work()
    event_matches.look_after(town.site)
    assert shown(town).states[ada] == "out"
    assert state(town) == "over"
    assert [table.void for table in shown(town).tables].count(True) == 1
    with town.store.reading() as session:
        match = session.get_one(Match, last)
        assert (match.state, match.rated) == ("over", False)
        assert session.scalars(select(RatedSeat.match_id).where(RatedSeat.match_id == last)).first() is None


def test_a_match_that_a_substitute_plays_for_a_silent_player_counts(town: Town) -> None:
    last = silent(town)
    ada, emil = player(town, "ada"), player(town, "emil")
    substitutes.offer(town.site, last, ada, "anybody")
    substitutes.join(town.site, last, emil)
    town.now += timedelta(days=3, minutes=1)
    event_matches.look_after(town.site)
    town.work()
    assert shown(town).states[ada] == "out"
    assert not any(table.void for table in shown(town).tables)
    with town.store.reading() as session:
        match = session.get_one(Match, last)
        assert (match.state, match.rated) == ("running", True)


@pytest.mark.parametrize("answer", ["join", "Yes, I'm still playing!", "ok", "move"])
def test_a_player_who_answers_plays_on(town: Town, answer: str) -> None:
    last = silent(town)
    ada = player(town, "ada")
    if answer != "move":
        to = town.site.reply_address(ReplyAddress(ada, round=1, purpose=Purpose.EVENT))
        raw = f"From: ada@example.org\nTo: {to}\nMessage-ID: <1@example.org>\n\n{answer}\n\nAda\n"
        receive(town.site, raw.encode(), [to], "smtp")
        town.work()
        assert "You're in Winter cup" in plain(town.post()[-1])
    else:
        seat = seat_of(town, last, ada)
        assert seat is not None
        for mover in range(seat + 1):
            with town.store.reading() as session:
                move = next(iter(replay.position(session, session.get_one(Match, last)).moves(mover)))
            order(town, last, mover, move)
    town.now += timedelta(days=2)
    town.now += timedelta(days=1, minutes=1)
    event_matches.look_after(town.site)
    assert (shown(town).states[ada], shown(town, viewer=ada).asked) == ("in", False)


def test_a_player_who_isnt_playing_any_more_says_no_and_has_withdrawn(town: Town) -> None:
    silent(town)
    ada = player(town, "ada")
    to = town.site.reply_address(ReplyAddress(ada, round=1, purpose=Purpose.EVENT))
    receive(town.site, f"From: ada@example.org\nTo: {to}\nMessage-ID: <1@example.org>\n\nNo\n".encode(), [to], "smtp")
    town.work()
    assert "You've left Winter cup." in plain(town.post()[-1])
    assert shown(town).states[ada] == "withdrawn"


def test_nobody_is_asked_whether_they_play_on_in_a_cup_that_was_ended(town: Town) -> None:
    silent(town)
    events.end(town.site, 1, 2, is_operator=True)
    assert not shown(town, viewer=player(town, "ada")).asked


def test_a_player_who_has_left_a_running_cup_isnt_in_it_in_lists_either(town: Town) -> None:
    cup(town)
    ben = player(town, "ben")
    events.withdraw(town.site, 1, ben)
    (line,), _ = event_pages.all_listed(town.site, ben)
    assert (line.is_in, line.entrants) == (shown(town, viewer=ben).line.is_in, 4) == (False, 4)


def asked_at_one_table(town: Town, clock: str = "14d/move") -> tuple[int, int]:
    """A cup at tables of three with simultaneous moves. Ada, who lost two of her matches on time, is asked whether she
    plays on. Returns her last match and her seat there."""
    cup(town, NAMES[:3], game="multigo-parallel-coop", seats=3, clock=clock)
    sweep(town.site)
    ada = player(town, "ada")
    first, second, last = running(town)
    flag(town, first, ada)
    flag(town, second, ada)
    sweep(town.site)
    town.work()
    assert shown(town, viewer=ada).asked
    seat = seat_of(town, last, ada)
    assert seat is not None
    return last, seat


@pytest.mark.parametrize(
    "secrets",
    [(), ("c3",), ("c3", "wait"), ("prefer red",), ("c3", "d4", "e5", "c3", "d4", "e5", "prefer red")],
)
def test_moves_that_nobody_saw_dont_keep_a_silent_player_in_a_cup(town: Town, secrets: tuple[str, ...]) -> None:
    """Otherwise the page would show that they sealed a move: they'd still be in the cup, or the match would count."""
    last, seat = asked_at_one_table(town)
    for text in secrets:
        order(town, last, seat, text)
        town.now += timedelta(hours=1)
    town.now += timedelta(days=3)
    event_matches.look_after(town.site)
    town.work()
    assert shown(town).states[player(town, "ada")] == "out"
    assert [table.void for table in shown(town).tables] == [False, False, True]


def test_a_sealed_move_counts_once_everybody_sees_it(town: Town) -> None:
    last, seat = asked_at_one_table(town)
    for number, cell in ((seat, "c3"), ((seat + 1) % 3, "e5"), ((seat + 2) % 3, "g7")):
        order(town, last, number, cell)
    town.now += timedelta(days=3, minutes=1)
    event_matches.look_after(town.site)
    assert shown(town).states[player(town, "ada")] == "in"


def test_moves_that_the_clock_played_dont_keep_a_silent_player_in_a_cup(town: Town) -> None:
    last, seat = asked_at_one_table(town, "2d/move, no vacation, late passes")
    wait(town, 2.1)
    with town.store.reading() as session:
        own = select(Entry.move).where(Entry.match_id == last, Entry.seat == seat)
        assert session.scalars(own).all() == ["late"]
    wait(town, 1)
    assert shown(town).states[player(town, "ada")] == "out"


def test_a_player_who_lost_on_time_enters_again_after_as_many_matches_finished_in_time(town: Town) -> None:
    silent(town)
    ada = player(town, "ada")
    second = events.found(town.site, 2, Plan("Spring cup", "go", "3d/move"))
    with town.store.reading() as session:
        held = session.execute(select(Seat.match_id, Seat.number).where(Seat.player_id == ada)).all()
    for left in (2, 1):
        with pytest.raises(EventError, match=f"once you've finished {left} rated match"):
            events.join(town.site, second, ada)
        with town.store.writing() as session:
            numbers = {"rating_before": 1500.0, "rating": 1500.0, "deviation": 300.0}
            match_id, seat = held[left]
            own = RatedSeat(match_id=match_id, player_id=ada, game="go", seat=seat, share="0", **numbers)
            own.bot, own.fixed, own.ended = False, False, town.now + timedelta(hours=1)
            session.add(own)
    events.join(town.site, second, ada)


def test_matches_finished_before_another_was_lost_on_time_count_too(town: Town) -> None:
    silent(town)
    ada = player(town, "ada")
    second = events.found(town.site, 2, Plan("Spring cup", "go", "3d/move"))
    with town.store.writing() as session:
        lost = select(EventMatch).join(EventSeat, EventMatch.number == EventSeat.number)
        later = session.scalars(lost.where(EventSeat.player_id == ada, EventSeat.late)).all()[-1]
        later.drawn = town.now + timedelta(hours=2)
        numbers = {"rating_before": 1500.0, "rating": 1500.0, "deviation": 300.0}
        own = RatedSeat(match_id=later.match_id, player_id=ada, game="go", seat=0, share="0", **numbers)
        own.bot, own.fixed, own.ended = False, False, town.now + timedelta(hours=1)
        session.merge(own)
    town.now += timedelta(hours=3)
    with pytest.raises(EventError, match="once you've finished 1 rated match"):
        events.join(town.site, second, ada)


def test_a_players_vacation_doesnt_count_towards_the_90_days(town: Town) -> None:
    cup(town)
    sweep(town.site)
    match_id = running(town)[0]
    with town.store.writing() as session:
        days = {"begins": town.now - timedelta(days=31), "ends": town.now - timedelta(days=1)}
        session.add(TimeOff(key="vacation", player_id=player(town, "ada"), match_id=match_id, **days))
    assert order(town, match_id, 0, "pause 89d") == "accepted"


def test_pauses_and_extra_time_in_a_match_of_an_event_add_up_to_90_days(town: Town) -> None:
    cup(town)
    sweep(town.site)
    match_id = running(town)[0]

    def ordered(*given: tuple[int, str]) -> list[str | None]:
        found = []
        for seat, text in given:
            found.append(order(town, match_id, seat, text))
            town.now += timedelta(minutes=1)
        return found

    assert ordered((1, "extend 30d"), (0, "pause 61d"), (0, "pause 50d")) == ["accepted", "refused", "accepted"]
    assert ordered((1, "extend 20d"), (1, "accept")) == ["accepted", "refused"]
    assert ordered((1, "pause 30d"), (0, "accept"), (0, "extend 20d"), (1, "extend 20d")) == [
        "accepted",
        "accepted",
        "refused",
        "refused",
    ]
    wait(town, 10)
    assert ordered((1, "resume play"), (0, "resume play"), (1, "extend 20d")) == ["accepted"] * 3


def test_a_bot_takes_over_no_seat_in_an_event(town: Town) -> None:
    cup(town)
    sweep(town.site)
    ada, emil = player(town, "ada"), player(town, "emil")
    match_id = next(one for one in running(town) if seat_of(town, one, ada) is not None)
    substitutes.offer(town.site, match_id, ada, "anybody")
    bot = bot_accounts.make(town.site, emil, "Emilbot").id
    assert [on_offer(town, one) for one in (bot, emil, None)] == [[], [match_id], [match_id]]
    with pytest.raises(LobbyError, match="Only people can take part in events"):
        substitutes.join(town.site, match_id, bot)
    substitutes.join(town.site, match_id, emil)
    assert seat_of(town, match_id, emil) is not None


def on_offer(town: Town, viewer: int | None) -> list[int]:
    """The matches with a seat that this viewer may take, as lists show them."""
    return [line.id for line in match_lists.open_matches(town.site, viewer)]


def match_of_a_cup(town: Town) -> tuple[int, int, int]:
    """A cup that has begun: ada, emil, who isn't in it, and a match in which ada has the first seat."""
    cup(town)
    sweep(town.site)
    ada, emil = player(town, "ada"), player(town, "emil")
    return ada, emil, next(one for one in running(town) if seat_of(town, one, ada) == 0)


def test_the_substitute_is_late_and_not_the_player_who_handed_over_the_seat(town: Town) -> None:
    ada, emil, match_id = match_of_a_cup(town)
    substitutes.offer(town.site, match_id, ada, "anybody")
    substitutes.join(town.site, match_id, emil)
    wait(town, 3.1)
    with town.store.reading() as session:
        number = session.scalars(select(EventMatch.number).where(EventMatch.match_id == match_id)).one()
        own = session.get_one(EventSeat, (1, number, 0))
        assert (own.player_id, own.share, own.late) == (ada, "0", False)
    spring = events.found(town.site, ada, Plan("Spring cup", "go", "3d/move"))
    with pytest.raises(EventError, match="once you've finished 1 rated match"):
        events.join(town.site, spring, emil)


def test_a_player_who_owes_matches_takes_over_no_seat_in_an_event(town: Town) -> None:
    ada, emil, match_id = match_of_a_cup(town)
    substitutes.offer(town.site, match_id, ada, "anybody")
    with town.store.writing() as session:
        session.get_one(EventSeat, (1, 1, 0)).player_id = emil
        session.get_one(EventSeat, (1, 1, 0)).late = True
    with pytest.raises(LobbyError, match="seats in events again once you've finished 1 rated match without"):
        substitutes.join(town.site, match_id, emil)
    assert on_offer(town, emil) == []
    with town.store.writing() as session:
        session.execute(delete(EventMatch).where(EventMatch.match_id == match_id))
    assert on_offer(town, emil) == [match_id]
    substitutes.join(town.site, match_id, emil)
    assert seat_of(town, match_id, emil) == 0


def test_a_player_who_may_not_join_learns_why(town: Town) -> None:
    cup(town, NAMES[:2])
    masters = events.found(town.site, 1, Plan("Masters cup", "lotus", "3d/move", lowest=1800))
    with pytest.raises(EventError, match="Your rating at Lotus is 1500, which isn't in the range of Masters cup"):
        events.join(town.site, masters, player(town, "dana"))
    for name in ("dana", "emil"):
        events.join(town.site, 1, player(town, name))
    with pytest.raises(EventError, match="Winter cup has begun"):
        events.join(town.site, 1, player(town, "fay"))


@pytest.mark.parametrize(("rating", "bound"), [(1500.4, {"highest": 1500}), (1499.6, {"lowest": 1500})])
def test_the_rating_that_counts_for_entry_is_the_one_that_is_shown(
    town: Town, rating: float, bound: dict[str, int]
) -> None:
    ada = player(town, "ada")
    with town.site.transaction() as tx:
        tx.session.add(PlayerRating(player_id=ada, game="lotus", **columns(Account(Rating(rating)))))
    number = events.found(town.site, ada, Plan("Winter cup", "lotus", "3d/move", **bound))  # type: ignore[arg-type]
    assert events.join(town.site, number, ada).id == number


def test_everybody_plays_everybody_even_players_who_block_each_other(town: Town) -> None:
    """Three players who block the fourth could otherwise share out the cup."""
    ids = [player(town, name) for name in NAMES]
    for number in ids[1:3]:
        moderation.set_block(town.site, number, ids[0], blocked=True)
    cup(town)
    moderation.set_block(town.site, ids[3], ids[0], blocked=True)
    sweep(town.site)
    assert len(running(town)) == 6


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (Plan("Winter", "lotus", "3d/move"), "The name must contain the word cup and can"),
        (Plan("12 cup", "lotus", "3d/move"), "can't begin with a number"),
        (Plan("Winter cup" * 9, "lotus", "3d/move"), "A name can have 1 to 60 characters."),
        (Plan("Winter\u200b cup", "lotus", "3d/move"), "The name has an invisible character, U+200B. Type it again"),
        (Plan("Winter cup", "chess", "3d/move"), "Choose one of the games"),
        (Plan("Winter cup", "lotus", "none"), "An event needs a clock"),
        (Plan("Winter cup", "lotus", "rounds at 3:00, sleep 23-7"), "a turn would never end"),
        (Plan("Winter cup", "lotus", "soon"), "isn't a clock"),
        (Plan("Winter cup", "lotus", "3d/move", seats=3), "Lotus is for 2 players at a table"),
        (Plan("Winter cup", "lotus", "3d/move", lowest=9, highest=1), "The lowest rating can't be above"),
        (Plan("WINTER  CUP", "go", "3d/move"), "There's already an event called WINTER CUP"),
    ],
)
def test_a_cup_that_cannot_be_founded_says_why(town: Town, plan: Plan, why: str) -> None:
    ada = player(town, "ada")
    if "already" in why:
        events.found(town.site, ada, Plan("Winter cup", "lotus", "3d/move"))
    with pytest.raises(EventError) as refused:
        events.found(town.site, ada, plan)
    assert why in str(refused.value)


def test_an_operator_ends_a_cup_and_its_matches_go_on(town: Town) -> None:
    cup(town)
    with pytest.raises(EventError, match="Only an operator"):
        events.end(town.site, 1, 1, is_operator=False)
    sweep(town.site)
    events.end(town.site, 1, 2, is_operator=True)
    sweep(town.site)
    assert (state(town), len(running(town))) == ("ended", 6)


@pytest.mark.parametrize(("names", "goes_on"), [(NAMES[:3], False), (NAMES, True)])
def test_players_of_a_cup_that_is_ended_early_hear_of_it(town: Town, names: tuple[str, ...], goes_on: bool) -> None:
    cup(town, names)
    ada, ben, cleo = (player(town, name) for name in NAMES[:3])
    with town.store.writing() as session:
        session.get_one(Player, ada).post = session.get_one(Player, ben).post = "instant"
        session.get_one(Player, cleo).post = "off"
    events.end(town.site, 1, ada, is_operator=goes_on)
    town.work()
    (mail,) = [mail for mail in town.post() if "ended" in mail["Subject"]]
    assert (mail["To"].addresses[0].username, mail["Subject"]) == ("ben", "Winter cup was ended early")
    assert ("Matches that have begun go on without it." in plain(mail)) is goes_on
    assert "To see which other events there are, reply with: events" in " ".join(plain(mail).split())


def test_who_joins_a_cup_again_that_they_played_to_its_end_learns_that_it_is_over(town: Town) -> None:
    cup(town)
    sweep(town.site)
    for match_id in running(town):
        order(town, match_id, 0, "resign")
    sweep(town.site)
    with pytest.raises(EventError, match=r"^Winter cup is over\.$"):
        events.join(town.site, 1, player(town, "ben"))


def test_a_step_repeated_after_a_crash_changes_nothing(town: Town) -> None:
    cup(town)
    for _ in range(2):
        for number in range(1, 7):
            with town.site.transaction() as tx:
                event_matches._start(tx, 1, number)
    assert len(running(town)) == 6
    order(town, 1, 0, "resign")
    for _ in range(2):
        with town.site.transaction() as tx:
            event_matches._note(tx, 1, 1)
    with town.store.reading() as session:
        noted = session.scalars(select(EventSeat.share).where(EventSeat.number == 1).order_by(EventSeat.seat)).all()
        assert noted == ["0", "1"]
        assert session.get_one(EventMatch, (1, 1)).noted
        assert len(session.scalars(select(Entrant)).all()) == 4


def test_a_match_that_has_not_started_is_void_once_a_silent_player_is_out(town: Town) -> None:
    """A large event starts its matches over several sweeps."""
    silent(town)
    ada, ben = player(town, "ada"), player(town, "ben")
    with town.store.writing() as session:
        session.add(EventMatch(event_id=1, number=7, season=1, part=1, drawn=town.now, void=False, noted=False))
        session.flush()
        session.add_all(
            EventSeat(event_id=1, number=7, seat=seat, player_id=one, late=False) for seat, one in enumerate((ada, ben))
        )
    town.now += timedelta(days=3, minutes=1)
    with town.site.transaction() as tx:
        event_matches._give_up(tx, 1, ada)
    assert shown(town).states[ada] == "out"
    wait(town, 0)
    with town.store.reading() as session:
        row = session.get_one(EventMatch, (1, 7))
        assert (row.void, row.match_id) == (True, None)
    assert state(town) == "over"
