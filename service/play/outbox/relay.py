"""While the mail server can't be reached, no letter is tried, and a thread in each process that noticed keeps trying to
connect (knocks). Waiting letters haven't been tried, so no failed attempts are counted and their next attempts aren't
postponed further and further. Once the server answers, they leave within seconds."""

from __future__ import annotations

import logging
import threading
import time
from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.play.outbox import smtp_client
from service.play.site import Site, Transaction
from service.store.session import Store
from service.store.tables.mail_rows import Letter
from service.store.tables.pulse import LINE, RELAY, Part, note_failing, note_recovered

log = logging.getLogger(__name__)

PAUSE = 1 / 3
"""The time between two knocks, as a fraction of the time between two sweeps."""

AT_ONCE = 500
"""How many letters leave at once when the server answers. The sweep sends the rest, so that moves get a turn."""

_knocking: set[Store] = set()
_one_at_a_time = threading.Lock()


def is_away(session: Session) -> bool:
    """Whether the last attempt to connect to the mail server failed."""
    return session.connection().execute(_AWAY).first() is not None


_AWAY = select(Part.name).where(Part.name == LINE, Part.failing.is_not(None))


def note_away(tx: Transaction, why: smtp_client.Away) -> None:
    """Notes that the mail server can't be reached."""
    for part in (RELAY, LINE):
        note_failing(tx.session, part, tx.now, why.kind)


def knock(site: Site) -> None:
    """Makes this process knock until the mail server answers. Does nothing if it is already knocking."""
    with _one_at_a_time:
        if site.store in _knocking:
            return
        _knocking.add(site.store)
    threading.Thread(target=_knock, args=(site,), name="knock", daemon=True).start()


def _knock(site: Site) -> None:
    try:
        while not opens(site):
            time.sleep(PAUSE * site.settings.sweep_seconds)
    except SQLAlchemyError as error:
        # The sweep hands out a letter, and the process that gets it tries the mail server again.
        log.warning("the mail server is not asked for now (%s)", type(error).__name__)
    finally:
        with _one_at_a_time:
            _knocking.discard(site.store)


def opens(site: Site) -> bool:
    """Knocks once. If the mail server answers, waiting letters are released; true if nothing is left to do."""
    with site.store.reading() as session:
        if not is_away(session):
            return True
    try:
        smtp_client.knock(site.settings)
    except smtp_client.Away:
        return False
    with site.transaction() as tx:
        note_recovered(tx.session, LINE, tx.now)
        soon = tx.now + timedelta(seconds=site.settings.sweep_seconds)
        idle = Letter.holder == ""  # A process that has a connection open may be sending the others.
        waiting = select(Letter.id).where(Letter.sent.is_(None), Letter.due.is_not(None), Letter.due <= soon, idle)
        letters = tx.session.scalars(waiting.order_by(Letter.due).limit(AT_ONCE)).all()
        tx.session.execute(update(Letter).where(Letter.id.in_(letters), Letter.due > tx.now, idle).values(due=tx.now))
        for letter in letters:
            tx.nudge("deliver", letter)
    log.warning("the mail server can be reached again; %s letters leave now", len(letters))
    return True
