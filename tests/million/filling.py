"""Fills a PostgreSQL database with a million running and ten million finished matches: first rows, then indexes."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from time import perf_counter
from typing import Any

from sqlalchemy import Connection, text

from service.store.session import Store
from tests.million import pool
from tests.million.pool import NOW

POOL, BUCKETS = 4_000, 200
"""How many different games there are, and how many periods they are divided into."""

MOVES = 16
"""The most moves of a running match."""

PLAYERS = 300_000

TABLES = (
    "CREATE TABLE pool_over (id int PRIMARY KEY, game text, options text, seed bigint, round int, ply int, "
    "reason text, scores text, created timestamptz, moved timestamptz, log bytea)",
    "CREATE TABLE pool_begun (id int PRIMARY KEY, game text, options text, seed bigint, round int, ply int, "
    "waits text, seats int)",
    "CREATE TABLE pool_move (id int, ply int, seat int, move text, round int, PRIMARY KEY (id, ply))",
)


def drawn(key: str) -> str:
    """SQL for the player who is drawn for a key, always the same; the busiest has about one seat in 4,500."""
    return f"(1 + floor(:players * power((hashint8extended({key}, 7) & 4294967295) / 4294967296.0::float8, 1.5)))::int"


MOVED = "cast(:now AS timestamptz) - (1 + (hashint8(m.id) & 16383)) * interval '36 seconds'"
"""SQL for the time of a running match's last move, within the last week."""

PEOPLE = (
    "INSERT INTO player (name, name_key, email, created, confirmed, post, zone) SELECT 'p' || n, 'p' || n, "
    "'p' || n || '@' || n % 50 || '.example.org', cast(:now AS timestamptz) - interval '3 years', "
    "cast(:now AS timestamptz) - interval '3 years', (ARRAY['instant', 'unseen', 'digest', 'off'])[1 + n % 4], "
    "(ARRAY['', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'])[1 + n / 4 % 4] "
    "FROM generate_series(1, :players) n",
    "INSERT INTO letter (key, kind, player_id, data, created, due, attempts, sent, error) SELECT 'digest:' || n, "
    """'digest', 1 + n % :players, '{"rows": [], "held": [], "news": []}', """
    "cast(:now AS timestamptz) - n % 7000000 * interval '1 second', :now, 1, "
    "cast(:now AS timestamptz) - n % 7000000 * interval '1 second', '' FROM generate_series(1, 3 * :players) n",
)

OVER = (
    "INSERT INTO match (id, game, options, seed, state, round, ply, reason, clock, rated, created, moved, creator_id, "
    "log) SELECT n, p.game, p.options::json, p.seed, 'over', p.round, p.ply, p.reason, '7d/move', n % 4 = 0, "
    f"p.created, p.moved, {drawn('8::bigint * n')}, p.log FROM generate_series(1, :finished) n "
    "JOIN pool_over p ON p.id = "
    "1 + n::bigint * :buckets / (:finished + 1) * (:pool / :buckets) + (hashint8(n) & 2147483647) % (:pool / :buckets)",
    "INSERT INTO seat (match_id, number, player_id, accepted, to_move, awaited, score, budget) "
    f"SELECT m.id, s.number - 1, {drawn('8::bigint * m.id + s.number - 1')}, true, false, false, s.score, "
    """'{"main": 604800.0, "over": 0.0, "count": 0}' """
    "FROM match m JOIN pool_over p ON p.created = m.created AND p.moved = m.moved, "
    "unnest(string_to_array(p.scores, ',')) WITH ORDINALITY s(score, number) WHERE m.state = 'over'",
    "INSERT INTO rated_seat (match_id, player_id, game, seat, share, bot, fixed, ended, rating_before, rating, "
    "deviation) SELECT m.id, s.player_id, m.game, s.number, s.score, false, false, m.moved, 1500, "
    "1400 + s.player_id % 200, 60 FROM match m JOIN seat s ON s.match_id = m.id WHERE m.rated "
    "ON CONFLICT DO NOTHING",
    "INSERT INTO player_rating (player_id, game, rating, deviation, volatility, floor, matches, at) SELECT player_id, "
    "game, 1400 + player_id % 200, 60 + player_id % 90, .06, 1340 + player_id % 110, count(*), max(ended) "
    "FROM rated_seat GROUP BY player_id, game",
    "INSERT INTO saying (key, match_id, seat, player_id, text, said) SELECT 'web:said:' || s.match_id, s.match_id, 0, "
    "s.player_id, 'Thank you for the game.', :now FROM seat s WHERE s.number = 0 AND s.match_id % 10 = 0",
)

RESULTS = import_module("service.store.migrations.versions.0066_player_results").COUNT

BEGUN = (
    "INSERT INTO match (id, game, options, seed, state, round, ply, clock, rated, created, moved, creator_id) "
    "SELECT m.id, p.game, p.options::json, p.seed, 'running', p.round, p.ply, '7d/move', m.id % 4 = 0, "
    f"{MOVED} - (1 + p.ply) * interval '1 day', {MOVED}, {drawn('8::bigint * m.id')} "
    "FROM generate_series(:finished + 1, :finished + :running) m(id) JOIN pool_begun p ON p.id = 1 + m.id % :pool",
    "INSERT INTO seat (match_id, number, player_id, accepted, to_move, awaited, budget, since, deadline, remind) "
    f"SELECT m.id, s, {drawn('8::bigint * m.id + s')}, true, w.waits, w.waits, "
    """'{"main": 604800.0, "over": 0.0, "count": 0}', CASE WHEN w.waits THEN m.moved END, """
    "CASE WHEN w.waits THEN m.moved + interval '7 days' END, "
    "CASE WHEN w.waits THEN greatest(m.moved + interval '6 days', "
    "cast(:now AS timestamptz) + interval '10 minutes') END FROM match m JOIN pool_begun p ON p.id = 1 + m.id % :pool, "
    "generate_series(0, p.seats - 1) s, LATERAL (SELECT substr(p.waits, s + 1, 1) = '1' AS waits) w "
    "WHERE m.state = 'running'",
    "INSERT INTO submission (key, match_id, seat, player_id, round, kind, text, remark, door, received, verdict, "
    "message, ply) SELECT 'web:' || s.player_id || ':' || md5(m.id || ' ' || o.ply), m.id, o.seat, s.player_id, "
    "o.round, 'move', o.move, '', CASE WHEN s.player_id % 3 = 0 THEN 'mail' ELSE 'web' END, "
    "m.moved - (m.ply - o.ply) * interval '1 day', 'accepted', '', o.ply FROM match m "
    "JOIN pool_move o ON o.id = 1 + m.id % :pool JOIN seat s ON s.match_id = m.id AND s.number = o.seat "
    "WHERE m.state = 'running' ORDER BY m.id, o.ply",
    "INSERT INTO entry (match_id, ply, seat, move, round, private, remark, played, clock, submission_id) "
    "SELECT b.match_id, b.ply, b.seat, b.text, b.round, false, '', b.received, "
    """json_build_object('main', 604800.0, 'over', 0.0, 'count', 0, 'since', b.received - interval '1 day'), b.id """
    "FROM submission b ORDER BY b.match_id, b.ply",
    "INSERT INTO letter (key, kind, player_id, match_id, data, created, due, attempts, sent, error) SELECT 'turn:' || "
    "s.match_id || ':' || n || ':' || s.number, 'turn', s.player_id, s.match_id, "
    "json_build_object('ply', n, 'seat', s.number, 'deadline', m.moved + interval '7 days'), "
    "m.moved - (m.ply - n) * interval '1 day', m.moved - (m.ply - n) * interval '1 day' + interval '15 seconds', 1, "
    "m.moved - (m.ply - n) * interval '1 day', '' FROM match m, generate_series(0, m.ply) n "
    "JOIN LATERAL (SELECT * FROM seat s WHERE s.match_id = m.id AND s.number = n % 2) s ON true "
    "WHERE m.state = 'running' ORDER BY m.id, n",
    "INSERT INTO pulse (id, at) VALUES (1, :now)",
)


def fill(store: Store, running: int, finished: int) -> None:
    """Fills a new database; prints how long each step took."""
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("SET session_replication_role = replica"))  # Skips the checks of foreign keys.
        connection.execute(text("SET maintenance_work_mem = '1GB'"))
        connection.execute(text("SET work_mem = '256MB'"))
        indexes = _without_indexes(connection)
        for statement in TABLES:
            connection.execute(text(statement))
        _copy(connection, "pool_over", sorted(pool.finished(POOL), key=lambda one: one.created), numbered=True)
        begun = [*pool.begun(POOL, MOVES)]
        _copy(connection, "pool_begun", [row for row, _ in begun])
        _copy(connection, "pool_move", [move for _, moves in begun for move in moves])
        given = {"now": NOW, "players": PLAYERS, "running": running, "finished": finished}
        given |= {"pool": POOL, "buckets": BUCKETS}
        for statement in (*PEOPLE, *OVER, RESULTS, *BEGUN):
            _timed(connection, statement, given)
        connection.execute(text("SELECT setval('match_id_seq', max(id)) FROM match"))
        for statement in indexes:
            _timed(connection, statement, {})
        _timed(connection, "VACUUM ANALYZE", {})


def _without_indexes(connection: Connection) -> list[str]:
    """Drops all indexes except those of constraints; returns the statements that create them again."""
    found = connection.execute(
        text(
            "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version' "
            "AND indexname NOT IN (SELECT conname FROM pg_constraint)"
        )
    ).all()
    for name, _ in found:
        connection.execute(text(f'DROP INDEX "{name}"'))
    return [made for _, made in found]


def _copy(connection: Connection, table: str, rows: Iterable[Any], *, numbered: bool = False) -> None:
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
        for number, row in enumerate(rows, 1):
            copy.write_row((number, *row[1:]) if numbered else row)


def _timed(connection: Connection, statement: str, given: dict[str, Any]) -> None:
    begun = perf_counter()
    connection.execute(text(statement), given if ":" in statement else {})
    print(f"{perf_counter() - begun:7.1f} s  {statement[:100]}", flush=True)
