"""What a ban is: a banned player can finish their matches, and can't begin, join or write anything."""

from __future__ import annotations

import hmac
from hashlib import sha256

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from service.play.site import Site, Transaction
from service.store.models import Player
from service.store.tables.operators import Ban


def of(site: Site, session: Session, player_id: int | None) -> Ban | None:
    """A player's ban, over or not, or else that of an account with the same address which was deleted."""
    player = None if player_id is None else session.get(Player, player_id)
    if player is None:
        return None
    own = Ban.player_id == player.id
    its = own if player.email is None else or_(own, Ban.address == _keyed(site, player.email))
    return session.scalars(select(Ban).where(its).order_by(own.desc(), Ban.made.desc()).limit(1)).first()


def keep(tx: Transaction, player: Player) -> None:
    """Has the ban of a player who is about to be forgotten hold for anybody who comes back with the same address."""
    ban = tx.session.get(Ban, player.id)
    if ban is not None and player.email is not None:
        ban.address = _keyed(tx.site, player.email)


def why_banned(tx: Transaction, player_id: int | None) -> str:
    """Why a player is banned, in sentences for them; "" if they aren't."""
    ban = of(tx.site, tx.session, player_id)
    if ban is None or (ban.until is not None and ban.until <= tx.now):
        return ""
    end = "" if ban.until is None else f" until {ban.until.day} {ban.until:%B %Y}"
    return f"You can't do this because you're banned{end}. You can finish your matches. The reason: {ban.reason}"


def refuse_banned(tx: Transaction, player_id: int | None, refusal: type[Exception]) -> None:
    """Raises `refusal`, with the reason as its message, for a player who is banned."""
    if why := why_banned(tx, player_id):
        raise refusal(why)


def _keyed(site: Site, address: str) -> str:
    """What only this server can compute from an address."""
    return hmac.digest(site.settings.secret.encode(), b"stonepost banned address\0" + address.encode(), sha256).hex()
