"""From mail in to mail out: a real deployment between a sender of moves and a receiver of letters.

Single moves come one after another, and the time runs from the connection to our SMTP server to the arrival of the
letter that asks the opponent for a move. The moves of the burst come concurrently. The CPU time is that of all the
deployment's processes; it shows an improvement even on a busy machine.

The peer is a minimal mail service (`bare`), which gets the same moves, alternating with the deployment.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median, quantiles

from sqlalchemy import update

from service.mail import reply_address
from service.store.tables.mail_rows import Letter
from tests.bench import bare
from tests.bench.measure import Figure
from tests.processes.deployment import Deployment, Outbox, descendants, wait_for
from tests.processes.players import Table, mail_move, open_tables

WARM_UP, SINGLE, BURST = 10, 200, 400
SENDERS = 16
"""Simultaneous connections in the burst."""


def figures() -> Iterator[Figure]:
    """The latency of single moves, and how many letters of a burst got lost or doubled."""
    with tempfile.TemporaryDirectory() as data, Outbox() as outbox:
        # All letters go to one player, so their number mustn't be limited.
        limits = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0"}
        deployment = Deployment(Path(data), {"SMTP_URL": outbox.url, "SWEEP_SECONDS": "30", **limits})
        with deployment.running():
            tables = open_tables(deployment, WARM_UP + SINGLE + BURST)
            forget_invitations(deployment)
            with bare.running(Path(data), outbox) as peer:
                _one_by_one(deployment, outbox, peer, tables[:WARM_UP])
                yield from _single(deployment, outbox, peer, tables[WARM_UP:-BURST])
            yield from _burst(deployment, outbox, tables[-BURST:])


def forget_invitations(deployment: Deployment) -> None:
    """Marks the letters about the new matches as sent, so that they don't disturb the measurement."""
    with deployment.site.store.writing() as session:
        session.execute(update(Letter).values(sent=deployment.site.now()))


def letter_to_opponent(deployment: Deployment, table: Table) -> str:
    """The Message-ID of the letter that the opponent gets after the first move."""
    key = f"turn:{table.match_id}:{table.round + 1}:1"
    return reply_address.message_id(key, deployment.site.settings.mail_domain)


def _one_by_one(
    deployment: Deployment, outbox: Outbox, peer: bare.Way, tables: list[Table]
) -> list[tuple[float, float]]:
    """For each move, the milliseconds that we took and those that the peer took."""
    return [(mailed(deployment, outbox, table), peer.mailed(outbox, table.moves[0])) for table in tables]


def mailed(deployment: Deployment, outbox: Outbox, table: Table) -> float:
    """Emails a first move; the milliseconds until the letter to the opponent."""
    letter, begun = letter_to_opponent(deployment, table), time.monotonic()
    mail_move(deployment, table)
    wait_for(partial(outbox.has, letter), "the letter")
    return 1000 * (outbox.when(letter) - begun)


def _single(deployment: Deployment, outbox: Outbox, peer: bare.Way, tables: list[Table]) -> Iterator[Figure]:
    assert deployment.run is not None
    begun = processor(deployment.run.pid), processor(*peer.processes)
    ours, theirs = zip(*_one_by_one(deployment, outbox, peer, tables), strict=True)
    spent, bare_spent = processor(deployment.run.pid) - begun[0], processor(*peer.processes) - begun[1]
    what = f"ms from a mailed move to the opponent's letter, {len(ours)} one by one"
    over = "over a minimal service with the same components"
    yield Figure("mail-in-out-median", median(ours), 31, what)
    yield Figure("mail-in-out-p99", _p99(ours), 60, what)
    yield Figure("mail-in-out-cpu-ms", spent / len(ours), None, "ms of our CPU time for a mailed move")
    yield Figure("mail-median-over-bare", median(ours) / median(theirs), None, f"the median {over}")
    yield Figure("mail-p99-over-bare", _p99(ours) / _p99(theirs), None, f"the slowest of a hundred {over}")
    yield Figure("mail-cpu-over-bare", spent / bare_spent, None, f"the CPU time of all processes {over}")


def _p99(taken: Sequence[float]) -> float:
    return quantiles(taken, n=100)[98]


def processor(*parents: int) -> float:
    """Milliseconds of CPU time that processes and their descendants have used so far."""
    return sum(processor_of(pid) for parent in parents for pid in (parent, *descendants(parent)))


def processor_of(pid: int) -> float:
    """Milliseconds of CPU time that a process has used so far (proc(5): utime and stime)."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    return 1000 * sum(map(int, stat.split()[11:13])) / os.sysconf("SC_CLK_TCK")


def _burst(deployment: Deployment, outbox: Outbox, tables: list[Table]) -> Iterator[Figure]:
    letters, begun = {letter_to_opponent(deployment, table) for table in tables}, time.monotonic()
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
