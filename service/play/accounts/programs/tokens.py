"""Tokens: the keys of programs that act for a player by the API.

The database holds their hashes alone, so that a copy of it opens nothing. A token has 160 bits. It follows from the
site's secret and the form that asked for it: sent twice, a form shows the same token twice.
"""

from __future__ import annotations

import hmac
from base64 import b32encode
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, TypeAlias, cast, get_args

from sqlalchemy import bindparam, func, or_, select, update
from sqlalchemy.orm import Session

from service.play.accounts import account_events
from service.play.accounts.display_names import AccountError, clean
from service.play.notify import announce
from service.play.site import Site, Transaction, transactional
from service.store.insert import insert_once
from service.store.models import Player
from service.store.rows import Instant
from service.store.session import FAILURES
from service.store.tables.credentials import Token

Scope: TypeAlias = Literal["read", "play", "talk", "lobby", "bot", "hooks"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""The scopes of tokens: reading what its player sees, orders, messages, opening and joining matches and events,
bot accounts, hooks."""

USUAL: tuple[Scope, ...] = ("read", "play", "talk", "lobby")
"""The scopes ticked in the form by default."""

OF_BOTS: tuple[Scope, ...] = (*USUAL, "hooks")
"""The default scopes of a bot's token made by a program."""

PREFIX = "stonepost_"
BITS = 160
LIVES = (30, 90, 365)
"""How many days a token may be valid. The form also offers no end."""

MOST = 20
"""How many valid tokens a player may have."""

_SEEN_WITHIN = timedelta(minutes=1)
"""The precision of the time when a token was last used."""


class TokenError(AccountError):
    """A token that can't be made. The message is one sentence for the player, about this `field`."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Holder:
    """The player whose token makes a request, and what it may do."""

    player: Player
    token_id: int
    scopes: frozenset[Scope]
    expires: datetime | None = None


def stored(token: str) -> str:
    """The form in which the database stores a token: its SHA-256 in hex."""
    return sha256(token.encode(errors="replace")).hexdigest()


@transactional
def make(
    tx: Transaction,
    player_id: int,
    name: str,
    scopes: Collection[str],
    days: int | None,
    form: str,
    *,
    until: datetime | None = None,
    is_only: bool = False,
) -> tuple[str, Token]:
    """Makes a token and returns it with its row; it can't be shown again. Raises TokenError.

    `days` is how long it is valid, None for no limit, but not beyond `until`. The same `form` makes the same token,
    once. With `is_only`, it's refused while the player has another valid one of that name. An email says so.
    """
    tx.session.get_one(Player, player_id, with_for_update=True)
    chosen = [scope for scope in SCOPES if scope in scopes]
    _check(scopes, days)
    ends = [until] if until is not None else []
    ends += [] if days is None else [tx.now + timedelta(days=days)]
    row = {
        "player_id": player_id,
        "name": _named(name),
        "scopes": " ".join(chosen),
        "made": tx.now,
        "expires": min(ends, default=None),
    }
    token = _derived(tx.site, player_id, form)
    known = select(Token).where(Token.hash == stored(token))
    if (before := tx.session.scalars(known).first()) is not None:
        if before.revoked is not None:
            raise TokenError("You've revoked this token. Open the page again to make another one.")
        return token, before
    now = {"player": player_id, "now": tx.now}
    if is_only and tx.session.scalars(_OF_PLAYER.where(Token.name == row["name"]), now).first() is not None:
        raise TokenError(
            f"There's already a token called {row['name']}. Choose another name, or revoke that token.",
            "token",
        )
    if (tx.session.scalar(_COUNTED, now) or 0) >= MOST:
        raise TokenError(f"You can have up to {MOST} tokens. Revoke one that you no longer need.")
    insert_once(tx.session, Token, hash=stored(token), **row)
    account_events.changed("token-made", player_id)
    made = tx.session.scalars(known).one()
    announce.owe_owner(tx, f"token-made:{made.hash}", player_id, "token-made", made.name)
    return token, made


def _check(scopes: Collection[str], days: int | None) -> None:
    if not scopes or not set(scopes) <= {*SCOPES}:
        raise TokenError("Tick at least one thing that the program may do.", "scopes")
    if days is not None and days not in LIVES:
        raise TokenError("Choose one of the times shown.", "days")


def _named(text: str) -> str:
    if not text.strip():
        return "A program"
    try:
        return clean(text)
    except AccountError as error:
        raise TokenError(str(error), "token-name") from error


def _derived(site: Site, player_id: int, form: str) -> str:
    digest = hmac.digest(site.settings.secret.encode(), f"token {player_id} {form}".encode(errors="replace"), "sha256")
    return PREFIX + b32encode(digest[: BITS // 8]).decode().lower()


_GOOD = (
    Token.revoked.is_(None),
    or_(Token.expires.is_(None), Token.expires > bindparam("now", type_=Instant)),
)
_OF_PLAYER = select(Token).where(Token.player_id == bindparam("player"), *_GOOD).order_by(Token.made.desc(), Token.id)
_COUNTED = select(func.count()).select_from(Token).where(Token.player_id == bindparam("player"), *_GOOD)
_HOLDER = select(Player, Token).join(Token).where(Token.hash == bindparam("hash"), Player.left.is_(None), *_GOOD)
"""Built once, because every request of a program runs it."""


def holder(site: Site, token: str) -> Holder | None:
    """The player of this token, recording its use if possible; None if it isn't valid."""
    now = site.now()
    with site.store.reading() as session:
        found = session.execute(_HOLDER, {"hash": stored(token), "now": now}).first()
    if found is None:
        return None
    player, row = found
    if row.used is None or row.used < now - _SEEN_WITHIN:
        # A program can read even if nothing can be written.
        with suppress(*FAILURES), site.transaction() as tx:
            tx.session.execute(update(Token).where(Token.id == row.id).values(used=now))
    return Holder(player, row.id, frozenset(cast("list[Scope]", row.scopes.split())), row.expires)


def of(site: Site, player_id: int) -> Sequence[Token]:
    """A player's valid tokens, the latest first."""
    with site.store.reading() as session:
        return session.scalars(_OF_PLAYER, {"player": player_id, "now": site.now()}).all()


@transactional
def revoke(tx: Transaction, player_id: int, hashed: str) -> bool:
    """Ends a token of a player or of one of their bots at once, and returns whether there is such a token.

    It is named by its stored hash: the number of its row would show how many tokens others have.
    """
    own = select(Player.id).where(or_(Player.id == player_id, Player.owner_id == player_id))
    row = tx.session.scalars(select(Token).where(Token.hash == hashed, Token.player_id.in_(own))).first()
    if row is not None and row.revoked is None:
        row.revoked = tx.now
        account_events.changed("token-revoked", player_id)
    return row is not None


def revoke_all(session: Session, player_id: int, now: datetime) -> None:
    """Ends all tokens of a player and of the bots they own."""
    own = select(Player.id).where(or_(Player.id == player_id, Player.owner_id == player_id))
    session.execute(update(Token).where(Token.player_id.in_(own), Token.revoked.is_(None)).values(revoked=now))
