"""Enforces deadlines: notices outages, sends reminders, and raises flags, which are submitted like moves. Only the
sweep decides that a deadline has passed. An order received after one waits for that (see `judge`), so that it doesn't
matter when the sweep runs."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, bindparam, exists, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.clock.hours import A_DAY
from service.clock.vacation import days_left
from service.mail.grammar.orders import Timeout
from service.play.letter_kinds import Reminder
from service.play.notify import announce
from service.play.orders.submit import Incoming, submit
from service.play.site import Site, Transaction, going_on
from service.play.timekeeping import clocks
from service.store.insert import insert_once
from service.store.models import Match, Seat, Submission, TimeOff
from service.store.rows import Instant
from service.store.tables.mail_rows import UNREAD, IncomingMail
from service.store.tables.pulse import CLOCK, Pulse, note_working

log = logging.getLogger(__name__)

OUTAGE = timedelta(minutes=5)
"""A gap between two sweeps that is longer than this, and than three times `SWEEP_SECONDS`, is an outage, and nobody's
clock runs in it."""

GRACE = timedelta(seconds=5)
"""How long a move may take from being received to being stored."""

UNREADABLE = timedelta(days=1)
"""After how long an email of commands stops no flag any more: carrying it out fails each time."""

AT_ONCE = 500
"""How many seats are read at a time, and how many clocks one transaction computes after an outage."""

SPENT = 1 / 2
"""The share of the time between two sweeps that a sweep may spend on passed deadlines, and again on reminders. The next
one continues from there."""

_TICK = timedelta(microseconds=1)


def feel_pulse(site: Site) -> datetime:
    """Records that the sweep has run, and returns when it last did, or now if it never has.

    After an outage, all running clocks are given its length. If the last sweep is in the future by more than OUTAGE,
    the clock was ahead then, and CLOCK is noted.
    """
    now, most = site.now(), max(OUTAGE, timedelta(seconds=3 * site.settings.sweep_seconds))
    with site.transaction() as tx:
        insert_once(tx.session, Pulse, id=1, at=now)
        pulse = tx.session.get_one(Pulse, 1, with_for_update=True)
        before = pulse.at
        pulse.at = max(now, before)
        if before - now > OUTAGE:
            pulse.at = now
            note_working(tx.session, CLOCK, now)
            log.warning("the clock was ahead; what was owed at a time to come is owed now")
        if now - before <= most:
            return before
        tx.session.add(TimeOff(key=f"outage:{before.isoformat()}", begins=before, ends=now))
        stopped = tx.session.scalars(select(Seat.match_id).where(Seat.deadline.is_not(None)).distinct()).all()
    log.warning("nothing was swept for %s; %s matches get that time back", now - before, len(stopped))
    for first in range(0, len(stopped), AT_ONCE):
        _compute(site, stopped[first : first + AT_ONCE])
    return before


def _compute(site: Site, match_ids: Sequence[int]) -> None:
    """Computes the clocks of matches together, and one by one those that somebody has locked meanwhile.

    What is left when this process dies is computed before any flag is raised (see `_ring`).
    """
    with site.transaction() as tx:
        done = clocks.compute_many(tx.session, match_ids, tx.now)
    for match_id in match_ids:
        if match_id not in done:
            with site.transaction() as tx:
                _locked(tx.session, match_id)
                clocks.compute_many(tx.session, [match_id], tx.now)


def raise_flags(site: Site) -> None:
    """Deals with deadlines that have passed, the earliest first, and has their matches judged."""
    for match_id, number in _due(site, _OVERDUE, site.now() - GRACE - _TICK):
        stopped: Sequence[int] = ()
        with going_on("the clock of match", match_id), site.transaction() as tx:
            stopped = _ring(tx, match_id, number)
        # Lock one match at a time, or two sweeps could deadlock.
        for other in stopped:
            _compute(site, [other])


def _due(site: Site, seats: Select[int, int, datetime | None], until: datetime) -> Iterator[tuple[int, int]]:
    """The seats whose time came by `until`, as match and number, for as long as this sweep may take."""
    began = time.monotonic()
    last = {"match": 0, "seat": 0, "at": datetime.min.replace(tzinfo=until.tzinfo)}
    while time.monotonic() < began + SPENT * site.settings.sweep_seconds:
        with site.store.reading() as session:
            found = session.execute(seats, {"until": until, "most": AT_ONCE, **last}).all()
        yield from ((match_id, number) for match_id, number, _ in found)
        if len(found) < AT_ONCE:
            return
        last = dict(zip(last, found[-1], strict=True))


def _by(
    due: InstrumentedAttribute[datetime | None], *conditions: ColumnElement[bool]
) -> Select[int, int, datetime | None]:
    """Seats in the order of this time, and those that follow a given one."""
    order = (due, Seat.match_id, Seat.number)
    later = tuple_(*order) > tuple_(bindparam("at", type_=Instant), bindparam("match"), bindparam("seat"))
    seats = select(Seat.match_id, Seat.number, due).where(due <= bindparam("until"), later, *conditions)
    return seats.order_by(*order).limit(bindparam("most"))


_FLAGGED = exists().where(
    Submission.match_id == Seat.match_id,
    Submission.verdict.is_(None),
    Submission.seat == Seat.number,
    Submission.door == "clock",
)
"""Whether the seat's flag has been raised and waits to be judged."""

_OVERDUE = _by(Seat.deadline, ~_FLAGGED)
_TO_REMIND = _by(Seat.remind)


def flag_key(match_id: int, seat: Seat) -> str:
    """The key of the flag for a seat's present deadline."""
    return f"clock:{match_id}:{seat.number}:{seat.deadline and seat.deadline.isoformat()}"


def send_reminders(site: Site) -> None:
    """Owes a reminder to everybody who is due one."""
    for match_id, number in _due(site, _TO_REMIND, site.now()):
        with going_on("the reminder in match", match_id), site.transaction() as tx:
            _remind(tx, _locked(tx.session, match_id).seats[number])


def _ring(tx: Transaction, match_id: int, number: int) -> Sequence[int]:
    """Spends vacation day by day, and raises the flag of a seat once no vacation is left.

    A day of vacation may stop the player's other clocks as well: returns the matches in which these have to be
    calculated again. If that doesn't happen, it is done when they seem to have run out.
    """
    match, stopped = _locked(tx.session, match_id), list[int]()
    seat = match.seats[number]
    clocks.compute(tx.session, match, seat, tx.now)
    while seat.deadline is not None and seat.deadline < tx.now - GRACE and not _moved_in_time(tx, seat):
        if clocks.spend_vacation(tx.session, match, seat):
            stopped = _others(tx.session, seat) if clocks.is_absence_public(match) else []
            clocks.compute(tx.session, match, seat, tx.now)
            _tell_of_vacation(tx, seat)
            continue
        assert seat.player_id is not None, "Only those who sit there run out of time."
        flag = Incoming(flag_key(match_id, seat), match_id, number, seat.player_id, None, Timeout("timeout"), "clock")
        # A move received at the very deadline is still judged before it.
        submit(tx, flag, seat.deadline + _TICK)
        break
    return stopped


def _tell_of_vacation(tx: Transaction, seat: Seat) -> None:
    """Reminds a player whose vacation begins to be used, and again when its last day is."""
    assert seat.player_id is not None, "Only those who sit there spend vacation."
    spent = clocks.vacation_of(tx.session, seat.match, seat.player_id)
    left = days_left(spent[-1][0].year, spent)
    is_first = len(spent) == 1 or spent[-1][0] - spent[-2][1] > A_DAY
    if (is_first or left == 0) and seat.deadline is not None and seat.deadline > tx.now:
        key = f"vacation:{seat.match_id}:{seat.match.round}:{seat.number}:{left}"
        announce.tell_seat(tx, key, seat, Reminder(deadline=announce.until(seat), vacation=left))


def _moved_in_time(tx: Transaction, seat: Seat) -> bool:
    """Whether an order that reached us before the deadline is still to be judged, or an email of commands from
    somebody at the table is still to be read, which may contain one."""
    waiting = select(Submission.id).where(
        Submission.match_id == seat.match_id, Submission.verdict.is_(None), Submission.received <= seat.deadline
    )
    writers = [place.player_id for place in seat.match.places]
    came = IncomingMail.received.between(tx.now - UNREADABLE, seat.deadline)
    unread = select(IncomingMail.id).where(UNREAD, IncomingMail.player_id.in_(writers), came)
    return any(tx.session.scalars(found.limit(1)).first() is not None for found in (waiting, unread))


def _others(session: Session, spender: Seat) -> list[int]:
    """The other matches in which a clock of the player's is running."""
    others = select(Seat.match_id).where(
        Seat.player_id == spender.player_id, Seat.deadline.is_not(None), Seat.match_id != spender.match_id
    )
    return list(session.scalars(others))


def _locked(session: Session, match_id: int) -> Match:
    return session.get_one(Match, match_id, with_for_update={"key_share": True}, populate_existing=True)


def _remind(tx: Transaction, seat: Seat) -> None:
    match, moment = seat.match, seat.remind
    if moment is None or moment > tx.now:
        return  # Somebody has moved, or another sweep has reminded them.
    clocks.compute(tx.session, match, seat, tx.now)
    if seat.deadline is None:
        return
    key = f"reminder:{match.id}:{match.round}:{seat.number}:{moment.isoformat()}"
    announce.tell_seat(tx, key, seat, Reminder(deadline=announce.until(seat)))
