"""The text of mail that came in, deleted after a while. That it came, and what came of it, stays known."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import ColumnElement, String, and_, cast, exists, or_, select, update

from service.play.house import House
from service.play.links import LINK_LIFE
from service.store.models import KEPT, IncomingMail, Letter, Submission

AT_ONCE = 200
"""How many texts one sweep deletes; the next goes on."""


def delete_old(house: House) -> int:
    """Deletes the texts that are old enough and that nothing needs any more; returns how many."""
    days = house.settings.raw_days
    if not days:
        return 0
    now = house.now()
    old = and_(KEPT, IncomingMail.received < now - timedelta(days=days))
    waits = and_(IncomingMail.verdict == "held", IncomingMail.received >= now - LINK_LIFE)
    idle = and_(IncomingMail.verdict != "commands", ~waits, ~_answers(), ~_orders())
    found = select(IncomingMail.id).where(old, idle).order_by(IncomingMail.received).limit(AT_ONCE)
    with house.store.reading() as session:
        ids = session.scalars(found).all()
    if ids:
        with house.store.writing() as session:
            session.execute(update(IncomingMail).where(IncomingMail.id.in_(ids)).values(raw=b"", kept=False))
    return len(ids)


def _answers() -> ColumnElement[bool]:
    """Whether a letter that is still to be sent, or may be sent again, answers the mail."""
    mail = cast(IncomingMail.id, String)
    return exists().where(Letter.key.in_(("answer:" + mail, "confirm:" + mail)), _unsent())


def _orders() -> ColumnElement[bool]:
    """Whether the order in the mail is not judged yet, or its verdict not told."""
    order = cast(Submission.id, String)
    told = exists().where(Letter.key.in_([f"{kind}:" + order for kind in ("refusal", "noted", "ahead")]), _unsent())
    return exists().where(Submission.key == IncomingMail.key, or_(Submission.verdict.is_(None), told))


def _unsent() -> ColumnElement[bool]:
    return and_(Letter.sent.is_(None), or_(Letter.due.is_not(None), Letter.error != ""))
