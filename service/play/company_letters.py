"""The kinds of letters about who looks for opponents. `letter_kinds` has all kinds."""

from __future__ import annotations

from typing import Literal, TypeAlias

from service.mail.reply_address import Purpose
from service.play.letter_contents import Contents

Opening: TypeAlias = tuple[Literal["wish", "seat"], int, str, str, bool, str]
"""Somebody to play with: the player who wishes for opponents, or the match with a free seat; the game, the clock of the
match, whether it is rated, and who sits there already ("" where names aren't shown)."""


class Openings(Contents, kind="openings", optional=True, reply=Purpose.OPENINGS):
    """Who looks for opponents at games of which the reader wants to hear. A reply accepts one of them."""

    rows: tuple[Opening, ...]
