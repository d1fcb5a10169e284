"""The tables of credentials: passwords, passkeys, sessions, tokens, used links, and changes of email addresses."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, false, text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row, partial

UNMADE = text("made IS NULL")
"""The condition of a partial index, which a query has to repeat word for word."""


class Password(Row):
    """A player's password, hashed with argon2. Passwords are optional."""

    __tablename__ = "password"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    hash: Mapped[str] = mapped_column(String(300))
    changed: Mapped[datetime]


class Passkey(Row):
    """The public half of a player's passkey (WebAuthn)."""

    __tablename__ = "passkey"
    __table_args__ = (Index("passkey_by_player", "player_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    credential: Mapped[str] = mapped_column(String(1400), unique=True)
    """The credential ID in base64url, at most 1023 bytes."""
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    uses: Mapped[int] = mapped_column(BigInteger)
    """The device's signature counter. Many devices have none and always report 0."""
    name: Mapped[str] = mapped_column(String(60))
    made: Mapped[datetime]
    used: Mapped[datetime | None]
    operates: Mapped[datetime | None]
    """When somebody on the server confirmed that it opens the operators' pages."""


class Token(Row):
    """A key of a program that acts for a player by the API. Keys that no longer work stay, so that none is made
    twice."""

    __tablename__ = "token"
    __table_args__ = (Index("token_by_player", "player_id", "made"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    name: Mapped[str] = mapped_column(String(60))
    scopes: Mapped[str] = mapped_column(String(60))
    """What it is for, with spaces between: see `tokens.SCOPES`."""
    made: Mapped[datetime]
    expires: Mapped[datetime | None]
    used: Mapped[datetime | None]
    revoked: Mapped[datetime | None]


class Repeat(Row):
    """A program's request that came with an Idempotency-Key. A different request with the same key is refused.

    An order's key is in its submission instead.
    """

    __tablename__ = "repeat"
    __table_args__ = (Index("repeat_by_time", "came"),)

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    said: Mapped[str] = mapped_column(String(32))
    """A hash of the request."""
    came: Mapped[datetime]


class AddressChange(Row):
    """A player's request to change their email address. `made` and `undone` say when that happened. Links and the keys
    of letters name it by its `id`, so no other row ever gets that."""

    __tablename__ = "address_change"
    __table_args__ = (
        Index("address_change_by_player", "player_id", "asked"),
        Index("address_change_by_old", "old"),
        Index("address_change_by_time", "asked"),
        partial("address_change_due", "due", where=text("due IS NOT NULL")),
        partial("address_change_unmade", "asked", where=UNMADE),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    old: Mapped[str] = mapped_column(String(254))
    new: Mapped[str] = mapped_column(String(254))
    asked: Mapped[datetime]
    proven: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether the player asked right after signing in. The change then needs no approval, but waits."""
    confirmed: Mapped[datetime | None]
    """When the new address agreed."""
    approved: Mapped[datetime | None]
    """When the old address agreed."""
    due: Mapped[datetime | None]
    """When the change takes effect without the old address's approval."""
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


class Visit(Row):
    """A session: a browser in which a player is signed in. `key` is a hash of the key in its cookie."""

    __tablename__ = "visit"
    __table_args__ = (Index("visit_by_player", "player_id"), Index("visit_by_time", "seen"))

    key: Mapped[str] = mapped_column(String(43), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    device: Mapped[str] = mapped_column(String(200))
    """The browser's description of itself (its User-Agent)."""
    network: Mapped[str] = mapped_column(String(50), default="", server_default="")
    """The block of addresses that it signed in from; "" if that isn't known."""
    began: Mapped[datetime]
    seen: Mapped[datetime]
    operating: Mapped[datetime | None]
    """When an operator last opened the operators' pages here with a passkey."""


class UsedLink(Row):
    """A sign-in link or webhook token that has been used. Each works only once."""

    __tablename__ = "used_link"
    __table_args__ = (Index("used_link_by_time", "used"),)

    nonce: Mapped[str] = mapped_column(String(64), primary_key=True)
    used: Mapped[datetime]
