"""Databases that the tests of a process use one after another, each test with empty tables."""

from __future__ import annotations

import os
import shutil
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import event

from service.store.session import Store
from tests import postgresql


def fresh(tables: Path) -> str:
    """The URL of a new copy of this SQLite database, beside it. It is the same URL for all tests of a process."""
    place = tables.with_name("town.db")
    for leftover in place.parent.glob("town.db*"):
        leftover.unlink()
    return f"sqlite:///{shutil.copy(tables, place)}"


def data_folder(tables: Path) -> Path:
    """A new folder beside this database. `tmp_path` takes ten times as long: it looks for a name that isn't taken.

    No two tests have the same one, since what is kept in memory for each site is found by its settings, nor have those
    of two forks of a process.
    """
    folder = tables.with_name(f"data{os.getpid()}.{next(_numbers)}")
    folder.mkdir()
    return folder


_numbers = count()


def fresh_on_postgresql(server: str) -> str:
    """The URL of a database on this server with empty tables. It is the same URL for all tests of a process."""
    postgresql.execute(server, "DROP DATABASE IF EXISTS town WITH (FORCE)")
    postgresql.execute(server, "CREATE DATABASE town TEMPLATE template")
    return server.format("town")


@cache
def shared(database: str) -> Store:
    """One store for all tests with this database: a store keeps the statements it has compiled."""
    store = Store(database)
    if store.engine.dialect.name == "sqlite":
        event.listen(store.engine, "connect", hurry)
    return store


def hurry(connection: Any, _record: object) -> None:
    """Doesn't wait for the disk: tests needn't survive a failing machine."""
    connection.execute("PRAGMA synchronous = OFF")
