"""Names as they are compared and looked for."""

from __future__ import annotations

import re
import sys
import unicodedata

from sqlalchemy import ColumnElement, and_, false, or_

from service.bots.roster import NAMES, YARDSTICK
from service.store.models import Player

LONGEST_KEY = 200


def key(name: str) -> str:
    """What is the same for names that look alike: case, width, blanks and signs that nobody sees make no difference."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
    return " ".join(seen.split())[:LONGEST_KEY]


def begins_with(text: str) -> ColumnElement[bool]:
    """The condition that a player's name begins with this, or is exactly this where it's a number; of bots too."""
    wanted = key(text)
    if not wanted:
        return false()
    named = and_(Player.name_key >= wanted, Player.name_key < wanted + _LAST)
    bots = [name for name in (*NAMES, YARDSTICK) if name.startswith(wanted)]
    number = re.fullmatch(r"player ([1-9]\d{0,8})", wanted, re.ASCII)
    return or_(named, Player.bot.in_(bots) if bots else false(), Player.id == int(number[1]) if number else false())


_LAST = chr(sys.maxunicode)
"""The last of all characters."""
