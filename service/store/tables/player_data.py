"""The tables of players' own data: messages, comments, notes, analysis, blocks and reports."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from service.store.models import Player
from service.store.rows import Row, partial

NOT_CLOSED = text("closed IS NULL")


class Saying(Row):
    """A message from a player to the others at the table or, with `to`, to some of them."""

    __tablename__ = "saying"
    __table_args__ = (Index("saying_in_match", "match_id", "id"), Index("saying_by_time", "said"))

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(400), unique=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"))
    seat: Mapped[int]
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """The player who wrote it."""
    player: Mapped[Player | None] = relationship(lazy="joined")
    to: Mapped[int | None]
    """The seats it is for, as a bit mask: seat 3 is 1 << 3. None for the whole table."""
    text: Mapped[str] = mapped_column(Text)
    said: Mapped[datetime]


class Comment(Row):
    """What a player says to everybody about a match that is over, at the position after `ply` entries."""

    __tablename__ = "comment"
    __table_args__ = (Index("comment_in_match", "match_id", "ply", "id"), Index("comment_by_player", "player_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(200), unique=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"))
    ply: Mapped[int]
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    player: Mapped[Player] = relationship(lazy="joined")
    text: Mapped[str] = mapped_column(Text)
    made: Mapped[datetime]


class Note(Row):
    """A player's private note about a match."""

    __tablename__ = "note"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class Variation(Row):
    """A move in a player's private analysis, after the entry `ply` of a match's log, 0 for the beginning, and after the
    move `parent_id`, if any."""

    __tablename__ = "variation"
    __table_args__ = (
        Index("variation_by_player", "player_id", "match_id", "ply"),
        Index("variation_by_parent", "parent_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"))
    ply: Mapped[int]
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("variation.id", ondelete="CASCADE"))
    seat: Mapped[int]
    move: Mapped[str] = mapped_column(Text)


class Block(Row):
    """A player's refusal of invitations and messages from another player. `service.play.table.blocks` decides which
    bots it applies to."""

    __tablename__ = "block"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    other_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)


class Report(Row):
    """A player's report to the operators about another player."""

    __tablename__ = "report"
    __table_args__ = (
        Index("report_about", "other_id", "id"),
        partial("report_open", "id", where=NOT_CLOSED),
        partial("report_closed", "closed", where=text("closed IS NOT NULL")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(200), unique=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    other_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    text: Mapped[str] = mapped_column(Text)
    made: Mapped[datetime]
    closed: Mapped[datetime | None]
    """When an operator had dealt with it."""
