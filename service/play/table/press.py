"""The press of a match: what its players may say to each other, who hears it, and under which name.

It is chosen when a match is opened, shown before anybody accepts, and written as one or two words: `private`,
`group anonymous`, `public unsigned`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from sqlalchemy import ColumnElement, or_

from service.mail.parsing import echo
from service.store.models import Match, Place, Player

Level: TypeAlias = Literal["private", "group", "public", "none"]
Names: TypeAlias = Literal["", "anonymous", "unsigned"]

LEVELS: tuple[Level, ...] = ("private", "group", "public", "none")
"""To the table or to chosen seats; to the table alone; to everybody, watchers too; nothing is said at all."""

NAMES: tuple[Names, ...] = ("", "anonymous", "unsigned")
"""Players are known by name; by their sides alone until the match is over; and messages then bear no side either."""

DEFAULT = "private"


class PressError(ValueError):
    """An invalid press. The message is one sentence for the player."""


@dataclass(frozen=True, slots=True)
class Press:
    """What players may say at a table, and under which name."""

    level: Level
    names: Names = ""

    @classmethod
    def parse(cls, text: str) -> Press:
        """Parses a press liberally; raises PressError."""
        words = re.split(r"[\s,+/-]+", text.strip().lower())
        level = next((word for word in words if word in LEVELS), DEFAULT)
        names = next((word for word in NAMES[:0:-1] if word in words), "")
        unknown = next((word for word in words if word not in (*LEVELS, *NAMES)), "")
        if unknown or len(set(words) & set(LEVELS)) > 1:
            raise PressError(
                f"Press must be {', '.join(LEVELS[:-1])} or none, with anonymous or unsigned added if you like."
            )
        if names == "unsigned" and level == "private":
            raise PressError("Unsigned messages go to the whole table, so unsigned press must be group or public.")
        return cls(cast(Level, level), cast(Names, "anonymous" if level == "none" and names else names))

    def write(self) -> str:
        """The text that is stored and shown; `parse` reads it back."""
        return f"{self.level} {self.names}".strip()

    @property
    def remarks(self) -> Literal["everybody", "table", "nobody"]:
        """The audience of remarks with a move: nobody, if messages show no side, because the move would reveal it."""
        if self.level == "none" or self.names == "unsigned":
            return "nobody"
        return "table" if self.level == "group" else "everybody"


def of(match: Match) -> Press:
    """The press of a match."""
    return _parsed(match.press)


@lru_cache(maxsize=100)
def _parsed(text: str) -> Press:
    return Press.parse(text)


def hides_names(match: Match) -> bool:
    """Whether the match still hides who has which seat."""
    return bool(of(match).names) and match.state != "over"


def hides_writers(match: Match) -> bool:
    """Whether messages don't show which player wrote them: those that are unsigned never do."""
    return hides_names(match) or of(match).names == "unsigned"


def named() -> ColumnElement[bool]:
    """The matches that show their players' names to everybody."""
    return or_(Match.state == "over", Match.press.not_like("% %"))


def hears(place: Place) -> bool:
    """Whether somebody who has this place reads what is said: a person who has accepted and hasn't left."""
    player = place.player
    return place.accepted and player is not None and player.bot is None and player.left is None


def kept_remark(match: Match, player: Player | None, remark: str) -> str:
    """The part of a move's remark that is stored: nothing if nobody may read it."""
    return "" if of(match).remarks == "nobody" else without_signature(match, player, remark)


def without_signature(match: Match, player: Player | None, text: str) -> str:
    """A text for others, without our links that only its writer may use.

    In a match that hides who writes, it also loses the writer's signature.
    """
    text = echo.without_links(text)
    if player is None or not hides_writers(match):
        return text
    address = (player.email or "").lower()
    signatures = {"", *_names(player), address, address.partition("@")[0]}
    lines = re.split(r"(?m)^-- ?$", text)[0].rstrip().split("\n")
    while lines and lines[-1].strip(_AROUND + "<>").lower() in signatures:
        lines.pop()
    return "\n".join(lines)


def signs(player: Player, text: str) -> bool:
    """Whether a text is nothing but its writer's name, or the first word of that."""
    return text.strip(_AROUND + "\n").lower() in _names(player)


_AROUND = " .,;:!-~*"
"""What people put around their name."""


def _names(player: Player) -> tuple[str, str]:
    """The names with which a player may sign, in lower case."""
    name = player.name.lower()
    return name, name.partition(" ")[0]
