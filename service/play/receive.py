"""Mail in: kept before it is acknowledged, and an order only where address and sender agree."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.config import Settings
from service.mail import address, grammar
from service.mail.address import Purpose, ReplyAddress
from service.mail.read import Inbound, read
from service.play import accounts
from service.play.house import House, Nudges
from service.play.submit import Order, insert_once, keep
from service.store.models import IncomingMail, Player

_LONGEST_KEY = 400
_REPLIES = (Purpose.ORDER, Purpose.INVITATION, Purpose.CONFIRMATION)
_YES = ("yes", "resign", "confirm", "i resign", "yes resign")


def receive(house: House, raw: bytes, recipients: Iterable[str], door: str) -> None:
    """Keeps a message for each of its recipients; once this returns, it is committed. A copy changes nothing."""
    inbound = read(raw)
    with house.store.writing() as session:
        nudges = [
            nudge
            for recipient in recipients
            for nudge in _receive(house, session, raw, inbound, recipient.strip().lower()[:320], door)
        ]
    house.nudge_all(nudges)


def why_unknown(house: House, recipient: str) -> str:
    """Why no mail is taken for this address, in one ASCII sentence for its sender; "" where it is."""
    local_part = recipient.partition("@")[0].lower()
    if local_part in ("postmaster", address.DESK) or address.read(house.settings.secret, recipient):
        return ""
    return "Nobody has this address here; reply to a mail you have, without changing the address it goes to"


def _receive(house: House, session: Session, raw: bytes, inbound: Inbound, recipient: str, door: str) -> Nudges:
    key = _key(inbound, recipient)
    row = {"key": key, "recipient": recipient, "raw": raw, "received": house.now(), "door": door}
    if not insert_once(session, IncomingMail, verdict="", **row):
        return []
    mail = session.scalars(select(IncomingMail).where(IncomingMail.key == key)).one()
    meant = address.read(house.settings.secret, recipient)
    writer = None if _is_automatic(house.settings, inbound) else _writer(session, house, inbound, mail, meant)
    mail.verdict = _verdict(house.settings, inbound, mail, meant, writer)
    mail.player_id = None if writer is None else writer.id
    return _act(session, mail, inbound, meant)


def _key(inbound: Inbound, recipient: str) -> str:
    key = f"mail:{inbound.message_id}:{recipient}"
    return key if len(key) <= _LONGEST_KEY else f"mail:{sha256(key.encode()).hexdigest()}"


def is_desk(settings: Settings, recipient: str) -> bool:
    """Whether this is the address for mails that answer none of ours."""
    return recipient == f"{address.DESK}@{settings.mail_domain.lower()}"


def _writer(
    session: Session, house: House, inbound: Inbound, mail: IncomingMail, meant: ReplyAddress | None
) -> Player | None:
    """Whose mail this is if it is genuine: the player a reply address was made for, or at the desk, its sender."""
    if meant is not None:
        return session.get(Player, meant.player)
    if not is_desk(house.settings, mail.recipient):
        return None
    try:
        return accounts.by_email(session, inbound.sender, mail.received)
    except accounts.AccountError:
        return None


def _is_automatic(settings: Settings, inbound: Inbound) -> bool:
    """Whether no person wrote this: a program did, or we ourselves."""
    return inbound.is_automatic or inbound.sender.endswith(f"@{settings.mail_domain.lower()}")


def _verdict(
    settings: Settings, inbound: Inbound, mail: IncomingMail, meant: ReplyAddress | None, writer: Player | None
) -> str:
    known = meant.purpose in _REPLIES if meant else is_desk(settings, mail.recipient)
    if not known:
        return "unknown-address"
    if _is_automatic(settings, inbound):
        return "automatic"
    if writer is None or writer.email != inbound.sender:
        return "stranger"
    return "commands" if meant is None or _asks(meant, inbound) else "order"


def _asks(meant: ReplyAddress, inbound: Inbound) -> bool:
    return grammar.asks(inbound.order) and not _resigns(meant, inbound)


def _resigns(meant: ReplyAddress, inbound: Inbound) -> bool:
    """Whether this is the `yes` to our question whether they mean to resign."""
    return meant.purpose == Purpose.CONFIRMATION and inbound.order.strip(" .,;!").lower() in _YES


def _act(session: Session, mail: IncomingMail, inbound: Inbound, meant: ReplyAddress | None) -> Nudges:
    """Hands a mail that was found good on: an order to the match, commands to whoever obeys them."""
    if mail.verdict == "commands":
        return [("obey", mail.id)]
    if mail.verdict != "order" or meant is None:
        return []
    resigns = _resigns(meant, inbound)
    order = Order(
        key=mail.key,
        match_id=meant.match,
        seat=meant.seat,
        player_id=meant.player,
        round=meant.round,
        text="resign" if resigns else inbound.order,
        remark=inbound.remark,
        door="mail",
        mail_id=mail.id,
    )
    keep(session, order, mail.received)
    return [("adjudicate", meant.match)]
