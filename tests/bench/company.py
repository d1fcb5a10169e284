"""The time of leader boards, events, profiles and so on with 100,000 matches in PostgreSQL, and their table scans.

PostgreSQL's wheel creates its own operating-system user when root starts it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import Connection, event, text

from service.play.site import Site
from tests.bench.crowd import NOW, site
from tests.bench.measure import Figure
from tests.bench.pages import signed_in

MATCHES, PLAYERS, EVENTS = 100_000, 2_000, 250
PAGES = {
    "leader-board": "/ratings/go",
    "statistics": "/statistics/go",
    "events": "/events",
    "cup": "/events/4",
    "league": "/events/1",
    "league-season": "/events/1?season=3",
    "ladder": "/events/2",
    "tour": "/events/3",
    "event-feed": "/events/1/feed.xml",
    "profile": "/player/7",
    "matches": "/matches?game=go",
    "wishes": "/wishes",
    "following": "/following",
}
SMALL = 5_000
"""PostgreSQL may scan a table with no more rows than this: it may be quicker than an index."""

CROWD = (
    "INSERT INTO player (name, name_key, email, created, post, confirmed) SELECT 'p' || n, 'p' || n, "
    "'p' || n || '@example.org', :now, 'off', :now FROM generate_series(1, :players) n",
    "INSERT INTO match (game, options, seed, state, round, ply, clock, rated, created, moved, reason) SELECT "
    """'go', '{"size": "9", "komi": "7.5"}', n, 'over', 40, 39, '7d/move', true, """
    "cast(:now AS timestamptz) - n * interval '3 minutes', cast(:now AS timestamptz) - n * interval '2 minutes', "
    "'resignation' FROM generate_series(1, :matches) n",
    "INSERT INTO seat (match_id, number, player_id, accepted, to_move, awaited, post, missed, ahead, budget, score) "
    "SELECT m.id, s, "
    "1 + (m.id % :events * 29 + (m.id / :events % 29 + s * (1 + m.id / :events / 29)) % 29) % :players, "
    "true, false, false, '', 0, '', "
    "'{}', CASE WHEN s = m.id % 2 THEN '1' ELSE '0' END FROM match m, generate_series(0, 1) s",
    "INSERT INTO rated_seat (match_id, player_id, game, seat, share, bot, fixed, ended, rating_before, rating, "
    "deviation) SELECT m.id, s.player_id, m.game, s.number, s.score, false, false, m.moved, 1500, 1510, 90 "
    "FROM match m JOIN seat s ON s.match_id = m.id",
    "INSERT INTO player_rating (player_id, game, rating, deviation, volatility, floor, matches, at) SELECT id, 'go', "
    "1200 + id % 700, 60 + id % 80, 0.06, 1140 + id % 700 - id % 80, 100, :now FROM player",
    "INSERT INTO event (name, name_key, kind, game, seats, clock, rated, founder_id, state, made, began, season, part) "
    "SELECT 'Event ' || n, 'event ' || n, (ARRAY['cup', 'league', 'ladder', 'tour'])[1 + n % 4], 'go', 2, '7d/move', "
    "true, 1 + n, CASE WHEN n % 4 = 0 THEN 'over' ELSE 'running' END, :now, :now, "
    "CASE WHEN n % 4 = 1 THEN 8 ELSE 1 END, 9 FROM generate_series(1, :events) n",
    "INSERT INTO event_match (event_id, number, season, part, drawn, match_id, void, noted, challenger) SELECT "
    "1 + m.id % :events, m.id / :events, CASE WHEN m.id % :events % 4 = 0 THEN 1 + m.id / :events / 50 ELSE 1 END, "
    "CASE WHEN m.id % :events % 4 = 2 THEN 1 + m.id / :events % 9 ELSE 1 END, m.created, m.id, false, true, 0 "
    "FROM match m",
    "INSERT INTO event_seat (event_id, number, seat, player_id, share, late) SELECT e.event_id, e.number, s.number, "
    "s.player_id, s.score, false FROM event_match e JOIN seat s ON s.match_id = e.match_id",
    "INSERT INTO event_entrant (event_id, player_id, joined, state, place) SELECT event_id, player_id, :now, 'in', "
    "CASE WHEN event_id % 4 = 2 THEN row_number() OVER (PARTITION BY event_id ORDER BY player_id) END "
    "FROM (SELECT DISTINCT event_id, player_id FROM event_seat) those",
    "INSERT INTO followed_player (player_id, other_id, since) SELECT 7, n, :now FROM generate_series(20, 60) n",
    "ANALYZE",
)


def figures() -> Iterator[Figure]:
    """All figures of this part."""
    with site() as where:
        with where.store.writing() as session:
            for statement in CROWD:
                given = {"now": NOW, "players": PLAYERS, "matches": MATCHES, "events": EVENTS}
                session.execute(text(statement), given)
        client = signed_in(where, 7)
        for name, path in PAGES.items():
            with heard(where) as statements:
                assert client.get(path).status_code == 200, path
            scans = scanned(where, statements)
            yield Figure(
                f"{name}-100k-ms", milliseconds(client, path), 50, f"{path} with {MATCHES} matches, PostgreSQL"
            )
            if scans:
                yield Figure(f"{name}-scans", len(scans), 0, "; ".join(sorted(scans)))


def milliseconds(client: FlaskClient, path: str, rounds: int = 15) -> float:
    """The median time of a page, including the database's."""
    taken = []
    for _ in range(rounds):
        begun = perf_counter()
        assert client.get(path).status_code == 200
        taken.append(1000 * (perf_counter() - begun))
    return median(taken)


@contextmanager
def heard(where: Site) -> Iterator[list[tuple[str, Any]]]:
    """Collects the statements that are executed in a `with` block, with their parameters."""
    statements: list[tuple[str, Any]] = []

    def hear(_connection: Connection, _cursor: object, statement: str, given: Any, *_: object) -> None:
        statements.append((statement, given))

    event.listen(where.store.engine, "before_cursor_execute", hear)
    yield statements
    event.remove(where.store.engine, "before_cursor_execute", hear)


def scanned(where: Site, statements: list[tuple[str, Any]]) -> set[str]:
    """The tables of more than SMALL rows that PostgreSQL would scan for these statements, each with the statement."""
    found = set()
    with where.store.engine.connect() as connection:
        tables = text("SELECT relname, reltuples FROM pg_class")
        sizes = {row.relname: row.reltuples for row in connection.execute(tables)}
        for statement, given in statements:
            if statement.lstrip().upper().startswith(("SELECT", "WITH")):
                plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", given).scalar_one()
                for node in nodes((plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]):
                    table = node.get("Relation Name", "")
                    if node["Node Type"] == "Seq Scan" and sizes.get(table, 0) > SMALL:
                        found.add(f"{table} in {' '.join(statement.split())[:600]}")
    return found


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A plan and all plans below it."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)
