"""What stands below an order: read with the move in the log, or else said to the table, or its writer is told.

Nothing that somebody wrote is lost in silence, and nothing betrays an order that only its own player knows of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from sqlalchemy import select

from service.mail.orders import Conditional, Standing, Undo
from service.play.letter_contents import Contents
from service.play.letter_kinds import Message, OrderAnswer, RemarkUnheard, read
from service.play.notify.announce import owe
from service.play.orders.submit import mark, ordered
from service.play.site import Transaction
from service.play.table import press
from service.play.talk import messages
from service.store.models import Entry, Letter, Match, Submission

Why: TypeAlias = Literal["secret", "silent"]
"""Why nobody reads a remark: nobody learns of the order, or nothing is said in this match."""

_TOLD: dict[Why, str] = {
    "secret": "Your order was accepted. Your message wasn't sent to anybody, because nobody else sees this order. "
    "To send it, write it under Conversation.",
    "silent": "Your order was accepted. Your message wasn't sent to anybody, because this match has no messages.",
}


def account_for(tx: Transaction, match: Match, submission: Submission) -> None:
    """Sees to it that the remark of an accepted order is heard, or its writer told that it is not.

    `tx.letters` are those of the order: who gets a letter that carries the remark needs no other, and a letter that
    answers the order tells its writer in the same breath.
    """
    own = match.place_of(submission.player_id)
    if not press.without_signature(match, own.player if own else None, submission.remark).strip():
        return
    entry = tx.session.scalars(select(Entry).where(Entry.submission_id == submission.id)).first()
    if (entry is not None and entry.remark) or messages.is_said(tx.session, submission):
        return
    letters = tx.letters
    known = press.of(match)
    if own is None:
        # Whose seat it was once sees what everybody does.
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
    """Whether others are not to learn of the order, not even by what was said with it."""
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
