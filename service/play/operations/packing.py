"""Matches that ended long ago, each packed into its row: log and options stay, and what led there goes.

Its entries become a few hundred bytes (`store/entries.py`), and its orders and the letters about it are deleted.
Everything else stays: places, messages, comments, notes, ratings, reviews, results of events. A match with work to
do waits, and so do the orders and letters of the last week: players may answer those letters, and what was sent today
counts for the limits of today. Sweeps visit all orders and letters in turn and delete those, and what is still written
about a packed match, once they are a week old.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, delete, exists, func, or_, select
from sqlalchemy.orm import Session, lazyload

from service.play.site import Site
from service.store.entries import entries, pack
from service.store.models import TO_PACK, Entry, Match, Submission
from service.store.rows import Instant
from service.store.tables.bot_turns import BotTurn
from service.store.tables.mail_rows import Letter
from service.store.tables.reviews import UNFINISHED, Review, ReviewReader

AT_ONCE = 100
"""How many matches one sweep packs. The next sweep continues."""

IN_ONE = 10
"""How many of them in one transaction, so that on SQLite other writers never wait for long."""

SLICE = 1000
"""How many numbers of orders and of letters a sweep looks at for those that a packed match has left. The next sweep
continues."""

FRESH = timedelta(days=7)
"""How old orders and letters have to be. Letters that were only part of a digest have to be as old as the match."""

_BEFORE: BindParameter[datetime] = bindparam("before", type_=Instant)
_BUSY = or_(
    exists().where(Submission.match_id == Match.id, Submission.verdict.is_(None)),
    exists().where(
        Letter.match_id == Match.id,
        or_(and_(Letter.sent.is_(None), Letter.due.is_not(None)), and_(Letter.held, Letter.created > _BEFORE)),
    ),
    exists().where(Review.match_id == Match.id, UNFINISHED),
)
"""Whether a match has work to do."""

_OLD = select(Match.id).where(TO_PACK, Match.moved < _BEFORE, ~_BUSY).order_by(Match.moved)


def pack_old(site: Site) -> int:
    """Packs some of the matches that ended long ago; returns how many."""
    days = site.settings.keep.pack
    if not days:
        return 0
    before = site.now() - timedelta(days=days)
    with site.store.reading() as session:
        found = session.scalars(_OLD.limit(AT_ONCE), {"before": before}).all()
    for start in range(0, len(found), IN_ONE):
        with site.transaction() as tx:
            _pack(tx.session, found[start : start + IN_ONE], tx.now - FRESH, tx.now - timedelta(days=days))
    _delete_left(site, before)
    return len(found)


def _delete_left(site: Site, before: datetime) -> None:
    """Deletes the orders and letters that packed matches have left, among the numbers whose turn it is."""
    turn = int(site.now().timestamp() // site.settings.sweep_seconds)
    for row, done in _done(site.now() - FRESH, before):
        with site.store.reading() as session:
            latest = session.scalar(select(func.max(row.id))) or 0
            start = turn % (latest // SLICE + 1) * SLICE
            packed = select(row.id).join(Match, Match.id == row.match_id).where(Match.log.is_not(None), done)
            found = session.scalars(packed.where(row.id.between(start, min(start + SLICE, latest) - 1))).all()
        if found:
            with site.transaction() as tx:
                tx.session.execute(delete(row).where(row.id.in_(found), done))


def _done(fresh: datetime, before: datetime) -> list[tuple[type[Submission | Letter], ColumnElement[bool]]]:
    """Which orders and letters nobody needs: those older than `fresh`, or if never sent, than `before`."""
    # Letters that were never sent may be in a digest that is on its way.
    unsent = and_(Letter.sent.is_(None), Letter.due.is_(None), Letter.created < before)
    sent = and_(Letter.sent.is_not(None), Letter.created < fresh)
    awaited = exists().where(ReviewReader.submission_id == Submission.id)
    judged = and_(Submission.verdict.is_not(None), Submission.received < fresh, ~awaited)
    return [(Submission, judged), (Letter, or_(sent, unsent))]


def _pack(session: Session, numbers: Sequence[int], fresh: datetime, before: datetime) -> None:
    """Packs those of these matches that no other process is at: it never waits, and the match is packed next time."""
    ours = select(Match).where(Match.id.in_(numbers), TO_PACK).options(lazyload(Match.seats)).order_by(Match.id)
    matches = session.scalars(ours.with_for_update(skip_locked=True, key_share=True)).all()
    for match in matches:
        match.log = pack(entries(session, match, authors=True))
    session.flush()
    packed = [match.id for match in matches]
    session.execute(delete(Entry).where(Entry.match_id.in_(packed)))
    session.execute(delete(ReviewReader).where(ReviewReader.match_id.in_(packed)))
    session.execute(delete(BotTurn).where(BotTurn.match_id.in_(packed)))
    for row, done in _done(fresh, before):
        # The latest row of all stays: SQLite would give its number to the next one, and some numbers are written down.
        latest = select(func.max(row.id)).scalar_subquery()
        session.execute(delete(row).where(row.match_id.in_(packed), done, row.id != latest))
