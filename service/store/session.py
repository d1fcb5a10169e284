"""Database connections and transactions. SQLite runs `writing` transactions one at a time."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Select, bindparam, create_engine, event, inspect, select
from sqlalchemy.exc import InterfaceError, InternalError, NoResultFound, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry

TURN = "SELECT pg_advisory_xact_lock(7367)"
"""Takes a PostgreSQL lock, so that only one process migrates at a time."""

FAILURES = (OperationalError, InterfaceError, InternalError, PoolTimeout)
"""The errors of a database that is down, locked, read-only or full."""


def is_failure(error: BaseException | None) -> bool:
    """Whether an error means that the database can't be used just now, through no fault of the statement.

    SQLite raises the same class of error for an invalid statement, with a code of its own.
    """
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return isinstance(error, FAILURES) and code != sqlite3.SQLITE_ERROR


class FastGetSession(Session):
    """A session that builds the statement of a `get` once. SQLAlchemy builds it each time, which nearly doubles the
    time that a `get` takes."""

    def get(
        self,
        entity: Any,
        ident: Any,
        *,
        populate_existing: bool | None = None,
        with_for_update: Any = None,
        **options: Any,
    ) -> Any:
        """The row with this primary key, a tuple if it has several columns; None if there is none."""
        key = ident if isinstance(ident, tuple) else (ident,)
        fresh, lock = bool(populate_existing), with_for_update
        known = not (fresh or lock) and inspect(entity).identity_key_from_primary_key(key) in self.identity_map
        if known or options or isinstance(lock, dict):
            options |= {"populate_existing": populate_existing, "with_for_update": lock}
            return super().get(entity, ident, **options)
        parts = {f"key{place}": part for place, part in enumerate(key)}
        return self.scalars(_by_key(entity, bool(lock), fresh), parts).one_or_none()

    def get_one(self, entity: Any, ident: Any, **options: Any) -> Any:
        """The row with this primary key; raises NoResultFound if there is none."""
        if (found := self.get(entity, ident, **options)) is None:
            raise NoResultFound(f"no {entity.__name__} with key {ident}")
        return found


@cache
def _by_key(entity: Any, lock: bool, fresh: bool) -> Select[Any]:
    key = inspect(entity).primary_key
    statement = select(entity).where(*(column == bindparam(f"key{place}") for place, column in enumerate(key)))
    statement = statement.execution_options(populate_existing=True) if fresh else statement
    return statement.with_for_update() if lock else statement


class Store:
    """One database. `reading()` and `writing()` are transactions; `writing` commits at the end of its block."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"), hide_parameters=True)
        # SQLite transactions always read a consistent snapshot; PostgreSQL's only do so if asked.
        one_moment = {} if self.engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        sessions = partial(sessionmaker, class_=FastGetSession, expire_on_commit=False)
        self._read = sessions(self.engine.execution_options(**one_moment))
        self._write = sessions(self.engine)
        self.writer = self.engine.execution_options()
        """The engine for migrations, which have several transactions on one connection. All of them write."""
        if self.engine.dialect.name == "sqlite":
            self._speak_sqlite()

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
        command.upgrade(self._migrations(), "head")

    def is_migrated(self) -> bool:
        """Whether the tables are up to date; raises CommandError, as `migrate` does, if they are of a newer version."""
        scripts = ScriptDirectory.from_config(self._migrations())
        with self.engine.connect() as connection:
            current = MigrationContext.configure(connection).get_current_revision()
        if current is not None:
            scripts.get_revision(current)
        return current == scripts.get_current_head()

    def knows(self, version: str) -> bool:
        """Whether tables of this version can be brought up to date: it isn't newer than this program."""
        return version in {one.revision for one in ScriptDirectory.from_config(self._migrations()).walk_revisions()}

    def _migrations(self) -> Config:
        migrations = Config()
        migrations.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        migrations.attributes["engine"] = self.writer
        return migrations

    def has_tables(self) -> bool:
        """Whether the database has any tables."""
        return bool(inspect(self.engine).get_table_names())

    def for_libpq(self) -> dict[str, Any]:
        """How other programs connect to this PostgreSQL database: the parameters of libpq, such as `dbname`.

        SQLAlchemy's URLs aren't libpq's: they write a space as it is or as `+`, and several hosts in another way.
        """
        _, given = self.engine.dialect.create_connect_args(self.engine.url)
        given.pop("context")
        return dict(given)

    def copy(self, into: Path) -> None:
        """Copies a consistent snapshot of an SQLite database into an empty file, even while others write."""
        with self.engine.connect() as connection, closing(sqlite3.connect(into)) as copy:
            source: Any = connection.connection.driver_connection
            source.backup(copy)

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()

    def _speak_sqlite(self) -> None:
        """Sets up SQLite in WAL mode, with writers that take the lock before they read.

        The driver's own transactions begin at the first write. Two writers could then read the same state, and one
        update would be lost without an error. With `synchronous = FULL`, a commit is on disk when it returns; with
        NORMAL, a power failure could lose an order that was acknowledged.

        The events that begin transactions are the sessions': one on the engine would slow down each of its statements.
        """
        file = self.engine.url.database
        write = partial(_write, Path(file).parent if file else None)
        event.listen(self.engine, "connect", _prepare)
        for over in ("checkin", "invalidate"):
            event.listen(self.engine, over, _pass_on)
        event.listen(self._read, "after_begin", _in_session(_read))
        event.listen(self._write, "after_begin", _in_session(write))
        event.listen(self.writer, "begin", write)


def _in_session(begin: Callable[[Connection], None]) -> Callable[[Session, SessionTransaction, Connection], None]:
    """A handler of `after_begin` that begins a transaction with the session's, but not with its savepoints."""

    def after_begin(_session: Session, transaction: SessionTransaction, connection: Connection) -> None:
        if not transaction.nested:
            begin(connection)

    return after_begin


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 15000"):
        connection.execute(f"PRAGMA {pragma}")


def _read(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _write(directory: Path | None, connection: Connection) -> None:
    """Begins a transaction that writes. Writers get their turns in the order in which they asked.

    Writers queue for a file lock, which the kernel gives to the next one as soon as it is free. SQLite only looks again
    from time to time, up to 100 ms apart, so a writer that has waited long loses to new ones. With four writers that
    take 3 ms each, one in a hundred waited 400 ms for SQLite, and waits 50 ms here. A process's lock is released when
    it dies. It is on the directory, because closing any file of a database ends SQLite's own locks.
    """
    # A migration has several transactions on its connection, and keeps its turn from one to the next.
    if directory and "turn" not in connection.info:
        turn = connection.info["turn"] = os.open(directory, os.O_RDONLY)
        fcntl.flock(turn, fcntl.LOCK_EX)
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _pass_on(_connection: object, record: ConnectionPoolEntry, _error: object = None) -> None:
    turn = record.info.pop("turn", None)
    if turn is not None:
        fcntl.flock(turn, fcntl.LOCK_UN)  # Closing isn't enough if a process was forked meanwhile.
        os.close(turn)
