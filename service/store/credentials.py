"""Rows about how a player gets in: a password, passkeys, links that were used, and addresses being changed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, false, text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.models import Row, partial


class Password(Row):
    """The password of a player who wants one, as argon2 keeps it."""

    __tablename__ = "password"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    hash: Mapped[str] = mapped_column(String(300))
    changed: Mapped[datetime]


class Passkey(Row):
    """A passkey of a player (WebAuthn): the device keeps the secret half, this is the other."""

    __tablename__ = "passkey"
    __table_args__ = (Index("passkey_by_player", "player_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    credential: Mapped[str] = mapped_column(String(1400), unique=True)
    """The name its device gave it, in base64url; at most 1023 bytes."""
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    uses: Mapped[int] = mapped_column(BigInteger)
    """The device's own count of signatures; many keep none and say 0."""
    name: Mapped[str] = mapped_column(String(60))
    made: Mapped[datetime]
    used: Mapped[datetime | None]


class AddressChange(Row):
    """A wish of a player for another address: `made` once both sides agreed, `undone` once somebody objected."""

    __tablename__ = "address_change"
    __table_args__ = (
        Index("address_change_by_player", "player_id", "asked"),
        Index("address_change_by_old", "old"),
        Index("address_change_by_time", "asked"),
        partial("address_change_due", "due", where=text("due IS NOT NULL")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    old: Mapped[str] = mapped_column(String(254))
    new: Mapped[str] = mapped_column(String(254))
    asked: Mapped[datetime]
    proven: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether the player asked right after signing in, which stands for the old address's approval, with a delay."""
    confirmed: Mapped[datetime | None]
    """When the new address agreed."""
    approved: Mapped[datetime | None]
    """When the old address agreed."""
    due: Mapped[datetime | None]
    """When the change is made without its approval."""
    made: Mapped[datetime | None]
    undone: Mapped[datetime | None]


class MailNetwork(Row):
    """A network that a player's mail server sends from: replies from there need not be confirmed one by one."""

    __tablename__ = "mail_network"
    __table_args__ = (Index("mail_network_once", "player_id", "address", "network", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    address: Mapped[str] = mapped_column(String(254))
    """What the player writes from; it counts for no other address."""
    network: Mapped[str] = mapped_column(String(50))
    """Such as `203.0.113.0/24` or `2001:db8:1:2::/64`."""
    confirmed: Mapped[datetime]


class UsedLink(Row):
    """A sign-in link, or the token of a webhook, that has been used; each works once."""

    __tablename__ = "used_link"

    nonce: Mapped[str] = mapped_column(String(64), primary_key=True)
    used: Mapped[datetime]
