"""What operators announce to everybody, at the top of every page."""

from __future__ import annotations

from datetime import datetime, timedelta
from weakref import WeakKeyDictionary

from sqlalchemy import select, update

from service.play import audit
from service.play.site import Site
from service.store.session import Store
from service.store.tables.operators import Announcement

LONGEST = 400
LONGEST_TIME = timedelta(days=30)

KNOWN_FOR = timedelta(seconds=15)
"""How long a process caches the announcement, which every page shows."""

_KNOWN: WeakKeyDictionary[Store, tuple[datetime, str]] = WeakKeyDictionary()


class AnnouncementError(ValueError):
    """An announcement that can't be made. The message is one sentence for the operator."""


def announce(site: Site, operator_id: int, text: str, life: timedelta) -> None:
    """Shows a text on every page for a while, in place of the one before; "" shows none. Raises AnnouncementError."""
    text = " ".join(text.replace("\0", "").split())
    if len(text) > LONGEST:
        raise AnnouncementError(f"An announcement can have up to {LONGEST} characters; this one has {len(text)}.")
    if text and not timedelta() < life <= LONGEST_TIME:
        raise AnnouncementError(f"An announcement can be shown for 1 hour to {LONGEST_TIME.days} days.")
    with site.transaction() as tx:
        shown = update(Announcement).where(Announcement.ends > tx.now)
        tx.session.execute(shown.values(ends=tx.now))
        if text:
            tx.session.add(Announcement(text=text, made=tx.now, ends=tx.now + life))
        audit.note(tx, operator_id, "announced", "site", 0, text)
    _KNOWN.pop(site.store, None)


def current(site: Site) -> str:
    """The text that every page shows now; "" for none. Other processes show a new one within KNOWN_FOR."""
    now = site.now()
    read, text = _KNOWN.get(site.store, (None, ""))
    if read is None or not read <= now < read + KNOWN_FOR:
        latest = select(Announcement).order_by(Announcement.id.desc()).limit(1)
        with site.store.reading() as session:
            found = session.scalars(latest).first()
        text = found.text if found is not None and now < found.ends else ""
        _KNOWN[site.store] = now, text
    return text
