"""Who is publicly late; and sealed choices that were dropped, which stay private to their player."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from service.engine.game import LEAVES, SUBSTITUTE, WAIT, OutOfTurn, Position
from service.play.letter_kinds import Late
from service.play.links import mark
from service.play.notify import announce
from service.play.site import Transaction
from service.play.timekeeping import clocks
from service.store.models import REPLACED, Entry, Match, Seat, Submission


def tell(tx: Transaction, match: Match, position: Position, submission: Submission) -> None:
    """Owes everybody who is taking part the news that the match waits for somebody who is late."""
    seat = match.seats[submission.seat]
    match.moved = tx.now
    told = [place for place in match.places if place.number in position.active]
    late = Late(by=seat.number, deadline=announce.until(seat))
    announce.tell_about(tx, f"late:{mark(submission)}", told, seat, late)


def known(session: Session, match: Match, position: Position) -> set[int]:
    """The seats that everybody knows to be late, while the match waits for them.

    A player who seals a choice after that stays late until the round is over; otherwise everybody would learn that they
    have.
    """
    late = {seat.number for seat in match.seats if clocks.is_late(seat)}
    if clocks.control(match).late != "extend" or len(position.public_turns) == 1:
        return late
    chosen = select(Entry.seat, Entry.clock).where(Entry.match_id == match.id, Entry.round >= position.sealed_since)
    sealed = {seat for seat, clock in session.execute(chosen) if clock and clock["count"] == 1}
    return late | sealed & set(position.public_turns)


def shown(before: Position, after: Position, number: int) -> set[int]:
    """The seats whose choices everybody sees after the step from `before` to `after` by seat `number`."""
    if after.round == before.round and after.outcome is None:
        return set()
    resolved = after.sealed_since > before.round
    return {number} | (set(before.public_turns) - set(before.turns) if resolved else set())


def unseal(session: Session, match: Match, submission: Submission, before: Position) -> None:
    """Restarts the clock of a seat that takes its sealed choice back, as of when it began to run in this round. Raises
    OutOfTurn with nothing changed if its time would be up."""
    if submission.seat in before.turns:
        return
    seat = match.seats[submission.seat]
    first = _first_sealed(session, match, before, seat)
    if first is None or first.clock is None:
        return
    clocks.let_run_on(session, match, seat, first.clock, submission.received)
    if seat.deadline is not None and seat.deadline < submission.received:
        clocks.press(session, match, seat, submission.received)
        raise OutOfTurn("Your time in this round is up, so your choice can't be changed.")


def extend_sealed(session: Session, match: Match, position: Position, seat: Seat, by: timedelta, now: datetime) -> bool:
    """Gives time to a seat whose clock is stopped because it has sealed a choice, as if it had been given before that.

    False if no clock was stopped.
    """
    first = _first_sealed(session, match, position, seat)
    if first is None or first.clock is None:
        return False
    clocks.let_run_on(session, match, seat, first.clock, now)
    clocks.extend(session, match, seat, by, now)
    first.clock = clocks.stand(seat)
    clocks.press(session, match, seat, first.played)
    return True


def _first_sealed(session: Session, match: Match, position: Position, seat: Seat) -> Entry | None:
    """The sealed choice of a seat that stopped its clock in this round; those that replaced it stopped none."""
    sealed = select(Entry).where(
        Entry.match_id == match.id, Entry.seat == seat.number, Entry.round >= position.sealed_since
    )
    return next((entry for entry in session.scalars(sealed.order_by(Entry.ply.desc())) if entry.clock), None)


def drop_sealed(session: Session, match: Match, seat: int, move: str, before: Position, after: Position) -> None:
    """Marks the sealed choices that this move replaces, or that it makes void by ending the match before its round.

    They stay in the log, and only the player who made them ever sees them.
    """
    if len(before.turns) == len(before.public_turns) or (before.is_private(move) and move != WAIT):
        return
    sealed = update(Entry).where(
        Entry.match_id == match.id,
        Entry.round >= before.sealed_since,
        Entry.private.is_(False),
        Entry.move.not_in([*LEAVES, SUBSTITUTE]),
    )
    unresolved = after.outcome is not None and after.outcome.reason in LEAVES.values()
    session.execute((sealed if unresolved else sealed.where(Entry.seat == seat)).values(fate=REPLACED))
