"""The table of open offers between the players of a match."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row


class Offer(Row):
    """An offer by one player that the others haven't all answered yet."""

    __tablename__ = "offer"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    """`takeback`, `pause` or `resume`."""
    seat: Mapped[int]
    round: Mapped[int]
    """The round in which it was made. An offered takeback expires with it."""
    until: Mapped[datetime | None]
    """When an offered pause would end."""
    consents: Mapped[list[int]]
    """The seats that have agreed so far."""
    made: Mapped[datetime]

    def is_newer_than(self, round_: int | None) -> bool:
        """Whether it was made after the round that an answer is for, and so isn't what the answer is about."""
        return round_ is not None and round_ < self.round
