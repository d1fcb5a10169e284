"""Deadlines: each is enforced once, by an order like any other, and never before a move that came in time is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from service.mail.grammar.orders import parse
from service.play.accounts import identity, settings
from service.play.inbox.receive import receive
from service.play.match import invitations, lobby
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair, Proposal
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.pages import match_page
from service.play.timekeeping import clocks, deadlines
from service.play.timekeeping.deadlines import GRACE
from service.store.models import Entry, Match, Player, Seat, Submission, TimeOff
from service.store.tables.mail_rows import Letter
from service.store.tables.pulse import Pulse
from tests.cases import cases
from tests.play.conftest import Town, plain
from tests.play.once import once

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


def player(town: Town, email: str, *, vacation: bool = False, zone: str = "") -> int:
    with town.store.writing() as session:
        person = identity.by_email(session, email, town.now)
        person.vacation, person.zone = vacation, zone
        return person.id


@once
def begin(town: Town, /, clock: str, game: str = "rosette", **options: str) -> tuple[int, int, int]:
    """A match of ada (the first side) and ben that begins now: their ids and the match's."""
    ada, ben = (
        accounts_id if (accounts_id := known(town, email)) else player(town, email)
        for email in ("ada@example.org", "ben@example.net")
    )
    chairs = [Chair("me"), Chair("email", "ben@example.net")]
    match = lobby.open_match(town.site, ada, game, options, chairs, clock)
    invitations.answer(town.site, match, ben, True)
    town.work()
    return ada, ben, match


def known(town: Town, email: str) -> int | None:
    with town.store.reading() as session:
        return session.scalars(select(Player.id).where(Player.email == email)).first()


def order(town: Town, player_id: int, match: int, seat: int, text: str) -> int:
    return submit(
        town.site, Incoming(f"web:{town.now}:{seat}:{text}", match, seat, player_id, None, parse(text), "web")
    )


def swept(town: Town, later: timedelta = timedelta()) -> None:
    """Lets time pass without an outage; then runs a sweep, and all that follows."""
    town.now += later
    with town.store.writing() as session:
        session.merge(Pulse(id=1, at=town.now))
    sweep(town.site)
    town.work()


def deadline(town: Town, match: int, seat: int) -> datetime | None:
    with town.store.reading() as session:
        return session.get_one(Seat, (match, seat)).deadline


def to_move(town: Town, match: int) -> list[int]:
    with town.store.reading() as session:
        return list(session.scalars(select(Seat.number).where(Seat.match_id == match, Seat.to_move)))


def log(town: Town, match: int) -> list[tuple[int, str]]:
    with town.store.reading() as session:
        entries = select(Entry.seat, Entry.move).where(Entry.match_id == match).order_by(Entry.ply)
        return [(seat, move) for seat, move in session.execute(entries)]


def verdicts(town: Town) -> list[str | None]:
    with town.store.reading() as session:
        return list(session.scalars(select(Submission.verdict).order_by(Submission.id)))


def test_a_turn_has_a_deadline_that_the_email_shows_in_the_readers_time_zone(town: Town) -> None:
    player(town, "ada@example.org", zone="Europe/Lisbon")
    began = town.now
    ada, _, match = begin(town, "3d/move")
    assert deadline(town, match, 0) == began + 3 * DAY
    assert deadline(town, match, 1) is None
    turn = next(mail for mail in town.post() if "your move" in mail["Subject"])
    assert "You have 3 days, until Tuesday 24 November, 12:00 (Lisbon)." in " ".join(plain(turn).split())
    town.now += DAY
    order(town, ada, match, 0, "g10")
    moved = town.now
    town.work()
    assert deadline(town, match, 0) is None
    assert deadline(town, match, 1) == moved + 3 * DAY


def test_a_match_from_before_there_were_clocks_goes_on(town: Town) -> None:
    ada, ben, match = begin(town, "none")
    with town.store.writing() as session:
        session.execute(update(Seat).values(budget=None))
    for player_id, seat, move in ((ada, 0, "g10"), (ben, 1, "e7"), (ada, 0, "g12")):
        order(town, player_id, match, seat, move)
        town.work()
    with town.store.reading() as session:
        assert session.get_one(Match, match).ply == 3


@pytest.mark.parametrize("by_email", [False, True])
def test_a_turn_that_has_begun_keeps_its_time_zone_and_the_next_one_has_the_new(town: Town, by_email: bool) -> None:
    player(town, "ada@example.org", zone="Pacific/Auckland")
    town.pace, town.now = timedelta(), (began := datetime(2026, 11, 27, 10, tzinfo=UTC))
    ada, ben, match = begin(town, "fischer 1d+1h, weekends off")
    # In Auckland it's Friday, 23:00.
    until = datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert deadline(town, match, 0) == until
    if by_email:
        told = town.write("ada@example.org", "zone Pacific/Honolulu")[-1]
        assert "they follow it from your next turn on." in " ".join(plain(told).split())
    else:
        with town.store.reading() as session:
            own = settings.of(session.get_one(Player, ada))
        settings.keep(town.site, ada, replace(own, zone="Pacific/Honolulu"))
    with town.store.writing() as session:
        clocks.compute_many(session, [match], town.now)
    assert deadline(town, match, 0) == until
    town.now = began + DAY / 2
    order(town, ada, match, 0, "g10")
    town.work()
    assert bank(town, match, 0) == DAY
    with town.store.reading() as session:
        assert [seat.budget and "zone" in seat.budget for seat in session.get_one(Match, match).seats] == [False, True]
    order(town, ben, match, 1, "e7")
    town.work()
    # In Honolulu it's Friday, 12:00.
    assert deadline(town, match, 0) == datetime(2026, 11, 30, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "until"),
    [
        ("Pacific/Auckland", "Friday 1 January 2027, 12:59 (Auckland)"),
        ("America/New_York", "Thursday 31 December, 18:59 (New York)"),
    ],
)
def test_a_deadline_in_another_year_has_the_year_in_the_readers_time_zone(town: Town, zone: str, until: str) -> None:
    player(town, "ada@example.org", zone=zone)
    town.now = datetime(2026, 12, 28, 23, 59, tzinfo=UTC)
    begin(town, "3d/move")
    turn = next(mail for mail in town.post() if "your move" in mail["Subject"])
    for part in ("plain", "html"):
        body = turn.get_body((part,))
        assert body is not None
        assert f"You have 3 days, until {until}." in " ".join(body.get_content().split())


def test_an_invitation_explains_the_clock_with_a_date(town: Town) -> None:
    ada = player(town, "ada@example.org")
    chairs = [Chair("me"), Chair("email", "ben@example.net")]
    lobby.open_match(town.site, ada, "rosette", {}, chairs, "fischer 10d+1d cap 14d, weekends off")
    town.work()
    (invitation,) = town.post()
    assert (
        "You start with 10 days, and each of your moves adds 1 day, up to 14 days in all. "
        "Saturdays and Sundays don't count in your own time zone. If you run out of time, you lose. "
        "If a count has been proposed at the end, you accept it instead. "
        "When your time is up, your vacation of 30 days a year is used first, one day at a time, "
        "unless you've switched that off. "
        "If your first turn began now, it would last until Saturday 5 December, 00:00 (UTC)."
    ).replace("Saturday 5 December", "Monday 7 December") in " ".join(plain(invitation).split())


@pytest.mark.parametrize(
    ("game", "clock", "substitutes", "told"),
    [
        ("pillars", "3d/move", False, "If you run out of time, you lose."),
        (
            "multigo",
            "3d/move",
            True,
            "If you run out of time, you leave the match. If a count has been proposed at the end, you accept it "
            "instead.",
        ),
        (
            "multigo",
            "3d/move, late passes",
            True,
            "If you run out of time, you pass that turn, unless you've left a standing order. After three missed turns "
            "in a row anyone may replace you, and after six you leave the match.",
        ),
        (
            "multigo",
            "3d/move, late passes",
            False,
            "If you run out of time, you pass that turn, unless you've left a standing order. After three missed turns "
            "in a row you leave the match.",
        ),
    ],
)
def test_an_invitation_has_only_the_terms_of_its_own_match(
    town: Town, game: str, clock: str, substitutes: bool, told: str
) -> None:
    ada = player(town, "ada@example.org")
    chairs = [
        Chair("me"),
        *(Chair("email", f"{name}@example.net") for name in ("ben", "cy")[: 1 + (game != "pillars")]),
    ]
    lobby.open_match(town.site, ada, game, {}, chairs, clock, substitutes=substitutes)
    town.work()
    for invitation in town.post():
        text = " ".join(plain(invitation).split())
        assert f"{told} When your time is up, your vacation of 30 days a year is used first" in text
        assert text.count("three missed turns") == ("passes" in clock)
        assert ("Where late turns pass" in text, "misses three turns" in text) == (False, False)


def test_one_sweep_deals_with_all_late_matches_however_few_it_reads_at_a_time(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadlines, "AT_ONCE", 2)
    matches = [begin(town, "3d/move")[2] for _ in range(5)]
    swept(town, 2 * DAY + HOUR)
    with town.store.reading() as session:
        assert len(session.scalars(select(Letter.id).where(Letter.kind == "reminder")).all()) == len(matches)
    swept(town, DAY)
    assert verdicts(town) == ["accepted"] * len(matches)


def test_a_player_who_runs_out_of_time_loses_once_and_the_log_can_be_replayed(town: Town) -> None:
    _, _, match = begin(town, "3d/move")
    town.post()
    swept(town, 3 * DAY - HOUR)
    assert log(town, match) == []
    swept(town, HOUR + MINUTE)
    swept(town, MINUTE)
    assert log(town, match) == [(0, "timeout")]
    results = [mail for mail in town.post() if "won" in mail["Subject"]]
    assert [mail["Subject"] for mail in results] == [f"Rosette {match}: White won on time"] * 2
    assert all("\nBlack ran out of time." in plain(mail) for mail in results)
    page = match_page.match_page(town.site, match, None)
    assert page is not None
    assert (page.line.state, page.line.reason) == ("over", "time")
    assert deadline(town, match, 0) is None


def test_a_move_in_time_is_judged_before_the_flag_however_late_it_is_judged(town: Town) -> None:
    ada, _, match = begin(town, "3d/move")
    end = deadline(town, match, 0)
    assert end is not None
    town.now = end
    order(town, ada, match, 0, "g10")
    town.queue.clear()  # The nudge is lost.
    swept(town, 2 * MINUTE)
    assert log(town, match) == [(0, "g10")]
    assert verdicts(town)[0] == "accepted"


def mail_commands_at_the_deadline(town: Town, text: str) -> int:
    """Ada's email arrives in the last moment of her turn, and the worker doesn't get to it. Returns the match."""
    _, _, match = begin(town, "3d/move")
    turn = next(mail for mail in town.post() if "your move" in mail["Subject"])
    end = deadline(town, match, 0)
    assert end is not None
    town.now = end
    receive(town.site, *town.written(turn, text), "smtp")
    town.queue.clear()
    return match


def test_a_move_among_commands_that_came_in_time_is_played_however_late_they_are_run(town: Town) -> None:
    match = mail_commands_at_the_deadline(town, "receipts off\ng10")
    sweep_without_work(town, 2 * MINUTE)
    swept(town, MINUTE)
    assert log(town, match) == [(0, "g10")]
    assert verdicts(town) == ["accepted"]


@pytest.mark.parametrize("later", [MINUTE, 2 * DAY])
def test_an_email_without_a_move_or_that_cannot_be_run_doesnt_stop_the_clock(town: Town, later: timedelta) -> None:
    match = mail_commands_at_the_deadline(town, "receipts off\nhelp")
    sweep_without_work(town, 2 * MINUTE)
    assert verdicts(town) == []
    if later < DAY:
        swept(town, later)
    else:
        sweep_without_work(town, later)
    swept(town, MINUTE)
    assert log(town, match) == [(0, "timeout")]


def test_a_late_move_waits_for_the_sweep_and_is_refused(town: Town) -> None:
    ada, _, match = begin(town, "3d/move")
    end = deadline(town, match, 0)
    assert end is not None
    town.now = end + timedelta(seconds=1)
    order(town, ada, match, 0, "g10")
    town.work()
    assert verdicts(town) == [None]
    swept(town, MINUTE)
    assert log(town, match) == [(0, "timeout")]
    assert sorted(filter(None, verdicts(town))) == ["accepted", "refused"]
    with town.store.reading() as session:
        late = session.scalars(select(Submission).where(Submission.verdict == "refused")).one()
    assert late.message == "Your time ran out before this order reached us, so it wasn't played."


def test_a_flag_does_nothing_if_the_move_was_in_time_after_all(town: Town) -> None:
    """The move is stored some seconds after it was received: the flag is raised before it and judged after it."""
    ada, _, match = begin(town, "3d/move")
    end = deadline(town, match, 0)
    assert end is not None
    town.now = end + GRACE + MINUTE
    sweep_without_work(town)
    town.now = end
    order(town, ada, match, 0, "g10")
    town.now = end + 2 * MINUTE
    judge_waiting(town.site, match)
    assert log(town, match) == [(0, "g10")]
    assert verdicts(town) == ["refused", "accepted"]


def sweep_without_work(town: Town, later: timedelta = timedelta()) -> None:
    town.now += later
    with town.store.writing() as session:
        session.merge(Pulse(id=1, at=town.now))
    sweep(town.site)
    town.queue.clear()


def test_vacation_is_spent_before_time_runs_out_and_stops_every_clock(town: Town) -> None:
    ada = player(town, "ada@example.org", vacation=True)
    _, _, first = begin(town, "3d/move")
    _, _, second = begin(town, "5d/move")
    _, _, strict = begin(town, "6d/move, no vacation")
    ends = [deadline(town, match, 0) for match in (first, second, strict)]
    assert None not in ends
    swept(town, 3 * DAY + 5 * MINUTE)
    assert [deadline(town, match, 0) for match in (first, second, strict)] == [
        ends[0] and ends[0] + DAY,
        ends[1] and ends[1] + DAY,
        ends[2],
    ]
    swept(town, MINUTE)
    with town.store.reading() as session:
        assert [row.player_id for row in session.scalars(select(TimeOff))] == [ada]
    order(town, ada, first, 0, "g10")
    town.work()
    assert log(town, first) == [(0, "g10")]


def test_a_day_of_vacation_begun_in_a_simultaneous_round_counts_for_that_match_alone(town: Town) -> None:
    """Otherwise it would show in other matches who hasn't chosen yet. A day begun in turn counts for all matches."""
    ada = player(town, "ada@example.org", vacation=True)
    _, _, in_turn = begin(town, "3d/move")
    secret = [begin(town, "2d/move, late passes", game="multigo-parallel")[2] for _ in range(2)]
    with town.store.writing() as session:
        session.execute(update(Seat).where(Seat.match_id.in_(secret)).values(since=town.now))
    matches = [in_turn, *secret]
    ends = [deadline(town, match, 0) for match in matches]
    swept(town, 2 * DAY + 5 * MINUTE)
    assert gained(town, matches, ends) == [0, 1, 1]
    swept(town, DAY)
    assert gained(town, matches, ends) == [1, 2, 2]
    outage(town, ada, in_turn)
    assert gained(town, matches, ends) == [2, 3, 3]
    assert settings.vacation_left(town.site, ada) == 29


def test_an_anonymous_match_has_its_own_days_of_vacation(town: Town) -> None:
    """Otherwise it would show who plays there."""
    player(town, "ada@example.org", vacation=True)
    ada, ben, named = begin(town, "2d/move")
    match = anonymous(town, (ada, ben), "60h/move")
    matches = [named, match]
    ends = [deadline(town, one, 0) for one in matches]
    swept(town, 2 * DAY + 5 * MINUTE)
    assert gained(town, matches, ends) == [1, 0]
    order(town, ada, named, 0, "g10")
    swept(town, DAY)
    assert gained(town, matches, ends) == [0, 1]
    outage(town, ada, named)
    assert gained(town, matches, ends) == [0, 3]
    with town.store.reading() as session:
        days = select(TimeOff.match_id).where(TimeOff.player_id == ada).order_by(TimeOff.begins)
        assert session.scalars(days).all() == [None, match]
    assert settings.vacation_left(town.site, ada) == 29


def anonymous(town: Town, players: tuple[int, int], clock: str) -> int:
    """An anonymous match in which the first of these players has the first seat."""
    with town.site.transaction() as tx:
        chairs = [Chair("paired", player_id=player_id) for player_id in players]
        match = lobby.set_up(tx, players[0], Proposal("rosette", {}, chairs, clock, "private anonymous"))
        number = match.id
    with town.store.writing() as session:
        first, second = session.get_one(Match, number).seats
        first.player_id, second.player_id = players
    town.work()
    return number


def gained(town: Town, matches: Sequence[int], before: Sequence[datetime | None]) -> list[int]:
    """By how many days the deadline of each match's first seat is later than before."""
    now = [deadline(town, match, 0) for match in matches]
    return [round((new - old) / DAY) if new and old else 0 for new, old in zip(now, before, strict=True)]


def test_vacation_runs_out(town: Town) -> None:
    town.now = town.now.replace(month=3)
    player(town, "ada@example.org", vacation=True)
    _, _, match = begin(town, "3d/move")
    swept(town, 32 * DAY)
    assert log(town, match) == []
    swept(town, 2 * DAY)
    assert log(town, match) == [(0, "timeout")]
    with town.store.reading() as session:
        assert len(session.scalars(select(TimeOff)).all()) == 30


def a_week(town: Town, clock: str, name: str, step: timedelta) -> object:
    """The outcome of a week in which `name` moves after 6 days and 16 hours, with a sweep after every `step`."""
    begun, sent = town.now, town.now + 6 * DAY + 16 * HOUR
    people = [player(town, f"{name}{seat}@example.org", vacation=not seat, zone="Africa/Nairobi") for seat in (0, 1)]
    chairs = [Chair("me"), Chair("player", player_id=people[1])]
    match = lobby.open_match(town.site, people[0], "rosette", {}, chairs, clock)
    invitations.answer(town.site, match, people[1], True)
    town.work()
    for passed in range(1, 7 * DAY // step + 1):
        if town.now < sent <= begun + passed * step:
            town.now = sent
            order(town, people[0], match, 0, "g10")
            town.work()
        town.now = begun + passed * step
        swept(town)
    with town.store.reading() as session:
        played = session.execute(select(Entry.move, Entry.played).where(Entry.match_id == match).order_by(Entry.ply))
        days = session.scalars(select(TimeOff.begins).where(TimeOff.player_id == people[0]).order_by(TimeOff.begins))
        budget = session.get_one(Seat, (match, 0)).budget
        return [(move, at - begun) for move, at in played], [day - begun for day in days], budget


@pytest.mark.parametrize(
    "clock",
    [
        "3d/move",
        "fischer 2d+1d cap 4d",
        "byoyomi 1d 2x2d, weekends off",
        "canadian 1d 2/2d, sleep 23-7",
        "absolute 3d, no vacation",
        "6d/round",
    ],
)
def test_it_makes_no_difference_how_often_the_sweep_runs(town: Town, clock: str) -> None:
    often = a_week(town, clock, "ada", cases(12, full=4) * HOUR)
    town.now = town.now.replace(hour=12, minute=0, second=0) + 21 * DAY
    assert a_week(town, clock, "ben", 7 * DAY) == often


def test_the_length_of_an_outage_is_given_back(town: Town) -> None:
    _, _, match = begin(town, "3d/move")
    end = deadline(town, match, 0)
    assert end is not None
    swept(town, DAY)
    stopped = town.now
    town.now += 4 * DAY
    lost = town.now - stopped
    sweep(town.site)
    town.work()
    assert log(town, match) == []
    assert deadline(town, match, 0) == end + lost
    with town.store.reading() as session:
        (outage,) = session.scalars(select(TimeOff)).all()
    assert (outage.ends - outage.begins, outage.player_id, outage.match_id) == (lost, None, None)


def test_sweeps_that_are_rare_by_choice_are_no_outage(town: Town) -> None:
    town.settings = replace(town.settings, sweep_seconds=300)
    _, _, match = begin(town, "3d/move")
    end = deadline(town, match, 0)
    sweep(town.site)
    for _ in range(3):
        town.now += timedelta(seconds=300.1)  # No sweep begins at the very moment when it is due.
        sweep(town.site)
    assert deadline(town, match, 0) == end


def test_reminders_come_before_the_deadline_and_once_each(town: Town) -> None:
    _, _, match = begin(town, "20d/move")
    town.post()
    for _ in range(4 * 21):
        swept(town, 6 * HOUR)
    reminders = [mail for mail in town.post() if "still your move" in mail["Subject"]]
    assert [mail["Subject"] for mail in reminders] == [
        f"Rosette {match}: still your move 1 (3 days 23 hours left)",
        f"Rosette {match}: still your move 1 (23 hours 59 minutes left)",
    ]
    reminded = "Reminder: it's still your move. You have 23 hours 59 minutes, until\nFriday 11 December"
    assert plain(reminders[1]).startswith(reminded)
    town.reply(reminders[1], "g10")


def test_a_player_hears_when_vacation_begins_to_be_used_and_of_its_last_day(town: Town) -> None:
    player(town, "ada@example.org", vacation=True)
    _, _, match = begin(town, "1d/move")
    swept(town, DAY - HOUR)
    town.post()
    for _ in range(4 * 32):
        swept(town, 6 * HOUR)
    first, last, over = (mail for mail in town.post() if mail["To"].addresses[0].username == "ada")
    assert all(f"Rosette {match}: still your move 1" in mail["Subject"] for mail in (first, last))
    used = "Reminder: it's still your move. Your time has run out, so a day of your vacation is being used."
    assert f"{used} After it, you'll have 29 days left. You have " in " ".join(plain(first).split())
    assert "and the last day of your vacation is being used. You have " in " ".join(plain(last).split())
    assert "won on time" in over["Subject"]


@pytest.mark.parametrize(
    ("text", "gained", "verdict"),
    [
        ("extend", 3 * DAY, "accepted"),
        ("Extend by 2 days.", 2 * DAY, "accepted"),
        ("extend 60d", timedelta(), "refused"),
        ("extend soon", timedelta(), "refused"),
    ],
)
def test_an_opponent_can_give_time(town: Town, text: str, gained: timedelta, verdict: str) -> None:
    _, ben, match = begin(town, "3d/move")
    end = deadline(town, match, 0)
    assert end is not None
    town.post()
    order(town, ben, match, 1, text)
    town.work()
    assert deadline(town, match, 0) == end + gained
    assert verdicts(town) == [verdict]
    assert log(town, match) == []
    if gained:
        (told,) = town.post()
        assert told["To"].addresses[0].addr_spec == "ada@example.org"
        assert "White gave you more time." in plain(told)


def test_time_given_again_in_the_same_turn_sends_no_other_email(town: Town) -> None:
    ada, ben, match = begin(town, "3d/move")
    end = deadline(town, match, 0)
    assert end is not None
    town.post()
    for _ in range(3):
        order(town, ben, match, 1, "extend 1d")
        town.work()
    assert deadline(town, match, 0) == end + 3 * DAY
    assert len(town.post()) == 1
    order(town, ada, match, 0, "g10")
    order(town, ada, match, 0, "extend 1d")
    town.work()
    assert "you have more time" in [mail["Subject"].partition(": ")[2] for mail in town.post()]


def test_players_cannot_give_time_to_themselves(town: Town) -> None:
    ada, _, match = begin(town, "3d/move")
    order(town, ada, match, 0, "extend")
    town.work()
    assert verdicts(town) == ["refused"]


def test_a_player_who_is_out_cannot_give_time(town: Town) -> None:
    people = [player(town, f"{name}@example.org") for name in ("red", "blue", "green")]
    chairs = [Chair("me"), Chair("email", "blue@example.org"), Chair("email", "green@example.org")]
    match = lobby.open_match(town.site, people[0], "multigo", {"size": "5"}, chairs, "3d/move")
    for person in people[1:]:
        invitations.answer(town.site, match, person, True)
    for text in ("resign", "extend"):
        order(town, people[0], match, 0, text)
        town.work()
    assert verdicts(town) == ["accepted", "refused"]


def test_if_late_turns_pass_the_third_in_a_row_is_the_last(town: Town) -> None:
    """Red never moves; the others play on, in the end without Red."""
    people = [player(town, f"{name}@example.org") for name in ("red", "blue", "green")]
    chairs = [Chair("me"), Chair("email", "blue@example.org"), Chair("email", "green@example.org")]
    match = lobby.open_match(
        town.site, people[0], "multigo", {"size": "5"}, chairs, "1d/move, late passes", substitutes=False
    )
    for person in people[1:]:
        invitations.answer(town.site, match, person, True)
    town.work()
    free = iter(("a1", "a3", "a5", "c1", "c3", "c5", "e1", "e3"))
    for _ in range(9):
        (seat,) = to_move(town, match)
        if seat == 0:
            swept(town, DAY + MINUTE)
        else:
            order(town, people[seat], match, seat, next(free))
            town.work()
    assert [entry for entry in log(town, match) if entry[0] == 0] == [(0, "pass"), (0, "pass"), (0, "timeout")]
    assert to_move(town, match) in ([1], [2])


def test_a_player_who_runs_out_of_time_in_a_match_that_goes_on_gets_an_email(town: Town) -> None:
    names = ("red", "blue", "green")
    red, *others = (player(town, f"{name}@example.org") for name in names)
    chairs = [Chair("me"), *(Chair("email", f"{name}@example.org") for name in names[1:])]
    match = lobby.open_match(town.site, red, "multigo", {"size": "5"}, chairs, "1d/move, no vacation")
    for person in others:
        invitations.answer(town.site, match, person, True)
    town.work()
    town.post()
    swept(town, DAY + MINUTE)
    (own,) = (mail for mail in town.post() if mail["To"].addresses[0].username == "red")
    assert own["Subject"] == "Multiplayer Go 1: you ran out of time"
    assert plain(own).startswith("You ran out of time, so you've left this match.\nThe others play on without you.")
    swept(town, DAY + MINUTE)
    results = {mail["To"].addresses[0].username: mail for mail in town.post()}
    assert results.keys() == {"red", "blue", "green"}
    assert all("won on time" in mail["Subject"] for mail in results.values())
    assert plain(results["red"]).startswith("Red won on time.\nWhite ran out of time.\n")
    assert plain(results["green"]).startswith("Red won on time.\nBlack ran out of time.\nWhite ran out of time.\n")


def test_bots_and_matches_without_a_clock_have_no_deadlines(town: Town) -> None:
    ada = player(town, "ada@example.org")
    for clock, chairs in (("none", [Chair("me"), Chair("bot")]), ("1d/move", [Chair("bot"), Chair("me")])):
        match = lobby.open_match(town.site, ada, "rosette", {"base": "5"}, chairs, clock)
        assert deadline(town, match, 0) is None
    town.work()
    assert deadline(town, match, 1) is not None


def test_the_clock_is_checked_when_a_match_is_opened(town: Town) -> None:
    ada = player(town, "ada@example.org")
    for clock, why in (("soon", "'soon' isn't a clock"), ("rounds at 3:00, sleep 23-7", "a turn would never end")):
        with pytest.raises(invitations.LobbyError, match=why):
            lobby.open_match(town.site, ada, "rosette", {}, [Chair("me"), Chair("bot")], clock)


def test_a_turn_letter_has_the_same_deadline_whenever_it_is_composed(town: Town) -> None:
    _, _, match = begin(town, "3d/move")
    with town.store.reading() as session:
        turn = session.scalars(select(Letter).where(Letter.kind == "turn", Letter.match_id == match)).one()
    assert turn.data["deadline"] == (deadline(town, match, 0) or town.now).isoformat()


def test_an_invitation_says_when_the_main_time_ends(town: Town) -> None:
    ada = player(town, "ada@example.org")
    chairs = [Chair("me"), Chair("email", "ben@example.net")]
    lobby.open_match(town.site, ada, "rosette", {}, chairs, "canadian 10d 5/7d")
    town.work()
    (invitation,) = town.post()
    assert (
        "If your first turn began now, your first 10 days would end on Tuesday 1 December, 12:00 (UTC), "
        "and the turn on Tuesday 8 December, 12:00 (UTC)."
    ) in " ".join(plain(invitation).split())


def bank(town: Town, match: int, seat: int) -> timedelta:
    """The main time a seat has left for its next turn."""
    with town.store.reading() as session:
        budget = session.get_one(Seat, (match, seat)).budget
    assert budget is not None
    return timedelta(seconds=budget["main"])


def outage(town: Town, _ada: int, _match: int) -> None:
    sweep_without_work(town)
    town.now += 2 * DAY
    sweep(town.site)
    town.work()


def pause(town: Town, ada: int, match: int) -> None:
    for seat, person in ((0, ada), (1, ada + 1)):
        order(town, person, match, seat, f"pause until {town.now + 2 * DAY:%-d %B}" if seat == 0 else "accept")
        town.work()
    town.now += 2 * DAY


def vacation(town: Town, ada: int, _match: int) -> None:
    with town.store.writing() as session:
        session.add(TimeOff(key="vacation", begins=town.now, ends=town.now + 2 * DAY, player_id=ada))
    town.now += 2 * DAY


@pytest.mark.parametrize("time_off", [outage, pause, vacation])
def test_time_off_is_not_charged_to_the_bank(town: Town, time_off: Callable[[Town, int, int], None]) -> None:
    """Ada has 10 days, and 1 more with each move. She moves after an hour and two days off."""
    ada, _, match = begin(town, "fischer 10d+1d")
    town.now += HOUR
    time_off(town, ada, match)
    order(town, ada, match, 0, "g10")
    town.work()
    assert log(town, match) == [(0, "g10")]
    assert bank(town, match, 0) > 10 * DAY


def test_ending_a_pause_doesnt_end_a_vacation(town: Town) -> None:
    """Ada has begun a day of vacation in a simultaneous round when the match is paused and resumed."""
    player(town, "ada@example.org", vacation=True)
    ada, ben, match = begin(town, "3d/move, late passes", game="multigo-parallel")
    player(town, "ben@example.net", vacation=True)
    swept(town, 3 * DAY + MINUTE)
    for text in ("pause 3d", "resume play"):
        order(town, ada, match, 0, text)
        order(town, ben, match, 1, "accept")
        swept(town, MINUTE)
    assert verdicts(town) == ["accepted"] * 4
    with town.store.reading() as session:
        days = session.scalars(select(TimeOff).where(TimeOff.player_id == ada)).all()
    assert [day.ends - day.begins for day in days] == [DAY]


def test_ending_a_pause_ends_that_of_its_own_match_alone(town: Town) -> None:
    """Ada and Ben pause two matches for 10 days and go on with the first of them at once."""
    ada, ben, first = begin(town, "fischer 10d+1d")
    _, _, second = begin(town, "fischer 10d+1d")
    until = town.now + 10 * DAY
    for match in (first, second):
        order(town, ada, match, 0, f"pause until {until:%-d %B}")
        order(town, ben, match, 1, "accept")
        town.work()
    town.now += MINUTE
    order(town, ada, first, 0, "resume play")
    order(town, ben, first, 1, "accept")
    town.work()
    town.now += 8 * DAY
    for match in (first, second):
        order(town, ada, match, 0, "g10")
        town.work()
    assert bank(town, first, 0) < 4 * DAY
    assert bank(town, second, 0) > 10 * DAY
