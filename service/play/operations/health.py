"""Whether the site is well: what a monitor asks again and again, and what an operator looks at when it is not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, or_, select

from service.play.site import Site
from service.store.mail_rows import GIVEN_UP, Letter
from service.store.models import Submission
from service.store.pulse import Pulse

PATIENCE = timedelta(minutes=1)
"""How long an order may wait to be judged, and longer than this nothing may go unswept but where sweeps are seldom."""


@dataclass(frozen=True, slots=True)
class Health:
    """How long ago the sweep passed (None: never), and how much waits. `trouble` is "" where all is well."""

    swept: timedelta | None
    orders: int
    letters: int
    stuck: int
    trouble: str


def examine(site: Site) -> Health:
    """Looks at the database. A sweep passes only where queue, beat and worker do what they are for."""
    now = site.now()
    ripe = or_(Submission.held.is_(None), Submission.held <= now)
    unjudged = select(Submission.received).where(Submission.verdict.is_(None), ripe)
    with site.store.reading() as session:
        pulse = session.get(Pulse, 1)
        swept = None if pulse is None else now - pulse.at
        oldest = session.scalar(unjudged.order_by(Submission.received).limit(1))
        orders, letters, stuck = (
            session.scalar(count) or 0
            for count in (
                _count(unjudged),
                _count(select(Letter.id).where(Letter.sent.is_(None), Letter.due <= now)),
                _count(select(Letter.id).where(GIVEN_UP)),
            )
        )
    return Health(swept, orders, letters, stuck, _trouble(site, swept, oldest))


def _trouble(site: Site, swept: timedelta | None, oldest: datetime | None) -> str:
    """`unswept` or `unjudged`; the latter says nothing new where the former is true."""
    if swept is None or swept > max(PATIENCE, timedelta(seconds=4 * site.settings.sweep_seconds)):
        return "unswept"
    return "unjudged" if oldest is not None and oldest < site.now() - PATIENCE else ""


def _count(rows: Select[Any]) -> Select[Any]:
    return select(func.count()).select_from(rows.subquery())
