"""Names as they are compared and looked for."""

from __future__ import annotations

import re
import sys

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.bots.roster import NAMES, YARDSTICK
from service.play.look_alikes import skeleton
from service.store.models import Player

LONGEST_KEY = 200


def key(name: str) -> str:
    """A key that names have in common if they look alike: case, width, spaces, invisible characters, and letters of
    other scripts that look like Latin ones make no difference."""
    return " ".join(skeleton(name).split())[:LONGEST_KEY]


def first_with(session: Session, text: str, most: int) -> list[int]:
    """At most `most` players whose names begin with this, in the order of names; then computer opponents, and for
    `player NUMBER` the player with this number."""
    wanted = key(text)
    if not wanted:
        return []
    named = select(Player.id).where(Player.name_key >= wanted, Player.name_key < wanted + _LAST)
    found = [*session.scalars(named.order_by(Player.name_key).limit(most))]
    if bots := [name for name in (*NAMES, YARDSTICK) if name.startswith(wanted)]:
        found += session.scalars(select(Player.id).where(Player.bot.in_(bots)))
    if number := re.fullmatch(r"player ([1-9]\d{0,8})", wanted, re.ASCII):
        found += session.scalars(select(Player.id).where(Player.id == int(number[1])))
    return [*dict.fromkeys(found)]


_LAST = chr(sys.maxunicode)
"""The last of all characters."""
