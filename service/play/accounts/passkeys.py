"""Signing in with a passkey (WebAuthn): a device proves that it has a key that the player registered earlier."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from service.play.accounts import account_events, guests, sessions
from service.play.accounts.display_names import LONGEST_NAME, visible
from service.play.accounts.sessions import Begin
from service.play.letter_kinds import Account
from service.play.site import Site, Transaction
from service.store.insert import insert_once
from service.store.models import Player
from service.store.tables.credentials import Passkey, UsedLink, Visit

# webauthn takes longer to load than all the rest of a web process: it is imported where it is used.

MOST = 20
"""The most passkeys of one player."""

UNREAD = "The passkey couldn't be checked. Try again, or sign in with a link by email."


class PasskeyError(ValueError):
    """A passkey that can't be saved, or that signs nobody in. The message is one sentence for the person."""


def of(site: Site, player_id: int) -> Sequence[Passkey]:
    """A player's passkeys, the oldest first."""
    with site.store.reading() as session:
        return _of(session, player_id)


def new_options(site: Site, player: Player, challenge: str) -> dict[str, Any]:
    """What a browser needs to make a passkey for this player (WebAuthn's `PublicKeyCredentialCreationOptionsJSON`)."""
    from webauthn import generate_registration_options
    from webauthn.helpers import options_to_json_dict
    from webauthn.helpers.structs import AuthenticatorSelectionCriteria, ResidentKeyRequirement

    options = generate_registration_options(
        rp_id=site.settings.passkey_host,
        rp_name="Stonepost",
        user_id=_handle(player.id),
        user_name=player.email or player.name,
        user_display_name=player.name,
        challenge=challenge.encode(),
        authenticator_selection=AuthenticatorSelectionCriteria(resident_key=ResidentKeyRequirement.REQUIRED),
        exclude_credentials=[_descriptor(known) for known in of(site, player.id)],
    )
    return options_to_json_dict(options)


def add(site: Site, player_id: int, answer: str, challenge: str, name: str, visit: str | None = None) -> None:
    """Saves the passkey a browser has created, and informs the player by email; raises PasskeyError.

    The session with the key `visit` must not have ended meanwhile.
    """
    from webauthn import verify_registration_response
    from webauthn.helpers import bytes_to_base64url
    from webauthn.helpers.exceptions import WebAuthnException

    _check_time(challenge)
    try:
        made = verify_registration_response(
            credential=answer,
            expected_challenge=challenge.encode(),
            expected_rp_id=site.settings.passkey_host,
            expected_origin=_origin(site),
        )
    except (WebAuthnException, ValueError) as error:
        raise PasskeyError("The passkey couldn't be added. Please try again.") from error
    called = visible(name)[:LONGEST_NAME] or "A passkey"
    with site.transaction() as tx:
        tx.session.get_one(Player, player_id, with_for_update=True)
        if visit is not None and tx.session.get(Visit, sessions.stored(visit)) is None:
            raise PasskeyError("You've been signed out on this browser. Sign in again to add a passkey.")
        if len(_of(tx.session, player_id)) >= MOST:
            raise PasskeyError(f"You already have {MOST} passkeys. Remove one you no longer use first.")
        credential = bytes_to_base64url(made.credential_id)
        row = {"player_id": player_id, "public_key": made.credential_public_key, "uses": made.sign_count}
        if insert_once(tx.session, Passkey, credential=credential, name=called, made=tx.now, **row):
            account_events.tell(tx, player_id, Account(event="passkey-added", name=called))


def remove(site: Site, player_id: int, passkey_id: int) -> None:
    """Deletes one of a player's passkeys and informs them by email. A second call changes nothing.

    One that opens the operators' pages closes them in all browsers.
    """
    with site.transaction() as tx:
        _lock(tx, player_id)
        row = tx.session.get(Passkey, passkey_id)
        if row is None or row.player_id != player_id:
            return
        if row.operates is not None:
            tx.session.execute(update(Visit).where(Visit.player_id == player_id).values(operating=None))
        tx.session.delete(row)
        account_events.tell(tx, player_id, Account(event="passkey-removed", name=row.name))


def rename(site: Site, player_id: int, passkey_id: int, name: str) -> None:
    """Renames one of a player's passkeys; raises PasskeyError."""
    called = visible(name)
    if not 1 <= len(called) <= LONGEST_NAME:
        raise PasskeyError(f"A passkey's name can have 1 to {LONGEST_NAME} characters.")
    own = update(Passkey).where(Passkey.id == passkey_id, Passkey.player_id == player_id)
    with site.transaction() as tx:
        tx.session.execute(own.values(name=called))


def new_challenge() -> str:
    """What a device has to sign, once."""
    return secrets.token_urlsafe(32)


def sign_in_options(site: Site, challenge: str, *, verified: bool = False) -> dict[str, Any]:
    """What a browser needs to ask its owner for any passkey of this site (`PublicKeyCredentialRequestOptionsJSON`).

    `verified`: the device must also make sure who is holding it, by a PIN, a finger or a face.
    """
    from webauthn import generate_authentication_options
    from webauthn.helpers import options_to_json_dict
    from webauthn.helpers.structs import UserVerificationRequirement

    asked = UserVerificationRequirement.REQUIRED if verified else UserVerificationRequirement.PREFERRED
    options = generate_authentication_options(
        rp_id=site.settings.passkey_host, challenge=challenge.encode(), user_verification=asked
    )
    return options_to_json_dict(options)


def sign_in(site: Site, answer: str, challenge: str, guest_id: int | None = None, begin: Begin | None = None) -> Player:
    """Signs a player in with a passkey and returns them, with what this browser's guest has; raises PasskeyError.

    Each challenge can be answered once. Their session begins with `begin`.
    """
    known, uses = _proven(site, answer, challenge)
    with site.transaction() as tx:
        if guest_id is not None:
            guests.claim(tx.session, guest_id, known.player_id)
        _lock(tx, known.player_id)
        _use(tx, known, uses, challenge)
        if begin is not None:
            begin(tx, known.player_id)
        return tx.session.get_one(Player, known.player_id)


def open_operators_pages(site: Site, visit: str, answer: str, challenge: str) -> None:
    """Opens the operators' pages to the browser with this key, with a passkey of the one who is signed in there.

    Somebody on the server must have confirmed the passkey, since a mailbox is enough to add one. Raises PasskeyError.
    """
    known, uses = _proven(site, answer, challenge, verified=True)
    with site.transaction() as tx:
        _lock(tx, known.player_id)
        here = tx.session.get(Visit, sessions.stored(visit), with_for_update=True)
        if here is None or here.player_id != known.player_id:
            raise PasskeyError("This passkey belongs to a different account from the one you're signed in to.")
        if known.operates is None:
            account_events.refused(
                site, "passkey", known.player_id, f"passkey {known.id} isn't confirmed for operators"
            )
            raise PasskeyError(
                "This passkey isn't confirmed for operators. On the server, somebody must run: "
                f"stonepost operator confirm {known.id}"
            )
        _use(tx, known, uses, challenge)
        here.operating = tx.now
    account_events.changed("operators-pages-opened", known.player_id)


def _lock(tx: Transaction, player_id: int) -> None:
    """Locks a player, before their passkeys and sessions, as where the account is taken back."""
    tx.session.get_one(Player, player_id, with_for_update={"key_share": True})


def _use(tx: Transaction, known: Passkey, uses: int, challenge: str) -> None:
    if not insert_once(tx.session, UsedLink, nonce=challenge, used=tx.now):
        raise PasskeyError("This sign-in attempt has already been used. Please try again.")
    row = tx.session.get(Passkey, known.id, with_for_update=True)
    if row is None:  # Somebody has removed it while it was being checked.
        raise PasskeyError(UNREAD)
    row.uses, row.used = uses, tx.now


def _proven(site: Site, answer: str, challenge: str, *, verified: bool = False) -> tuple[Passkey, int]:
    """The passkey that gave this answer, and its new count; raises PasskeyError."""
    from webauthn import verify_authentication_response
    from webauthn.helpers import bytes_to_base64url, parse_authentication_credential_json
    from webauthn.helpers.exceptions import WebAuthnException

    _check_time(challenge)
    try:
        given = parse_authentication_credential_json(answer)
    except (WebAuthnException, ValueError) as error:
        raise PasskeyError(UNREAD) from error
    with site.store.reading() as session:
        named = select(Passkey).where(Passkey.credential == bytes_to_base64url(given.raw_id))
        known = session.scalars(named).first()
    if known is None or given.response.user_handle != _handle(known.player_id):
        account_events.refused(site, "passkey", None, "it is not known here")
        raise PasskeyError("This passkey doesn't belong to any account here. Sign in by email, then add a passkey.")
    try:
        proof = verify_authentication_response(
            credential=given,
            expected_challenge=challenge.encode(),
            expected_rp_id=site.settings.passkey_host,
            expected_origin=_origin(site),
            credential_public_key=known.public_key,
            credential_current_sign_count=known.uses,
            require_user_verification=verified,
        )
    except (WebAuthnException, ValueError) as error:
        account_events.refused(site, "passkey", known.player_id, "its signature does not hold")
        raise PasskeyError(UNREAD) from error
    return known, proof.new_sign_count


def _check_time(challenge: str) -> None:
    """Refuses every answer if the challenge was never set or has expired."""
    if not challenge:
        raise PasskeyError("That took too long. Please try again.")


def _of(session: Session, player_id: int) -> Sequence[Passkey]:
    return session.scalars(select(Passkey).where(Passkey.player_id == player_id).order_by(Passkey.id)).all()


def _origin(site: Site) -> str:
    """The origin of our pages, as browsers put it into what a device signs."""
    parts = urlsplit(site.settings.public_url)
    return f"{parts.scheme}://{parts.netloc}"


def _handle(player_id: int) -> bytes:
    """The user handle that devices store: a public number, and neither name nor address."""
    return f"player {player_id}".encode()


def _descriptor(known: Passkey) -> Any:
    from webauthn.helpers import base64url_to_bytes
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

    return PublicKeyCredentialDescriptor(id=base64url_to_bytes(known.credential))
