"""Rows about how a player gets in: a password, passkeys, and addresses being changed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from service.store.models import Row


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
    """A wish of a player for another address: `made` once the new one confirmed it, `undone` once somebody objected."""

    __tablename__ = "address_change"
    __table_args__ = (
        Index("address_change_by_player", "player_id", "asked"),
        Index("address_change_by_old", "old"),
        Index("address_change_by_time", "asked"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    old: Mapped[str] = mapped_column(String(254))
    new: Mapped[str] = mapped_column(String(254))
    asked: Mapped[datetime]
    made: Mapped[datetime | None]
    undone: Mapped[datetime | None]
