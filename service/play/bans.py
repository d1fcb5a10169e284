"""What a ban is: a banned player can finish their matches, and can't begin, join or write anything."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from service.play.site import Transaction
from service.store.tables.operators import Ban


def why_banned(session: Session, player_id: int | None, now: datetime) -> str:
    """Why a player is banned, in sentences for them; "" if they aren't."""
    ban = None if player_id is None else session.get(Ban, player_id)
    if ban is None or (ban.until is not None and ban.until <= now):
        return ""
    end = "" if ban.until is None else f" until {ban.until.day} {ban.until:%B %Y}"
    return f"You can't do this because you're banned{end}. You can finish your matches. The reason: {ban.reason}"


def refuse_banned(tx: Transaction, player_id: int | None, refusal: type[Exception]) -> None:
    """Raises `refusal`, with the reason as its message, for a player who is banned."""
    if why := why_banned(tx.session, player_id, tx.now):
        raise refusal(why)
