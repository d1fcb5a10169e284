"""The tables of wishes: who looks for opponents, at which games, who they have met that way, and who gets notices of
it; who follows who; and the issues of the gazette."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.store.rows import Row


class Wish(Row):
    """What a player looks for until they end it: opponents at some games, in a number of matches at a time."""

    __tablename__ = "wish"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    shortest: Mapped[int]
    """The shortest time for a move, in seconds, that the player accepts."""
    longest: Mapped[int]
    most: Mapped[int]
    """How many matches begun by this wish may run at the same time."""
    lowest: Mapped[int | None]
    """The lowest rating of an opponent at the game; None for any."""
    highest: Mapped[int | None]
    bots: Mapped[bool]
    """Whether a computer opponent is welcome if nobody else comes."""
    rated: Mapped[bool]
    made: Mapped[datetime]
    since: Mapped[datetime]
    """Since when it has been waiting: when it was made, or when its latest match began or ended."""
    rests: Mapped[bool]
    """Whether the player ran out of time in one of its matches. It finds nobody until they make it again."""


class WishGame(Row):
    """A game that a wish is about."""

    __tablename__ = "wish_game"
    __table_args__ = (Index("wish_game_by_player", "player_id"),)

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)


class WishMatch(Row):
    """A match that a wish began, for one of its players. The row goes when the match is over."""

    __tablename__ = "wish_match"
    __table_args__ = (Index("wish_match_by_player", "player_id", "match_id"),)

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)


class Met(Row):
    """How often wishes have brought a player together with another at a game; the other has such a row too."""

    __tablename__ = "met"
    __table_args__ = (Index("met_by_other", "other_id"),)

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    other_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    times: Mapped[int]
    first: Mapped[int]
    """In how many of these matches the player had the first seat."""


class Notice(Row):
    """A game for which a player wants an email when somebody looks for opponents or opens a seat."""

    __tablename__ = "notice"
    __table_args__ = (Index("notice_by_time", "game", "told"), Index("notice_by_player", "player_id"))

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    told: Mapped[datetime]
    """The player hasn't had a notice yet about players who began to look after this."""
    rests: Mapped[datetime]
    """Until when the player gets no other notice, for any game."""


class FollowedPlayer(Row):
    """A player whose public matches another one wants to hear of. Nobody else can see it."""

    __tablename__ = "followed_player"
    __table_args__ = (Index("followed_player_by_other", "other_id"),)

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    other_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    since: Mapped[datetime]


class FollowedEvent(Row):
    """An event that a player wants to hear of."""

    __tablename__ = "followed_event"

    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"), primary_key=True)
    since: Mapped[datetime]


class Appearance(Row):
    """A followed player in a public match that has begun or ended then: `what` is `began` or `ended`."""

    __tablename__ = "appearance"
    __table_args__ = (Index("appearance_by_player", "player_id", "at"), Index("appearance_by_age", "at"))

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("player.id"), primary_key=True)
    what: Mapped[str] = mapped_column(String(5), primary_key=True)
    at: Mapped[datetime]


class GazetteIssue(Row):
    """One issue of the gazette. It names players, matches and events by their numbers alone, so that a reader sees
    what is public about them at that time."""

    __tablename__ = "gazette_issue"

    number: Mapped[int] = mapped_column(primary_key=True)
    made: Mapped[datetime]
    openings: Mapped[list[Any]] = mapped_column(JSON)
    """What there is to join, in the order in which the issue numbers it: `["seat", 12]` is a match with an open seat,
    `["event", 3]` an event."""
    match_id: Mapped[int | None] = mapped_column(ForeignKey("match.id"))
    """A match that is over."""
    turning: Mapped[dict[str, Any] | None]
    """Its turning point, if the computer has looked back at it: `confirmations.Turning`."""
    newcomers: Mapped[list[Any]] = mapped_column(JSON)
    """Who is new on which leader board: the game, the player and the rating."""
    leaders: Mapped[list[Any]] = mapped_column(JSON)
    """The game and the player of everybody who was on a leader board then."""
