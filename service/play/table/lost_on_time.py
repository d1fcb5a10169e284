"""What players owe who have lost matches of events on time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from service.play.table import teams
from service.store.entries import timed_out
from service.store.models import Match, Seat
from service.store.tables.events import EventMatch, EventSeat
from service.store.tables.ratings import RatedSeat

BARRED = timedelta(days=365)
"""How far back matches of events lost on time bar a player from entering others and from taking over seats there."""


def owed(session: Session, player_id: int, now: datetime) -> int:
    """How many rated matches somebody must finish in time before they may play in further events: as many as they lost
    on time in events in the last year, also as a substitute, less those finished since the first of these was drawn or
    taken over."""
    its = and_(EventMatch.event_id == EventSeat.event_id, EventMatch.number == EventSeat.number)
    own = select(EventMatch.drawn).join(EventSeat, its)
    own = own.where(EventSeat.player_id == player_id, EventSeat.late, EventMatch.drawn > now - BARRED)
    lost = [*session.scalars(own), *_lost_for_others(session, player_id, now - BARRED)]
    if not lost:
        return 0
    finished = select(func.count()).select_from(RatedSeat)
    finished = finished.where(
        RatedSeat.player_id == player_id, RatedSeat.ended > min(lost), RatedSeat.absence.is_(None)
    )
    # Not those that they left to a substitute or to their team, perhaps when their time ran out.
    finished = finished.where(RatedSeat.match_id.in_(teams.matches_of([player_id])))
    return len(lost) - (session.scalar(finished) or 0)


def _lost_for_others(session: Session, player_id: int, since: datetime) -> Iterator[datetime]:
    """When somebody took over the seats in events of which they have let the time run out."""
    its = and_(EventMatch.event_id == EventSeat.event_id, EventMatch.number == EventSeat.number)
    held = select(Seat.taken, Seat.number, Match).join(Match, Match.id == Seat.match_id)
    held = held.join(EventMatch, EventMatch.match_id == Match.id)
    held = held.join(EventSeat, and_(its, EventSeat.seat == Seat.number, EventSeat.player_id != player_id))
    held = held.where(
        Seat.player_id == player_id, Seat.taken > since, Match.state == "over", EventMatch.void.is_(False)
    )
    for taken, number, match in session.execute(held).all():
        if taken is not None and number in timed_out(session, match):
            yield taken
