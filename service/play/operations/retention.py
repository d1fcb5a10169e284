"""What is deleted after a while: the text of mail that came in, and letters about no match.

That a mail came, and what came of it, stays known, and so do the letters about a match.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import ColumnElement, and_, bindparam, delete, exists, or_, select, update
from sqlalchemy.orm import Session

from service.play.letter_contents import OrderAnswer, readable
from service.play.letter_kinds import ANSWERS, CommandsAnswer, Confirm, UnknownSender
from service.play.links import LINK_LIFE
from service.play.site import Site
from service.store.models import Submission
from service.store.tables.mail_rows import ALONE, KEPT, IncomingMail, Letter

AT_ONCE = 200
"""How many texts, and how many letters, one sweep deletes; the next goes on."""

ALONE_FOR = timedelta(days=90)
"""How long a letter about no match is kept: a digest, a notice, an answer to commands. By then its links and questions
have expired, nothing owes it again, and what one follows is no news any more."""


def delete_old(site: Site) -> int:
    """Deletes the texts that are old enough and that nothing needs any more; returns how many."""
    days = site.settings.raw_days
    if not days:
        return 0
    now = site.now()
    times = {"kept": now - timedelta(days=days), "held": now - LINK_LIFE}
    with site.store.reading() as session:
        if session.scalar(_FIRST, times) is None:
            return 0
        needed = _needed(session)
        found = session.scalars(_IDLE.limit(AT_ONCE + len(needed)), times)
        ids = [mail_id for mail_id in found if mail_id not in needed][:AT_ONCE]
    if ids:
        with site.transaction() as tx:
            tx.session.execute(update(IncomingMail).where(IncomingMail.id.in_(ids)).values(raw=b"", kept=False))
    return len(ids)


def delete_old_letters(site: Site) -> int:
    """Deletes letters about no match that are old enough and sent, given up or unwanted; returns how many."""
    with site.store.reading() as session:
        ids = session.scalars(_OLD_ALONE, {"old": site.now() - ALONE_FOR}).all()
    if ids:
        with site.transaction() as tx:
            tx.session.execute(delete(Letter).where(Letter.id.in_(ids), _SETTLED))
    return len(ids)


_SETTLED = or_(Letter.sent.is_not(None), Letter.due.is_(None))
_OLD_ALONE = (
    select(Letter.id).where(ALONE, Letter.created < bindparam("old"), _SETTLED).order_by(Letter.created).limit(AT_ONCE)
)

_WAITS = and_(IncomingMail.verdict == "held", IncomingMail.received >= bindparam("held"))
_UNJUDGED = exists().where(Submission.key == IncomingMail.key, Submission.verdict.is_(None))
_IDLE = (
    select(IncomingMail.id)
    .where(KEPT, IncomingMail.received < bindparam("kept"), IncomingMail.verdict != "commands", ~_WAITS, ~_UNJUDGED)
    .order_by(IncomingMail.received)
)
_FIRST = _IDLE.limit(1)
"""What every sweep asks, put together once."""


def _needed(session: Session) -> set[int]:
    """The mails quoted by letters that are still to be sent, or may be sent again."""
    quoting = session.scalars(select(Letter).where(_unsent(), Letter.kind.in_(ANSWERS)))
    letters = [readable(letter) for letter in quoting]
    ordered = [one.submission for one in letters if isinstance(one, OrderAnswer)]
    orders = session.scalars(select(Submission.mail_id).where(Submission.id.in_(ordered)))
    mails = {one.mail for one in letters if isinstance(one, CommandsAnswer | Confirm | UnknownSender)}
    return mails | {mail_id for mail_id in orders if mail_id is not None}


def _unsent() -> ColumnElement[bool]:
    return and_(Letter.sent.is_(None), or_(Letter.due.is_not(None), Letter.error != ""))
