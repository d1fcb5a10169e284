"""Repairs times after a clock that ran ahead is right again."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import true, update

from service.play.site import Site
from service.store.models import Match, Submission
from service.store.tables.bot_turns import BotTurn
from service.store.tables.company import GazetteIssue, Notice, Wish
from service.store.tables.doors import Call, Door
from service.store.tables.events import Entrant, Event
from service.store.tables.mail_rows import IncomingMail, Letter
from service.store.tables.pulse import CLOCK, Part
from service.store.tables.reviews import UNFINISHED, Review

_OWED = (
    (Letter.due, Letter.sent.is_(None)),
    (Call.due, true()),
    (Door.rests, true()),
    (Submission.received, Submission.verdict.is_(None)),
    (Submission.held, Submission.verdict.is_(None)),
    (IncomingMail.received, IncomingMail.verdict == "commands"),
    (Review.leased, UNFINISHED),
    (BotTurn.leased, BotTurn.value.is_(None)),
    (Match.moved, Match.state == "running"),
    (Notice.told, true()),
    (Notice.rests, true()),
    (GazetteIssue.made, true()),
    (Match.created, Match.state == "open"),
    (Wish.since, true()),
    (Event.made, true()),
    (Entrant.asked, true()),
)
"""When work falls due, or since when something waits, and which rows have any."""


AGAIN = timedelta(minutes=1)
"""For how long each sweep repairs times: what began with the wrong time may be committed after the first repair, which
may also have been interrupted."""


def was_lately(site: Site) -> bool:
    """Whether a sweep has found lately that the clock was ahead."""
    with site.store.reading() as session:
        clock = session.get(Part, CLOCK)
    return clock is not None and timedelta() <= site.now() - clock.worked <= AGAIN


def bring_back(site: Site) -> None:
    """Makes everything due in the future due now: it would wait for as long as the clock was ahead."""
    with site.transaction() as tx:
        for due, is_owed in _OWED:
            rows = update(due.class_).where(due > tx.now, is_owed)
            tx.session.execute(rows.values({due: tx.now}).execution_options(synchronize_session=False))
