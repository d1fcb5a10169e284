"""Receipts: who orders by email reads what became of it, unless another letter says so anyway."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.mail.orders import Agreement, Extend
from service.play.letter_kinds import Receipt
from service.play.notify.announce import owe
from service.play.orders.submit import mark, ordered
from service.play.site import Nudges
from service.store.models import Entry, Letter, Match, Player, Seat, Submission

MOMENT = timedelta(minutes=1)
"""How long a receipt waits where a bot or a conditional move is about to answer: the next turn then says it all."""


def acknowledge(
    session: Session, now: datetime, match: Match, submission: Submission, nudges: Nudges, answered_soon: bool
) -> Nudges:
    """Owes the writer of an accepted email order its receipt; nothing where `nudges` bring them another letter."""
    if submission.mail_id is None:
        return []
    writer = session.get_one(Player, submission.player_id)
    letters = [session.get_one(Letter, number) for task, number in nudges if task == "deliver"]
    if not writer.receipts or writer.email is None or any(letter.player_id == writer.id for letter in letters):
        return []
    # Who has left the seat sees what everybody does.
    own = match.place_of(writer.id)
    outside = own is None or own.number != submission.seat
    receipt = Receipt(submission=submission.id, event=_event(session, match, submission), outside=outside)
    owed = owe(session, now, f"receipt:{mark(submission)}", writer.id, receipt, match.id)
    if not (answered_soon or _waits_for_bot(match)):
        return owed
    for _, number in owed:
        session.get_one(Letter, number).due = now + MOMENT  # The sweep sends it then.
    return []


def _waits_for_bot(match: Match) -> bool:
    awaited: Sequence[Seat] = [seat for seat in match.seats if seat.to_move] if match.state == "running" else []
    return any(seat.player is not None and seat.player.bot is not None for seat in awaited)


def _event(session: Session, match: Match, submission: Submission) -> str:
    """What the receipt tells of: `open` or `declined` for the answer to an invitation, `played` for what is in the log,
    an agreement such as `offer pause`, `extend`, or else `order`."""
    if match.state in ("open", "declined"):
        return match.state
    if session.scalars(select(Entry.ply).where(Entry.submission_id == submission.id)).first() is not None:
        return "played"
    order = ordered(submission)
    if isinstance(order, Agreement):
        return f"{order.kind} {order.what}".strip()
    return "extend" if isinstance(order, Extend) else "order"
