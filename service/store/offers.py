"""What the players of a match offer each other."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from service.store.models import Row


class Offer(Row):
    """An agreement that one player has offered to the others at the table and that has not been answered by all."""

    __tablename__ = "offer"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    """`takeback`, `pause` or `resume`."""
    seat: Mapped[int]
    round: Mapped[int]
    """When it was made; an offer to go back lapses with that round."""
    until: Mapped[datetime | None]
    """When an offered pause would end."""
    consents: Mapped[list[int]]
    """The seats that have agreed so far."""
    declined: Mapped[bool] = mapped_column(default=False)
    """Whether it is kept only so that the same is not asked again at once."""
    made: Mapped[datetime]
