"""The table of the turns that computer opponents think about."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row


class BotTurn(Row):
    """One turn of one computer opponent: who is thinking about it, and then what it thought of its chances."""

    __tablename__ = "bot_turn"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    ply: Mapped[int] = mapped_column(primary_key=True)
    """How many entries of the log everybody could see."""
    leased: Mapped[datetime]
    """Until then, no other process begins to think about it."""
    value: Mapped[float | None]
    """The share of the win that it expected, from 0 to 1; None until it has ordered, and once play has ended."""
