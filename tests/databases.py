"""Databases that the tests of a process use one after another, each test with empty tables."""

from __future__ import annotations

import shutil
from functools import cache
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


def emptied(folder: Path) -> Path:
    """This folder with nothing in it. Making one with a new name for each test takes ten times as long."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


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
