"""Matches against computer opponents, and what becomes of their turns while processes are killed."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random

from sqlalchemy import func, select

from service.mail.grammar.orders import parse
from service.play.match import lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.table import replay
from service.store.models import Entry, Match, Submission
from tests.processes.deployment import Deployment, wait_for
from tests.processes.players import HOST, player

GAMES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("go", "harrow", {"size": "9"}),
    ("lotus", "heron", {}),
    ("rosette", "daisy", {"base": "5"}),
    ("medusa", "pebbles", {"base": "6"}),
    ("pillars", "chalk", {}),
)
"""Games with an opponent that thinks for a second or so, and their options."""


def challenge(deployment: Deployment, number: int) -> int:
    """Opens a match in which an opponent's answer to the host's first move is due; returns its id."""
    game, bot, options = GAMES[number % len(GAMES)]
    host, site = player(deployment, HOST), deployment.site
    match_id = lobby.open_match(site, host, game, options, [Chair("me"), Chair("bot", bot=bot)])
    with site.store.reading() as session:
        position = replay.position(session, session.get_one(Match, match_id))
    move = next(iter(position.moves(0)))
    submit(site, Incoming(f"web:{match_id}", match_id, 0, host, position.round, parse(move), "web"))
    return match_id


def answers_of_bots(deployment: Deployment, matches: Sequence[int]) -> Counter[int]:
    """How many moves the opponents have made in each match."""
    made = select(Entry.match_id, func.count().label("moves")).where(Entry.match_id.in_(matches), Entry.seat == 1)
    with deployment.site.store.reading() as session:
        rows = session.execute(made.group_by(Entry.match_id)).all()
    return Counter({row.match_id: row.moves for row in rows})


def thoughts_under_fire(deployment: Deployment, kills: int, seed: int, longest: float) -> Counter[int]:
    """Kills the process that thinks, or its parent, `kills` times, while one turn after the other falls due.

    Returns how many matches there are by the number of moves that their opponents have made, once all have answered.
    The moments are drawn: up to `longest` seconds after the process is there again.
    """
    chance, matches = Random(seed), []
    for number in range(kills):
        matches.append(challenge(deployment, number))
        wait_for(lambda: len(deployment.pids("think")) > 1, "the start of the process that thinks")
        time.sleep(chance.uniform(0, longest))
        deployment.kill("think", child=chance.random() < 0.8)
    wait_for(lambda: len(answers_of_bots(deployment, matches)) == kills, "the last answer", patience=20 * kills + 120)
    made = answers_of_bots(deployment, matches)
    with deployment.site.store.reading() as session:
        ordered = select(Submission.match_id).where(Submission.match_id.in_(matches), Submission.door == "bot")
        orders = Counter(session.scalars(ordered))
    return Counter(max(made[match], orders[match]) for match in matches)


@contextmanager
def paused(deployment: Deployment, name: str = "think") -> Iterator[None]:
    """Stops processes of one kind during the block. None is stopped while it writes to SQLite, because everybody else
    would wait for it."""
    stopped = deployment.pids(name)
    with deployment.site.store.writing() as session:
        session.connection()
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
