"""The tables of events: what was created, who takes part, and their matches."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, exists, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from service.store.rows import Row, partial

TO_START = text("match_id IS NULL AND void = false")
UNNOTED = text("noted = false")
ASKED = text("asked IS NOT NULL")
DUE = text("begins IS NOT NULL")


class Event(Row):
    """A cup, league, ladder or tour. `state` is `open` until play begins, then `running`; or `ended` by somebody.

    After that a cup is `over`, and leagues and tours are `open` again for their next season. Ladders always run.
    """

    __tablename__ = "event"
    __table_args__ = (
        Index("event_by_state", "state", "id"),
        partial("event_due", "begins", where=DUE),
        Index("event_by_made", "made"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str] = mapped_column(String(200), unique=True)
    """The name in a form for comparison (`service.play.names.key`)."""
    key: Mapped[str | None] = mapped_column(String(200), unique=True)
    """The same for every copy of the form that created it."""
    kind: Mapped[str] = mapped_column(String(10))
    """`cup`, `league`, `ladder` or `tour`."""
    game: Mapped[str] = mapped_column(String(40))
    """Of a tour, the game of its latest part."""
    seats: Mapped[int]
    clock: Mapped[str] = mapped_column(String(120))
    rated: Mapped[bool]
    lowest: Mapped[int | None]
    """The lowest rating at the game with which a player may enter; None for any."""
    highest: Mapped[int | None]
    founder_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    state: Mapped[str] = mapped_column(String(10))
    made: Mapped[datetime]
    began: Mapped[datetime | None]
    over: Mapped[datetime | None]
    """When it ended, or its latest season did."""
    season: Mapped[int]
    """From 1; while a league or tour is open, the season to come."""
    part: Mapped[int]
    """How many parts of the season have been drawn: divisions of a league, games of a tour, 1 for a cup."""
    begins: Mapped[datetime | None]
    """When the next season, or the next part of a tour, begins; None if that isn't known or there is none."""


class Entrant(Row):
    """Somebody in an event. `state` is `in`, `withdrawn`, or `out` if they were asked to play on and didn't.

    In a league, `next` enters the next season. On a ladder, `leaving` finishes running matches and is then off it.
    """

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
    place: Mapped[int | None]
    """On a ladder, from 1; None for those who are off it."""


class EventMatch(Row):
    """A match of an event, drawn when the event begins and started soon after."""

    __tablename__ = "event_match"
    __table_args__ = (
        partial("event_match_to_start", "event_id", "number", where=TO_START),
        partial("event_match_unnoted", "match_id", where=UNNOTED),
    )

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    season: Mapped[int]
    part: Mapped[int]
    """Which division of a league, or which part of a tour; 1 in all other events."""
    drawn: Mapped[datetime]
    """When it was drawn, or on a ladder, when somebody challenged somebody."""
    challenger: Mapped[int | None]
    """On a ladder, the seat of the player who challenged the other."""
    match_id: Mapped[int | None] = mapped_column(ForeignKey("match.id"), unique=True)
    void: Mapped[bool]
    """Whether it doesn't count, because somebody left before it was under way."""
    noted: Mapped[bool]
    """Whether its result has been entered in its EventSeats."""


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
    place: Mapped[int | None]
    """The place on a ladder that it led to."""


def is_of_event(session: Session, match_id: int) -> bool:
    """Whether a match was drawn in an event."""
    return bool(session.scalar(select(exists().where(EventMatch.match_id == match_id))))
