"""Requests of programs that are sent again: what came with their key the first time."""

from __future__ import annotations

from service.play.site import Transaction, transactional
from service.store.insert import insert_once
from service.store.tables.credentials import Repeat


@transactional
def is_same(tx: Transaction, player_id: int, key: str, said: str) -> bool:
    """Whether a request of this player that came with this key says what the first one said; the first one does."""
    if insert_once(tx.session, Repeat, player_id=player_id, key=key, said=said, came=tx.now) is not None:
        return True
    return tx.session.get_one(Repeat, (player_id, key)).said == said
