"""Signing in with a password, for those who want one: kept as an argon2 hash, checked at the same cost for
everybody."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from string import digits, punctuation
from threading import BoundedSemaphore
from typing import TYPE_CHECKING
from unicodedata import normalize

from sqlalchemy import select, update

from service.play.accounts import account_events, guests, sessions
from service.play.accounts.sessions import Begin
from service.play.letter_kinds import Account, AccountEvent
from service.play.notify.announce import owe
from service.play.site import Site
from service.store.models import Player
from service.store.tables.credentials import Password, Visit

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 10, 200
"""Characters in a password."""

COMMON = Path(__file__).with_name("common-passwords.txt")

HASHES_AT_ONCE = BoundedSemaphore(2)
"""Each hash takes 64 MB and a core for a while (argon2's defaults): a flood must not bring down the machine."""

HASH_PATIENCE_SECONDS = 5.0
"""How long a request waits for its turn to hash."""


MISMATCH = "This email address and password don't match. Try again, or sign in with a link by email."


class PasswordError(ValueError):
    """A password that can't be saved, or that signs nobody in. The message is one sentence for the person."""


class TooBusyError(PasswordError):
    """Too many passwords are being checked just now."""


def is_set(site: Site, player_id: int) -> bool:
    """Whether a player has a password."""
    with site.store.reading() as session:
        return session.get(Password, player_id) is not None


def fits(site: Site, player_id: int, password: str) -> bool:
    """Whether this is a player's password; raises TooBusyError."""
    with site.store.reading() as session:
        row = session.get(Password, player_id)
    found = row is not None and _fits(row.hash, _normal(password)[: LONGEST + 1])
    if not found:
        account_events.refused(site, "password", player_id, "the former password does not fit")
    return found


def keep(site: Site, player_id: int, password: str, nonce: str, visit: str | None = None) -> None:
    """Gives a player this password in place of any before, and tells them by email; raises PasswordError.

    Every session ends except the one with the key `visit`, which must not have ended meanwhile. `nonce` is the form's:
    a form that is sent twice causes one email. Choosing the present password again changes nothing.
    """
    text = _checked(password)
    with site.store.reading() as session:
        had = session.get(Password, player_id)
    if had is not None and _fits(had.hash, text):
        return
    fresh = _hashed(text)
    with site.transaction() as tx:
        player = tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
        if visit is not None and tx.session.get(Visit, sessions.stored(visit)) is None:
            raise PasswordError("You've been signed out on this browser. Sign in again to set a password.")
        if text.lower() == (player.email or "").lower():
            raise PasswordError("Your email address can't be your password, because others know it.")
        row = tx.session.get(Password, player_id)
        event: AccountEvent = "password-set" if row is None else "password-changed"
        if owe(tx, f"account:{player_id}:{nonce}", player_id, Account(event=event)) is not None:
            tx.session.merge(Password(player_id=player_id, hash=fresh, changed=tx.now))
            sessions.end_all(tx, player_id, visit)
            account_events.changed(event, player_id)


def remove(site: Site, player_id: int, nonce: str) -> None:
    """Removes a player's password, if there is one, and informs them by email."""
    with site.transaction() as tx:
        row = tx.session.get(Password, player_id)
        if row is None:
            return
        tx.session.delete(row)
        key = f"account:{player_id}:{nonce}"
        owe(tx, key, player_id, Account(event="password-removed"))
        account_events.changed("password-removed", player_id)


def sign_in(site: Site, email: str, password: str, guest_id: int | None = None, begin: Begin | None = None) -> Player:
    """Signs a player in with an address and a password, with what this browser's guest has; raises PasswordError.

    Neither the words nor the time it takes reveal what was wrong. Their session begins with `begin`.
    """
    nobodys = _nobodys()
    asked = select(Player, Password.hash, Password.changed).join(Password).where(Player.email == email.strip().lower())
    with site.store.reading() as session:
        found = session.execute(asked).first()
    person, kept, changed = (None, nobodys, None) if found is None else found
    text = _normal(password)[: LONGEST + 1]
    if not _fits(kept, text) or person is None:
        account_events.refused(site, "password", None if found is None else found[0].id, "it does not fit")
        raise PasswordError(MISMATCH)
    fresh = _hashed(text) if hasher().check_needs_rehash(kept) else kept
    with site.transaction() as tx:
        if guest_id is not None:
            guests.claim(tx.session, guest_id, person.id)
        # Locked before the password, as where the account is taken back.
        tx.session.get_one(Player, person.id, with_for_update={"key_share": True})
        row = tx.session.get(Password, person.id, with_for_update=True)
        if row is None or row.changed != changed:  # Somebody has removed or changed it while it was being checked.
            raise PasswordError(MISMATCH)
        if fresh != kept:
            same = update(Password).where(Password.player_id == person.id, Password.hash == kept)
            tx.session.execute(same.values(hash=fresh))
        if begin is not None:
            begin(tx, person.id)
        return tx.session.get_one(Player, person.id)


@cache
def hasher() -> PasswordHasher:
    """What makes and checks hashes, at the parameters that are thought enough today."""
    # Few processes ever need it, and it takes a while to load.
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobodys() -> str:
    """A hash that no password matches. It is checked if a player has no password, so that this takes as long."""
    return _hashed(secrets.token_urlsafe(32))


def _fits(kept: str, text: str) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        with _turn():
            return hasher().verify(kept, text)
    except (InvalidHashError, VerificationError):
        return False


def _hashed(text: str) -> str:
    with _turn():
        return hasher().hash(text)


@contextmanager
def _turn() -> Iterator[None]:
    """Waits for a turn to hash; raises TooBusyError if there is none for too long."""
    if not HASHES_AT_ONCE.acquire(timeout=HASH_PATIENCE_SECONDS):
        raise TooBusyError("The site is busy checking passwords. Please try again in a minute.")
    try:
        yield
    finally:
        HASHES_AT_ONCE.release()


def _checked(password: str) -> str:
    text = _normal(password)
    if len(text) < SHORTEST:
        raise PasswordError(
            f"A password needs at least {SHORTEST} characters. Four words that nobody would guess work well."
        )
    if len(text) > LONGEST:
        raise PasswordError(f"A password can have up to {LONGEST} characters; this one has {len(text):,}.")
    if len(set(text)) < 4:
        raise PasswordError("This password repeats itself, so it's too easy to guess.")
    if {text.casefold(), text.casefold().strip(digits + punctuation)} & _common():
        raise PasswordError(
            "This password is one of the first an attacker would try. Four words of your own work better."
        )
    return text


@cache
def _common() -> frozenset[str]:
    """The commonest passwords, in lower case."""
    return frozenset(COMMON.read_text("utf-8").splitlines())


def _normal(password: str) -> str:
    """The same text for the same keys, whichever way a keyboard puts accents on letters (RFC 8265, section 4)."""
    return normalize("NFC", password)
