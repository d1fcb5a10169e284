"""Orders that need a confirmation: `yes` in the answer sends the order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.mail.grammar.command_lines import Line, line
from service.mail.grammar.orders import YES
from service.mail.grammar.reading import Reading, plainly
from service.mail.reply_address import Purpose, ReplyAddress
from service.play import links
from service.play.letter_contents import readable
from service.play.letter_kinds import CommandsAnswer
from service.play.site import Transaction
from service.store.models import Entry, Match
from service.store.tables.mail_rows import Letter

LOST = 2**31 - 1
"""In place of a round: the email or page showed a board that was lost when the database came back from a backup."""
_DIGITS = 8
_RESIGNS = (*YES, "resign", "i resign", "yes resign", "yes, resign")


@dataclass(frozen=True, slots=True)
class Asked:
    """An order waiting for confirmation, and its round."""

    order: str
    round: int


def completed(session: Session, meant: ReplyAddress | None, found: Reading) -> Reading:
    """What a reply says, with the order that it confirms in place of its `yes` if it answers our question."""
    word = plainly(found.lines[0].text).strip(" .,;!").lower() if found.lines else ""
    confirmed: Line | None = None
    if meant is not None and meant.purpose == Purpose.CONFIRMATION and word in _RESIGNS:
        confirmed = Line("resign")  # Without its command, which asks.
    elif meant is not None and meant.purpose == Purpose.ASKED and word in YES:
        question = asked(session, meant)
        confirmed = line(question.order) if question else None
    return replace(found, lines=(confirmed, *found.lines[1:])) if confirmed else found


def number(mark: str) -> int:
    """What identifies the email with this mark in the address that answers the question."""
    return int(mark[:_DIGITS], 16)


def asked(session: Session, meant: ReplyAddress) -> Asked | None:
    """The order in the question that this address answers; None once its letter has been deleted."""
    begins = f"answer:{meant.round:0{_DIGITS}x}"
    letters = select(Letter).where(Letter.key.between(begins, f"{begins}g"), Letter.player_id == meant.player)
    answer = readable(session.scalars(letters).first())
    question = answer.asks if isinstance(answer, CommandsAnswer) else None
    return Asked(question["order"], question["round"]) if question else None


def round_meant(tx: Transaction, meant: ReplyAddress) -> int | None:
    """The round that a reply, or the form of a page, is for; for an answer to a question, the round of that order."""
    number: int | None = meant.round
    if meant.purpose == Purpose.ASKED:
        question = asked(tx.session, meant)
        number = question.round if question else None
    return LOST if number is not None and is_lost(tx, meant.match, number, meant.restored) else number


def is_lost(tx: Transaction, match_id: int, number: int, restored: int) -> bool:
    """Whether the match reached this round only after the first restoration later than `restored` (as `links.restored`
    gives it): an order from before is for another board."""
    came_back = links.first_restored(tx.site, restored, tx.session)
    if came_back is None:
        return False
    match = tx.session.get(Match, match_id)
    if match is None or match.created >= came_back or match.round < number:
        return True
    since = select(Entry.ply).where(Entry.match_id == match.id, Entry.round < number, Entry.played >= came_back)
    return tx.session.scalar(since.limit(1)) is not None
