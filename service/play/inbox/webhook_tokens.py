"""Tokens that mail providers sign their posts with: each is valid for one message."""

from __future__ import annotations

from hashlib import sha256

from service.play.site import Site
from service.store.insert import insert_once
from service.store.tables.credentials import UsedLink


def use(site: Site, token: str, raw: bytes) -> bool:
    """Uses a token up; False if it came with another message before.

    The signature of a post covers its token but not its message, so anybody who sees a post could send another message
    with it. If the provider sends the same message again, it is still accepted.
    """
    first = sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
    message = sha256(first.encode() + raw).hexdigest()
    with site.transaction() as tx:
        if insert_once(tx.session, UsedLink, nonce=first, used=tx.now):
            return insert_once(tx.session, UsedLink, nonce=message, used=tx.now) is not None
        return tx.session.get(UsedLink, message) is not None
