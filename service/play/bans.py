"""Bans. A banned player can finish their matches, but can't begin, join or write anything; nor can their bots.

A bot may be banned alone, which doesn't affect its owner and their other bots.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import TypeGuard

from sqlalchemy import bindparam, or_, select
from sqlalchemy.orm import Session

from service.play.site import Site, Transaction
from service.store.models import Player
from service.store.tables.operators import Ban


def of(site: Site, session: Session, player_id: int | None, *, alone: bool = False) -> Ban | None:
    """The longest ban of a player, over or not: their own or, unless `alone`, that of a bot's owner."""
    player = None if player_id is None else session.get(Player, player_id)
    if player is None:
        return None
    owner = None if alone or player.owner_id is None else session.get(Player, player.owner_id)
    return next(iter(own(site, session, *(one for one in (player, owner) if one is not None))), None)


def own(site: Site, session: Session, *players: Player) -> Sequence[Ban]:
    """The bans of these players and of deleted accounts with the same addresses; the longest first."""
    addresses = [_keyed(site, one.email) for one in players if one.email is not None]
    return session.scalars(_OWN, {"players": [one.id for one in players], "addresses": addresses}).all()


_OWN = (
    select(Ban)
    .where(
        or_(
            Ban.player_id.in_(bindparam("players", expanding=True)),
            Ban.address.in_(bindparam("addresses", expanding=True)),
        )
    )
    .order_by(Ban.until.is_not(None), Ban.until.desc(), Ban.made.desc())
)
"""Built once: it runs whenever somebody begins, joins or writes anything."""


def holds(ban: Ban | None, now: datetime) -> TypeGuard[Ban]:
    """Whether there is a ban which isn't over."""
    return ban is not None and (ban.until is None or now < ban.until)


def keep(tx: Transaction, player: Player) -> None:
    """Keeps the ban of a player who is about to be deleted, for anybody who comes back with the same address."""
    ban = tx.session.get(Ban, player.id)
    if ban is not None and player.email is not None:
        ban.address = _keyed(tx.site, player.email)


def why_banned(tx: Transaction, player_id: int | None) -> str:
    """Why a player is banned, in sentences for them; "" if they aren't."""
    ban = of(tx.site, tx.session, player_id)
    if not holds(ban, tx.now):
        return ""
    end = "" if ban.until is None else f" until {ban.until.day} {ban.until:%B %Y}"
    return f"You can't do this because you're banned{end}. You can finish your matches. The reason: {ban.reason}"


def refuse_banned(tx: Transaction, player_id: int | None, refusal: type[Exception]) -> None:
    """Raises `refusal`, with the reason as its message, for a player who is banned."""
    if why := why_banned(tx, player_id):
        raise refusal(why)


def _keyed(site: Site, address: str) -> str:
    """A hash of an address that only this server can compute."""
    return hmac.digest(site.settings.secret.encode(), b"stonepost banned address\0" + address.encode(), sha256).hex()
