"""Database connections and transactions. SQLite runs `writing` transactions one at a time."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry

TURN = "SELECT pg_advisory_xact_lock(7367)"
"""Takes a PostgreSQL lock, so that only one process migrates at a time."""


class Store:
    """One database. `reading()` and `writing()` are transactions; `writing` commits at the end of its block."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"), hide_parameters=True)
        if self.engine.dialect.name == "sqlite":
            if self.engine.url.database:
                _take_turns(self.engine, Path(self.engine.url.database).parent)
            _speak_sqlite(self.engine)
        # SQLite transactions always read a consistent snapshot; PostgreSQL's only do so if asked.
        one_moment = {} if self.engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        self._read = sessionmaker(self.engine.execution_options(**one_moment), expire_on_commit=False)
        self._write = sessionmaker(self.engine.execution_options(writer=True), expire_on_commit=False)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that reads a consistent snapshot. Changes in it are discarded."""
        with self._read() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that commits when the block ends and rolls back when it raises."""
        with self._write.begin() as session:
            yield session

    def migrate(self) -> None:
        """Brings the tables up to date."""
        migrations = Config()
        migrations.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        migrations.attributes["engine"] = self.engine
        command.upgrade(migrations, "head")

    def copy(self, target: Path) -> list[str]:
        """Copies a consistent snapshot of an SQLite database, even while others write. Returns the names of the copies.

        Does nothing for PostgreSQL, which has its own tools.
        """
        if self.engine.dialect.name != "sqlite":
            return []
        half = target.with_suffix(".new")
        half.unlink(missing_ok=True)
        half.touch(mode=0o600)
        with self.engine.connect() as connection, closing(sqlite3.connect(half)) as into:
            source: Any = connection.connection.driver_connection
            source.backup(into)
        os.replace(half, target)
        return [target.name]

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()


def _speak_sqlite(engine: Engine) -> None:
    """Sets up SQLite in WAL mode, with writers that take the lock before they read.

    The driver's own transactions begin at the first write. Two writers could then read the same state, and one update
    would be lost without an error. With `synchronous = FULL`, a commit is on disk when it returns; with NORMAL, a power
    failure could lose an order that was acknowledged.
    """

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 15000"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writer = connection.get_execution_options().get("writer", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writer else "BEGIN")


def _take_turns(engine: Engine, directory: Path) -> None:
    """Has writers queue for a file lock, which the kernel gives to the next one as soon as it is free.

    SQLite only looks again from time to time, up to 100 ms apart, so a writer that has waited long loses to new ones.
    With four writers that take 3 ms each, one in a hundred waited 400 ms for SQLite, and waits 50 ms here. The lock of
    a process that dies is free. It is on the directory, because closing any file of a database ends SQLite's own locks.
    """

    @event.listens_for(engine, "begin")
    def take(connection: Connection) -> None:
        # A migration has several transactions on its connection, and keeps its turn from one to the next.
        if connection.get_execution_options().get("writer", False) and "turn" not in connection.info:
            turn = connection.info["turn"] = os.open(directory, os.O_RDONLY)
            fcntl.flock(turn, fcntl.LOCK_EX)

    @event.listens_for(engine, "checkin")
    @event.listens_for(engine, "invalidate")
    def pass_on(_connection: object, record: ConnectionPoolEntry, _error: object = None) -> None:
        turn = record.info.pop("turn", None)
        if turn is not None:
            fcntl.flock(turn, fcntl.LOCK_UN)  # Closing isn't enough if a process was forked meanwhile.
            os.close(turn)
