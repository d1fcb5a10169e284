"""Mail in to mail out: a real deployment between one that sends moves and one that receives letters.

Single moves come one after the other, and the time runs from the connection to our door to the arrival of the letter
that asks the opponent for theirs. The burst comes all at once. The processor time is that of every process of the
deployment, and tells a change for the better even on a machine that is busy with something else.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median, quantiles

from sqlalchemy import update

from service.mail import reply_address
from service.store.tables.mail_rows import Letter
from tests.bench.measure import Figure
from tests.processes.deployment import Deployment, Outbox, descendants, wait_for
from tests.processes.players import Table, mail_move, open_tables

WARM_UP, SINGLE, BURST = 10, 200, 400
SENDERS = 16
"""Connections at once in the burst."""


def figures() -> Iterator[Figure]:
    """Latency of single moves on an otherwise idle machine, and what became of a burst."""
    with tempfile.TemporaryDirectory() as data, Outbox() as outbox:
        # All letters go to one player, who has no limit.
        limits = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0"}
        deployment = Deployment(Path(data), {"SMTP_URL": outbox.url, "SWEEP_SECONDS": "30", **limits})
        with deployment.running():
            tables = open_tables(deployment, WARM_UP + SINGLE + BURST)
            _forget_invitations(deployment)
            _one_by_one(deployment, outbox, tables[:WARM_UP])
            yield from _single(deployment, outbox, tables[WARM_UP:-BURST])
            yield from _burst(deployment, outbox, tables[-BURST:])


def _forget_invitations(deployment: Deployment) -> None:
    """The letters that setting up the matches owes are nobody's business here."""
    with deployment.site.store.writing() as session:
        session.execute(update(Letter).values(sent=deployment.site.now()))


def _letter(deployment: Deployment, table: Table) -> str:
    """The Message-ID of the letter that the opponent gets after the first move."""
    key = f"turn:{table.match_id}:{table.round + 1}:1"
    return reply_address.message_id(key, deployment.site.settings.mail_domain)


def _one_by_one(deployment: Deployment, outbox: Outbox, tables: list[Table]) -> list[float]:
    """The milliseconds each move took."""
    return [mailed(deployment, outbox, table) for table in tables]


def mailed(deployment: Deployment, outbox: Outbox, table: Table) -> float:
    """Mails a first move; the milliseconds until the letter to the opponent."""
    letter, begun = _letter(deployment, table), time.monotonic()
    mail_move(deployment, table)
    wait_for(partial(outbox.has, letter), "the letter")
    return 1000 * (outbox.when(letter) - begun)


def _single(deployment: Deployment, outbox: Outbox, tables: list[Table]) -> Iterator[Figure]:
    begun = _processor(deployment)
    taken = _one_by_one(deployment, outbox, tables)
    spent = _processor(deployment) - begun
    what = f"ms from a mailed move to the opponent's letter, {len(taken)} one by one"
    yield Figure("mail-in-out-median", median(taken), 31, what)
    yield Figure("mail-in-out-p99", quantiles(taken, n=100)[98], 60, what)
    yield Figure("mail-in-out-cpu-ms", spent / len(taken), None, "ms of processor time a mailed move takes us")


def _processor(deployment: Deployment) -> float:
    """Milliseconds that the processes of the deployment have used so far (proc(5): the fields utime and stime)."""
    assert deployment.run is not None
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2] for pid in descendants(deployment.run.pid)]
    return 1000 * sum(sum(map(int, stat.split()[11:13])) for stat in stats) / os.sysconf("SC_CLK_TCK")


def _burst(deployment: Deployment, outbox: Outbox, tables: list[Table]) -> Iterator[Figure]:
    letters, begun = {_letter(deployment, table) for table in tables}, time.monotonic()
    with ThreadPoolExecutor(SENDERS) as senders:
        for sent in [senders.submit(mail_move, deployment, table) for table in tables]:
            sent.result()
    with suppress(AssertionError):
        wait_for(lambda: letters <= {*outbox.identities}, "the last letter")
    taken = time.monotonic() - begun
    arrived = Counter(identity for identity in outbox.identities if identity in letters)
    what = f"of {len(tables)} moves mailed at once; the last letter came after {taken:.1f} s"
    yield Figure("mail-burst-lost", len(letters) - len(arrived), 0, what)
    yield Figure("mail-burst-doubled", sum(arrived.values()) - len(arrived), 0, what)
