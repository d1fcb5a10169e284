"""Bots that think, in a real deployment: whether killing them loses moves, and how they slow a person's emailed move.

Moves are emailed one by one while fifty turns of bots are queued. For every other move the thinking process is stopped,
so that other work on the machine slows both kinds alike.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from service.play.match import lobby
from service.play.match.lobby import Chair
from tests.bench.measure import Figure
from tests.bench.post import mailed
from tests.processes.deployment import Deployment, Outbox
from tests.processes.players import HOST, open_tables, player
from tests.processes.thinkers import paused, thoughts_under_fire

KILLS = int(os.environ.get("KILLS", "100"))
"""How often the thinking process is killed."""
SEED, LONGEST = 13, 2.5
QUEUED, PAIRS = 50, 40


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as data, Outbox() as outbox:
        limits = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0"}
        # In one session with this process, or it would have to wait for what thinks, and be measured too.
        deployment = Deployment(Path(data), {"SMTP_URL": outbox.url, **limits}, apart=False)
        with deployment.running():
            yield _mail(deployment, outbox)
            yield _kills(deployment)


def _mail(deployment: Deployment, outbox: Outbox) -> Figure:
    """Emails moves while bots think and while none does."""
    tables = open_tables(deployment, 2 * PAIRS + 10)
    host = player(deployment, HOST)
    for _ in range(QUEUED):
        lobby.open_match(deployment.site, host, "go", {"size": "13"}, [Chair("bot", bot="whetstone"), Chair("me")])
    for table in tables[2 * PAIRS :]:
        mailed(deployment, outbox, table)
    times: tuple[list[float], list[float]] = ([], [])
    for number, table in enumerate(tables[: 2 * PAIRS]):
        with ExitStack() as stack:
            if number % 2 == 0:
                stack.enter_context(paused(deployment))
            times[number % 2].append(mailed(deployment, outbox, table))
    idle, busy = map(median, times)
    what = f"ms from a mailed move to its letter with {QUEUED} bot turns queued, over those while no bot thinks"
    return Figure("mail-while-thinking", busy / idle, 1.2, f"{what}: {busy:.0f} over {idle:.0f}, {PAIRS} each")


def _kills(deployment: Deployment) -> Figure:
    made = thoughts_under_fire(deployment, KILLS, SEED, LONGEST)
    what = f"of {KILLS} bot turns not played exactly once, the thinking process killed {KILLS} times, seed {SEED}"
    return Figure("think-killed", KILLS - made[1], 0, what)
