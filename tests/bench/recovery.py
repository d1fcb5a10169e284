"""How long letters take after a single kill -9, or once the mail server is back, with default settings.

Six moves are emailed at the same time, and a process is killed as soon as the first is acknowledged. The time runs from
the kill to the slowest of the six letters that ask the opponents for their moves. Each run of a deployment has only one
kill, because the supervisor waits twice as long before each further restart within a minute.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from tests.bench.measure import Figure
from tests.bench.post import forget_invitations, letter_to_opponent
from tests.processes.deployment import Deployment, Outbox, wait_for
from tests.processes.players import Table, mail_move, open_tables

VICTIMS = (("worker", True, 1), ("mail", False, 3), ("worker", False, 6), ("queue", False, 8))
"""The kind of process, whether to kill a child of it, and the seconds that the slowest letter may take."""
HEALED, AWAY = 10, 45
"""Seconds: how long the slowest letter may take once the mail server is back, and how long the server is away."""
LETTERS = 6
TIMES = int(os.environ.get("TIMES", "5"))
"""How often each is tried; the slowest time counts."""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as data, Outbox() as outbox:
        limits = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0", "SWEEP_SECONDS": "15"}
        deployment = Deployment(Path(data), {"SMTP_URL": outbox.url, **limits})
        with deployment.running():
            tables = iter(open_tables(deployment, LETTERS * (TIMES * len(VICTIMS) + 1)))
            forget_invitations(deployment)
        for name, child, most in VICTIMS:
            taken = [_killed(deployment, outbox, tables, name, child) for _ in range(TIMES)]
            what = f"s from kill -9 to the slowest of {LETTERS} letters, the slowest of {TIMES} times"
            yield Figure(f"recovery-{name}{'-child' if child else ''}", max(taken), most, what)
        with deployment.running():
            what = f"s from the mail server's return after {AWAY} s to the slowest of {LETTERS} letters"
            yield Figure("recovery-relay", _healed(deployment, outbox, tables), HEALED, what)


def _killed(deployment: Deployment, outbox: Outbox, tables: Iterator[Table], name: str, child: bool) -> float:
    chosen = [next(tables) for _ in range(LETTERS)]
    with deployment.running():
        wait_for(lambda: len(deployment.pids("worker")) > 2, "the workers")
        with ThreadPoolExecutor(LETTERS) as senders:
            sent = [senders.submit(mail_move, deployment, table) for table in chosen]
            wait(sent, return_when=FIRST_COMPLETED)
            deployment.kill(name, child)
            killed = time.monotonic()
        return _slowest(deployment, outbox, chosen, killed)


def _healed(deployment: Deployment, outbox: Outbox, tables: Iterator[Table]) -> float:
    chosen = [next(tables) for _ in range(LETTERS)]
    outbox.close()
    for table in chosen:
        mail_move(deployment, table)
    time.sleep(AWAY)
    outbox.open()
    return _slowest(deployment, outbox, chosen, time.monotonic())


def _slowest(deployment: Deployment, outbox: Outbox, tables: list[Table], since: float) -> float:
    """The seconds until the letters about the first moves at these tables have all arrived."""
    letters = [letter_to_opponent(deployment, table) for table in tables]
    wait_for(lambda: all(map(outbox.has, letters)), "the letters")
    return max(0.0, *(outbox.when(letter) - since for letter in letters))
