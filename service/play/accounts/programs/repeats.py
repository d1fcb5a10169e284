"""Requests that programs send again: what came with their Idempotency-Key the first time."""

from __future__ import annotations

from service.play.site import Transaction, transactional
from service.store.insert import insert_once
from service.store.tables.credentials import Repeat


@transactional
def is_same(tx: Transaction, player_id: int, key: str, said: str) -> bool:
    """Whether this request says the same as the player's first one with this key; True for the first itself."""
    if insert_once(tx.session, Repeat, player_id=player_id, key=key, said=said, came=tx.now) is not None:
        return True
    return tx.session.get_one(Repeat, (player_id, key)).said == said
