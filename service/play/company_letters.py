"""The kinds of letters about who looks for opponents and what is played. `letter_kinds` has all kinds."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from service.mail.reply_address import Purpose
from service.play.letter_contents import Contents

Opening: TypeAlias = tuple[Literal["wish", "seat", "event"], int, str, str, bool, str]
"""Somebody to play with: the player who wishes for opponents, the match with a free seat, or a new event; the game, the
clock of the matches, whether they are rated, and who sits there already ("" where names aren't shown) or the event's
name."""


class Openings(Contents, kind="openings", optional=True, reply=Purpose.OPENINGS):
    """Who looks for opponents at games of which the reader wants to hear. A reply accepts one of them."""

    rows: tuple[Opening, ...]


class Gazette(Contents, kind="gazette", optional=True, weekly=True, reply=Purpose.GAZETTE):
    """An issue of the gazette. A reply joins what it lists, or tries its problem."""

    issue: int


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
    """Something in an event of the kind `of_kind`; `letter_types.EventNews` says what."""

    event: int
    name: str
    what: Literal["over", "silent", "begins", "part", "barred", "challenged", "off", "ended"]
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
