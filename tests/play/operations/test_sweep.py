"""What the sweep makes up for: any nudge may be lost, and no work is lost with it."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest
from sqlalchemy import insert, select, update

from service.config import ROOT
from service.mail.grammar.orders import parse
from service.play.accounts.programs import repeats
from service.play.company import events
from service.play.company.events import Plan
from service.play.inbox.receive import receive
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.operations import clock_ahead
from service.play.operations.sweep import look_around, sweep
from service.play.orders.submit import Incoming, submit
from service.play.outbox.deliver import claim
from service.play.table import estimate
from service.store.models import Match
from service.store.tables.company import GazetteIssue, Notice, Wish
from service.store.tables.events import Entrant, Event
from service.store.tables.mail_rows import IncomingMail, Letter
from service.store.tables.pulse import Pulse
from service.store.tables.reviews import Estimate
from tests.play.conftest import Town
from tests.play.inbox.test_run_commands import ADA, BEN, rosette
from tests.play.timekeeping.test_clocks import player


def lost(town: Town) -> list[str]:
    """Loses all queued nudges; their tasks."""
    tasks: list[str] = sorted({task for task, _ in town.queue})
    town.queue.clear()
    return tasks


def repeated(town: Town) -> list[str]:
    """The tasks that a sweep nudges a minute later. They're then carried out."""
    town.now += timedelta(minutes=1)
    with town.store.writing() as session:
        session.execute(update(Pulse).values(at=town.now))
    sweep(town.site)
    tasks: list[str] = sorted({task for task, _ in town.queue})
    town.work()
    return tasks


def test_when_a_clock_that_ran_ahead_is_set_back_only_unfinished_work_is_dated_back(town: Town) -> None:
    ahead = town.now + timedelta(days=1)
    with town.store.writing() as session:
        for verdict in ("commands", "obeyed"):
            mail = {"key": verdict, "recipient": "", "raw": b"x", "door": "smtp", "verdict": verdict}
            session.add(IncomingMail(**mail, received=ahead))
    clock_ahead.bring_back(town.site)
    with town.store.reading() as session:
        found = session.execute(select(IncomingMail.verdict, IncomingMail.received))
        assert {(verdict, received) for verdict, received in found} == {("commands", town.now), ("obeyed", ahead)}


@pytest.mark.parametrize(("later", "dated_back"), [(timedelta(seconds=15), True), (timedelta(minutes=2), False)])
def test_what_is_committed_with_the_wrong_time_after_the_repair_is_dated_back_by_the_next_sweep(
    town: Town, later: timedelta, dated_back: bool
) -> None:
    ahead = town.now + timedelta(days=1)
    with town.store.writing() as session:
        session.add(Pulse(id=1, at=ahead))
    sweep(town.site)
    with town.store.writing() as session:
        session.add(IncomingMail(key="1", recipient="", raw=b"x", door="smtp", verdict="commands", received=ahead))
    town.now += later
    sweep(town.site)
    with town.store.reading() as session:
        assert session.scalars(select(IncomingMail.received)).one() == (town.now if dated_back else ahead)


def test_notices_and_the_gazette_go_on_after_a_clock_that_ran_ahead_is_set_back(town: Town) -> None:
    ada, ahead = player(town, ADA), town.now + timedelta(days=300)
    with town.store.writing() as session:
        session.add(Notice(game="lotus", player_id=ada, told=ahead, rests=ahead))
        session.add(GazetteIssue(number=1, made=ahead, openings=[], newcomers=[], leaders=[]))
    clock_ahead.bring_back(town.site)
    with town.store.reading() as session:
        notice = session.get_one(Notice, ("lotus", ada))
        assert {notice.told, notice.rests, session.get_one(GazetteIssue, 1).made} == {town.now}


def test_questions_wishes_open_seats_and_events_wait_no_longer_after_a_clock_that_ran_ahead_is_set_back(
    town: Town,
) -> None:
    ada, now = player(town, ADA), town.now
    town.now += timedelta(days=300)
    match = lobby.open_match(town.site, ada, "lotus", {}, [Chair("me"), Chair("open")])
    cup = events.found(town.site, ada, Plan("Winter cup", "lotus", "1d/move"))
    with town.store.writing() as session:
        session.merge(Entrant(event_id=cup, player_id=ada, joined=now, state="in", asked=town.now))
        wish = {"shortest": 0, "longest": 0, "most": 1, "bots": True, "rated": True, "rests": False}
        session.add(Wish(player_id=ada, made=now, since=town.now, **wish))
    town.now = now
    clock_ahead.bring_back(town.site)
    with town.store.reading() as session:
        entrant, wish_ = session.get_one(Entrant, (cup, ada)), session.get_one(Wish, ada)
        made = session.get_one(Match, match).created, session.get_one(Event, cup).made
        assert {entrant.asked, wish_.since, *made} == {now}


def test_an_order_whose_nudge_was_lost_is_judged(town: Town) -> None:
    turn = rosette(town)[ADA]
    receive(town.site, *town.written(turn, "g10"), "smtp")
    assert lost(town) == ["judge"]
    assert repeated(town) == ["judge"]
    assert "Rosette 1: your move 2 (Black played g10)" in [mail["Subject"] for mail in town.post()]


def test_commands_whose_nudge_was_lost_are_obeyed(town: Town) -> None:
    turn = rosette(town)[ADA]
    receive(town.site, *town.written(turn, "status"), "smtp")
    assert lost(town) == ["obey"]
    assert repeated(town) == ["obey"]
    (answer,) = town.post()
    assert answer["Subject"] == "Re: Rosette 1: your move 1 (the match has begun)"
    assert repeated(town) == []


@pytest.mark.parametrize("task", ["deliver", "think"])
def test_letters_are_sent_and_bots_move_although_the_nudge_was_lost(town: Town, task: str) -> None:
    ada = player(town, ADA)
    chairs = [lobby.Chair("bot"), lobby.Chair("me")]
    if task == "deliver":
        chairs[0] = lobby.Chair("email", "ben@example.net")
    lobby.open_match(town.site, ada, "rosette", {}, chairs)
    assert task in lost(town)
    assert task in repeated(town)
    assert {mail["Subject"].partition(":")[0] for mail in town.post()} == {"Rosette 1"}


def test_dead_stones_are_found_although_the_nudge_was_lost(town: Town) -> None:
    ada = player(town, ADA)
    chairs = [lobby.Chair("me"), lobby.Chair("paired", player_id=player(town, BEN))]
    match = lobby.open_match(town.site, ada, "go", {"size": "5", "setup": "black: c3"}, chairs)
    passed(town, match)
    estimate.ask(town.site, match, ada)
    assert lost(town) == ["think"]
    assert "think" in repeated(town)
    with town.store.reading() as session:
        assert session.scalars(select(Estimate.dead)).one() == "dead none"
    assert repeated(town) == []


def test_dead_stones_are_no_longer_looked_for_once_play_goes_on(town: Town) -> None:
    ada = player(town, ADA)
    chairs = [lobby.Chair("me"), lobby.Chair("paired", player_id=player(town, BEN))]
    match = lobby.open_match(town.site, ada, "go", {"size": "5"}, chairs)
    passed(town, match)
    estimate.ask(town.site, match, ada)
    lost(town)
    submit(town.site, Incoming("resume", match, 0, ada, None, parse("resume"), "web"))
    town.work()
    assert "think" in repeated(town)
    assert repeated(town) == []


def passed(town: Town, match: int) -> None:
    """Both players pass."""
    for seat, name in enumerate((ADA, BEN)):
        submit(town.site, Incoming(f"pass {seat}", match, seat, player(town, name), None, parse("pass"), "web"))
        town.work()


def test_after_a_death_even_an_order_that_has_just_arrived_is_found(town: Town) -> None:
    turn = rosette(town)[ADA]
    receive(town.site, *town.written(turn, "g10"), "smtp")
    assert lost(town) == ["judge"]
    look_around(town.site)
    assert lost(town) == ["judge"]


def claimed(town: Town, holder: str) -> None:
    """A letter that a process, named as in `holders`, has claimed and not sent."""
    rosette(town)
    with town.store.writing() as session:
        letter = session.scalars(select(Letter).where(Letter.kind == "turn")).one()
        letter.sent, letter.due, letter.attempts = None, town.now, 0
    with town.site.transaction() as tx:
        letter = tx.session.get_one(Letter, letter.id)
        assert claim(tx, letter)
        letter.holder = holder or letter.holder
    town.queue.clear()


def test_a_letter_that_a_dead_process_held_is_due_at_once(town: Town) -> None:
    name = "from service.play.holders import this_process; print(this_process())"
    dead = subprocess.run([sys.executable, "-c", name], capture_output=True, check=True, text=True, cwd=ROOT)
    claimed(town, dead.stdout.strip())
    look_around(town.site)
    assert lost(town) == ["deliver"]


@pytest.mark.parametrize("holder", ["", "another-machine 1 1"])
def test_a_letter_is_left_to_a_process_that_may_be_alive(town: Town, holder: str) -> None:
    claimed(town, holder)
    look_around(town.site)
    assert lost(town) == []


def test_work_dated_by_a_clock_that_ran_ahead_is_done_once_it_is_set_back(town: Town) -> None:
    turn = rosette(town)[ADA]
    sweep(town.site)
    right = town.now
    town.now += timedelta(hours=30)
    sweep(town.site)
    receive(town.site, *town.written(turn, "g10"), "smtp")
    with town.store.writing() as session:
        later = town.now + timedelta(hours=1)
        session.execute(update(Letter).where(Letter.kind == "turn").values(sent=None, attempts=1, due=later))
    town.queue.clear()
    town.now = right
    sweep(town.site)
    assert {"deliver", "judge"} <= {*repeated(town)}
    assert "Rosette 1: your move 2 (Black played g10)" in [mail["Subject"] for mail in town.post()]
    with town.store.reading() as session:
        assert right < session.get_one(Pulse, 1).at <= town.now
        assert not session.scalars(select(Letter.key).where(Letter.sent.is_(None), Letter.due > town.now)).all()


def test_an_idempotency_key_is_forgotten_after_a_week(town: Town) -> None:
    ada = player(town, ADA)
    sweep(town.site)
    assert repeats.is_same(town.site, ada, "key", "one")
    town.now += timedelta(days=6)
    sweep(town.site)
    assert not repeats.is_same(town.site, ada, "key", "other")
    town.now += timedelta(days=2)
    sweep(town.site)
    assert repeats.is_same(town.site, ada, "key", "other")


def test_a_sweep_nudges_up_to_twice_as_many_letters_as_were_sent_since_the_last(town: Town) -> None:
    """A thousand letters may fall due at once, and a queue may lose a thousand nudges."""
    ada = player(town, ADA)
    lost(town)
    with town.store.writing() as session:
        due = {"kind": "sign_in", "player_id": ada, "data": {}, "created": town.now, "due": town.now}
        session.execute(insert(Letter), [{"key": f"test:{number}", **due} for number in range(3000)])

    def swept(done: int) -> int:
        """How many letters a sweep nudges, of which this many are then sent."""
        town.now += timedelta(minutes=1)
        with town.store.writing() as session:
            session.execute(update(Pulse).values(at=town.now))
        sweep(town.site)
        letters = [letter for task, letter in town.queue if task == "deliver"]
        town.queue.clear()
        with town.store.writing() as session:
            session.execute(update(Letter).where(Letter.id.in_(letters[:done])).values(sent=town.now))
        return len(letters)

    assert [swept(done) for done in (500, 1000, 100, 500, 500)] == [500, 1000, 1500, 750, 900]
