"""Data for the templates of receipts, and of letters about events, limits and unknown senders."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Literal, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The result of an order that the reader sent by email.

    `event` is `played` (`move` is in the log), `open` (an invitation is accepted, and others still have to accept) or
    `declined`, an agreement such as `offer pause`, `extend`, or `order` for any other. `remark` and the conditional
    moves `ahead` were sent with it. The match waits for the sides `waited`: for a move while `playing`, otherwise for
    an answer; or it's `over`.
    """

    kind: ClassVar[str] = "receipt"
    event: str
    title: str
    side: str
    move: str = ""
    order: str
    ahead: str = ""
    remark: str = ""
    waited: tuple[str, ...] = ()
    playing: bool = True
    over: bool = False
    board: str
    facts: tuple[tuple[str, str], ...] = ()
    link: str


@dataclass(frozen=True, slots=True)
class EventNews:
    """Something in the event called `name`, of the kind `of_kind`.

    `over`: a season has ended, with the reader in that `place` of division `part` (0 if there's only one), whose `move`
    is `up`, `down`, `stay`, or "" if they've left; the next one `begins` then, without a reader of a league who owes
    `of` matches. `silent`: the reader, who has lost half
    of their matches on time, is asked whether they play on, and has some `days` to answer. `begins`: a season, with the
    reader in division `part` (0 in a cup, which has none). `part`: part `part` `of` a tour, with that `game`. `barred`:
    the reader, who owes `of` matches, isn't in the season. `challenged`: by the one in `best`. `off`: the reader ran
    out of time on a ladder. `ended`: early, by somebody, with part `part` under way (0 if none was).
    """

    kind: ClassVar[str] = "event_news"
    name: str
    what: str
    link: str
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


@dataclass(frozen=True, slots=True)
class Limit:
    """The reader has had the `most` emails of a day; their `own` choice, or what the site allows.

    The rest come together in one email at the `hours` of the reader's `zone`, the next one first.
    """

    kind: ClassVar[str] = "limit"
    most: int
    own: bool
    hours: tuple[str, ...]
    zone: str
    link: str


@dataclass(frozen=True, slots=True)
class FollowedNews:
    """News of players and events that the reader follows: `what` is `began` or `ended`. An event has a `title` and no
    `who`."""

    what: str
    title: str
    link: str
    who: str


class Company(NamedTuple):
    """Who plays in a match that is new to the reader, and how it came about: the other sides, each with its player's
    name and whether that's a computer opponent, the name of its `event`, and whether all players were looking for it.
    If `taken`, it began before, and the reader has just taken over a seat."""

    others: tuple[tuple[str, str, bool], ...] = ()
    event: str = ""
    wished: bool = False
    taken: bool = False


NOT_TOLD = Company()


@dataclass(frozen=True, slots=True)
class Opening:
    """Somebody who looks for opponents at a game, or, with a `link`, a match with an open seat in which `who` plays.

    `title` is the game's or the match's, `who` is "" if no name is shown. `terms` are the sentences that explain the
    clock. `accept` is what a reply has to say. Or an `event` of this kind, called `title`, with this `game`, that the
    reader can join.
    """

    title: str
    who: str
    terms: str
    rated: bool
    link: str
    accept: str
    event: str = ""
    game: str = ""


@dataclass(frozen=True, slots=True)
class Openings:
    """What the reader can accept by replying, at the `games` they chose. `stop_link` ends these emails, `link` leads to
    everybody who is looking for opponents now."""

    kind: ClassVar[str] = "openings"
    games: tuple[str, ...]
    openings: tuple[Opening, ...]
    link: str
    stop_link: str


class Turning(NamedTuple):
    """The move that cost most of the win: its number, the number of its entry, whose it was, how much it cost in
    hundredths, and what would have been better. If all chose at the same time, it has a `round`, and the numbers are
    those of the last choice in it, after which the board shows them all."""

    ply: int
    logged: int
    side: str
    move: str
    cost: int
    better: str
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A match that is over: who had which side, who won (all where the win was shared), and its turning point."""

    title: str
    players: tuple[tuple[str, str], ...]
    winners: tuple[str, ...]
    turning: Turning | None

    @property
    def is_shared(self) -> bool:
        """Whether all players share the win."""
        return len(self.winners) == len(self.players)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gazette:
    """An issue of the gazette: what the reader can join, a match that is `finished` with its `board` (at the turning
    point, if one is known), who is new on which leader board (game, number, name and rating), and a problem of a
    `game`."""

    kind: ClassVar[str] = "gazette"
    number: int
    openings: tuple[Opening, ...]
    finished: Finished | None
    board: str
    match_picture: str
    match_link: str
    newcomers: tuple[tuple[str, int, str, int], ...]
    game: str
    task: str
    problem_board: str
    problem_picture: str
    link: str
    stop_link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubNotice:
    """For everybody in a club: `who` opened a seat of the match `title`, somebody has a wish for `games`, or the match
    is over. In a draw, all are `winners`. `terms` are the sentences that explain the clock."""

    kind: ClassVar[str] = "club_notice"
    what: Literal["seat", "wish", "result"]
    games: tuple[str, ...]
    title: str
    who: str
    terms: str
    winners: tuple[str, ...]
    losers: tuple[str, ...]
    link: str


@dataclass(frozen=True, slots=True)
class UnknownSender:
    """An email came from the reader's address, which nobody has confirmed. It waits at `link` for as long as
    `valid`."""

    kind: ClassVar[str] = "unknown_sender"
    link: str
    valid: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """An email that claims to be the reader's, from the address `sender`, can be confirmed at `link` for as long as
    `valid`.

    `sent` is its text. `changed`: a different email with the same Message-ID came before.
    """

    kind: ClassVar[str] = "confirm"
    sender: str
    changed: bool
    sent: str
    link: str
    valid: timedelta
