"""Deadlines kept: outages noticed, reminders sent, and flags raised through the door that moves come in by.

Only the sweep says that a deadline has passed. An order received after one waits for that (see `adjudicate`), so
that it makes no difference how soon the sweep comes by.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.play import announce, clocks
from service.play.house import House, Nudges
from service.play.submit import Order, insert_once, keep
from service.store.models import Match, Pulse, Seat, Submission, TimeOff

log = logging.getLogger(__name__)

OUTAGE = timedelta(minutes=5)
"""A longer gap between two sweeps is an outage, and nobody's clock runs in it."""

GRACE = timedelta(seconds=5)
"""How long a move may take from being received to being kept."""

AT_ONCE = 500

_TICK = timedelta(microseconds=1)


def feel_pulse(house: House) -> None:
    """Notes that the sweep has passed. After an outage, all running clocks are given its length."""
    now = house.now()
    with house.store.writing() as session:
        insert_once(session, Pulse, id=1, at=now)
        pulse = session.get_one(Pulse, 1, with_for_update=True)
        before, pulse.at = pulse.at, max(now, pulse.at)
        if now - before <= OUTAGE:
            return
        session.add(TimeOff(key=f"outage:{before.isoformat()}", begins=before, ends=now))
        stopped = session.scalars(select(Seat.match_id).where(Seat.deadline.is_not(None)).distinct()).all()
    log.warning("nothing was swept for %s; %s matches get that time back", now - before, len(stopped))
    for match_id in stopped:
        with house.store.writing() as session:
            _reckon(session, _locked(session, match_id), now)


def raise_flags(house: House) -> Nudges:
    """Deals with every deadline that has passed, the earliest first; returns what to nudge."""
    passed = select(Seat.match_id, Seat.number).where(Seat.deadline < house.now() - GRACE).order_by(Seat.deadline)
    with house.store.reading() as session:
        overdue = session.execute(passed.limit(AT_ONCE)).all()
    for match_id, number in overdue:
        with house.store.writing() as session:
            _ring(session, house.now(), match_id, number)
    return [("adjudicate", match_id) for match_id in dict.fromkeys(match_id for match_id, _ in overdue)]


def flag_key(match_id: int, seat: Seat) -> str:
    """The key of the flag for a seat's present deadline."""
    return f"clock:{match_id}:{seat.number}:{seat.deadline and seat.deadline.isoformat()}"


def send_reminders(house: House) -> Nudges:
    """Owes a reminder to everybody for whom it is time."""
    now, nudges = house.now(), Nudges()
    with house.store.writing() as session:
        due = select(Seat).where(Seat.remind <= now).order_by(Seat.remind).limit(AT_ONCE)
        for seat in session.scalars(due).all():
            nudges += _remind(session, now, seat)
    return nudges


def _ring(session: Session, now: datetime, match_id: int, number: int) -> None:
    """Spends vacation day after day, and once there is none raises the flag of a seat whose time is up."""
    match = _locked(session, match_id)
    seat = match.seats[number]
    clocks.reckon(session, match, seat, now)
    while seat.deadline is not None and seat.deadline < now - GRACE and not _moved_in_time(session, seat):
        if clocks.spend_vacation(session, match, seat):
            _reckon_all(session, seat, now)
            clocks.reckon(session, match, seat, now)
            continue
        assert seat.player_id is not None, "Only those who sit there run out of time."
        flag = Order(flag_key(match_id, seat), match_id, number, seat.player_id, None, "timeout", "clock")
        # A move received at the very deadline is still judged before it.
        keep(session, flag, seat.deadline + _TICK)
        return


def _moved_in_time(session: Session, seat: Seat) -> bool:
    """Whether an order that reached us before the deadline is still to be judged."""
    waiting = select(Submission.id).where(
        Submission.match_id == seat.match_id, Submission.verdict.is_(None), Submission.received <= seat.deadline
    )
    return session.scalars(waiting.limit(1)).first() is not None


def _reckon_all(session: Session, spender: Seat, now: datetime) -> None:
    """A day of vacation stops the player's other clocks as well."""
    others = select(Seat.match_id).where(
        Seat.player_id == spender.player_id, Seat.deadline.is_not(None), Seat.match_id != spender.match_id
    )
    for match_id in sorted(session.scalars(others).all()):
        _reckon(session, _locked(session, match_id), now)


def _reckon(session: Session, match: Match, now: datetime) -> None:
    for seat in match.seats:
        clocks.reckon(session, match, seat, now)


def _locked(session: Session, match_id: int) -> Match:
    return session.get_one(Match, match_id, with_for_update=True, populate_existing=True)


def _remind(session: Session, now: datetime, seat: Seat) -> Nudges:
    match, moment = seat.match, seat.remind
    clocks.reckon(session, match, seat, now)
    if seat.deadline is None or moment is None:
        return []
    key = f"reminder:{match.id}:{match.round}:{seat.number}:{moment.isoformat()}"
    return announce.tell_seat(session, now, "reminder", key, seat, **announce.until(seat))
