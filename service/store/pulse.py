"""The table that remembers when the site was last at work."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row


class Pulse(Row):
    """A single row with the time of the last sweep, from which outages are recognised."""

    __tablename__ = "pulse"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
