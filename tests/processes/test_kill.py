"""Kill -9 of anything at any moment: no acknowledged move is lost, none is played twice, every letter arrives."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
import redis
from sqlalchemy import func, select

from service.mail.reply_address import message_id
from service.store.models import Entry, Submission
from service.store.tables.mail_rows import Letter
from tests.cases import cases
from tests.chaos.relay import Relay
from tests.processes.deployment import Deployment, wait_for
from tests.processes.players import HOST, Browser, Table, deliver, mail_move, message, open_tables
from tests.processes.thinkers import paused, thoughts_under_fire

pytestmark = pytest.mark.processes

VICTIMS = (
    ("queue", False),
    ("web", False),
    ("web", True),
    ("worker", False),
    ("worker", True),
    ("upkeep", True),
    ("beat", False),
    ("mail", False),
)
"""What to kill while moves come in: a kind of process, and whether to kill its child."""

MAILED, CLICKED = cases(1, full=3), 1
"""Orders that come in around each death, by mail and by browser."""


def unfinished(deployment: Deployment) -> int:
    """How much is still to be judged or sent."""
    with deployment.site.store.reading() as session:
        unjudged = session.scalar(select(func.count()).where(Submission.verdict.is_(None))) or 0
        return unjudged + (
            session.scalar(select(func.count()).where(Letter.due.is_not(None), Letter.sent.is_(None))) or 0
        )


def assert_each_moved_once(deployment: Deployment, outbox: Relay, tables: list[Table]) -> None:
    """Every table has one accepted order, one entry and one letter about it; every letter has arrived."""
    wait_for(lambda: not unfinished(deployment), "the end of all work")
    with deployment.site.store.reading() as session:
        for table in tables:
            orders = session.scalars(select(Submission).where(Submission.match_id == table.match_id)).all()
            entries = session.scalars(select(Entry).where(Entry.match_id == table.match_id)).all()
            assert [order.verdict for order in orders] == ["accepted"]
            assert [entry.submission_id for entry in entries] == [orders[0].id]
        letters = session.scalars(select(Letter).where(Letter.sent.is_not(None))).all()
        dropped = session.scalars(select(Letter).where(Letter.sent.is_(None))).all()
        told = [letter.match_id for letter in letters if letter.kind == "turn" and letter.data["ply"] == 1]
        digests = session.scalars(select(Letter).where(Letter.kind == "digest")).all()
    # A receipt is dropped once a later letter has told its reader more. Invitations beyond those of a day are held for
    # a digest, which goes out if the hour of one comes meanwhile.
    waiting = {letter.id for letter in dropped if letter.held} | {held for one in digests for held in one.data["held"]}
    assert {letter.kind for letter in dropped if letter.id not in waiting} <= {"receipt"}
    mine = {table.match_id for table in tables}
    assert sorted(match for match in told if match in mine) == sorted(mine)
    domain = deployment.site.settings.mail_domain
    sent, others = ({message_id(one.key, domain) for one in some} for some in (letters, dropped))
    # A worker may die after the relay took a letter and before that is noted. Then it may be held or dropped instead.
    assert sent <= {*outbox.identities} <= sent | others


def test_no_death_loses_or_repeats_a_move(deployment: Deployment, outbox: Relay) -> None:
    tables = open_tables(deployment, len(VICTIMS) * (MAILED + CLICKED))
    waiting = iter(tables)
    browser = Browser(deployment).sign_in(HOST)
    with ThreadPoolExecutor(MAILED + CLICKED) as people:
        for name, child in VICTIMS:
            orders = [people.submit(mail_move, deployment, table) for table in islice(waiting, MAILED)]
            orders += [people.submit(browser.move, table) for table in islice(waiting, CLICKED)]
            time.sleep(0.15)
            deployment.kill(name, child)
            for order in orders:
                order.result()
    assert_each_moved_once(deployment, outbox, tables)


def test_a_bot_killed_while_thinking_thinks_again_and_orders_once(deployment: Deployment) -> None:
    assert thoughts_under_fire(deployment, kills=3, seed=1, longest=0.5) == {1: 3}


def test_an_emptied_queue_costs_a_sweep_and_nothing_else(deployment: Deployment, outbox: Relay) -> None:
    tables = open_tables(deployment, cases(3, full=6))
    wait_for(lambda: len(deployment.pids("worker")) == 3, "the return of the worker")
    # Only the parent: a child might be stopped in a transaction, and everybody would wait for it.
    worker = deployment.pids("worker")[0]
    os.kill(worker, signal.SIGSTOP)
    for table in tables:
        mail_move(deployment, table)
    redis.Redis(unix_socket_path=str(deployment.site.settings.valkey_socket)).flushall()
    os.kill(worker, signal.SIGCONT)
    assert_each_moved_once(deployment, outbox, tables)


def test_a_read_only_queue_fails_neither_a_web_order_nor_an_email(deployment: Deployment, outbox: Relay) -> None:
    *clicked, mailed = open_tables(deployment, 9)
    browser = Browser(deployment).sign_in(HOST)
    forms = [browser.written(table, table.moves[0]) for table in clicked]
    queue = redis.Redis(unix_socket_path=str(deployment.site.settings.valkey_socket))
    queue.replicaof("127.0.0.1", "1")  # Now it is read-only.
    try:
        with ThreadPoolExecutor(len(forms)) as people:
            pages = [*people.map(lambda form: browser.open(*form), forms)]  # A 500 would be raised.
        raw = message(HOST, mailed.address, mailed.moves[0])
        deliver(deployment.ports["SMTP_PORT"], HOST, mailed.address, raw)
    finally:
        queue.replicaof("NO", "ONE")
    assert len(pages) == len(clicked)
    assert_each_moved_once(deployment, outbox, [*clicked, mailed])


def test_a_worker_that_cannot_read_from_its_processes_ends_and_is_restarted(
    deployment: Deployment, outbox: Relay
) -> None:
    (table,) = open_tables(deployment, 1)
    wait_for(lambda: len(deployment.pids("worker")) == 3, "the worker")
    worker, *children = deployment.pids("worker")
    queue = redis.Redis(unix_socket_path=str(deployment.site.settings.valkey_socket))
    wait_for(lambda: _stopped(deployment, children), "a moment outside of a transaction")
    try:
        mail_move(deployment, table)
        wait_for(lambda: queue.hlen("unacked") > 0, "the task")
        for pipe in Path(f"/proc/{children[0]}/fd").iterdir():
            # As if a lost connection had swallowed the beginning of a message. The first one may end all of them.
            with suppress(FileNotFoundError, ProcessLookupError, BrokenPipeError):
                if pipe.readlink().name.startswith("pipe:") and pipe.lstat().st_mode & stat.S_IWUSR:
                    pipe.write_bytes(b"\0\0\0\4\0\0\0\0")
        wait_for(lambda: worker not in deployment.pids("worker"), "the end of the worker")
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGCONT)
    assert_each_moved_once(deployment, outbox, [table])


def _stopped(deployment: Deployment, children: list[int]) -> bool:
    """Stops processes, unless one of them is writing to the database: everybody would wait for it."""
    for child in children:
        os.kill(child, signal.SIGSTOP)
    turn = os.open(deployment.site.settings.data, os.O_RDONLY)
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        for child in children:
            os.kill(child, signal.SIGCONT)
        return False
    else:
        return True
    finally:
        os.close(turn)


def test_a_move_waits_for_neither_a_sweep_nor_a_bot(deployment: Deployment, outbox: Relay) -> None:
    (table,) = open_tables(deployment, 1)
    with paused(deployment, "upkeep"), paused(deployment, "think"):
        mail_move(deployment, table)
        wait_for(lambda: not unjudged(deployment, table), "the verdict")
    assert_each_moved_once(deployment, outbox, [table])


def unjudged(deployment: Deployment, table: Table) -> int:
    """How many orders for a match have no verdict."""
    waiting = select(func.count()).where(Submission.match_id == table.match_id, Submission.verdict.is_(None))
    with deployment.site.store.reading() as session:
        return session.scalar(waiting) or 0
