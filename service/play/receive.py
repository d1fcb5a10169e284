"""Mail in: kept before it is acknowledged, and an order only where address and sender agree."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.mail import address
from service.mail.address import Purpose, ReplyAddress
from service.mail.read import Inbound, read
from service.play.house import House
from service.play.submit import Order, insert_once, keep
from service.store.models import IncomingMail, Player

_LONGEST_KEY = 400


def receive(house: House, raw: bytes, recipients: Iterable[str], door: str) -> None:
    """Keeps a message for each of its recipients; once this returns, it is committed. A copy changes nothing."""
    inbound, now = read(raw), house.now()
    with house.store.writing() as session:
        orders = [_receive(house, session, now, raw, inbound, recipient, door) for recipient in recipients]
    for order in orders:
        if order is not None:
            house.nudge("adjudicate", order.match_id)


def why_unknown(house: House, recipient: str) -> str:
    """Why no mail is taken for this address, in one ASCII sentence for its sender; "" where it is."""
    local_part = recipient.partition("@")[0].lower()
    if local_part == "postmaster" or address.read(house.settings.secret, recipient):
        return ""
    return "Nobody has this address here; reply to a mail you have, without changing the address it goes to"


def _receive(
    house: House, session: Session, now: datetime, raw: bytes, inbound: Inbound, recipient: str, door: str
) -> Order | None:
    recipient = recipient.strip().lower()[:320]
    key = _key(inbound, recipient)
    meant = address.read(house.settings.secret, recipient)
    verdict = _verdict(session, inbound, meant)
    row = {"key": key, "recipient": recipient, "raw": raw, "received": now, "verdict": verdict, "door": door}
    if not insert_once(session, IncomingMail, **row) or verdict != "order" or meant is None:
        return None
    order = Order(
        key=key,
        match_id=meant.match,
        seat=meant.seat,
        player_id=meant.player,
        round=meant.round,
        text=inbound.order,
        remark=inbound.remark,
        door="mail",
        mail_id=session.scalars(select(IncomingMail.id).where(IncomingMail.key == key)).one(),
    )
    keep(session, order, now)
    return order


def _key(inbound: Inbound, recipient: str) -> str:
    key = f"mail:{inbound.message_id}:{recipient}"
    return key if len(key) <= _LONGEST_KEY else f"mail:{sha256(key.encode()).hexdigest()}"


def _verdict(session: Session, inbound: Inbound, meant: ReplyAddress | None) -> str:
    if meant is None or meant.purpose not in (Purpose.ORDER, Purpose.INVITATION):
        return "unknown-address"
    if inbound.is_automatic:
        return "automatic"
    writer = session.get(Player, meant.player)
    return "order" if writer is not None and writer.email == inbound.sender else "stranger"
