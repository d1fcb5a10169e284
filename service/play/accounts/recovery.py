"""Taking an account back: the link in every email about a changed account, which signs everybody out.

The person who reads an account's mailbox is its owner. Nobody knows which session, password or passkey is the thief's,
so all of them go, and what is pending is called off; the owner signs in with an emailed link.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from sqlalchemy import delete, or_, select, update
from sqlalchemy.orm import Session

from service.mail.reply_address import mark
from service.play.accounts import account_events
from service.play.accounts.identity import OBJECT, AccountError
from service.play.accounts.programs import tokens
from service.play.links import Link, LinkError
from service.play.site import Site, Transaction
from service.store.insert import insert_once
from service.store.models import Player
from service.store.tables.credentials import AddressChange, MailNetwork, Passkey, Password, UsedLink, Visit
from service.store.tables.doors import Door


def link(site: Site, player: Player, sent: datetime) -> str:
    """The page that an email of the time `sent` leads to. The link is valid for `identity.OBJECT`."""
    return Link.RECOVERY.to(site, [player.id, int(sent.timestamp()), mark(player.email or "")])


def recoverable(site: Site, token: str) -> tuple[str, bool]:
    """The name of the account a link is about, and whether the link was used already; raises AccountError."""
    with site.store.reading() as session:
        player = _meant(site, session, token)
        return player.name, session.get(UsedLink, _nonce(token)) is not None


def recover(site: Site, token: str) -> None:
    """Shuts everybody out of the account a link is about; raises AccountError. A link works once."""
    with site.transaction() as tx:
        player = _meant(site, tx.session, token, lock=True)
        if insert_once(tx.session, UsedLink, nonce=_nonce(token), used=tx.now):
            shut_out(tx, player)
            account_events.changed("taken back", player.id)


def shut_out(tx: Transaction, player: Player) -> None:
    """Ends every session, removes password, passkeys and mail networks, revokes tokens, renews feeds, and calls off
    pending changes and deletion. Hooks and devices are removed, those of the player's bots too."""
    own = AddressChange.player_id == player.id
    pending = update(AddressChange).where(own, AddressChange.made.is_(None), AddressChange.undone.is_(None))
    tx.session.execute(pending.values(undone=tx.now))
    player.leaves, player.feeds = None, player.feeds + 1
    tokens.revoke_all(tx.session, player.id, tx.now)
    # A sign-in under way has locked the password or passkey: its session is there to be deleted once these are.
    for row in (Password, Passkey, Visit, MailNetwork):
        tx.session.execute(delete(row).where(row.player_id == player.id))
    theirs = select(Player.id).where(or_(Player.id == player.id, Player.owner_id == player.id))
    tx.session.execute(delete(Door).where(Door.player_id.in_(theirs)))


def _meant(site: Site, session: Session, token: str, *, lock: bool = False) -> Player:
    try:
        player_id, sent, address = Link.RECOVERY.read(site, token)
    except LinkError as error:
        raise AccountError("This link is incomplete. Copy all of it from the email.") from error
    # Not the key: where a hook is switched off, it is locked before its player is owed an email.
    player = session.get(Player, player_id, with_for_update={"key_share": True} if lock else None)
    if player is None or player.left is not None:
        raise AccountError("This account was deleted.")
    if mark(player.email or "") != address:
        raise AccountError(
            "This account now has another email address. The email about that change has a link to undo it."
        )
    if site.now().timestamp() > sent + OBJECT.total_seconds():
        raise AccountError("This link has expired. Sign in by email and check your account's passwords and passkeys.")
    return player


def _nonce(token: str) -> str:
    return sha256(f"recovery {token}".encode()).hexdigest()
