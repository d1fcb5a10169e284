"""What all tables have in common: their base class, times in UTC, and partial indexes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    DateTime,
    Dialect,
    Index,
    TextClause,
    TypeDecorator,
)
from sqlalchemy.orm import DeclarativeBase


class Instant(TypeDecorator[datetime]):
    """A datetime with time zone UTC. SQLite has no time zones and stores it without one; PostgreSQL returns it in its
    own time zone, in which Python takes two such times from each other as a clock on the wall would."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        del dialect
        return None if value is None else value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def partial(name: str, *columns: str, where: TextClause) -> Index:
    """An index of the rows for which `where` is true."""
    return Index(name, *columns, sqlite_where=where, postgresql_where=where)


class Row(DeclarativeBase):
    """The base class of all tables."""

    type_annotation_map = {datetime: Instant, dict[str, Any]: JSON, list[str]: JSON, list[int]: JSON}  # noqa: RUF012 (SQLAlchemy's hook)
