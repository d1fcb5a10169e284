"""The tables of events: what was founded, who takes part, and their matches."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row, partial

TO_START = text("match_id IS NULL AND void = false")
UNNOTED = text("noted = false")
ASKED = text("asked IS NOT NULL")


class Event(Row):
    """A cup. `state` is `open` until enough have joined, then `running`, then `over`; or `ended` by an operator."""

    __tablename__ = "event"
    __table_args__ = (Index("event_by_state", "state", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str] = mapped_column(String(200), unique=True)
    """The name in a form for comparison (`display_names.key`)."""
    key: Mapped[str | None] = mapped_column(String(200), unique=True)
    """The same for every copy of the form that founded it."""
    game: Mapped[str] = mapped_column(String(40))
    seats: Mapped[int]
    clock: Mapped[str] = mapped_column(String(120))
    rated: Mapped[bool]
    lowest: Mapped[int | None]
    """The lowest rating at the game with which one may enter; None for any."""
    highest: Mapped[int | None]
    founder_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    state: Mapped[str] = mapped_column(String(10))
    made: Mapped[datetime]
    began: Mapped[datetime | None]
    over: Mapped[datetime | None]


class Entrant(Row):
    """Somebody in an event. `state` is `in`, `withdrawn`, or `out` if they were asked to play on and didn't."""

    __tablename__ = "event_entrant"
    __table_args__ = (
        Index("event_entrant_by_player", "player_id"),
        partial("event_entrant_asked", "asked", where=ASKED),
    )

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    joined: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(10))
    asked: Mapped[datetime | None]
    """When they were asked whether they play on; None if they weren't, or have answered."""


class EventMatch(Row):
    """A match of an event, drawn when the event begins and started soon after."""

    __tablename__ = "event_match"
    __table_args__ = (
        partial("event_match_to_start", "event_id", "number", where=TO_START),
        partial("event_match_unnoted", "match_id", where=UNNOTED),
    )

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int | None] = mapped_column(ForeignKey("match.id"), unique=True)
    void: Mapped[bool]
    """Whether it doesn't count, because somebody left before it was under way."""
    noted: Mapped[bool]
    """Whether what came of it is in its EventSeats."""


class EventSeat(Row):
    """A seat in a match of an event, and what it has won."""

    __tablename__ = "event_seat"
    __table_args__ = (Index("event_seat_by_player", "player_id", "late"),)

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    share: Mapped[str | None] = mapped_column(String(20))
    """The share of the win, as a fraction; None until the match is over, and if it doesn't count."""
    late: Mapped[bool]
    """Whether it was lost on time."""
