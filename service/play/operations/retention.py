"""Deletes after some time: the text of incoming email, letters that aren't about a match, and useless rows.

`service/keeping.py` says how long each is kept. That an email came, and its result, stays known; what stays of a
match that ended long ago, `packing.py` says. Each sweep deletes a little of each, found by an index.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Delete,
    TextClause,
    and_,
    bindparam,
    delete,
    exists,
    inspect,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.play.accounts import deletion
from service.play.letter_contents import OrderAnswer, readable
from service.play.letter_kinds import ANSWERS, CommandsAnswer, Confirm, UnknownSender
from service.play.links import LINK_LIFE
from service.play.site import Site, going_on
from service.store.models import UNCONFIRMED, Match, Player, Seat, Submission, Teammate
from service.store.rows import Row
from service.store.tables.company import Appearance
from service.store.tables.credentials import UNMADE, AddressChange, Repeat, UsedLink, Visit
from service.store.tables.doors import Call
from service.store.tables.mail_rows import ALONE, KEPT, IncomingMail, Letter
from service.store.tables.player_data import Report

AT_ONCE = 200
"""How much of each kind one sweep deletes. The next sweep continues."""


FORGOTTEN = 100
"""How many unconfirmed addresses one sweep forgets. The next sweep continues."""


class _Kind(NamedTuple):
    """What is deleted a number of days (a name of `Keeping`) after a time, if it is in this state."""

    days: str
    row: type[Row]
    since: InstrumentedAttribute[Any]
    state: tuple[ColumnElement[bool] | TextClause, ...] = ()


_SETTLED = or_(Letter.sent.is_not(None), Letter.due.is_(None))
_KINDS = (
    # By then its links and questions have expired, nothing owes it again, and news in it is no longer news.
    _Kind("letter", Letter, Letter.created, (ALONE, _SETTLED)),
    _Kind("hook_call", Call, Call.created, (Call.due.is_(None),)),
    _Kind("session", Visit, Visit.seen),
    _Kind("used_link", UsedLink, UsedLink.used),
    _Kind("repeat", Repeat, Repeat.came),
    _Kind("news", Appearance, Appearance.at),
    _Kind("address_change", AddressChange, AddressChange.asked),
    _Kind("unconfirmed", AddressChange, AddressChange.asked, (UNMADE,)),
    _Kind("report", Report, Report.closed),
)


def delete_old(site: Site) -> int:
    """Deletes some of everything that is too old; returns how much."""
    return _delete_texts(site) + _delete_rows(site)


def _delete_rows(site: Site) -> int:
    keep, now = site.settings.keep, site.now()
    before = {kind: now - timedelta(days=days) for kind in _KINDS if (days := getattr(keep, kind.days))}
    with site.store.reading() as session:
        found = {kind: session.execute(_OLD[kind], {"before": day}).all() for kind, day in before.items()}
    for kind, keys in found.items():
        if keys:
            with site.transaction() as tx:
                # Checked again: meanwhile somebody may have had a letter sent again.
                tx.session.execute(_deletion(kind, [tuple(key) for key in keys]), {"before": before[kind]})
    return sum(map(len, found.values()))


_BEFORE: BindParameter[datetime] = bindparam("before")


def _is_old(kind: _Kind) -> ColumnElement[bool]:
    return and_(kind.since < _BEFORE, *kind.state)


def _deletion(kind: _Kind, keys: list[tuple[Any, ...]]) -> Delete:
    return delete(kind.row).where(tuple_(*inspect(kind.row).primary_key).in_(keys), _is_old(kind))


_OLD = {
    kind: select(*inspect(kind.row).primary_key).where(_is_old(kind)).order_by(kind.since).limit(AT_ONCE)
    for kind in _KINDS
}
"""Built once, as every sweep runs it."""


def _delete_texts(site: Site) -> int:
    """Deletes the texts of emails that are old enough and no longer needed; returns how many."""
    days = site.settings.keep.raw_mail
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


_WAITS = and_(IncomingMail.verdict == "held", IncomingMail.received >= bindparam("held"))
_UNJUDGED = exists().where(Submission.key == IncomingMail.key, Submission.verdict.is_(None))
_IDLE = (
    select(IncomingMail.id)
    .where(KEPT, IncomingMail.received < bindparam("kept"), IncomingMail.verdict != "commands", ~_WAITS, ~_UNJUDGED)
    .order_by(IncomingMail.received)
)
_FIRST = _IDLE.limit(1)
"""Built once, as every sweep runs it."""


def _needed(session: Session) -> set[int]:
    """The emails quoted by letters that have not been sent yet, or may be sent again."""
    quoting = session.scalars(select(Letter).where(_unsent(), Letter.kind.in_(ANSWERS)))
    letters = [readable(letter) for letter in quoting]
    ordered = [one.submission for one in letters if isinstance(one, OrderAnswer)]
    orders = session.scalars(select(Submission.mail_id).where(Submission.id.in_(ordered)))
    mails = {one.mail for one in letters if isinstance(one, CommandsAnswer | Confirm | UnknownSender)}
    return mails | {mail_id for mail_id in orders if mail_id is not None}


def _unsent() -> ColumnElement[bool]:
    return and_(Letter.sent.is_(None), or_(Letter.due.is_not(None), Letter.error != ""))


def forget_unconfirmed(site: Site) -> None:
    """Forgets addresses that nobody has confirmed and no match waits for: others wrote them, into a form or an email.

    One that wanted no emails stays, and so gets none.
    """
    days = site.settings.keep.unconfirmed
    if not days:
        return
    old = site.now() - timedelta(days=days)
    written = exists().where(Letter.player_id == Player.id, Letter.created > old)
    here = exists().where(Visit.player_id == Player.id)
    goes_on = Match.state.in_(("open", "running"))
    awaited = [
        exists().where(named == Player.id, place.match_id == Match.id, goes_on)
        for place in (Seat, Teammate)
        for named in (place.player_id, place.sought)
    ]
    found = select(Player.id).where(UNCONFIRMED, Player.created < old, Player.post != "off")
    found = found.where(~here, ~written, ~or_(*awaited))
    with site.store.reading() as session:
        players = session.scalars(found.order_by(Player.created).limit(FORGOTTEN)).all()
    for player_id in players:
        with going_on("unconfirmed address of player", player_id), site.transaction() as tx:
            # Checked again once nobody else can write to the address: somebody may have done so just now.
            player = tx.session.get_one(Player, player_id, with_for_update=True)
            if tx.session.scalars(found.where(Player.id == player_id)).first() is not None:
                deletion.forget(tx.session, player)
                player.left = tx.now
