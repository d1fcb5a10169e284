"""Players' identities: addresses, names, and sign-in links."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from zoneinfo import available_timezones

from sqlalchemy import bindparam, or_, select
from sqlalchemy.orm import Session

from service.mail.mailbox import DOMAIN
from service.mail.reply_address import mark
from service.play import bans
from service.play.accounts import display_names, guests
from service.play.accounts.display_names import AccountError as AccountError
from service.play.accounts.display_names import NameRefused as NameRefused
from service.play.accounts.sessions import Begin
from service.play.letter_kinds import SignIn
from service.play.links import Link, LinkError
from service.play.notify.announce import owe
from service.play.site import Site, Transaction
from service.store.insert import insert_once
from service.store.models import Player
from service.store.tables.credentials import AddressChange, UsedLink
from service.store.tables.mail_rows import Letter

ZONES = frozenset(available_timezones())
LINK_LIFE = timedelta(minutes=30)
LINKS = ((5, timedelta(minutes=15)), (20, timedelta(days=1)))
"""How many sign-in links an address gets within a time; after that it gets one only if it has no valid one left."""
LINK_REST = LINK_LIFE / 2
"""How long an earlier link must still be valid to be enough without a new one."""
MOMENT = timedelta(minutes=1)
"""Within this time, a button pressed twice counts once."""
OBJECT = timedelta(days=7)
"""How long a player's old address may object to a change, and stays theirs."""
_ADDRESS = re.compile(rf"[a-z0-9!#$%&'*+/=?^_`{{|}}~.-]{{1,64}}@(?=.{{1,189}}\Z){DOMAIN}")
"""All that mail servers accept, also dots where RFC 5322 has none."""


def clean_address(text: str) -> str:
    """An email address as stored; raises AccountError. Case is folded: no two people share one in practice."""
    address = text.strip().lower()
    if not address:
        raise AccountError("Type an email address, such as ada@example.org.")
    if not _ADDRESS.fullmatch(address):
        raise AccountError(
            f"{text.strip()[:80]!r} isn't an email address. An email address looks like ada@example.org."
        )
    return address


def by_email(session: Session, text: str, now: datetime) -> Player:
    """The player with this address, created if new; raises AccountError."""
    address = clean_address(text)
    if (known := owner(session, address, now)) is not None:
        return known
    entered = insert_once(session, Player, email=address, name="", created=now)
    person = session.scalars(select(Player).where(Player.email == address)).one()
    if entered:
        person.name = person.number_name
    return person


def owner(session: Session, address: str, now: datetime) -> Player | None:
    """The player who has this address, or had it so recently that it may still object to the change."""
    has = session.scalars(select(Player).where(Player.email == address)).first()
    return has or session.scalars(_HAD, {"address": address, "lately": now - OBJECT}).first()


_HAD = (
    select(Player)
    .join(AddressChange)
    .where(AddressChange.old == bindparam("address"), AddressChange.made > bindparam("lately"))
    .where(AddressChange.undone.is_(None))
    .order_by(AddressChange.made.desc())
)


def bot(session: Session, name: str, now: datetime) -> Player:
    """The player who is the computer opponent `name`, created if new."""
    insert_once(session, Player, bot=name, name=name.capitalize(), created=now)
    return session.scalars(select(Player).where(Player.bot == name)).one()


def rename(site: Site, player_id: int, name: str) -> str:
    """Gives a player another name, and returns it as stored; raises NameRefused."""
    with site.transaction() as tx:
        return display_names.take(tx.session, tx.session.get_one(Player, player_id), name)


def introduce(site: Site, player_id: int, name: str, *, inviting: bool) -> str:
    """The player's name from now on: `name` if they haven't chosen one yet; raises AccountError.

    A player who is `inviting` others by email needs a name: a number says nothing to a stranger.
    """
    with site.transaction() as tx:
        player = tx.session.get_one(Player, player_id)
        if not player.is_unnamed or not (name.strip() or inviting):
            return player.name
        if not name.strip():
            raise AccountError("Choose a display name, so the people you invite know who's asking.")
        bans.refuse_banned(tx, player_id, AccountError)
        return display_names.take(tx.session, player, name)


def clean_zone(text: str) -> str:
    """A time zone by its IANA name in any case, or by its city alone; raises AccountError."""
    wanted = "_".join(text.lower().split()).strip(".")
    for part in (str, _city):
        found = [zone for zone in ZONES if part(zone).lower() == wanted]
        if len(found) == 1:
            return found[0]
    raise AccountError(f"{text.strip()[:60]!r} isn't a time zone we know. Write it like Europe/Lisbon.")


def _city(zone: str) -> str:
    return zone.rpartition("/")[2]


def ask_sign_in(site: Site, email: str, guest_id: int | None = None, wanted: str = "") -> None:
    """Owes the person at this address a sign-in link, which offers them what a guest has; raises AccountError.

    It leads to the path `wanted`, in any browser that opens it.

    Nobody learns whether a link was sent. If an address has had its LINKS, no matter who asked for them, its owner
    isn't locked out: a new link is left out only while an earlier one is unused and valid for LINK_REST. From then on
    links are plain, without a guest or a path, so that what replaces an owner's link has nothing of a stranger's.
    """
    now, nonce = site.now(), secrets.token_urlsafe(18)
    expires = int((now + LINK_LIFE).timestamp())
    with site.transaction() as tx:
        person = by_email(tx.session, email, now)
        links = _todays_links(tx, person)
        if _are_enough(links, now):
            if _is_plain_one_good(tx, links):
                return
            guest_id, wanted = None, ""
        newcomer = person.confirmed is None
        link = SignIn(nonce=nonce, expires=expires, guest=guest_id, newcomer=newcomer, wanted=wanted)
        owe(tx, f"sign_in:{nonce}", person.id, link)


def _todays_links(tx: Transaction, person: Player) -> Sequence[Letter]:
    """The latest links owed to somebody within a day, at most as many as LINKS counts, the latest first."""
    own = (Letter.player_id == person.id, Letter.kind == SignIn.kind)
    # Few letters wait to be sent, and one index has them along with those sent since.
    yesterday = tx.now - timedelta(days=1)
    today = or_(Letter.sent > yesterday, Letter.sent.is_(None)), Letter.created > yesterday
    letters = select(Letter).where(*own, *today).order_by(Letter.created.desc(), Letter.id.desc())
    return tx.session.scalars(letters.limit(max(number for number, _ in LINKS))).all()


def _are_enough(links: Sequence[Letter], now: datetime) -> bool:
    return any(len(links) >= number and links[number - 1].created > now - time for number, time in LINKS)


def _is_plain_one_good(tx: Transaction, links: Sequence[Letter]) -> bool:
    """Whether the latest plain link is unused and valid for LINK_REST."""
    for letter in links:
        link = SignIn.from_json(letter.data)
        if link.guest is None and not link.wanted:
            lasts = letter.created + LINK_LIFE > tx.now + LINK_REST
            return lasts and tx.session.get(UsedLink, link.nonce) is None
    return False


def sign_in_link(
    site: Site, player: Player, nonce: str, expires: int, guest_id: int | None = None, wanted: str = ""
) -> str:
    """A sign-in link, valid while the player has the address it goes to. It leads to the path `wanted`."""
    leads = [wanted] if wanted else []
    return Link.SIGN_IN.to(site, [player.id, nonce, expires, guest_id, mark(player.email or ""), *leads])


def expected(site: Site, token: str) -> Player | None:
    """The player a sign-in link is for, used up or not; None if it isn't one that we made."""
    try:
        player_id = Link.SIGN_IN.read(site, token)[0]
    except LinkError:
        return None
    with site.store.reading() as session:
        return session.get(Player, player_id)


def leads_to(site: Site, token: str) -> str:
    """The path that a sign-in link leads to; "" if it has none. Raises LinkError if we didn't make it."""
    return "".join(Link.SIGN_IN.read(site, token)[5:])


def matches_offered(site: Site, token: str, guest_id: int | None) -> int:
    """How many matches a sign-in link offers: those of the guest who asked for it, unless that is `guest_id`."""
    try:
        asker_id = Link.SIGN_IN.read(site, token)[3]
    except LinkError:
        return 0
    return 0 if asker_id in (None, guest_id) else guests.matches(site, asker_id)


def sign_in(
    site: Site,
    token: str,
    zone: str = "",
    browser: str = "",
    name: str = "",
    guest_id: int | None = None,
    *,
    take_over: bool = False,
    begin: Begin | None = None,
) -> Player:
    """Signs a player in with a sign-in link and returns them; raises AccountError. A link works once.

    `zone` is what the browser says; it is kept if none is known yet. `browser` is a secret that only this browser has:
    it may press the button twice. `name` is for a player who has none yet and isn't banned; if it can't be taken, this
    raises NameRefused, and the link still works. The player gets what this browser's guest has; what the guest has who
    asked for the link, only if they wish to `take_over` that: anybody can ask for a link to any address. Their session
    begins with `begin`.
    """
    try:
        player_id, nonce, expires, asker_id, address, *_ = Link.SIGN_IN.read(site, token)
    except LinkError as error:
        raise AccountError("This sign-in link is incomplete. Ask for a new one.") from error
    now = site.now()
    if now.timestamp() > expires:
        raise AccountError("This sign-in link has expired. Ask for a new one.")
    with site.transaction() as tx:
        if not _use(tx, nonce, browser):
            raise AccountError("This sign-in link has already been used. Ask for a new one.")
        for guest in (guest_id, asker_id if take_over else None):
            if guest is not None:
                guests.claim(tx.session, guest, player_id)
        # Locked, so that a change of the address meanwhile ends this session too.
        person = tx.session.get_one(Player, player_id, with_for_update={"key_share": True})
        if person.left is not None:
            raise AccountError("This account was deleted. Request a new link to start over.")
        if mark(person.email or "") != address:
            raise AccountError(
                "This sign-in link was sent to an email address that's no longer yours. Ask for a new one."
            )
        if not person.zone and zone in ZONES:
            person.zone = zone
        if name.strip() and person.is_unnamed and not bans.why_banned(tx, player_id):
            display_names.take(tx.session, person, name)
        # The link proves that its user reads mail to this address.
        person.bounced, person.bounces_known = None, False
        if begin is not None:
            begin(tx, player_id)
        return person


def _use(tx: Transaction, nonce: str, browser: str) -> bool:
    """Uses a link up; returns whether it was still valid, which it stays for a moment in the browser that used it."""
    here = sha256(f"{nonce} {browser}".encode()).hexdigest()
    if insert_once(tx.session, UsedLink, nonce=nonce, used=tx.now):
        insert_once(tx.session, UsedLink, nonce=here, used=tx.now)
        return True
    before = tx.session.get(UsedLink, here) if browser else None
    return before is not None and tx.now < before.used + MOMENT
