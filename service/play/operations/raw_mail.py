"""The text of incoming mail moves out of the database after a while, into a directory or bucket."""

from __future__ import annotations

import logging
from datetime import timedelta

from sqlalchemy import select, update

from service.play.site import Site
from service.store import mail_store
from service.store.mail_store import MailStoreError
from service.store.tables.mail_rows import GONE, UNMOVED, IncomingMail

log = logging.getLogger(__name__)

AFTER = timedelta(days=1)
"""How long an email stays in the database. Nearly everything that reads it has done so by then."""

AT_ONCE = 200
"""How many texts one sweep moves and deletes. The next sweep continues."""


def move(site: Site) -> None:
    """Moves texts that are a day old out of the database, if there is a place for them, and deletes what may go there.

    While that fails, they stay in the database and nothing is lost.
    """
    if not site.settings.mail_store:
        return
    for step, left in ((_move_some, "incoming mail stays in the database"), (_drop_some, "deleted mail stays stored")):
        try:
            step(site)
        except MailStoreError as error:
            log.warning("%s for now (%s)", left, error)


def _move_some(site: Site) -> None:
    old = (UNMOVED, IncomingMail.received < site.now() - AFTER, IncomingMail.verdict != "commands")
    with site.store.reading() as session:
        times = select(IncomingMail.id, IncomingMail.received).where(*old).order_by(IncomingMail.received)
        found = session.execute(times.limit(AT_ONCE)).all()
    for number, received in found:
        with site.store.reading() as session:
            raw = session.scalar(select(IncomingMail.raw).where(IncomingMail.id == number, UNMOVED))
        if raw is None:
            continue  # Another sweep has moved it, or it was deleted.
        name = f"{received:%Y/%m/%d}/{number}.eml"
        mail_store.write(site.settings.mail_store, name, raw)
        with site.transaction() as tx:
            # Its sender may have deleted their account meanwhile; if so, it goes at once.
            tx.session.execute(update(IncomingMail).where(IncomingMail.id == number).values(place=name, raw=b""))


def _drop_some(site: Site) -> None:
    with site.store.reading() as session:
        found = session.execute(select(IncomingMail.id, IncomingMail.place).where(GONE).limit(AT_ONCE)).all()
    for number, name in found:
        mail_store.drop(site.settings.mail_store, name)
        with site.transaction() as tx:
            tx.session.execute(update(IncomingMail).where(IncomingMail.id == number).values(place=""))
