"""Inserts a row unless it exists, on SQLite and PostgreSQL."""

from __future__ import annotations

from typing import TypeVar

from sqlalchemy import Dialect, Insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.store.models import Row

_Row = TypeVar("_Row", bound=Row)


def insert_once(session: Session, row: type[_Row], **values: object) -> _Row | None:
    """Inserts a row and returns it; returns None if its unique key exists already."""
    inserted = _insert(session.get_bind().dialect, row).values(**values).returning(row)
    return session.scalars(inserted).first()


def _insert(dialect: Dialect, row: type[Row]) -> Insert:
    speak = sqlite.insert if dialect.name == "sqlite" else postgresql.insert
    return speak(row).on_conflict_do_nothing()
