"""What people are called: nobody like somebody else, however it is written, and nobody like a bot."""

from __future__ import annotations

import re
import unicodedata

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.bots.roster import NAMES, YARDSTICK
from service.play.names import key
from service.store.models import Player

LONGEST_NAME = 60
JOINERS = "\u200c\u200d"
"""ZERO WIDTH NON-JOINER and JOINER."""
_GIVEN = re.compile(r"(player|guest) \d+|a former player|stonepost")
"""Names that the site gives, to those who have not chosen one yet and to those who are gone, and its own."""
BOT_MARK = " (bot)"
"""What the name of each bot account ends with, so that every reader knows that it's a bot."""
_LIKE_A_BOT = re.compile(r".*\(\W*bot\W*\)\W*")
_LOOK_ALIKES = {
    "b": "\u044c\u0432\u044a\u03b2\u0185\u02536",
    "o": "\u043e\u03bf\u0585\u03c30\u00f8",
    "t": "\u0442\u03c4\u0163\u0167\u2020",
    "(": "[{\u2768\u276a\u27ee\u3014\u3010\ufd3e",
    ")": "]}\u2769\u276b\u27ef\u3015\u3011\ufd3f",
}
_LATIN = str.maketrans({like: sign for sign, alikes in _LOOK_ALIKES.items() for like in alikes})
"""What looks like a sign of the mark of bots, in Cyrillic, Greek and others."""


class AccountError(ValueError):
    """An address, name or link that cannot be used. The message is one sentence for the person."""


class NameRefused(AccountError):
    """A name that nobody, or only somebody else, can have."""


def is_hidden(sign: str) -> bool:
    """Whether a character shows nothing and may change how others show: control and bidirectional control characters,
    unassigned and private ones. Joiners are fine: Persian, Indic scripts and emoji are written with them."""
    return unicodedata.category(sign)[0] == "C" and sign not in JOINERS


def visible(text: str) -> str:
    """A text on one line without hidden characters."""
    return " ".join("".join(sign for sign in text if sign.isspace() or not is_hidden(sign)).split())


def clean(text: str) -> str:
    """A name as it is kept; raises NameRefused."""
    name = " ".join(text.replace("\0", "").split())
    if not 1 <= len(name) <= LONGEST_NAME or not key(name):
        raise NameRefused(f"A name can have 1 to {LONGEST_NAME} characters.")
    if hidden := next(filter(is_hidden, name), ""):
        raise NameRefused(f"Your name has an invisible character, U+{ord(hidden):04X}. Type it again without it.")
    return name


def _looks_like_a_bot(name: str) -> bool:
    bare = "".join(sign for sign in unicodedata.normalize("NFD", name) if unicodedata.category(sign) != "Mn")
    return _LIKE_A_BOT.fullmatch(bare.translate(_LATIN)) is not None


def bot_name(text: str) -> str:
    """The name of a bot account that is to be called this; raises NameRefused."""
    name = clean(text)
    if name.lower().endswith(BOT_MARK):
        name = name[: -len(BOT_MARK)].rstrip()
    if not name or len(name) + len(BOT_MARK) > LONGEST_NAME:
        raise NameRefused(f"A bot's name can have 1 to {LONGEST_NAME - len(BOT_MARK)} characters.")
    return name + BOT_MARK


def take(session: Session, player: Player, text: str) -> str:
    """Gives a player this name, and returns it as it is kept; raises NameRefused, also if two want it at once."""
    name = clean(text)
    wanted = None if name == player.number_name else key(name)
    if wanted in (*NAMES, YARDSTICK):
        raise NameRefused(f"The name {wanted.capitalize()} is taken. Please choose another.")
    if wanted is not None and player.owner_id is None and _looks_like_a_bot(wanted):
        raise NameRefused("Only the names of bots end like this. Please choose another.")
    if wanted is not None and _GIVEN.fullmatch(wanted):
        raise NameRefused(f"Names like {name} are reserved. Please choose another.")
    try:
        with session.begin_nested():
            player.name, player.name_key = name, wanted
    except IntegrityError as error:
        other = session.scalars(select(Player.name).where(Player.name_key == wanted)).first()
        raise NameRefused(f"The name {other or name} is taken. Please choose another.") from error
    return name
