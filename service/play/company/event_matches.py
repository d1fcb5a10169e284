"""The matches of events: started a few at a time, noted when they end, and given up for those who have fallen silent.

Each step is a transaction of its own that looks again at what it locks, so that two sweeps at once, or one repeated
after a crash, do everything once.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.orm import Session

from service.play.accounts import deletion
from service.play.company import event_pages
from service.play.company.events import finish, unfinished
from service.play.letter_kinds import EventNews
from service.play.match import lobby, substitutes
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair, Proposal
from service.play.notify.announce import owe
from service.play.site import Site, Transaction, going_on
from service.store.models import Entry, Match, Player, Seat
from service.store.tables.events import ASKED, TO_START, UNNOTED, Entrant, Event, EventMatch, EventSeat

AT_ONCE = 20
"""How many matches one sweep starts: the start of a large event delays no move."""

PATIENCE = timedelta(days=3)
"""How long somebody who was asked whether they play on may take to answer."""

YOUNG = 2
"""A match in which not every seat can have moved this often doesn't count when somebody falls silent."""


def look_after(site: Site) -> None:
    """What the sweep does for events."""
    with site.store.reading() as session:
        to_start, to_note = session.execute(_TO_START).all(), session.execute(_ENDED).all()
        to_give_up = session.execute(_SILENT, {"asked": site.now() - PATIENCE}).all()
    for event_id, number in to_start:
        with going_on("event", event_id), site.transaction() as tx:
            _start(tx, event_id, number)
    for event_id, number in to_note:
        with going_on("event", event_id), site.transaction() as tx:
            _note(tx, event_id, number)
    for event_id, player_id in to_give_up:
        with going_on("event", event_id), site.transaction() as tx:
            _give_up(tx, event_id, player_id)


_TO_START = select(EventMatch.event_id, EventMatch.number).where(TO_START).limit(AT_ONCE)
_ENDED = (
    select(EventMatch.event_id, EventMatch.number)
    .join(Match, Match.id == EventMatch.match_id)
    .where(UNNOTED, Match.state.in_(("over", "declined")))
    .limit(10 * AT_ONCE)
)
_SILENT = select(Entrant.event_id, Entrant.player_id).where(ASKED, Entrant.asked <= bindparam("asked")).limit(AT_ONCE)
"""What there is to do, put together once: every sweep asks."""


def _locked(tx: Transaction, event_id: int, number: int) -> tuple[Event, EventMatch, list[EventSeat]]:
    event = tx.session.get_one(Event, event_id, with_for_update=True, populate_existing=True)
    row = tx.session.get_one(EventMatch, (event_id, number), populate_existing=True)
    seats = select(EventSeat).where(EventSeat.event_id == event_id, EventSeat.number == number)
    return event, row, list(tx.session.scalars(seats.order_by(EventSeat.seat)))


def _start(tx: Transaction, event_id: int, number: int) -> None:
    """Starts a match that was drawn; it is void if somebody has left, or if two of its players block each other."""
    event, row, seats = _locked(tx, event_id, number)
    if row.match_id is not None or row.void:
        return
    chairs = [Chair("paired", player_id=seat.player_id) for seat in seats]
    wanted = Proposal(event.game, {}, chairs, event.clock, substitutes=True, rated=event.rated)
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
        _finish(tx, event)


def _note(tx: Transaction, event_id: int, number: int) -> None:
    """Notes what a match that is over was worth to each seat, no matter who held it in the end."""
    event, row, seats = _locked(tx, event_id, number)
    match = None if row.match_id is None else tx.session.get(Match, row.match_id)
    if row.noted or match is None:
        return
    row.noted = True
    row.void = row.void or match.state != "over"
    late = set(tx.session.scalars(select(Entry.seat).where(Entry.match_id == match.id, Entry.move == "timeout")))
    for seat in seats if not row.void else []:
        seat.share, seat.late = match.seats[seat.seat].score, seat.seat in late
    tx.session.flush()
    for seat in seats:
        if seat.late:
            _ask(tx, event, seat.player_id)
    _finish(tx, event)


def _finish(tx: Transaction, event: Event) -> None:
    """Ends the event if this was its last match, and tells those who took part."""
    if not finish(tx, event):
        return
    page = event_pages.of(tx.session, event, None)
    best = tuple(page.names[int(line.name)] for line in page.lines if line.place == 1)
    for line in page.lines:
        news = EventNews(event=event.id, name=event.name, what="over", place=line.place, best=best)
        _tell(tx, f"event:{event.id}:over:{line.name}", int(line.name), news)


def _ask(tx: Transaction, event: Event, player_id: int) -> None:
    """Asks somebody who has lost half of their matches on time, and has others, whether they play on."""
    own = tx.session.get_one(Entrant, (event.id, player_id))
    seats = select(func.count()).where(EventSeat.event_id == event.id, EventSeat.player_id == player_id)
    total, lost = (tx.session.scalar(one) or 0 for one in (seats, seats.where(EventSeat.late)))
    if own.state != "in" or own.asked is not None or 2 * lost < total:
        return
    if unfinished(tx.session, event.id, player_id):
        own.asked = tx.now
        news = EventNews(event=event.id, name=event.name, what="silent", days=PATIENCE.days)
        _tell(tx, f"event:{event.id}:silent:{player_id}:{tx.now.isoformat()}", player_id, news)


def _tell(tx: Transaction, key: str, player_id: int, news: EventNews) -> None:
    player = tx.session.get_one(Player, player_id)
    if player.email is not None and player.post != "off":
        owe(tx, key, player_id, news)


def _give_up(tx: Transaction, event_id: int, player_id: int) -> None:
    """Takes somebody who hasn't answered out of an event: their young matches don't count, the others are lost."""
    event = tx.session.get_one(Event, event_id, with_for_update=True, populate_existing=True)
    own = tx.session.get_one(Entrant, (event_id, player_id), populate_existing=True)
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
        elif match.state == "running":
            if substitutes.entries_seen(tx.session, match) < YOUNG * len(match.seats):
                row.void, match.rated = True, False
            if match.place_of(player_id) is not None:
                deletion.give_up(tx, match, player_id, f"event:{row.event_id}:{row.number}:{player_id}:out")
    _finish(tx, event)


def _has_moved(session: Session, own: Entrant, since: datetime) -> bool:
    """Whether everybody has seen a player move in a match of the event since then.

    What is sealed doesn't count before its round is over: if it kept its player in, others would learn of it.
    """
    matches = select(Match).join(EventMatch, EventMatch.match_id == Match.id).join(Seat, Seat.match_id == Match.id)
    matches = matches.where(EventMatch.event_id == own.event_id, Seat.player_id == own.player_id)
    found = session.scalars(matches.order_by(Match.id)).all()
    return any(substitutes.is_seen_to_move(session, match, own.player_id, since) for match in found)
