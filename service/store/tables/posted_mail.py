"""What the local post office holds, where mail doesn't leave the machine."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row


class PostedMail(Row):
    """A message handed to the local post office instead of the network, as it would have travelled."""

    __tablename__ = "posted_mail"

    id: Mapped[int] = mapped_column(primary_key=True)
    message_id: Mapped[str] = mapped_column(String(300), unique=True)
    recipient: Mapped[str] = mapped_column(String(320))
    subject: Mapped[str] = mapped_column(Text)
    raw: Mapped[bytes] = mapped_column(LargeBinary)
    posted: Mapped[datetime]
