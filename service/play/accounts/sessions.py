"""Sessions: the browsers in which somebody is signed in, each of which can be signed out from any other.

The cookie holds a key; the database holds its hash alone, so that a copy of the database signs nobody in.
"""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TypeAlias

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.orm import Session

from service.play.site import Site, Transaction, transactional
from service.store.insert import insert_once
from service.store.models import UNCONFIRMED, Player
from service.store.session import FAILURES
from service.store.tables.credentials import Visit

LONGEST_DEVICE = 200
FRESH_FOR = timedelta(minutes=15)
"""How long after a sign-in the account itself can be changed."""

OPERATING_FOR = timedelta(hours=8)
"""How long a passkey opens the operators' pages on a browser."""

_SEEN_WITHIN = timedelta(hours=1)
"""The precision of the time when a browser was last seen."""


Begin: TypeAlias = Callable[[Transaction, int], object]
"""Begins the session of the player with this id. Who checks a password, a passkey or a link calls it in the transaction
that does: somebody who is shut out just then isn't signed in afterwards."""


@transactional
def begin(tx: Transaction, player_id: int, device: str, former_key: str | None = None, network: str = "") -> str:
    """Signs a player in on a browser, and returns the key for its cookie. What `former_key` opened is closed. `network`
    is the block of addresses that it asks from."""
    key = secrets.token_urlsafe(32)
    if former_key is not None:
        tx.session.execute(delete(Visit).where(Visit.key == stored(former_key)))
    enter(tx.session, key, player_id, device, tx.now, network)
    return key


def enter(session: Session, key: str, player_id: int, device: str, now: datetime, network: str = "") -> bool:
    """Signs a player in on the browser with this key; returns False if somebody is signed in there already."""
    row = {"player_id": player_id, "device": device[:LONGEST_DEVICE], "began": now, "seen": now, "network": network}
    session.execute(update(Player).where(Player.id == player_id, UNCONFIRMED).values(confirmed=now))
    return insert_once(session, Visit, key=stored(key), **row) is not None


def key_of(secret: str) -> str:
    """The key of a browser with this secret, always the same."""
    return urlsafe_b64encode(sha256(f"visit {secret}".encode()).digest()).decode().rstrip("=")


def stored(key: str) -> str:
    """The form in which the database stores a key: base64url of a SHA-256, 43 characters."""
    return _digest(f"session {key}")


def stored_before(key: str) -> str:
    """The same for a session from before keys were hashed, as migration 0028 has left it."""
    return _digest(f"session before {key}")


def _digest(text: str) -> str:
    return urlsafe_b64encode(sha256(text.encode()).digest()).decode().rstrip("=")


def take_over(site: Site, key: str) -> bool:
    """Converts a session from before keys were hashed; False for any other key, with nothing changed."""
    with site.store.reading() as session:
        if session.get(Visit, stored_before(key)) is None:
            return False
    with site.transaction() as tx:
        tx.session.execute(update(Visit).where(Visit.key == stored_before(key)).values(key=stored(key)))
    return True


_VISITOR = select(Player, Visit.seen).join(Visit).where(Visit.key == bindparam("key"))
"""Built once: every page runs it, and building it takes longer."""


def player(site: Site, key: str) -> Player | None:
    """The player signed in on the browser with this key; None if nobody is."""
    now = site.now()
    with site.store.reading() as session:
        found = session.execute(_VISITOR, {"key": stored(key)}).first()
    visitor, seen = (None, now) if found is None else found
    life = site.settings.keep.session
    if life and seen < now - timedelta(days=life):
        return None
    if seen < now - _SEEN_WITHIN:
        # A page is shown even if nothing can be written.
        with suppress(*FAILURES), site.transaction() as tx:
            tx.session.execute(update(Visit).where(Visit.key == stored(key)).values(seen=now))
    return visitor


def is_fresh(site: Site, key: str) -> bool:
    """Whether the sign-in on the browser with this key is recent enough to change the account."""
    with site.store.reading() as session:
        visit = session.get(Visit, stored(key))
    return visit is not None and site.now() < visit.began + FRESH_FOR


def is_operating(site: Site, key: str) -> bool:
    """Whether a passkey has opened the operators' pages to the browser with this key, and not too long ago."""
    with site.store.reading() as session:
        visit = session.get(Visit, stored(key))
    return visit is not None and visit.operating is not None and site.now() < visit.operating + OPERATING_FOR


def of(site: Site, player_id: int) -> Sequence[Visit]:
    """The browsers a player is signed in on, the last seen first."""
    with site.store.reading() as session:
        return session.scalars(select(Visit).where(Visit.player_id == player_id).order_by(Visit.seen.desc())).all()


def end(site: Site, player_id: int, visit: str) -> None:
    """Signs a player out on one browser, named by what is stored of it. A second call changes nothing."""
    with site.transaction() as tx:
        tx.session.execute(delete(Visit).where(Visit.player_id == player_id, Visit.key == visit))


@transactional
def end_all(tx: Transaction, player_id: int, except_key: str | None = None) -> None:
    """Signs a player out everywhere, except on the browser with this key."""
    gone = delete(Visit).where(Visit.player_id == player_id)
    if except_key is not None:
        gone = gone.where(Visit.key != stored(except_key))
    tx.session.execute(gone)
