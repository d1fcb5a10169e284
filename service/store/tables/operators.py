"""The tables of operators: what they did, who is banned, and what they announce."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row


class AuditLine(Row):
    """What an operator did. Lines are only ever added."""

    __tablename__ = "audit_line"
    __table_args__ = (Index("audit_line_about", "about", "about_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    made: Mapped[datetime]
    operator_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """None: somebody on the server, by the command line."""
    act: Mapped[str] = mapped_column(String(30))
    about: Mapped[str] = mapped_column(String(12))
    """`player`, `match`, `letter`, `report`, `event`, `comment`, `passkey` or `site`."""
    about_id: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    """The reason, or what was announced."""


class Ban(Row):
    """A banned player, who may finish their matches, but not begin, join or write anything."""

    __tablename__ = "ban"
    __table_args__ = (Index("ban_of_address", "address"),)

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    made: Mapped[datetime]
    until: Mapped[datetime | None]
    """None: until an operator lifts it."""
    reason: Mapped[str] = mapped_column(String(400))
    """For the player too."""
    address: Mapped[str | None] = mapped_column(String(64))
    """Once the account is deleted: its address, as a hash with the key of the server."""


class Announcement(Row):
    """A text at the top of every page, until it ends. The newest counts."""

    __tablename__ = "announcement"

    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str] = mapped_column(String(400))
    made: Mapped[datetime]
    ends: Mapped[datetime]
