"""Connections to the database: short transactions, `writing` ones serialised from their first statement."""

from __future__ import annotations

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

TURN = "SELECT pg_advisory_xact_lock(7367)"
"""What whoever brings the tables of a PostgreSQL up to date waits for first, so that one does it at a time."""


class Store:
    """One database. `reading()` and `writing()` are transactions; `writing` commits at the end of its block."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"), hide_parameters=True)
        if self.engine.dialect.name == "sqlite":
            _speak_sqlite(self.engine)
        # SQLite shows a transaction one moment of the database in any case; elsewhere that has to be asked for.
        one_moment = {} if self.engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        self._read = sessionmaker(self.engine.execution_options(**one_moment), expire_on_commit=False)
        self._write = sessionmaker(self.engine.execution_options(writer=True), expire_on_commit=False)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A consistent look at the database; nothing done in it is kept."""
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
        """Copies an SQLite database as it is at one moment, whoever writes meanwhile; the copy's name, or none.

        A PostgreSQL has means of its own, and nothing is copied.
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
        """Returns every connection."""
        self.engine.dispose()


def _speak_sqlite(engine: Engine) -> None:
    """SQLite in WAL mode, with writers that take the lock before they read.

    The driver's own transaction handling would begin late and let two writers read the same state, so that one
    update is lost without an error. Each commit is on the disk when it returns (`synchronous = FULL`): with NORMAL, a
    power failure could take an order back that its sender was told is safe.
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
