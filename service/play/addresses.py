"""Another address for a player: confirmed by a link sent to the new one, and undone by one sent to the old.

A link is good only while what it is about still stands, so that each works once. While the old address may object,
it is nobody else's: whoever writes to it or signs in with it means the player who left it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from service.play.accounts import OBJECT, AccountError, clean_address, owner
from service.play.announce import owe
from service.play.house import House, Nudges
from service.store.access import AddressChange, Passkey, Password
from service.store.models import Player, Visit

CONFIRM = timedelta(days=1)
"""How long the link to the new address is good."""

MOMENT = timedelta(minutes=2)
"""Within which a wish repeated is the same wish."""

KEPT = timedelta(days=30)
"""How long a change is remembered."""

PER_DAY = 5
"""Wishes of one player in 24 hours: each sends a mail to an address that need not be theirs."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change as its link's page shows it."""

    name: str
    old: str
    new: str
    done: bool
    """Whether what the link is for was done with it, and still stands."""


def ask(house: House, player_id: int, text: str) -> str:
    """Sends a link to the address a player wants from now on, and returns that; raises AccountError.

    What comes of it is the same for the player whether or not somebody else has the address.
    """
    with house.store.writing() as session:
        wanted, nudges = wish(session, house.now(), session.get_one(Player, player_id), text)
    house.nudge_all(nudges)
    return wanted


def wish(session: Session, now: datetime, player: Player, text: str) -> tuple[str, Nudges]:
    """`ask` within a transaction of the caller's, who nudges after its commit."""
    wanted = clean_address(text)
    if player.email is None or wanted == player.email:
        raise AccountError("That is your address already." if player.email else "A guest has no address to change.")
    if _asked_lately(session, now, player, wanted):
        return wanted, []
    today = select(func.count()).where(AddressChange.player_id == player.id, AddressChange.asked > now - CONFIRM)
    if (session.scalar(today) or 0) >= PER_DAY:
        raise AccountError("You have asked for another address too often today. Try again tomorrow.")
    change = AddressChange(player_id=player.id, old=player.email, new=wanted, asked=now)
    session.add(change)
    session.flush()
    taken = owner(session, wanted, now) not in (None, player)
    event = "address-taken" if taken else "address-asked"
    key = f"account:{player.id}:address:{change.id}"
    return wanted, owe(session, now, "account", key, player.id, event=event, address=wanted, change=change.id)


def _asked_lately(session: Session, now: datetime, player: Player, wanted: str) -> bool:
    """Whether the same was asked a moment ago: a form sent twice sends one mail."""
    same = select(AddressChange.id).where(
        AddressChange.player_id == player.id,
        AddressChange.asked > now - MOMENT,
        AddressChange.old == player.email,
        AddressChange.new == wanted,
        AddressChange.made.is_(None),
        AddressChange.undone.is_(None),
    )
    return session.scalars(same).first() is not None


def confirm_link(house: House, change_id: int) -> str:
    """The page that the new address is sent."""
    return f"{house.settings.public_url}/address/confirm/{_signer(house, 'confirm address').dumps(change_id)}"


def object_link(house: House, change_id: int) -> str:
    """The page that the old address is sent."""
    return f"{house.settings.public_url}/address/object/{_signer(house, 'object address').dumps(change_id)}"


def confirmable(house: House, token: str) -> Change:
    """What a link to a new address is about; raises AccountError."""
    with house.store.reading() as session:
        change = _meant(house, session, token, "confirm address")
        if not _stands(change):
            _check_confirmable(house, session, change)
        return _shown(session, change, _stands(change))


def confirm(house: House, token: str) -> None:
    """Makes the change, and tells the old address how to object; raises AccountError. Twice is once."""
    now = house.now()
    with house.store.writing() as session:
        change = _meant(house, session, token, "confirm address")
        if _stands(change):
            return
        _check_confirmable(house, session, change)
        player = session.get_one(Player, change.player_id, with_for_update=True)
        if owner(session, change.new, now) not in (None, player):
            raise AccountError("This address has an account of its own by now, so it was not changed.")
        player.email, player.bounced, change.made = change.new, None, now
        key, event = f"account:{player.id}:changed:{change.id}", "address-changed"
        nudges = owe(session, now, "account", key, player.id, event=event, address=change.old, change=change.id)
    house.nudge_all(nudges)


def objectionable(house: House, token: str) -> Change:
    """What a link to an old address is about; raises AccountError."""
    with house.store.reading() as session:
        change = _meant(house, session, token, "object address")
        done = _is_taken_back(session, change)
        if not done:
            _check_objectionable(house, change)
        return _shown(session, change, done)


def refuse(house: House, token: str) -> None:
    """Gives the old address back and shuts out whoever came in since; raises AccountError.

    Later changes go with it, and so do every browser, password, passkey and feed: which of them were the thief's is
    unknown. Twice is once.
    """
    now = house.now()
    with house.store.writing() as session:
        change = _meant(house, session, token, "object address")
        if _is_taken_back(session, change):
            return
        _check_objectionable(house, change)
        player = session.get_one(Player, change.player_id, with_for_update=True)
        later = or_(AddressChange.id >= change.id, AddressChange.made.is_(None))
        own = update(AddressChange).where(AddressChange.player_id == player.id, later, AddressChange.undone.is_(None))
        session.execute(own.values(undone=now))
        player.email, player.bounced, player.feeds = change.old, None, player.feeds + 1
        for row in (Visit, Password, Passkey):
            session.execute(delete(row).where(row.player_id == player.id))


def forget_old(house: House) -> None:
    """Drops what is remembered of changes that nobody can object to any more."""
    with house.store.reading() as session:
        old = session.scalar(select(AddressChange.id).where(AddressChange.asked < house.now() - KEPT).limit(1))
    if old is not None:
        with house.store.writing() as session:
            session.execute(delete(AddressChange).where(AddressChange.asked < house.now() - KEPT))


def _stands(change: AddressChange) -> bool:
    return change.made is not None and change.undone is None


def _is_taken_back(session: Session, change: AddressChange) -> bool:
    return change.undone is not None and session.get_one(Player, change.player_id).email == change.old


def _check_confirmable(house: House, session: Session, change: AddressChange) -> None:
    player = session.get_one(Player, change.player_id)
    if change.undone is not None or player.email != change.old:
        raise AccountError("This change is called off. Ask for a new link if you still want it.")
    if house.now() > change.asked + CONFIRM:
        raise AccountError("This link is too old. Ask for a new one.")


def _check_objectionable(house: House, change: AddressChange) -> None:
    if change.made is None or change.undone is not None:
        raise AccountError("This change has been undone already.")
    if house.now() > change.made + OBJECT:
        raise AccountError("This link is too old to undo the change. Write to those who run this place.")


def _meant(house: House, session: Session, token: str, salt: str) -> AddressChange:
    try:
        change = session.get(AddressChange, _signer(house, salt).loads(token), with_for_update=True)
    except BadSignature as error:
        raise AccountError("This link is not complete. Copy all of it from the mail.") from error
    if change is None:
        raise AccountError("This link is too old. Ask for a new one.")
    return change


def _shown(session: Session, change: AddressChange, done: bool) -> Change:
    return Change(session.get_one(Player, change.player_id).name, change.old, change.new, done)


def _signer(house: House, salt: str) -> URLSafeSerializer:
    return URLSafeSerializer(house.settings.secret, salt=salt)
