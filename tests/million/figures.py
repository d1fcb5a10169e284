"""What pages, the sweep and moves cost among all these matches: milliseconds, statements, and the rows they read."""

from __future__ import annotations

import json
import resource
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain
from statistics import median
from time import perf_counter, process_time
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import Connection, event, text

from service.app import create_app
from service.config import Settings
from service.games import GAMES
from service.play.accounts import sessions
from service.play.accounts.data_export import everything
from service.play.operations import statistics
from service.play.operations.sweep import sweep
from service.play.outbox import digest
from service.play.site import Site
from service.store.session import Store
from tests.bench.company import nodes
from tests.bench.crowd import MOVES, begun, played
from tests.bench.measure import Figure
from tests.million.pool import NOW
from tests.postgresql import Server

ROUNDS = 24
BUSIEST, USUAL = 1, 150_000
"""The player with the most matches, and one with a usual number."""

PAGES = {
    "my-matches": "/",
    "player": "/player/{player}",
    "history": "/history",
    "history-game": "/history?game=go",
    "matches": "/matches",
    "matches-deep": "/matches?before=2000",
    "matches-player": "/matches?player=p77",
    "matches-player-busy": "/matches?player=p1",
    "matches-nobody": "/matches?player=nobody+at+all",
    "matches-game": "/matches?game=pillars",
    "matches-open": "/matches?state=open",
    "matches-running": "/matches?state=running",
    "match": "/match/{over}",
    "record": "/match/{over}/record.json",
    "ratings": "/ratings/go",
    "data": "/account/data.json",
}


def measure(url: str, server: Server) -> None:
    """Prints all figures."""
    with site(url) as crowded, site(server.url.format("alone").replace("postgresql:", "postgresql+psycopg:")) as alone:
        for each in (alone, crowded):
            each.store.migrate()
        for figure in chain(sizes(crowded), pages(crowded), sweeps(crowded), moves(alone, crowded)):
            print(figure.line, flush=True)
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


@contextmanager
def site(url: str) -> Iterator[Site]:
    """The site of a database, a second after its latest rows."""
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(Settings.from_environment({"STONEPOST_DATA": folder}), database_url=url)
        store = Store(url)
        settings = replace(settings, redis_url="memory://")
        yield Site(settings, store, lambda _task, _subject: None, lambda: NOW + timedelta(seconds=1))
        store.close()


def sizes(crowded: Site) -> Iterator[Figure]:
    """The rows of the large tables, and their bytes including indexes."""
    tables = text(
        "SELECT relname, reltuples::bigint AS rows, pg_relation_size(oid) AS own, pg_indexes_size(oid) AS indexes, "
        "pg_total_relation_size(oid) AS bytes FROM pg_class WHERE relkind = 'r' AND reltuples > 10000 ORDER BY 5 DESC"
    )
    with crowded.store.reading() as session:
        for row in session.execute(tables):
            each = f"{row.bytes / row.rows:.0f} bytes a row, {row.indexes / row.rows:.0f} of them indexes"
            yield Figure(f"disk-{row.relname}-gb", row.bytes / 1e9, None, f"{row.rows} rows, {each}")
        whole = session.scalar(text("SELECT pg_database_size(current_database())"))
        log = session.scalar(
            text("SELECT avg(octet_length(log)) FROM match TABLESAMPLE SYSTEM (1) WHERE state = 'over'")
        )
    yield Figure("disk-gb", (whole or 0) / 1e9, 25, "all of the database")
    yield Figure("packed-log-bytes", float(log or 0), 830, "a packed log, on average")


def pages(crowded: Site) -> Iterator[Figure]:
    """The database's time for each page, for the busiest player and for a usual one."""
    app = create_app(crowded)
    over = first_over(crowded)
    for who, player in (("busiest", BUSIEST), ("usual", USUAL)):
        client = app.test_client()
        with client.session_transaction() as session:
            session["visit"] = sessions.begin(crowded, player, "bench")
        for name, path in PAGES.items():
            address = path.format(player=player, over=over)

            def get(address: str = address, client: FlaskClient = client) -> None:
                answer = client.get(address)
                assert answer.status_code == 200, (address, answer.status_code)

            if name == "data":
                get = partial(everything, crowded, player)  # type: ignore[assignment]
            yield from look(f"{name}-{who}", crowded, get, 50 if name == "my-matches" else 10)


def first_over(crowded: Site) -> int:
    with crowded.store.reading() as session:
        return session.scalar(text("SELECT id FROM match WHERE state = 'over' AND id > 1000 ORDER BY id LIMIT 1")) or 0


def look(name: str, where: Site, work: Callable[[], object], goal: float) -> Iterator[Figure]:
    """Measures some work after a first time to warm up; prints the plan of each slow statement."""
    work()
    with heard(where) as asked:
        work()
    times = [explained(where, one) for one in asked]
    begun, busy = perf_counter(), process_time()
    for _ in range(3):
        work()
    wall, own = (perf_counter() - begun) / 3, (process_time() - busy) / 3
    worst = max(times, default=(0.0, ""), key=lambda one: one[0])
    what = f"{len(asked)} statements, worst {worst[0]:.1f} ms; {1000 * wall:.0f} ms in all, {1000 * own:.0f} in Python"
    yield Figure(f"{name}-db-ms", sum(ms for ms, _ in times), goal, what)
    for ms, plan in times:
        if ms > goal / 2:
            print(f"    {ms:.1f} ms: {plan}")


@contextmanager
def heard(where: Site) -> Iterator[list[tuple[str, Any]]]:
    """Collects the statements that are executed in a `with` block, with their parameters."""
    asked: list[tuple[str, Any]] = []

    def hear(_connection: Connection, _cursor: object, statement: str, given: Any, *_: object) -> None:
        asked.append((statement, given))

    event.listen(where.store.engine, "before_cursor_execute", hear)
    yield asked
    event.remove(where.store.engine, "before_cursor_execute", hear)


def explained(where: Site, asked: tuple[str, Any], *, planned: bool = False) -> tuple[float, str]:
    """PostgreSQL's milliseconds for a statement, the best of three, and a summary of what it reads.

    The time includes planning, unless the statement counts as `planned`: psycopg prepares frequent statements. Without
    TIMING OFF, PostgreSQL would read the clock for each row of each node.
    """
    statement, given = asked
    if not statement.lstrip().upper().startswith(("SELECT", "WITH", "(SELECT")):
        return 0.0, ""
    found = []
    with where.store.engine.connect() as connection:
        for _ in range(3):
            explaining = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}"
            row = connection.exec_driver_sql(explaining, given).scalar_one()
            found.append((row if isinstance(row, list) else json.loads(row))[0])
        connection.rollback()
    best = min(found, key=lambda one: one["Execution Time"])
    reads = [
        f"{node['Node Type']} {node['Relation Name']} {node.get('Index Name', '')} "
        f"{node['Actual Rows'] * node['Actual Loops']:.0f} rows"
        for node in nodes(best["Plan"])
        if "Relation Name" in node
    ]
    planning = 0.0 if planned else median(one["Planning Time"] for one in found)
    return best["Execution Time"] + planning, f"{' '.join(statement.split())[:300]} ... {'; '.join(reads)}"


def sweeps(crowded: Site) -> Iterator[Figure]:
    """The day's statistics, a sweep without a backlog, and the digests of an hour."""
    begun, busy = perf_counter(), process_time()
    for _ in GAMES:
        statistics.compute(crowded)
    took = f"s a day for the statistics of all games, {process_time() - busy:.1f} in Python; a game a sweep"
    yield Figure("statistics-s", perf_counter() - begun, None, took)
    sweep(crowded)
    yield from look("sweep", crowded, partial(sweep, crowded), 1000)
    hour = replace(crowded, now=lambda: NOW + timedelta(hours=6, seconds=1))
    begun = perf_counter()
    digest.send_digests(hour)
    yield Figure("digests-s", perf_counter() - begun, None, "s for the digests of one sweep at 18:00")


def moves(alone: Site, crowded: Site) -> Iterator[Figure]:
    """The cost of a move among all these matches, over one in an empty database."""
    alone.store.engine.connect().close()
    sites = {"alone": alone, "crowded": crowded}
    times: dict[str, list[float]] = {name: [] for name in sites}
    cpu: dict[str, list[float]] = {name: [] for name in sites}
    db: dict[str, float] = {}
    for number in range(ROUNDS):
        # They take turns to be first, so that other work on the machine slows both alike.
        for name in sorted(sites, reverse=number % 2 == 1):
            busy = process_time()
            times[name].append(median(played(sites[name])))
            cpu[name].append(process_time() - busy)
    both = f"{1000 * median(times['crowded']):.2f} and {1000 * median(times['alone']):.2f} ms"
    yield Figure("move-million", _over(times), 1.1, f"s a move over one in an empty database: {both}")
    yield Figure("move-million-cpu", _over(cpu), 1.1, "the same in our CPU time")
    for name, where in sites.items():
        play = begun(where)
        with heard(where) as asked:
            for number, move in enumerate(MOVES):
                play(number, move)
        db[name] = sum(explained(where, one, planned=True)[0] for one in asked)
    yield Figure(
        "move-million-db", db["crowded"] / db["alone"], 1.1, f"PostgreSQL's ms for the queries of ten moves: {db}"
    )


def _over(times: dict[str, list[float]]) -> float:
    """The median over all rounds of the time in the crowd over the time alone."""
    return median(crowded / alone for alone, crowded in zip(times["alone"], times["crowded"], strict=True))
