"""The tables of ratings and results: what everybody is rated now, what each rated match did, what they have won."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row, partial

SETTLED = text("deviation <= 110")
"""Ratings for leader boards. The number is `service.contests.ratings.SETTLED`."""


class PlayerRating(Row):
    """A player's rating at one game after their latest rated match, as `service.contests.ledger` accounts for it."""

    __tablename__ = "player_rating"
    __table_args__ = (partial("player_rating_leaders", "game", "floor", "player_id", where=SETTLED),)

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    rating: Mapped[float]
    deviation: Mapped[float]
    volatility: Mapped[float]
    floor: Mapped[float]
    """The rating less its deviation, which leader boards go by."""
    matches: Mapped[int]
    at: Mapped[datetime | None]
    """When the latest match ended; None before the first."""
    absent: Mapped[dict[str, Any] | None]
    """The absence that lost the latest matches on time; None if none did."""


class RatedSeat(Row):
    """What one rated match meant for one player, and what it did to their rating."""

    __tablename__ = "rated_seat"
    __table_args__ = (
        Index("rated_seat_by_player", "player_id", "ended"),
        Index("rated_seat_by_end", "ended", "match_id"),
    )

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    seat: Mapped[int]
    share: Mapped[str] = mapped_column(String(20))
    """The share of the win, as a fraction such as `1/2`."""
    absence: Mapped[str | None] = mapped_column(String(40))
    """Set if the seat was lost on time, and equal for matches lost in one absence."""
    bot: Mapped[bool]
    fixed: Mapped[bool]
    """Whether the match left the player's rating alone: somebody else took the seat over and didn't lose it. In
    older rows, they took it over themselves."""
    ended: Mapped[datetime]
    rating_before: Mapped[float]
    rating: Mapped[float]
    deviation: Mapped[float]


class SeatAdvantage(Row):
    """What a seat has turned out to be worth under certain options."""

    __tablename__ = "seat_advantage"

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    setting: Mapped[str] = mapped_column(String(400), primary_key=True)
    """The number of seats and the options, as `service.play.ratings.rate` writes them."""
    seat: Mapped[int] = mapped_column(primary_key=True)
    points: Mapped[float]
    information: Mapped[float]


class PlayerResult(Row):
    """How many matches of a game a player has won, lost and shared, as `service.play.table.results` counts them."""

    __tablename__ = "player_result"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    won: Mapped[int]
    lost: Mapped[int]
    shared: Mapped[int]


class GameStatistics(Row):
    """What the finished matches of a game say about it, as `operations.statistics` computed it on a `day`."""

    __tablename__ = "game_statistics"

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    day: Mapped[str] = mapped_column(String(10))
    """The date in UTC, such as `2026-11-23`."""
    data: Mapped[dict[str, Any]]
