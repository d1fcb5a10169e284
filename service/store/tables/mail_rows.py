"""The tables of mail: what came in, and the letters that go out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    false,
    text,
    true,
)
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row, partial

UNREAD = text("verdict = 'commands'")
GIVEN_UP = text("sent IS NULL AND due IS NULL AND error <> ''")
HELD, KEPT, ALONE = text("held"), text("kept"), text("match_id IS NULL")
UNMOVED, GONE = text("kept AND place = ''"), text("NOT kept AND place <> ''")
"""Conditions of partial indexes. A query must repeat the condition word for word to be sure to use the index."""


class IncomingMail(Row):
    """An incoming message, stored before it is acknowledged."""

    __tablename__ = "incoming_mail"
    __table_args__ = (
        partial("incoming_mail_unread", "id", where=UNREAD),
        partial("incoming_mail_kept", "received", where=KEPT),
        partial("incoming_mail_unmoved", "received", where=UNMOVED),
        partial("incoming_mail_gone", "id", where=GONE),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(400), unique=True)
    recipient: Mapped[str] = mapped_column(String(320))
    raw: Mapped[bytes] = mapped_column(LargeBinary)
    kept: Mapped[bool] = mapped_column(default=True, server_default=true())
    """Whether the text hasn't been deleted yet."""
    place: Mapped[str] = mapped_column(String(40), default="", server_default="")
    """The text's name in `service.store.mail_store`; "" while it is in `raw`. Kept until the text is deleted there."""
    received: Mapped[datetime]
    door: Mapped[str] = mapped_column(String(10))
    verdict: Mapped[str] = mapped_column(String(40))
    """`order`; `commands`, then `obeyed` once done; `held` until its sender is confirmed; or why it was ignored:
    `automatic`, `bounce`, `complaint`, `repeated`, `unknown-address`, `unreadable`, `unverified`."""
    player_id: Mapped[int | None] = mapped_column(ForeignKey("player.id"))
    """The player whose address it is from, or who has the signed address it came to."""
    network: Mapped[str] = mapped_column(String(50), default="", server_default="")
    """The network of the host that sent it, such as `203.0.113.0/24`; "" if that isn't known for certain."""


class Letter(Row):
    """An outgoing message to a player. Its key and contents determine what it says, even when it is sent again."""

    __tablename__ = "letter"
    __table_args__ = (
        partial("letter_due", "due", where=text("sent IS NULL AND due IS NOT NULL")),
        Index("letter_of_player", "player_id", "sent"),
        partial("letter_about", "match_id", "player_id", "id", where=text("match_id IS NOT NULL")),
        partial("letter_alone_of", "player_id", "id", where=ALONE),
        partial("letter_alone", "created", where=ALONE),
        partial("letter_given_up", "id", where=GIVEN_UP),
        partial("letter_held", "player_id", where=HELD),
        partial("letter_to_unknown_sender", "created", where=text("kind = 'unknown_sender'")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(200), unique=True)
    kind: Mapped[str] = mapped_column(String(20))
    """One of `service.play.letter_kinds.KINDS`."""
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"))
    match_id: Mapped[int | None] = mapped_column(ForeignKey("match.id"))
    data: Mapped[dict[str, Any]]
    """Its contents, as the data class of its kind writes and reads them."""
    created: Mapped[datetime]
    due: Mapped[datetime | None]
    """When to try next. A claim adds a lease, and each failure a delay that doubles. None once it is given up."""
    attempts: Mapped[int] = mapped_column(default=0)
    holder: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """The process that tried it last, as `service.play.holders` names it; "" once that attempt has failed."""
    trail: Mapped[str] = mapped_column(String(30), default="", server_default="")
    """The order or email it follows from, as it is called in the log (`service.play.site.steps`); "" if from none."""
    held: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether it goes into the player's next digest instead."""
    sent: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(Text, default="")


class PostedMail(Row):
    """A message handed to the local post office instead of the network, as it would have travelled."""

    __tablename__ = "posted_mail"

    id: Mapped[int] = mapped_column(primary_key=True)
    message_id: Mapped[str] = mapped_column(String(300), unique=True)
    recipient: Mapped[str] = mapped_column(String(320))
    subject: Mapped[str] = mapped_column(Text)
    raw: Mapped[bytes] = mapped_column(LargeBinary)
    posted: Mapped[datetime]
