"""Whether a letter still says something that its reader has not been told."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_, select

from service.play.site import Transaction
from service.store.models import Letter, Match, Player, Seat


def is_told(tx: Transaction, letter: Letter, by: Sequence[str]) -> bool:
    """Whether the writer of an order has turned receipts off since, or a later letter of these kinds says more."""
    match = tx.session.get_one(Match, letter.match_id)
    own = match.place_of(letter.player_id)
    if not tx.session.get_one(Player, letter.player_id).receipts:
        return True
    if own is None or not (match.state == "over" or (isinstance(own, Seat) and own.to_move)):
        return False
    keys = [f"{kind}:{match.id}:{match.round}:{own.label}" for kind in by]
    going = or_(Letter.sent.is_not(None), Letter.due <= tx.now, Letter.due.is_not(None) & (Letter.attempts > 0))
    later = select(Letter.id).where(Letter.key.in_(keys), Letter.id > letter.id, going)
    return tx.session.scalars(later.limit(1)).first() is not None
