"""Overlooked work: the database is the truth, and every nudge may have been lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import BindParameter, ColumnElement, Select, bindparam, case, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from service.mail.grammar.orders import Undo
from service.play import holders
from service.play.accounts import deletion, email_change
from service.play.company import event_matches, gazette_issues, notices, pairing
from service.play.operations import clock_ahead, packing, raw_mail, retention, statistics
from service.play.outbox import calls, digest, relay
from service.play.site import Site, Task
from service.play.timekeeping import deadlines
from service.store.models import Match, Player, Seat, Submission
from service.store.session import Store
from service.store.tables.mail_rows import IncomingMail, Letter
from service.store.tables.reviews import UNCOUNTED, UNFINISHED, Estimate, Review

PATIENCE = 1 / 6
"""How long a nudge may take before the sweep repeats it, as a part of the time between two sweeps."""

AT_ONCE, MOST = 500, 10_000
"""The least (if that much waits) and the most of each kind that one sweep hands out. It hands out twice as much as the
last sweep, unless most of that still waits."""

_handed_out = WeakKeyDictionary[Store, dict[Task, set[int]]]()
"""What the last sweep of this process handed out."""


URGENT: tuple[Task, ...] = ("judge", "obey", "deliver")
"""What people wait for."""


def sweep(site: Site) -> None:
    """Raises flags, sends reminders and digests, begins matches, nudges what waits, packs and deletes what is old."""
    before = deadlines.feel_pulse(site)
    if clock_ahead.was_lately(site):
        clock_ahead.bring_back(site)
    email_change.make_due(site)
    deletion.leave_due(site)
    if f"{before:%F %H}" != f"{site.now():%F %H}":
        # Only hourly, because addresses for which a match waits are checked again each time.
        retention.forget_unconfirmed(site)
    deadlines.raise_flags(site)
    deadlines.send_reminders(site)
    digest.send_digests(site)
    pairing.pair(site)
    notices.look_after(site)
    gazette_issues.look_after(site)
    event_matches.look_after(site)
    _free_letters(site)
    for task, subject in _left_over(site):
        site.nudge(task, subject)
    retention.delete_old(site)
    packing.pack_old(site)
    raw_mail.move(site)
    statistics.compute(site)


def look_around(site: Site) -> None:
    """Nudges what people wait for, however recent, because a process has died or the queue was down. Work that was
    still on the queue is nudged twice then, and done once."""
    _free_letters(site)
    now = site.now()
    with site.store.reading() as session:
        found = _found(session, URGENT, {"now": now, "waited": now}, {})
    for task, subjects in found.items():
        for subject in subjects:
            site.nudge(task, subject)


def _free_letters(site: Site) -> None:
    """Makes letters due whose leases are held by dead processes."""
    with site.transaction() as tx:
        leased = {"now": tx.now, "until": tx.now + timedelta(seconds=2 * site.settings.sweep_seconds)}
        dead = [holder for holder in tx.session.scalars(_HOLDERS, leased) if holders.is_dead(holder)]
        if dead:
            theirs = update(Letter).where(Letter.sent.is_(None), Letter.due > tx.now, Letter.holder.in_(dead))
            tx.session.execute(theirs.values(due=tx.now, holder="").execution_options(synchronize_session=False))


def _left_over(site: Site) -> list[tuple[Task, int]]:
    now = site.now()
    times = {"now": now, "waited": now - timedelta(seconds=PATIENCE * site.settings.sweep_seconds)}
    with site.store.reading() as session:
        found = _found(session, _WAITING, times, _handed_out.get(site.store, {}))
        doors = calls.waiting_doors(session, now, times["waited"], AT_ONCE)
        counts = session.scalars(_UNCOUNTED).all()
    _handed_out[site.store] = {task: {*subjects} for task, subjects in found.items()}
    found |= {"call": doors, "think": [*dict.fromkeys([*found["think"], *counts])]}
    return [(task, subject) for task, subjects in found.items() for subject in subjects]


def _found(
    session: Session, tasks: Iterable[Task], times: dict[str, datetime], before: Mapping[Task, Set[int]]
) -> dict[Task, list[int]]:
    # While the mail server is away a single letter is tried, to have somebody knock at its door.
    waiting = _WAITING | ({"deliver": _WAITING["deliver"].limit(1)} if relay.is_away(session) else {})
    return {task: _as_much_as_is_done(session, waiting[task], times, before.get(task, set())) for task in tasks}


def _as_much_as_is_done(session: Session, left: Select[int], times: dict[str, Any], before: Set[int]) -> list[int]:
    """What waits: at most twice what was handed out `before`, or half of that if most of it still waits. If the queue
    filled faster than it emptied, the same work would be on it many times."""
    wanted = min(max(AT_ONCE, 2 * len(before)), MOST)
    found = session.scalars(left, times | {"most": wanted}).all()
    slow = 2 * len(before & {*found}) > len(before)
    return [*found[: max(AT_ONCE, len(before) // 2)]] if slow else [*found]


def _ripe() -> ColumnElement[datetime]:
    before = aliased(Submission)
    held = select(func.max(before.held)).where(
        before.match_id == Submission.match_id,
        before.seat == Submission.seat,
        before.player_id == Submission.player_id,
        before.id <= Submission.id,
        before.verdict.is_(None),
    )
    waits = func.coalesce(held.scalar_subquery(), Submission.received)
    return case((Submission.kind == Undo.kind, Submission.received), else_=waits)


RIPE = _ripe()
"""When an unjudged order can be judged: once it was received, and neither it nor an earlier one of its player's is
held."""


_WAITED: BindParameter[datetime] = bindparam("waited")
_MOST: BindParameter[int] = bindparam("most")
_RIPE = or_(Submission.held.is_(None), Submission.held <= bindparam("now"))
_UNJUDGED = select(Submission.match_id).where(Submission.verdict.is_(None), Submission.received <= _WAITED, _RIPE)
_COMMANDS = select(IncomingMail.id).where(IncomingMail.verdict == "commands", IncomingMail.received <= _WAITED)
_DUE = select(Letter.id).where(Letter.sent.is_(None), Letter.due <= _WAITED)
_HOLDERS = (
    select(Letter.holder)
    .where(Letter.sent.is_(None), Letter.due > bindparam("now"), Letter.due < bindparam("until"), Letter.holder != "")
    .distinct()
)
_UNREVIEWED = select(Review.match_id).where(UNFINISHED, Review.leased <= _WAITED)
# Bots are few: from them to their seats, and not the other way round, whatever the database would rather do.
_BOTS_SEATS = Seat.player_id.in_(select(Player.id).where(Player.bot.is_not(None)))
_UNCOUNTED = select(Estimate.match_id).join(Match).where(UNCOUNTED, Match.state == "running").limit(AT_ONCE)
BOTS_TURNS = select(Seat.match_id).where(_BOTS_SEATS, Seat.to_move).join(Seat.match)

_WAITING: dict[Task, Select[int]] = {
    "judge": _UNJUDGED.distinct().order_by(Submission.match_id).limit(_MOST),
    "obey": _COMMANDS.order_by(IncomingMail.id).limit(_MOST),
    "deliver": _DUE.order_by(Letter.due, Letter.id).limit(_MOST),
    "review": _UNREVIEWED.order_by(Review.leased).limit(1),  # Each task goes on with whichever has waited longest.
    "think": BOTS_TURNS.where(Match.state == "running", Match.moved <= _WAITED).distinct().limit(_MOST),
}
"""Selects what may be waiting for each task. Built once, as every sweep runs it."""
