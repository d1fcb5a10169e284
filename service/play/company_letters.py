"""The kinds of letters about who looks for opponents and what is played. `letter_kinds` has all kinds."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from service.mail.reply_address import Purpose
from service.play.letter_contents import Contents

Opening: TypeAlias = tuple[Literal["wish", "seat"], int, str, str, bool, str]
"""Somebody to play with: the player who wishes for opponents, or the match with a free seat; the game, the clock of the
match, whether it is rated, and who sits there already ("" where names aren't shown)."""


class Openings(Contents, kind="openings", optional=True, reply=Purpose.OPENINGS):
    """Who looks for opponents at games of which the reader wants to hear. A reply accepts one of them."""

    rows: tuple[Opening, ...]


class ClubNotice(Contents, kind="club_notice"):
    """To the club's address that has this mark: the player `who` opened a `seat` of the match `title` at `games`, or
    somebody has a `wish`, or a match is over, with these winners and losers. `about` is the number of the match."""

    to: int
    what: Literal["seat", "wish", "result"]
    games: tuple[str, ...]
    about: int = 0
    who: str = ""
    clock: str = ""
    winners: tuple[str, ...] = ()
    losers: tuple[str, ...] = ()


class EventNews(Contents, kind="event_news"):
    """Something in the event called `name`, of the kind `of_kind`.

    `over`: its season has ended, with the reader in that `place` of division `part` (0 if there is only one), who is
    to `move` there, and another `begins` then. `silent`: the reader, who has lost half of their matches on time, is
    asked whether they play on, and has some `days` to answer. `begins`: a season, with the reader in division `part`.
    `part`: the part of a tour with that `game`. `barred`: the reader, who owes `of` matches, isn't in the new season.
    `challenged`: by the one in `best`. `off`: the reader ran out of time on a ladder.
    """

    event: int
    name: str
    what: Literal["over", "silent", "begins", "part", "barred", "challenged", "off"]
    place: int = 0
    best: tuple[str, ...] = ()
    days: int = 0
    of_kind: str = "cup"
    season: int = 1
    part: int = 0
    of: int = 0
    move: str = ""
    game: str = ""
    begins: datetime | None = None
