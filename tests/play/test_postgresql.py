"""What only a database with concurrent writers can show."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import event, select, text
from sqlalchemy.orm import Session

from service.config import ROOT
from service.mail.grammar.orders import parse
from service.play import names
from service.play.accounts import deletion, display_names, identity
from service.play.inbox.command_context import Desk
from service.play.inbox.commands import DO
from service.play.letter_kinds import Said
from service.play.match import invitations, lobby
from service.play.match.judge import judge_waiting, lock
from service.play.match.lobby import Chair
from service.play.notify import preferences
from service.play.notify.announce import owe
from service.play.operations import operator_acts
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.outbox import digest
from service.play.site import Transaction
from service.play.timekeeping import clocks, deadlines
from service.store.models import Match, Player, Seat
from service.store.session import TURN
from service.store.tables.mail_rows import IncomingMail, Letter
from service.store.tables.operators import Ban
from tests.play.conftest import Town
from tests.play.table.test_teams import PAIRS, begun, page_of, person
from tests.play.test_at_once import begin
from tests.play.timekeeping.test_clocks import DAY, HOUR, deadline, player

pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


def move(town: Town, match_id: int, player_id: int) -> None:
    """Plays the first move of the match in another transaction."""
    submit(town.site, Incoming("web:1", match_id, 0, player_id, 1, parse("f12"), "web"))
    judge_waiting(town.site, match_id)


def wait_for_lock(session: Session, other: Future[Any]) -> None:
    """Waits until something else waits for a lock, or has finished without."""
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    while not (other.done() or session.scalar(waiting)):
        time.sleep(0.02)


def test_locking_a_match_reads_it_again(town: Town) -> None:
    match_id, ada = begin(town)
    with town.store.writing() as session:
        before = session.get_one(Match, match_id)
        second = before.seats[1]  # The session forgets rows that nobody holds.
        assert (before.ply, second.to_move) == (0, False)
        move(town, match_id, ada)
        locked = lock(session, match_id)
        assert (locked.ply, locked.seats[1].to_move) == (1, True)


def test_locking_a_match_reads_its_teams_again(town: Town) -> None:
    match_id = begun(town, "rosette", *PAIRS, clock="3d/move")
    with town.store.writing() as session:
        before = session.get_one(Match, match_id)
        assert [place.player.name for place in before.team(0) if place.player] == ["Ada", "Eva"]
        move(town, match_id, person(town, "ada"))
        locked = lock(session, match_id)
        assert locked.seats[0].player_id == person(town, "eva")
        assert [place.player.name for place in locked.team(0) if place.player] == ["Ada", "Eva"]


def test_the_choices_in_an_email_are_its_writers_even_if_the_turn_passes_meanwhile(town: Town) -> None:
    match_id = begun(town, "rosette", *PAIRS, substitutes=True)
    with town.site.transaction() as tx:
        ada, match = tx.session.get_one(Player, person(town, "ada")), tx.session.get_one(Match, match_id)
        assert match.seats[0].player is ada
        desk = Desk(tx, IncomingMail(), ada, match)
        move(town, match_id, ada.id)
        for command, rest in (("mute", ""), ("offer", "seat")):
            DO[command](desk, rest)
    assert [page_of(town, match_id, name).post for name in ("ada", "eva")] == ["mute", ""]
    with town.store.reading() as session:
        assert [place.sought for place in session.get_one(Match, match_id).team(0)] == [0, None]


def test_computing_many_clocks_skips_locked_matches(town: Town) -> None:
    locked, _ = begin(town)
    free, _ = begin(town)
    with town.store.writing() as session:
        lock(session, locked)
        with town.site.transaction() as tx:
            assert clocks.compute_many(tx.session, [locked, free], tx.now) == {free}


def test_after_an_outage_a_locked_match_gets_its_time_back_too(town: Town) -> None:
    people = [player(town, address) for address in ("ada@example.org", "ben@example.net")]
    chairs = [Chair("me"), Chair("paired", player_id=people[1])]
    locked, free = (lobby.open_match(town.site, people[0], "rosette", {}, chairs, "3d/move") for _ in range(2))
    ends = [deadline(town, match_id, 0) for match_id in (locked, free)]
    deadlines.feel_pulse(town.site)
    town.now += DAY
    with ThreadPoolExecutor() as pool, town.store.writing() as session:
        lock(session, locked)
        felt = pool.submit(deadlines.feel_pulse, town.site)
        wait_for_lock(session, felt)
        session.commit()
        felt.result()
    given = [(deadline(town, match_id, 0), end) for match_id, end in zip((locked, free), ends, strict=True)]
    assert [now and end and (now - end) // HOUR for now, end in given] == [24, 24]


def test_a_session_that_reads_sees_one_moment(town: Town) -> None:
    match_id, ada = begin(town)
    ply, to_move = select(Match.ply), select(Seat.number).where(Seat.to_move)
    with town.store.reading() as session:
        assert session.scalar(ply) == 0
        move(town, match_id, ada)
        assert (session.scalar(ply), session.scalars(to_move).all()) == (0, [0])
    with town.store.reading() as session:
        assert (session.scalar(ply), session.scalars(to_move).all()) == (1, [1])


def test_times_are_in_utc_whatever_the_time_zone_of_the_server(town: Town) -> None:
    before = datetime(2026, 10, 24, 12, tzinfo=UTC)
    with town.store.writing() as session:
        # Clocks went back there in the night between.
        session.execute(text("SET LOCAL timezone = 'Europe/Berlin'"))
        session.add(Player(id=1, name="Ada", created=before, confirmed=before + DAY))
        session.flush()
        ada = session.get(Player, 1, populate_existing=True)
        assert ada is not None
        assert ada.confirmed is not None
        assert ada.confirmed - ada.created == DAY
        assert (ada.created.hour, ada.created + 3 * DAY) == (12, before + 3 * DAY)


def test_of_machines_that_start_at_once_only_one_migrates_at_a_time(town: Town) -> None:
    environment = {"STONEPOST_DATA": str(town.settings.data), "DATABASE_URL": town.settings.database_url}
    with town.store.writing() as session:
        session.execute(text(TURN))
        second = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "migrate"], cwd=ROOT, env=os.environ | environment
        )
        waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        while not session.scalar(waiting):
            assert second.poll() is None, "It did not wait for its turn."
            time.sleep(0.02)
    assert second.wait() == 0


def test_an_order_is_stored_while_its_match_is_locked(town: Town) -> None:
    match_id, ada = begin(town)
    with town.store.writing() as session:
        lock(session, match_id)
        assert submit(town.site, Incoming("web:1", match_id, 0, ada, 1, parse("f12"), "web"))


def test_an_invitation_is_accepted_while_the_host_is_deleted(town: Town) -> None:
    """They'd deadlock if one locked the match first and the other the player."""
    ada, ben = (player(town, address) for address in ("ada@example.org", "ben@example.net"))
    match_id = lobby.open_match(town.site, ada, "rosette", {}, [Chair("me"), Chair("email", "ben@example.net")])
    with ThreadPoolExecutor() as pool, town.site.transaction() as tx:
        tx.session.get_one(Match, match_id, with_for_update=True)
        deleted = pool.submit(deletion.leave, town.site, ada)
        wait_for_lock(tx.session, deleted)
        invitations.answer(tx, match_id, ben, True)
        tx.session.commit()
        deleted.result()
    town.work()
    with town.store.reading() as session:
        match = session.get_one(Match, match_id)
        assert (match.state, match.reason) == ("over", "resignation")


def test_a_ban_that_two_operators_lift_at_once_is_lifted_once(town: Town) -> None:
    ada = player(town, "ada@example.org")
    with town.store.writing() as session:
        session.add(Ban(player_id=ada, made=town.now, reason="Spam."))
    with ThreadPoolExecutor() as pool, town.store.writing() as session:
        session.get_one(Player, ada, with_for_update=True)
        lifted = pool.submit(operator_acts.lift, town.site, ada, ada)
        wait_for_lock(session, lifted)
        session.delete(session.get_one(Ban, ada))
    lifted.result()
    with town.store.reading() as session:
        assert session.scalars(select(Letter.kind)).all() == []


def test_names_are_found_by_how_they_begin_with_an_index(town: Town) -> None:
    with town.store.writing() as session:
        for number, name in enumerate(("Ada", "Ada Lovelace", "Adam", "\u00e4dam", "Bruno")):
            display_names.take(session, identity.by_email(session, f"{number}@example.org", town.now), name)
        session.execute(text("ANALYZE player"))
        session.execute(text("SET LOCAL enable_seqscan = off"))
        asked: list[tuple[str, Any]] = []
        event.listen(session.get_bind(), "before_cursor_execute", lambda *told: asked.append((told[2], told[3])))
        found = names.first_with(session, "ada", 9)
        query, given = asked[-1]
        plan = "\n".join(row[0] for row in session.connection().exec_driver_sql(f"EXPLAIN {query}", given))
        assert [session.get_one(Player, one).name for one in found] == ["Ada", "Ada Lovelace", "Adam"]
        assert "player_by_name" in plan.partition("Index Cond")[0]
        assert "Sort" not in plan


def test_letters_that_are_due_at_the_same_time_go_out_in_the_order_in_which_they_were_owed(town: Town) -> None:
    """As after an outage of the mail server, which makes all letters due at once."""
    for name in ("ada", "ben"):
        identity.ask_sign_in(town.site, f"{name}@example.org")
    owed = [subject for _, subject in town.queue]
    town.queue.clear()
    for letter_id in reversed(owed):
        with town.store.writing() as session:
            session.get_one(Letter, letter_id).due = town.now - DAY
    sweep(town.site)
    assert town.queue == [("deliver", letter_id) for letter_id in owed]


@pytest.mark.parametrize("is_digest_first", [True, False])
def test_a_held_letter_is_in_the_digest_or_sent_alone(town: Town, is_digest_first: bool) -> None:
    """Its reader asks for every email right away while the digest is put together."""
    match_id, ada = begin(town)
    with town.site.transaction() as tx:
        tx.session.get_one(Player, ada).post = "digest"
        held = owe(tx, "said:1", ada, Said(by=1, text="Hello", ply=0, seat=0), match_id)
        assert held is not None
        held.due, held.held = None, True

    def send(tx: Transaction) -> None:
        digest._send(tx, ada)

    def release(tx: Transaction) -> None:
        preferences.choose(tx, tx.session.get_one(Player, ada), "instant")

    def then(act: Callable[[Transaction], None]) -> None:
        with town.site.transaction() as tx:
            act(tx)

    first, second = (send, release) if is_digest_first else (release, send)
    with ThreadPoolExecutor(1) as pool:
        with town.site.transaction() as tx:
            first(tx)
            tx.session.flush()
            other = pool.submit(then, second)
            wait_for_lock(tx.session, other)
        other.result()
    with town.store.reading() as session:
        letter = session.get_one(Letter, held.id)
        told = session.scalars(select(Letter).where(Letter.kind == "digest")).all()
        listed = [number for one in told for number in one.data["held"]]
        assert (letter.held, letter.due is None, held.id in listed) == (False, is_digest_first, is_digest_first)
