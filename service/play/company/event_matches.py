"""The matches of events: drawn when a season is due, started a few at a time, recorded when they end, and forfeited by
players who have stopped playing. Players who have deleted their accounts leave the ladders.

Each step is its own transaction, which rereads what it locks, so that two sweeps at once, or one repeated after a
crash, do everything once.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import and_, bindparam, exists, func, select
from sqlalchemy.orm import Session

from service.play.accounts import deletion
from service.play.company import ladders, seasons
from service.play.company.events import unfinished
from service.play.company_letters import EventNews
from service.play.match import lobby, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair, Proposal
from service.play.site import Site, Transaction, going_on
from service.store.entries import timed_out
from service.store.models import Match, Player, Seat
from service.store.rows import Instant
from service.store.tables.events import ASKED, DUE, TO_START, UNNOTED, Entrant, Event, EventMatch, EventSeat

AT_ONCE = 20
"""How many matches one sweep starts: the start of a large event delays no move."""

PATIENCE = timedelta(days=3)
"""How long a player who was asked whether they are still playing may take to answer."""

YOUNG = 2
"""A match shorter than this many moves for each seat doesn't count if a player is removed."""


def look_after(site: Site) -> None:
    """What the sweep does for events."""
    with site.store.reading() as session:
        to_start, to_note = session.execute(_TO_START).all(), session.execute(_ENDED).all()
        to_begin = session.scalars(_DUE, {"now": site.now()}).all()
        to_give_up = session.execute(_SILENT, {"asked": site.now() - PATIENCE}).all()
        to_leave = session.execute(_DELETED).all()
    for event_id in to_begin:
        with going_on("event", event_id), site.transaction() as tx:
            _begin(tx, event_id)
    for event_id, number in to_start:
        with going_on("event", event_id), site.transaction() as tx:
            _start(tx, event_id, number)
    for event_id, number in to_note:
        with going_on("event", event_id), site.transaction() as tx:
            _note(tx, event_id, number)
    for event_id, player_id in to_give_up:
        with going_on("event", event_id), site.transaction() as tx:
            _give_up(tx, event_id, player_id)
    for event_id, player_id in to_leave:
        with going_on("event", event_id), site.transaction() as tx:
            _leave_ladder(tx, event_id, player_id)


_DUE = select(Event.id).where(DUE, Event.begins <= bindparam("now", type_=Instant)).limit(AT_ONCE)
_TO_START = select(EventMatch.event_id, EventMatch.number).where(TO_START).limit(AT_ONCE)
_ENDED = (
    select(EventMatch.event_id, EventMatch.number)
    .join(Match, Match.id == EventMatch.match_id)
    .where(UNNOTED, Match.state.in_(("over", "declined")))
    .limit(10 * AT_ONCE)
)
_SILENT = select(Entrant.event_id, Entrant.player_id).where(ASKED, Entrant.asked <= bindparam("asked")).limit(AT_ONCE)
_DELETED = (
    select(Entrant.event_id, Entrant.player_id)
    .join(Event, Event.id == Entrant.event_id)
    .join(Player, Player.id == Entrant.player_id)
    .where(Event.kind == "ladder", Event.state == "running", Entrant.state == "in", Player.left.is_not(None))
    .limit(AT_ONCE)
)
"""Selects what there is to do. Built once, as every sweep runs it."""


def _locked(tx: Transaction, event_id: int, number: int) -> tuple[Event, EventMatch, list[EventSeat]]:
    event = tx.session.get_one(Event, event_id, with_for_update=True, populate_existing=True)
    row = tx.session.get_one(EventMatch, (event_id, number), populate_existing=True)
    seats = select(EventSeat).where(EventSeat.event_id == event_id, EventSeat.number == number)
    return event, row, list(tx.session.scalars(seats.order_by(EventSeat.seat)))


def _begin(tx: Transaction, event_id: int) -> None:
    """Begins the season or the part of an event that is due."""
    event = tx.session.get_one(Event, event_id, with_for_update=True, populate_existing=True)
    if event.begins is not None and event.begins <= tx.now:
        seasons.begin(tx, event)


def _start(tx: Transaction, event_id: int, number: int) -> None:
    """Starts a match that was drawn; it is void if somebody has left."""
    event, row, seats = _locked(tx, event_id, number)
    if row.match_id is not None or row.void:
        return
    chairs = [Chair("paired", player_id=seat.player_id) for seat in seats]
    game = seasons.game_of(event, row)
    substitutes = event.kind != "ladder"
    wanted = Proposal(game, {}, chairs, event.clock, substitutes=substitutes, rated=event.rated, told=True)
    gone = exists().where(Player.id == EventSeat.player_id, Player.left.is_not(None))
    left = select(EventSeat.seat).where(EventSeat.event_id == event_id, EventSeat.number == number, gone)
    try:
        if tx.session.scalars(left).first() is not None:
            raise LobbyError("Somebody has left.")
        with tx.savepoint():
            match = lobby.set_up(tx, seats[0].player_id, wanted)
            match.key = f"event:{event_id}:{number}"
            tx.session.flush()
        row.match_id = match.id
    except LobbyError:
        row.void = row.noted = True
        _go_on(tx, event, row, seats)


def _note(tx: Transaction, event_id: int, number: int) -> None:
    """Records what a finished match was worth to each seat, no matter who held it in the end. Only players who ran out
    of time themselves count as late, not those who had handed over the seat."""
    event, row, seats = _locked(tx, event_id, number)
    match = None if row.match_id is None else tx.session.get(Match, row.match_id)
    if row.noted or match is None:
        return
    row.noted = True
    row.void = row.void or match.state != "over"
    late = timed_out(tx.session, match)
    for seat in seats if not row.void else []:
        its = match.seats[seat.seat]
        seat.share, seat.late = its.score, seat.seat in late and its.player_id == seat.player_id
    tx.session.flush()
    _go_on(tx, event, row, seats)


def _go_on(tx: Transaction, event: Event, row: EventMatch, seats: list[EventSeat]) -> None:
    """Carries out what follows from a recorded result."""
    if event.kind == "ladder":
        ladders.settle(tx, event, row, seats)
        return
    for seat in seats:
        if seat.late:
            _ask(tx, event, seat.player_id)
    seasons.close(tx, event)


def _ask(tx: Transaction, event: Event, player_id: int) -> None:
    """Asks somebody who has lost half of their matches on time, and has others, whether they play on."""
    own = tx.session.get(Entrant, (event.id, player_id))
    seats = select(func.count()).select_from(EventSeat).join(EventMatch, _ITS)
    seats = seats.where(EventSeat.event_id == event.id, EventSeat.player_id == player_id)
    seats = seats.where(EventMatch.season == event.season)
    total, lost = (tx.session.scalar(one) or 0 for one in (seats, seats.where(EventSeat.late)))
    if own is None or own.state != "in" or own.asked is not None or 2 * lost < total:
        return
    if any(match is None or match.state == "running" for _, match in unfinished(tx.session, event.id, player_id)):
        own.asked = tx.now
        news = EventNews(event=event.id, name=event.name, what="silent", days=PATIENCE.days)
        seasons.tell(tx, event, f"silent:{tx.now.isoformat()}", player_id, news)


_ITS = and_(EventMatch.event_id == EventSeat.event_id, EventMatch.number == EventSeat.number)


def _give_up(tx: Transaction, event_id: int, player_id: int) -> None:
    """Removes a player who hasn't answered from an event: their barely begun matches don't count, the others are
    lost."""
    event = tx.session.get_one(Event, event_id, with_for_update=True, populate_existing=True)
    own = tx.session.get(Entrant, (event_id, player_id), populate_existing=True)
    if own is None:
        return
    if own.asked is None or own.state != "in" or event.state != "running":
        own.asked = None
        return
    if _has_moved(tx.session, own, own.asked):
        own.asked = None
        return
    own.state, own.asked = "out", None
    for row, match in unfinished(tx.session, event_id, player_id):
        if match is None:
            row.void = row.noted = True
            continue
        tx.session.refresh(match, with_for_update={"key_share": True})
        if match.state != "running" or match.place_of(player_id) is None:
            continue  # It has just ended, or somebody else plays it for them.
        if substitutes.entries_seen(tx.session, match) < YOUNG * len(match.seats):
            row.void, match.rated = True, False
        deletion.give_up(tx, match, player_id, f"event:{row.event_id}:{row.number}:{player_id}:out")
    seasons.close(tx, event)


def _leave_ladder(tx: Transaction, event_id: int, player_id: int) -> None:
    """Takes somebody who has deleted their account off a ladder."""
    event = tx.session.get_one(Event, event_id, with_for_update=True, populate_existing=True)
    own = tx.session.get(Entrant, (event_id, player_id), populate_existing=True)
    if own is not None and own.state == "in":
        ladders.leave(tx, event, own)


def _has_moved(session: Session, own: Entrant, since: datetime) -> bool:
    """Whether everybody has seen a player move in a match of the event since then.

    What is sealed doesn't count before its round is over: if it kept its player in, others would learn of it.
    """
    matches = select(Match).join(EventMatch, EventMatch.match_id == Match.id).join(Seat, Seat.match_id == Match.id)
    matches = matches.where(EventMatch.event_id == own.event_id, Seat.player_id == own.player_id)
    found = session.scalars(matches.order_by(Match.id)).all()
    return any(substitutes.is_seen_to_move(session, match, own.player_id, since) for match in found)
