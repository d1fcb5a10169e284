"""The tables of players' private data: notes, analysis, blocks and reports."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.models import Row


class Note(Row):
    """A player's private note about a match."""

    __tablename__ = "note"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class Variation(Row):
    """A move in a player's private analysis, after `ply` entries of a match and after the move `parent_id`, if any."""

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
    """A player's refusal of invitations and messages from another player."""

    __tablename__ = "block"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    other_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)


class Report(Row):
    """A player's report to the operators about another player."""

    __tablename__ = "report"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(200), unique=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    other_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    text: Mapped[str] = mapped_column(Text)
    made: Mapped[datetime]
