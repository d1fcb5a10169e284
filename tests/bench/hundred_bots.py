"""A hundred copies of the bot on the page /api, each a separate process, with a real deployment on the same machine.

First they all wait and nothing happens; then they play each other as fast as the service answers. Their players get
emails too. The bots run at a lower priority, because normally they'd run on other machines.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import cycle
from pathlib import Path

from sqlalchemy import func, select, update

from service.config import ROOT
from service.games import GAMES
from service.play.accounts.programs import tokens
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.store.models import Entry
from service.store.tables.mail_rows import Letter
from tests.bench.measure import Figure
from tests.bench.post import processor
from tests.games.playing import small
from tests.processes.deployment import Deployment, Outbox
from tests.processes.players import player

BOT = ROOT / "templates" / "help" / "random_bot.py"
BOTS, IDLE, PLAYING = 100, 20, 40
"""The number of bots, and the seconds that they wait and play."""

SETTLING = 8
PATIENCE = 30
"""Seconds that the bots get to start."""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as data, Outbox() as outbox:
        limits = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0"}
        deployment = Deployment(Path(data), {"SMTP_URL": outbox.url, **limits})
        with deployment.running():
            players = [player(deployment, f"bot{number}@example.org") for number in range(BOTS)]
            with running(deployment, players) as printed:
                time.sleep(PATIENCE)
                begun, spent = len(printed()), _web(deployment)
                time.sleep(IDLE)
                spent = _web(deployment) - spent
                yield Figure("waiting-bots-cpu", spent / IDLE, 0.1, f"CPUs of the web while {BOTS} bots wait")
                with deployment.site.store.writing() as session:
                    session.execute(update(Letter).values(sent=deployment.site.now()))
                pairs = zip(players[::2], players[1::2], strict=True)
                for pair, game in zip(pairs, cycle(GAMES), strict=False):
                    open_match(deployment, game, *pair)
                time.sleep(SETTLING)  # Until a sweep finds the first letters.
                since = deployment.site.now()
                time.sleep(PLAYING)
                refused = printed()[begun:]
            time.sleep(5)
            yield Figure("bots-refused", len(refused), 0, f"refused requests of {BOTS} bots: {sorted({*refused})[:3]}")
            yield from _played(deployment, since)


def open_match(deployment: Deployment, game: str, host: int, guest: int) -> None:
    """Starts a small match of these two players, of Rosette if the game's needs more seats."""
    site, variant = deployment.site, small(game)
    if variant.seats != 2:
        variant = small("rosette")
    chairs = [Chair("me"), Chair("player", player_id=guest)]
    number = lobby.open_match(site, host, variant.game.name, dict(variant.options), chairs)
    invitations.answer(site, number, guest, accept=True)


def _web(deployment: Deployment) -> float:
    """Seconds of CPU time that the web processes have used."""
    return processor(deployment.pids("web")[0]) / 1000


def _played(deployment: Deployment, since: datetime) -> Iterator[Figure]:
    with deployment.site.store.reading() as session:
        moves = session.scalar(select(func.count()).where(Entry.played > since)) or 0
        letters = session.scalars(select(Letter).where(Letter.kind == "turn", Letter.created > since)).all()
    late = sorted((one.sent - one.created).total_seconds() for one in letters if one.sent is not None)
    waiting = sum(one.sent is None and one.due is not None for one in letters)
    yield Figure(
        "bots-moves-s", moves / PLAYING, None, f"moves a second of {BOTS} bots on this machine, {moves} in all"
    )
    what = f"s from a move to its email, the slowest of {len(late)}; half took {late[len(late) // 2]:.2g} s"
    yield Figure("bots-letter-late-s", late[-1], 1, what)
    yield Figure("bots-letters-unsent", waiting, 0, "emails about turns that hadn't left 5 s after the end")


@contextmanager
def running(deployment: Deployment, players: Sequence[int]) -> Iterator[Callable[[], list[str]]]:
    """Runs a bot for each player; yields a function that returns the lines printed so far, one per refused request."""
    said = deployment.data / "bots"
    started = [_start(deployment, number, said) for number in players]
    try:
        yield lambda: said.read_text().splitlines()
    finally:
        for one in started:
            one.kill()
            one.wait()


def _start(deployment: Deployment, player_id: int, said: Path) -> subprocess.Popen[bytes]:
    token, _ = tokens.make(deployment.site, player_id, "", ("read", "play"), None, "bench")
    with said.open("a") as out:
        return subprocess.Popen(
            ["nice", "-n", "10", sys.executable, "-u", str(BOT)],
            env=os.environ | {"STONEPOST_URL": deployment.address, "STONEPOST_TOKEN": token},
            stdout=out,
            stderr=out,
        )
