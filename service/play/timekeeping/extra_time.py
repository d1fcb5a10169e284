"""Time that one player gives the others (`extend`, or `extend 2d`), and how much of it an event allows."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.clock.dates import read_end
from service.clock.duration import ClockError, read_amount, write_amount
from service.engine.game import Illegal, OutOfTurn, Position, Unreadable
from service.mail.grammar import orders
from service.play.letter_kinds import TimeExtended
from service.play.notify import announce
from service.play.site import Transaction
from service.play.table import replay
from service.play.timekeeping import clocks, late_turns
from service.store.models import Match, Seat, Submission, TimeOff
from service.store.tables.events import is_of_event

USUAL = timedelta(days=3)
MOST = timedelta(days=30)
PAUSE, LONGEST_PAUSE = timedelta(days=14), timedelta(days=90)
"""How long a pause lasts by default, and how long it may last."""
MOST_IN_EVENT = timedelta(days=90)
"""The most that pauses and extra time may add up to in a match of an event, because others wait for it."""


def give(tx: Transaction, match: Match, submission: Submission, amount: str) -> None:
    """Gives time to everybody else who is awaited; raises MoveError with nothing given.

    Players who have sealed a choice get the same time, or their clocks would later show who had sealed one by then.
    """
    position = replay.position(tx.session, match)
    others, by = receivers(tx.session, match, position, submission.seat, amount)
    for seat in others:
        if seat.deadline is not None:
            clocks.extend(tx.session, match, seat, by, tx.now)
        elif not late_turns.extend_sealed(tx.session, match, position, seat, by, tx.now):
            continue
        more = TimeExtended(by=submission.seat, deadline=announce.until(seat))
        # Once for each turn: an email about every minute given would use up what its reader gets in a day.
        announce.tell_seat(tx, f"extended:{match.id}:{match.round}:{submission.seat}:{seat.number}", seat, more)


def receivers(
    session: Session, match: Match, position: Position, giver: int, amount: str
) -> tuple[list[Seat], timedelta]:
    """The players who would be given time, as far as everybody knows, and how much; raises MoveError."""
    by = _amount(amount)
    if giver not in position.active:
        raise OutOfTurn("You're no longer playing in this match, so you can't give anybody time.")
    timed = match.state == "running" and clocks.control(match).system is not None
    others = [seat for seat in match.seats if timed and seat.awaited and seat.number != giver]
    if all(seat.player and seat.player.bot for seat in others):
        raise OutOfTurn("No other player's clock is running, so there's nobody to give time to.")
    check(session, match, by)
    return others, by


def check(session: Session, match: Match, by: timedelta) -> None:
    """Raises Illegal if this would be more than a match of an event allows."""
    if not is_of_event(session, match.id):
        return
    had = _had(session, match)
    if had + by > MOST_IN_EVENT:
        raise Illegal(
            "In an event, pauses and extra time add up to at most 90 days in each match. "
            f"This match has had {write_amount(max(had, timedelta(minutes=1)))}."
        )


def _had(session: Session, match: Match) -> timedelta:
    """How long a match has been paused or will be, and the time that its players have given each other."""
    pauses = select(TimeOff.begins, TimeOff.ends).where(TimeOff.match_id == match.id, TimeOff.player_id.is_(None))
    paused = (ends - begins for begins, ends in session.execute(pauses))
    given = select(Submission.text).where(Submission.match_id == match.id, Submission.kind == orders.Extend.kind)
    texts = session.scalars(given.where(Submission.verdict == "accepted"))
    extended = (_amount(order.amount) for order in map(orders.parse, texts) if isinstance(order, orders.Extend))
    return sum((*paused, *extended), timedelta())


def _amount(said: str) -> timedelta:
    """How much; raises Unreadable or Illegal."""
    try:
        by = read_amount(said) if said else USUAL
    except ClockError as error:
        raise Unreadable(f"{error} For example: extend 2d.") from error
    if by > MOST:
        raise Illegal("You can give up to 30 days at a time, for example: extend 30d.")
    return by


def pause_end(match: Match, seat: int, now: datetime, said: str) -> datetime:
    """When a pause would end; raises Unreadable or Illegal."""
    try:
        until = read_end(said, now, clocks.zone(match.seats[seat].player)) if said else now + PAUSE
    except ClockError as error:
        raise Unreadable(f"{error} For example: pause until 24 December.") from error
    if not now < until <= now + LONGEST_PAUSE:
        raise Illegal("A pause must end in the future and within 90 days, for example: pause until 24 December.")
    return until
