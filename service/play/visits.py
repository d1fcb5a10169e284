"""Browsers in which somebody is signed in: each can be signed out from any other."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.play.house import House
from service.play.submit import insert_once
from service.store.models import Player, UsedLink, Visit

LONGEST_DEVICE = 200
LIFE = timedelta(days=180)
"""A browser that has not been seen for so long is signed out."""

_USED = LIFE + timedelta(days=20)
"""How long it is known what signed somebody in: longer than any cookie lives that it could be tried again with."""

_FRESH = timedelta(hours=1)
"""How exactly it is known when a browser was last seen."""


def begin(house: House, player_id: int, device: str) -> str:
    """Signs a player in on a browser, and returns the key it is known by from now on."""
    key = secrets.token_urlsafe(32)
    with house.store.writing() as session:
        enter(session, key, player_id, device, house.now())
    return key


def enter(session: Session, key: str, player_id: int, device: str, now: datetime) -> bool:
    """Signs a player in on the browser to be known by this key; whether nobody was by then."""
    row = {"player_id": player_id, "device": device[:LONGEST_DEVICE], "began": now, "seen": now}
    return insert_once(session, Visit, key=key, **row) is not None


def key_of(secret: str) -> str:
    """The key of a browser that has this secret, the same whenever it is asked."""
    return urlsafe_b64encode(sha256(f"visit {secret}".encode()).digest()).decode().rstrip("=")


def player(house: House, key: str) -> Player | None:
    """Who is signed in on the browser with this key; None if nobody is any more."""
    now = house.now()
    with house.store.reading() as session:
        found = session.execute(select(Player, Visit.seen).join(Visit).where(Visit.key == key)).first()
    visitor, seen = (None, now) if found is None else found
    if seen < now - LIFE:
        return None
    if seen < now - _FRESH:
        with house.store.writing() as session:
            session.execute(update(Visit).where(Visit.key == key).values(seen=now))
    return visitor


def forget_old(house: House) -> None:
    """Drops browsers that are signed out for having been away too long, and what nobody can sign in with again."""
    now = house.now()
    with house.store.writing() as session:
        session.execute(delete(Visit).where(Visit.seen < now - LIFE))
        session.execute(delete(UsedLink).where(UsedLink.used < now - _USED))


def of(house: House, player_id: int) -> Sequence[Visit]:
    """The browsers a player is signed in on, the last seen first."""
    with house.store.reading() as session:
        return session.scalars(select(Visit).where(Visit.player_id == player_id).order_by(Visit.seen.desc())).all()


def end(house: House, player_id: int, key: str) -> None:
    """Signs a player out on one browser. A second call changes nothing."""
    with house.store.writing() as session:
        session.execute(delete(Visit).where(Visit.player_id == player_id, Visit.key == key))


def end_all(house: House, player_id: int) -> None:
    """Signs a player out everywhere."""
    with house.store.writing() as session:
        session.execute(delete(Visit).where(Visit.player_id == player_id))
