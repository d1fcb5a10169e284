"""The tables of hooks and devices: where players get news apart from email, and what they are owed there."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row, partial

WAITING = text("due IS NOT NULL")
"""The condition of a partial index. A query must repeat it word for word to be sure to use the index."""


class Door(Row):
    """A hook or a device (a push subscription) that gets a player's events."""

    __tablename__ = "door"
    __table_args__ = (Index("door_of_player", "player_id", "address", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    form: Mapped[str] = mapped_column(String(12))
    """What it is sent: one of `service.play.notify.doors.FORMS`, or `push` for a device."""
    address: Mapped[str] = mapped_column(String(1000))
    """The URL to which we POST. Anybody who knows it can post there, so it is its player's secret."""
    name: Mapped[str] = mapped_column(String(80), default="", server_default="")
    """The device, as its owner would call it; "" for a hook."""
    seed: Mapped[str] = mapped_column(String(32))
    """What the hook's signing secrets are derived from, together with the site's own secret."""
    rotation: Mapped[int] = mapped_column(default=0, server_default="0")
    """How often the signing secret has been replaced."""
    former_until: Mapped[datetime | None]
    """Until when calls are signed with the former secret too."""
    keys: Mapped[dict[str, Any]]
    """A device's `p256dh` and `auth` (RFC 8291), in base64url; empty for a hook."""
    events: Mapped[str] = mapped_column(String(60))
    """Its events, such as `turn result`."""
    made: Mapped[datetime]
    used: Mapped[datetime | None]
    """When it last accepted a call."""
    rests: Mapped[datetime]
    """When it may be called again: the lease of the process that calls it or, after a failure, the end of a pause."""
    failing: Mapped[datetime | None]
    """Since when every call has failed; None while they succeed."""
    tries: Mapped[int] = mapped_column(default=0, server_default="0")
    """How many calls have failed in a row."""
    error: Mapped[str] = mapped_column(String(200), default="", server_default="")
    """How the latest call failed, without its address."""
    off: Mapped[datetime | None]
    """When it was switched off, after it said that it is gone or failed for too long."""


class Call(Row):
    """Something that a hook or device is owed, once, like a letter. Outside it is named by `key`, never by `id`."""

    __tablename__ = "call"
    __table_args__ = (
        partial("call_due", "due", where=WAITING),
        partial("call_waiting", "door_id", "id", where=WAITING),
        Index("call_by_age", "created"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(240), unique=True)
    door_id: Mapped[int] = mapped_column(ForeignKey("door.id", ondelete="CASCADE"))
    event: Mapped[str] = mapped_column(String(12))
    match_id: Mapped[int | None] = mapped_column(ForeignKey("match.id"))
    data: Mapped[dict[str, Any]]
    """What the event is about, as its receiver reads it. It says nothing that isn't on the match's page."""
    created: Mapped[datetime]
    due: Mapped[datetime | None]
    """When to try next. None once it was accepted or given up."""
    sent: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(Text, default="", server_default="")
