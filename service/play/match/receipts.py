"""Receipts: who orders by email reads what became of it, unless another letter says so anyway."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.mail.orders import Agreement, Extend
from service.play.letter_kinds import Receipt
from service.play.notify.announce import owe
from service.play.orders.submit import mark, ordered
from service.play.site import Transaction
from service.store.models import Entry, Match, Player, Seat, Submission

MOMENT = timedelta(minutes=1)
"""How long a receipt waits where a bot or a conditional move is about to answer: the next turn then says it all."""


def acknowledge(tx: Transaction, match: Match, submission: Submission, answered_soon: bool) -> None:
    """Owes the writer of an accepted email order its receipt; nothing where another of `tx.letters` tells them."""
    if submission.mail_id is None:
        return
    writer = tx.session.get_one(Player, submission.player_id)
    if not writer.receipts or writer.email is None or any(letter.player_id == writer.id for letter in tx.letters):
        return
    # Who has left the seat sees what everybody does.
    own = match.place_of(writer.id)
    outside = own is None or own.number != submission.seat
    receipt = Receipt(submission=submission.id, event=_event(tx.session, match, submission), outside=outside)
    owed = owe(tx, f"receipt:{mark(submission)}", writer.id, receipt, match.id)
    if owed is not None and (answered_soon or _waits_for_bot(match)):
        owed.due = tx.now + MOMENT  # The sweep sends it then.
        tx.drop_nudge("deliver", owed.id)


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
