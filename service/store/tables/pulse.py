"""The tables that remember when the site, and each part that can fail alone, last worked."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String, bindparam, func, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from service.store.insert import insert_once
from service.store.rows import Row

RELAY, LINE, DOOR, THINK, HOOKS, CLOCK = "relay", "line", "door", "think", "hooks", "clock"
"""The mail server that accepts our letters; a connection to it, which fails while none can be opened; our listener for
email; the process in which computer opponents think; the one that calls hooks and devices; the clock, noted when a
sweep finds that it was ahead."""


class Pulse(Row):
    """A single row with the time of the last sweep, from which outages are recognised."""

    __tablename__ = "pulse"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]


class Restoration(Row):
    """A time at which the database came back from a backup."""

    __tablename__ = "restoration"

    at: Mapped[datetime] = mapped_column(primary_key=True)


class Part(Row):
    """A part of the service: when it last worked, and if it doesn't, since when and why."""

    __tablename__ = "part"

    name: Mapped[str] = mapped_column(String(10), primary_key=True)
    worked: Mapped[datetime]
    """For a part that fails: when it was last tried."""
    failing: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(String(200), default="", server_default="")


def note_working(session: Session, name: str, now: datetime) -> None:
    """Notes that a part works."""
    if insert_once(session, Part, name=name, worked=now) is None:
        session.execute(update(Part).where(Part.name == name).values(worked=now, failing=None, error=""))


def note_recovered(session: Session, name: str, now: datetime) -> None:
    """Notes that a part works, if it failed before. Nothing is written for a part that works all the time."""
    session.connection().execute(_RECOVERED, {"part": name, "now": now})


_RECOVERED = (
    update(Part)
    .where(Part.name == bindparam("part"), Part.failing.is_not(None))
    .values(worked=bindparam("now"), failing=None, error="")
)
"""Built once, because it runs after every letter."""


def note_failing(session: Session, name: str, now: datetime, error: str) -> None:
    """Notes that a part doesn't work, and why. The time of the first failure in a row is kept."""
    insert_once(session, Part, name=name, worked=now)
    values = {"worked": now, "error": error[:200], "failing": func.coalesce(Part.failing, now)}
    session.execute(update(Part).where(Part.name == name).values(values))
