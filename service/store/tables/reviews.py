"""The tables of the computer's views of matches: dead stones, and all moves once a match is over."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row, partial

UNFINISHED = text("finished IS NULL")
UNCOUNTED = text("dead = ''")


class Review(Row):
    """A second look at a match that is over. Its moves are judged a few at a time, each as a ReviewedMove."""

    __tablename__ = "review"
    __table_args__ = (
        partial("review_unfinished", "leased", where=UNFINISHED),
        partial("review_by_asker", "asker_id", where=UNFINISHED),
    )

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    leased: Mapped[datetime]
    """Until then, no other process continues it."""
    finished: Mapped[datetime | None]
    asker_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """Who asked for it, until it is finished."""


class ReviewedMove(Row):
    """What a search made of the position before one move."""

    __tablename__ = "reviewed_move"

    match_id: Mapped[int] = mapped_column(ForeignKey("review.match_id"), primary_key=True)
    ply: Mapped[int] = mapped_column(primary_key=True)
    """Of the move's entry."""
    shares: Mapped[list[float]] = mapped_column(JSON)
    """The share of the win that each seat could expect, by its number."""
    best: Mapped[str] = mapped_column(Text)
    line: Mapped[list[str]] = mapped_column(JSON)


class ReviewReader(Row):
    """Who asked for a review by email, and gets one when it is finished."""

    __tablename__ = "review_reader"
    __table_args__ = (Index("review_reader_by_order", "submission_id"),)

    match_id: Mapped[int] = mapped_column(ForeignKey("review.match_id"), primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)


class Estimate(Row):
    """Who will own what, in a match whose players agree on the dead stones."""

    __tablename__ = "estimate"
    __table_args__ = (partial("estimate_uncounted", "match_id", where=UNCOUNTED),)

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    """The round in which play ended."""
    dead: Mapped[str] = mapped_column(Text, default="", server_default="")
    """The order that names the dead stones; "" until they are found."""
    owners: Mapped[list[int]] = mapped_column(JSON)
    """For each point the seat that will own it, or -1."""
