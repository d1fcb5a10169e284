"""What a player may set by mail as well as on their own page: vacation and time zone."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from service.clock.control import VACATION_DAYS
from service.play import accounts, clocks
from service.play.accounts import AccountError
from service.store.models import Player

_SAID = {"": None, "on": True, "yes": True, "off": False, "no": False}


def vacation(session: Session, now: datetime, player: Player, said: str) -> dict[str, Any]:
    """Sets whether days of vacation are spent, where something is said, and tells how things stand."""
    word = said.strip(" .").lower()
    if word not in _SAID:
        raise AccountError("Vacation is spent a day at a time by itself: write vacation on, vacation off or vacation.")
    if (wanted := _SAID[word]) is not None:
        player.vacation = wanted
    spent = [begins for begins, _ in clocks.vacation_of(session, player.id) if begins.year == now.year]
    return {"on": player.vacation, "left": max(VACATION_DAYS - len(spent), 0), "year": now.year}


def zone(player: Player, said: str) -> dict[str, Any]:
    """Sets the time zone, where one is said, and tells which it is; raises AccountError."""
    if said:
        player.zone = accounts.clean_zone(said)
    return {"zone": player.zone or "UTC"}
