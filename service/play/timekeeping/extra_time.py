"""Time that one player gives the others: `extend`, or `extend 2d`."""

from __future__ import annotations

from datetime import timedelta

from service.clock.duration import ClockError, read_amount
from service.engine.game import Illegal, OutOfTurn, Unreadable
from service.play.letter_kinds import TimeExtended
from service.play.notify import announce
from service.play.site import Transaction
from service.play.table import replay
from service.play.timekeeping import clocks, late_turns
from service.store.models import Match, Submission

USUAL = timedelta(days=3)
MOST = timedelta(days=30)


def give(tx: Transaction, match: Match, submission: Submission, amount: str) -> None:
    """Gives time to everybody else who is awaited; raises MoveError with nothing given.

    Players who have sealed a choice get the same time, or their clocks would later tell who had sealed one by then.
    """
    by = _amount(amount)
    timed = match.state == "running" and clocks.control(match).system is not None
    others = [seat for seat in match.seats if timed and seat.awaited and seat.number != submission.seat]
    if all(seat.player and seat.player.bot for seat in others):
        raise OutOfTurn("No other player's clock is running, so there's nobody to give time to.")
    position = replay.position(tx.session, match)
    for seat in others:
        if seat.deadline is not None:
            clocks.extend(tx.session, match, seat, by, tx.now)
        elif not late_turns.extend_sealed(tx.session, match, position, seat, by, tx.now):
            continue
        more = TimeExtended(by=submission.seat, deadline=announce.until(seat))
        # Once for each turn: an email about every minute given would use up what its reader gets in a day.
        announce.tell_seat(tx, f"extended:{match.id}:{match.round}:{submission.seat}:{seat.number}", seat, more)


def _amount(said: str) -> timedelta:
    """How much; raises Unreadable or Illegal."""
    try:
        by = read_amount(said) if said else USUAL
    except ClockError as error:
        raise Unreadable(f"{error} For example: extend 2d.") from error
    if by > MOST:
        raise Illegal("You can give up to 30 days at a time, for example: extend 30d.")
    return by
