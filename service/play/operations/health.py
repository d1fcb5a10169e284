"""Whether the site is well: what a monitor asks again and again, and what an operator looks at when it is not."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import ScalarSelect, Select, and_, func, select
from sqlalchemy.orm import Session

from service.play.letter_kinds import ClubNotice
from service.play.operations.sweep import RIPE
from service.play.site import Site
from service.store.models import Submission
from service.store.tables.mail_rows import GIVEN_UP, UNREAD, IncomingMail, Letter
from service.store.tables.pulse import DOOR, HOOKS, RELAY, THINK, Part, Pulse, note_working

T = TypeVar("T")

PATIENCE = timedelta(seconds=45)
"""How long an order or a command may wait, a letter be due that nobody sends, a sweep be overdue, and our mail server
not answer. A monitor that asks every few seconds knows within a minute."""

BUSY = timedelta(minutes=5)
"""How long a letter may be due while others are being sent: that many may have been owed at once. Also how long a
process may give no sign of life: computer opponents think only while nobody else needs the processor."""

HICCUP = timedelta(seconds=20)
"""How long the mail server may accept no letters."""

READERS = 5
"""If letters to this many readers fail, and none has been sent since, it's the mail server that refuses them all."""

LATELY = timedelta(days=1)
"""How old those letters may be. What was given up earlier says nothing about the mail server of today."""

SWITCHED_OFF = timedelta(days=1)
"""A part that has been silent for longer was switched off on purpose, as a door for email is for a provider's
webhook."""

LEAST_ROOM = 100_000_000
"""Bytes that must be free where the service keeps its data."""

ANSWER = 10.0
"""Seconds that the database may take to answer."""

TROUBLES = {
    "": "All is well.",
    "down": "The database can't be used.",
    "hung": "The database doesn't answer.",
    "full": "The disk is nearly full.",
    "future": "The last sweep is dated in the future: the clock of a machine is or was wrong.",
    "unswept": "No sweep has run lately: the queue, beat or worker isn't running.",
    "unjudged": "Orders are waiting to be judged: the worker can't keep up, or one of them makes it fail.",
    "unsent": "Email can't leave: the mail server in SMTP_URL can't be reached, offers no TLS, or accepts no email.",
    "deaf": "Email can't arrive: the mail process isn't running, or doesn't answer.",
    "unposted": "Email is waiting to leave: the worker isn't running, or can't keep up.",
    "thoughtless": "Computer opponents don't move: the think process isn't running, or can't keep up.",
    "uncalled": "Hooks and devices aren't called: the hooks process isn't running, or can't keep up.",
}
"""What may be wrong, in the order in which it's looked for, and the sentence about it."""

_SILENT = {THINK: "thoughtless", HOOKS: "uncalled"}
"""The processes that give signs of life, each with the trouble if it gives none. Their queues have the same names."""


@dataclass(frozen=True, slots=True)
class Health:
    """How long ago the sweep passed (None: never), and how much waits. `trouble` is one of TROUBLES."""

    swept: timedelta | None
    orders: int
    letters: int
    stuck: int
    trouble: str
    error: str
    """For operators: the latest error of the failing part."""


def examine(site: Site) -> Health:
    """Looks at the database and the disk. A sweep passes only where queue, beat and worker do what they are for."""
    now = site.now()
    unjudged = select(RIPE).where(Submission.verdict.is_(None), now >= RIPE)
    unread = select(IncomingMail.received).where(UNREAD)
    with site.store.reading() as session:
        pulse = session.get(Pulse, 1)
        swept = None if pulse is None else now - pulse.at
        firsts = (unjudged.order_by(RIPE), unread.order_by(IncomingMail.id))
        oldest = min(filter(None, (session.scalar(first.limit(1)) for first in firsts)), default=None)
        owed = select(Letter.id).where(Letter.sent.is_(None), Letter.due.is_not(None))
        given_up = select(Letter.id).where(GIVEN_UP)
        orders, letters, stuck = session.execute(select(_count(unjudged), _count(owed), _count(given_up))).one()
        failing = _failing(session, site, letters)
        unposted = "" if failing or not letters else _unposted(session, site)
        silent = _silent(session, site)
    trouble = _full(site) or _late(site, swept, oldest) or next(iter(failing), unposted or silent)
    return Health(swept, orders, letters, stuck, trouble, failing.get(trouble, ""))


def in_time(question: Callable[[], T]) -> T:
    """What a question to the database returns or raises; TimeoutError if it takes too long.

    It's asked in a thread, because no setting of its client notices a database that is stopped or whose disk hangs.
    """
    answer = Future[T]()

    def ask() -> None:
        try:
            answer.set_result(question())
        except BaseException as error:  # The thread that waits raises it.
            answer.set_exception(error)

    threading.Thread(target=ask, name="health", daemon=True).start()
    return answer.result(ANSWER)


def _full(site: Site) -> str:
    return "full" if shutil.disk_usage(site.settings.data).free < LEAST_ROOM else ""


def _late(site: Site, swept: timedelta | None, oldest: datetime | None) -> str:
    """The trouble shown by the last sweep and the oldest waiting order or command; the latter means nothing new without
    a sweep."""
    if swept is not None and swept < -PATIENCE:
        return "future"
    if swept is None or swept > _at_least(PATIENCE, site):
        return "unswept"
    return "unjudged" if oldest is not None and oldest < site.now() - _at_least(PATIENCE, site) else ""


def _at_least(patience: timedelta, site: Site) -> timedelta:
    """This long, or three sweeps if they take longer: work may wait for a sweep, and signs of life come with each."""
    return max(patience, timedelta(seconds=3 * site.settings.sweep_seconds))


def _failing(session: Session, site: Site, letters: int) -> dict[str, str]:
    """The ways of email that don't work, with the last error of each."""
    now = site.now()
    parts = {part.name: part for part in session.scalars(select(Part))}
    found = {}
    relay, door = parts.get(RELAY), parts.get(DOOR)
    if relay and relay.failing and relay.failing < now - HICCUP and letters:
        found["unsent"] = relay.error
    elif _refuses_everybody(session, now):
        found["unsent"] = "every recipient is refused"
    if door and failing_since(site, door):
        found["deaf"] = door.error
    return found


def failing_since(site: Site, part: Part) -> datetime | None:
    """Since when sending or receiving email has been failing; None if it works, or hasn't been tried for so long that
    it counts as switched off. The door for email notes at every sweep interval that it works, so silence is a failure.
    """
    silence = site.now() - part.worked
    if silence >= SWITCHED_OFF:
        return None
    is_dead = part.name == DOOR and silence > _at_least(PATIENCE, site)
    return part.failing or (part.worked if is_dead else None)


def _refuses_everybody(session: Session, now: datetime) -> bool:
    """Whether the mail server refuses all recipients, for now or permanently, as one does that doesn't know us. The
    club's notices don't count, because a hook may get them."""
    emails = Letter.kind != ClubNotice.kind
    latest = select(Letter.id).where(Letter.sent.is_not(None), emails).order_by(Letter.id.desc()).limit(1)
    failed = and_(Letter.sent.is_(None), Letter.attempts > 0, Letter.error != "", Letter.holder == "", emails)
    since = and_(Letter.id > func.coalesce(latest.scalar_subquery(), 0), Letter.created > now - LATELY)
    count = select(func.count(Letter.player_id.distinct()), func.min(Letter.created))
    readers, first = session.execute(count.where(failed, since)).one()
    return readers >= READERS and first < now - HICCUP


def _unposted(session: Session, site: Site) -> str:
    """The trouble if a letter is due that nobody sends, "" otherwise. A letter that is being sent is leased to its
    process, and so is due later."""
    owed = select(Letter.due).where(Letter.sent.is_(None), Letter.due.is_not(None))
    now, oldest = site.now(), session.scalar(owed.order_by(Letter.due).limit(1))
    if oldest is None or oldest >= now - _at_least(PATIENCE, site):
        return ""
    in_hand = session.scalar(owed.where(Letter.due > now, Letter.holder != "").limit(1))
    return "unposted" if in_hand is None or oldest < now - _at_least(BUSY, site) else ""


def _silent(session: Session, site: Site) -> str:
    """The trouble if a process has given no sign of life for a while, "" otherwise."""
    most = _at_least(BUSY, site)
    return next((_SILENT[name] for name, silence in _silences(session, site.now()) if silence > most), "")


def alive(site: Site) -> list[str]:
    """The processes that have given a sign of life in the last day."""
    with site.store.reading() as session:
        return [name for name, _ in _silences(session, site.now())]


def _silences(session: Session, now: datetime) -> list[tuple[str, timedelta]]:
    """How long ago each process that hasn't been switched off gave a sign of life, the most silent first."""
    on = select(Part).where(Part.name.in_(_SILENT), Part.worked > now - SWITCHED_OFF)
    return [(part.name, now - part.worked) for part in session.scalars(on.order_by(Part.worked))]


def note_alive(site: Site, name: str) -> None:
    """Notes that this process, `think` or `hooks`, is running, at most once between two sweeps."""
    with site.store.reading() as session:
        part = session.get(Part, name)
    lately = timedelta(seconds=site.settings.sweep_seconds / 2)
    if part is None or not timedelta() <= site.now() - part.worked <= lately:
        with site.transaction() as tx:
            note_working(tx.session, name, tx.now)


def _count(rows: Select[Any]) -> ScalarSelect[int]:
    return select(func.count()).select_from(rows.subquery()).scalar_subquery()
