"""What happens to a message below an order, and the receipt that tells the sender of an emailed order its result.

A message is shown with its move in the log, or sent to the table, or its writer learns that nobody saw it. No message
is lost silently, and none betrays an order that only its own player knows about. There's no receipt if another letter
says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal, TypeAlias

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from service.mail.grammar.orders import Agreement, Conditional, Extend, Review, Standing, Undo
from service.play.letter_contents import Contents, OrderAnswer
from service.play.letter_kinds import Message, Receipt, RemarkUnheard, read
from service.play.links import mark
from service.play.notify.announce import owe
from service.play.orders.submit import ordered
from service.play.site import Transaction
from service.play.table import press, replay
from service.play.talk import messages
from service.store.models import Entry, Match, Player, Seat, Submission
from service.store.tables.mail_rows import Letter

MOMENT = timedelta(minutes=1)
"""How long a receipt waits if a bot or a conditional move is about to answer: the email about the next turn then
replaces it."""

Why: TypeAlias = Literal["secret", "silent"]
"""Why nobody reads a remark: nobody learns of the order, or messages are off in this match."""

_TOLD: dict[Why, str] = {
    "secret": "Your order was accepted. Your message wasn't sent to anybody, because nobody else sees this order. "
    "To send it, write it under Conversation.",
    "silent": "Your order was accepted. Your message wasn't sent to anybody, because messages are off in this match.",
}


def hear_remark(tx: Transaction, match: Match, submission: Submission) -> None:
    """Passes on the remark of an accepted order, or informs its writer that nobody reads it. `tx.letters` are the
    order's letters: readers of one that carries the remark need no other, and one that answers the order also informs
    its writer."""
    own = match.place_of(submission.player_id)
    if not press.without_signature(match, own.player if own else None, submission.remark).strip():
        return
    entry = tx.session.scalars(select(Entry).where(Entry.submission_id == submission.id)).first()
    if (entry is not None and entry.remark) or messages.is_said(tx.session, submission):
        return
    letters = tx.letters
    known = press.of(match)
    if own is None:
        # A former player of the seat sees what everybody sees.
        _tell(tx, submission, letters, "silent", outside=True)
        return
    if known.level != "none" and _is_secret(submission, entry):
        _tell(tx, submission, letters, "secret")
        return
    if known.remarks == "nobody":
        _tell(tx, submission, letters, "silent")
        return
    carried = {letter.player_id for letter in letters if letter.match_id == match.id and _carries(read(letter))}
    messages.say_below(tx, match, own, submission, carried)


def _carries(contents: Contents) -> bool:
    """Whether a letter has the remark in it."""
    return isinstance(contents, Message) and bool(contents.text)


def _is_secret(submission: Submission, entry: Entry | None) -> bool:
    """Whether others must not learn of the order, even from its remark."""
    if entry is not None:
        return entry.private
    order = ordered(submission)
    return isinstance(order, Undo | Standing) or (isinstance(order, Conditional) and not order.now)


def _tell(tx: Transaction, submission: Submission, letters: Sequence[Letter], why: Why, outside: bool = False) -> None:
    submission.message = _TOLD[why]
    if submission.mail_id is None:
        return
    for letter in letters:
        contents = read(letter)
        if isinstance(contents, OrderAnswer) and contents.submission == submission.id:
            letter.data = replace(contents, unheard=why).to_json()
            return
    unheard = RemarkUnheard(submission=submission.id, unheard=why, outside=outside)
    owe(tx, f"unheard:{mark(submission)}", submission.player_id, unheard, submission.match_id)


def acknowledge(tx: Transaction, match: Match, submission: Submission, answered_soon: bool) -> None:
    """Owes the writer of an accepted email order its receipt, unless another of `tx.letters` serves as one."""
    if submission.mail_id is None:
        return
    writer = tx.session.get_one(Player, submission.player_id)
    if not writer.receipts or writer.email is None or any(letter.player_id == writer.id for letter in tx.letters):
        return
    # A player who has left the seat sees what everybody sees.
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


def move_of(session: Session, submission: Submission) -> str:
    """The move in the log that resulted from an order; "" if none did."""
    return session.connection().execute(_MOVE, {"order": submission.id}).scalar() or ""


_MOVE = select(Entry.move).where(Entry.submission_id == bindparam("order"))


def _event(session: Session, match: Match, submission: Submission) -> str:
    """The event of a receipt: `open` or `declined` for the answer to an invitation, `played` for what is in the log, an
    agreement such as `offer pause`, `extend`, `review`, or else `order`."""
    if match.state in ("open", "declined"):
        return match.state
    session.flush()
    move = move_of(session, submission)
    if move:
        return "accept takeback" if move == replay.TAKEBACK else "played"
    order = ordered(submission)
    if isinstance(order, Agreement):
        return f"{order.kind} {order.what}".strip()
    return order.kind if isinstance(order, Extend | Review) else "order"
