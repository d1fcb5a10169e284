"""Inserts a row unless it exists, on SQLite and PostgreSQL."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningInsert

from service.store.rows import Row

_Row = TypeVar("_Row", bound=Row)


def insert_once(session: Session, row: type[_Row], **values: object) -> _Row | None:
    """Inserts a row and returns it; returns None if its unique key exists already."""
    return session.scalars(_insert(session.get_bind().dialect.name, row), values).first()


@cache
def _insert(dialect: str, row: type[_Row]) -> ReturningInsert[_Row]:
    speak = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return speak(row).on_conflict_do_nothing().returning(row)
