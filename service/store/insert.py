"""Inserts a row unless it exists, on SQLite and PostgreSQL."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, make_transient_to_detached
from sqlalchemy.sql.dml import ReturningInsert

from service.store.rows import Row

_Row = TypeVar("_Row", bound=Row)


def insert_once(session: Session, row: type[_Row], **values: object) -> _Row | None:
    """Inserts a row and returns it; returns None if its unique key exists already.

    The ORM's own INSERT ... RETURNING takes twice as long, and each move adds several rows this way.
    """
    session.flush()
    inserted = session.connection().execute(_insert(session.get_bind().dialect.name, row), values).mappings().first()
    if inserted is None:
        return None
    made = row(**inserted)
    make_transient_to_detached(made)
    # SQLite reuses the id of a row that was rolled back, and the session may still have that row.
    return session.merge(made, load=False)


def insert_for_id(session: Session, row: type[Row], **values: object) -> int | None:
    """Like `insert_once`, but returns only the row's id: building the object takes as long as inserting the row."""
    session.flush()
    return session.connection().execute(_insert(session.get_bind().dialect.name, row, "id"), values).scalar()


@cache
def _insert(dialect: str, row: type[Row], *returning: str) -> ReturningInsert[Any]:
    speak = sqlite.insert if dialect == "sqlite" else postgresql.insert
    assert isinstance(row.__table__, Table)
    columns = [row.__table__.c[name] for name in returning] or row.__table__.c
    return speak(row.__table__).on_conflict_do_nothing().returning(*columns)
