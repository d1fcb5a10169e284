"""Changing a player's email address: both addresses agree to it, and the old one can undo it.

The new address always confirms, with the link that is sent to it. The old address approves with its own link, and then
the change is made at once. If the player asked right after signing in on the web, no approval is needed (an old mailbox
may be gone), but the change waits for DELAY. The link at the old address stops the change while it is pending, and
undoes it for `identity.OBJECT` after it is made. No single email ever changes an address.

While the old address may object, nobody else can have it: an email from it, or a sign-in with it, means the player who
left it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from service.play.accounts import account_events, recovery
from service.play.accounts.identity import OBJECT, AccountError, clean_address, owner
from service.play.letter_kinds import Account, AccountEvent
from service.play.links import Link, LinkError
from service.play.notify.announce import owe
from service.play.site import Site, Transaction, going_on, transactional
from service.store.models import Player
from service.store.tables.credentials import AddressChange

CONFIRM = timedelta(days=3)
"""How long both links work: to confirm, and to approve."""

DELAY = timedelta(days=3)
"""How long a change that the old address has not approved waits once the new one has confirmed it."""

MOMENT = timedelta(minutes=2)
"""Within this time, a repeated request is the same one."""

PER_DAY = 5
"""Requests by one player in 24 hours. Each sends an email to an address that may not be theirs."""

AT_ONCE = 100
"""How many changes one sweep makes."""

State = Literal["asked", "waiting", "made", "stopped", "undone"]
"""`asked`: this side has not agreed yet; `waiting`: it has, and the change is not made yet; `stopped`: it never was."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change as the page of one side's link shows it. `due` is when it is made without the old address's approval."""

    name: str
    old: str
    new: str
    state: State
    due: datetime | None


@transactional
def ask(tx: Transaction, player_id: int, text: str, *, proven: bool = False) -> str:
    """Sends both links for the address a player wants, and returns that; raises AccountError.

    `proven` says that they have just signed in. The player sees the same whether or not somebody else has
    the address.
    """
    # Locked, so that of two requests at the same moment, the second knows of the first.
    player = tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
    wanted = clean_address(text)
    if player.email is None or wanted == player.email:
        raise AccountError(
            "That's already your email address." if player.email else "Guests have no email address to change."
        )
    if _asked_lately(tx, player, wanted, proven):
        return wanted
    today = select(func.count()).where(
        AddressChange.player_id == player.id, AddressChange.asked > tx.now - timedelta(days=1)
    )
    if (tx.session.scalar(today) or 0) >= PER_DAY:
        raise AccountError("You've asked to change your email address too often today. Please try again tomorrow.")
    change = AddressChange(player_id=player.id, old=player.email, new=wanted, asked=tx.now, proven=proven)
    tx.session.add(change)
    tx.session.flush()
    taken = owner(tx.session, wanted, tx.now) not in (None, player)
    event: AccountEvent = "address-taken" if taken else "address-asked"
    account_events.changed("address-asked", player.id)
    _tell(tx, change, "address-proven" if proven else "address-approve", change.old, "approve")
    _tell(tx, change, event, wanted, "address")
    return wanted


def _tell(tx: Transaction, change: AddressChange, event: AccountEvent, to: str, key: str) -> None:
    key = f"account:{change.player_id}:{key}:{change.id}"
    owe(tx, key, change.player_id, Account(event=event, address=to, change=change.id))


def _asked_lately(tx: Transaction, player: Player, wanted: str, proven: bool) -> bool:
    """Whether the same was requested a moment ago: a form sent twice sends its emails once."""
    same = select(AddressChange.id).where(
        AddressChange.player_id == player.id,
        AddressChange.asked > tx.now - MOMENT,
        AddressChange.old == player.email,
        AddressChange.new == wanted,
        AddressChange.proven == proven,
        _PENDING,
    )
    return tx.session.scalars(same).first() is not None


def pending(site: Site, player_id: int) -> AddressChange | None:
    """The latest change of a player that may still be made."""
    latest = select(AddressChange).where(AddressChange.player_id == player_id, _PENDING)
    with site.store.reading() as session:
        change = session.scalars(latest.order_by(AddressChange.id.desc())).first()
        return change if change is not None and (change.due or not _is_old(site, change)) else None


def call_off(site: Site, player_id: int) -> None:
    """Cancels a player's requested change. A second call changes nothing."""
    with site.transaction() as tx:
        own = update(AddressChange).where(AddressChange.player_id == player_id, _PENDING)
        tx.session.execute(own.values(undone=tx.now))


def confirm_link(site: Site, change_id: int) -> str:
    """The page that the new address is sent."""
    return Link.CONFIRM_ADDRESS.to(site, change_id)


def object_link(site: Site, change_id: int) -> str:
    """The page that the old address is sent: it approves, stops or undoes, whatever can still be done."""
    return Link.OBJECT_ADDRESS.to(site, change_id)


def confirmable(site: Site, token: str) -> Change:
    """What a link to a new address is about; raises AccountError."""
    with site.store.reading() as session:
        change = _meant(site, session, token, Link.CONFIRM_ADDRESS)
        if not _stands(change):
            _check_pending(site, session, change)
        return _shown(session, change, "made" if _stands(change) else "waiting" if change.confirmed else "asked")


def confirm(site: Site, token: str) -> None:
    """The new address agrees; raises AccountError. Repeating it changes nothing."""
    with site.transaction() as tx:
        change = _meant(site, tx.session, token, Link.CONFIRM_ADDRESS)
        if _stands(change) or change.confirmed:
            return
        _check_pending(site, tx.session, change)
        change.confirmed = tx.now
        _settle(tx, change)


def approve(site: Site, token: str) -> None:
    """The old address agrees; raises AccountError. Repeating it changes nothing."""
    with site.transaction() as tx:
        change = _meant(site, tx.session, token, Link.OBJECT_ADDRESS)
        if _stands(change) or change.approved:
            return
        _check_pending(site, tx.session, change)
        change.approved = tx.now
        _settle(tx, change)


def _settle(tx: Transaction, change: AddressChange) -> None:
    """Makes a change that both sides agreed to, or sets when one is made that needs no approval."""
    if change.confirmed is None:
        return
    if change.approved is not None:
        _make(tx, change)
        return
    change.due = tx.now + DELAY if change.proven else None


def _make(tx: Transaction, change: AddressChange) -> None:
    player = tx.session.get_one(Player, change.player_id, with_for_update=True)
    if player.email != change.old or owner(tx.session, change.new, tx.now) not in (None, player):
        # Committed as called off: the caller cannot do better, and nobody learns whose address it is.
        change.undone = tx.now
        if player.email == change.old:
            _tell(tx, change, "address-kept", change.old, "kept")
        return
    player.email, player.bounced, player.bounces_known, change.made = change.new, None, False, tx.now
    if player.leaves is not None:
        player.leaves = max(player.leaves, tx.now + OBJECT)
    account_events.changed("address-changed", player.id)
    _tell(tx, change, "address-changed", change.old, "changed")


def make_due(site: Site) -> None:
    """Makes the changes whose delay is over and that nobody has stopped."""
    with site.store.reading() as session:
        changes = session.scalars(_DUE, {"now": site.now()}).all()
    for number in changes:
        with going_on("address change", number), site.transaction() as tx:
            change = _locked(tx.session, number)
            if change is not None and change.undone is None and change.made is None:
                _make(tx, change)


def objectionable(site: Site, token: str) -> Change:
    """What a link to an old address is about; raises AccountError."""
    with site.store.reading() as session:
        change = _meant(site, session, token, Link.OBJECT_ADDRESS)
        if _is_taken_back(session, change):
            return _shown(session, change, "undone" if change.made else "stopped")
        if change.made is None:
            _check_pending(site, session, change)
            return _shown(session, change, "waiting" if change.approved else "asked")
        _check_objectionable(site, change)
        return _shown(session, change, "made")


def refuse(site: Site, token: str) -> None:
    """Stops a pending change or gives the old address back, and shuts everybody out; raises AccountError.

    Later changes go with it, since which of them were the thief's is unknown. Repeating it changes nothing.
    """
    now = site.now()
    with site.transaction() as tx:
        change = _meant(site, tx.session, token, Link.OBJECT_ADDRESS)
        if _is_taken_back(tx.session, change):
            return
        if change.made is None:
            _check_pending(site, tx.session, change)
        else:
            _check_objectionable(site, change)
        player = tx.session.get_one(Player, change.player_id, with_for_update=True)
        own = update(AddressChange).where(AddressChange.player_id == player.id, AddressChange.id >= change.id)
        tx.session.execute(own.where(AddressChange.undone.is_(None)).values(undone=now))
        player.email, player.bounced, player.bounces_known = change.old, None, False
        recovery.shut_out(tx, player)
        account_events.changed("address-undone", player.id)


_PENDING = AddressChange.made.is_(None) & AddressChange.undone.is_(None)
_DUE = select(AddressChange.id).where(AddressChange.due <= bindparam("now"), _PENDING).limit(AT_ONCE)


def _stands(change: AddressChange) -> bool:
    return change.made is not None and change.undone is None


def _is_taken_back(session: Session, change: AddressChange) -> bool:
    return change.undone is not None and session.get_one(Player, change.player_id).email == change.old


def _is_old(site: Site, change: AddressChange) -> bool:
    return site.now() > change.asked + CONFIRM


def _check_pending(site: Site, session: Session, change: AddressChange) -> None:
    if change.undone is not None or session.get_one(Player, change.player_id).email != change.old:
        raise AccountError("This change was cancelled. If you still want it, ask for a new link.")
    if change.due is None and _is_old(site, change):
        raise AccountError("This link has expired. Ask for a new one.")


def _check_objectionable(site: Site, change: AddressChange) -> None:
    if change.undone is not None:
        raise AccountError("This change has already been undone.")
    if change.made is not None and site.now() > change.made + OBJECT:
        raise AccountError("This link has expired and can't undo the change. Please contact the site's operator.")


def _locked(session: Session, number: int) -> AddressChange | None:
    """A change, locked after its player, as where all changes of a player are called off."""
    known = session.get(AddressChange, number)
    if known is not None:
        session.get_one(Player, known.player_id, with_for_update=True, populate_existing=True)
    return session.get(AddressChange, number, with_for_update=True, populate_existing=True)


def _meant(site: Site, session: Session, token: str, kind: Link) -> AddressChange:
    try:
        change = _locked(session, kind.read(site, token))
    except LinkError as error:
        raise AccountError("This link is incomplete. Copy all of it from the email.") from error
    if change is None:
        raise AccountError("This link has expired. Ask for a new one.")
    return change


def _shown(session: Session, change: AddressChange, state: State) -> Change:
    return Change(session.get_one(Player, change.player_id).name, change.old, change.new, state, change.due)
