"""Display names: nobody can look like somebody else, whatever the script, or like a bot."""

from __future__ import annotations

import re
import unicodedata

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.bots.roster import NAMES, YARDSTICK
from service.play.look_alikes import is_unseen, mixed
from service.play.names import key
from service.store.models import Player

LONGEST_NAME = 60
_SHAPING = re.compile("[\u200c\u200d\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""What Persian, Indic and Mongolian scripts, Japanese names and emoji are written with: joiners, and variation
selectors, which choose how the sign before them looks."""
_GIVEN = re.compile(r"(player|guest) \d+|a former player|stonepost")
"""The names that the site gives to players who haven't chosen one yet or have left, and its own name."""
BOT_MARK = " (bot)"
"""What the name of each bot account ends with, so that every reader knows that it's a bot."""
_LIKE_A_BOT = re.compile(r".*\(bot\(+")
_LETTER = re.compile(r".*\bLETTER (?:SMALL CAPITAL )?([A-Z])(?: WITH .+)?")
_PASSING = str.maketrans("\u01856\u044a0\u03c3\u2020", "bbboot")
"""Characters that may pass for a letter of the mark, although they don't make whole names look alike."""


class AccountError(ValueError):
    """An address, name or link that cannot be used. The message is one sentence for the person."""


class NameRefused(AccountError):
    """A name that is reserved or taken."""


def is_hidden(sign: str) -> bool:
    """Whether a character shows nothing and may change how others show, and no script needs it."""
    return is_unseen(sign) and not _SHAPING.match(sign)


def visible(text: str) -> str:
    """A text on one line without hidden characters."""
    return " ".join("".join(sign for sign in text if sign.isspace() or not is_hidden(sign)).split())


def clean(text: str) -> str:
    """A name as stored; raises NameRefused."""
    name = " ".join(text.replace("\0", "").split())
    if not 1 <= len(name) <= LONGEST_NAME or not key(name):
        raise NameRefused(f"A name can have 1 to {LONGEST_NAME} characters.")
    if hidden := next(filter(is_hidden, name), ""):
        raise NameRefused(f"The name has an invisible character, U+{ord(hidden):04X}. Type it again without it.")
    return name


def _looks_like_a_bot(wanted: str) -> bool:
    """Whether a name ends with what may pass for the mark of bots; `wanted` is its key."""
    signs = map(_as_in_mark, unicodedata.normalize("NFKD", wanted).translate(_PASSING))
    return _LIKE_A_BOT.fullmatch("".join(signs)) is not None


def _as_in_mark(sign: str) -> str:
    """A letter without what is added to its shape, a bracket of either side and any kind as `(`, and nothing else."""
    if letter := _LETTER.fullmatch(unicodedata.name(sign, "")):
        return letter[1].lower()
    return "(" if unicodedata.category(sign) in ("Ps", "Pe") else sign if sign.isalnum() else ""


def bot_name(text: str) -> str:
    """The name of a bot account that is to be called this; raises NameRefused."""
    name = clean(text)
    if name.lower().endswith(BOT_MARK):
        name = name[: -len(BOT_MARK)].rstrip()
    if not name or len(name) + len(BOT_MARK) > LONGEST_NAME:
        raise NameRefused(f"A bot's name can have 1 to {LONGEST_NAME - len(BOT_MARK)} characters.")
    return name + BOT_MARK


def take(session: Session, player: Player, text: str) -> str:
    """Gives a player this name, and returns it as stored; raises NameRefused, also if two players want it at once."""
    name = clean(text)
    wanted = None if name == player.number_name else key(name)
    if wanted in (*NAMES, YARDSTICK):
        raise NameRefused(f"The name {wanted.capitalize()} is taken. Please choose another.")
    if wanted is not None and player.owner_id is None and _looks_like_a_bot(wanted):
        raise NameRefused("Only the names of bots end like this. Please choose another.")
    if wanted is not None and _GIVEN.fullmatch(wanted.removesuffix(BOT_MARK)):
        raise NameRefused(f"Names like {name} are reserved. Please choose another.")
    if found := mixed(name):
        word, one, another = found
        raise NameRefused(f"{word} has both {one} and {another} letters. Write each word of your name in one script.")
    try:
        with session.begin_nested():
            player.name, player.name_key = name, wanted
    except IntegrityError as error:
        other = session.scalars(select(Player.name).where(Player.name_key == wanted)).first()
        raise NameRefused(f"The name {other or name} is taken. Please choose another.") from error
    return name
