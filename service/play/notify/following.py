"""Following: a player gets news when players or events of their choice begin or finish something public.

Nobody sees who follows them. A player who blocks another isn't followed by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from sqlalchemy import ColumnElement, and_, delete, func, select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.play.site import Site, Transaction, transactional
from service.play.table import blocks, press
from service.store.insert import insert_once
from service.store.models import Match, Player
from service.store.tables.company import Appearance, FollowedEvent, FollowedPlayer
from service.store.tables.events import Event

MOST = 200
"""How many players, and how many events, one player can follow."""

TOLD = 50
"""How many pieces of news are shown at once, the latest."""

What: TypeAlias = Literal["began", "ended"]


class FollowError(ValueError):
    """A refusal to follow somebody. The message is one sentence for the player."""


@dataclass(frozen=True, slots=True)
class News:
    """What players called `who` began or ended: the match `title`, or an event of that name, for which nobody is named.

    `path` leads there.
    """

    at: datetime
    what: What
    title: str
    path: str
    who: tuple[str, ...] = ()


class Followed(NamedTuple):
    """A player or an event that somebody follows, by number and name."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Following:
    """All that a player follows, by name, and the latest news of it."""

    players: Sequence[Followed]
    events: Sequence[Followed]
    news: Sequence[News]


def note(tx: Transaction, match: Match, what: What) -> None:
    """Notes that a match has begun or ended, for those who follow its players."""
    if match.practice or press.of(match).names:
        return
    players = [place.player_id for place in match.places if place.player_id is not None]
    followed = select(FollowedPlayer.other_id).where(FollowedPlayer.other_id.in_(players)).distinct()
    for player_id in tx.session.scalars(followed).all():
        insert_once(tx.session, Appearance, match_id=match.id, player_id=player_id, what=what, at=tx.now)


@transactional
def follow_player(tx: Transaction, player_id: int, other_id: int) -> str:
    """Follows a player and returns their name; raises FollowError. Repeating it changes nothing."""
    other = tx.session.get(Player, other_id)
    if other is None or other.is_guest or other.left is not None:
        raise FollowError("There's no such player.")
    if other.bot is not None:
        raise FollowError("Computer opponents can't be followed: they play all day.")
    if other_id == player_id:
        raise FollowError("You can't follow yourself.")
    if blocks.is_between(tx.session, other_id, player_id):
        raise FollowError(f"You can't follow {other.name}.")
    _check_room(tx, FollowedPlayer.player_id == player_id, FollowedPlayer.other_id != other_id)
    insert_once(tx.session, FollowedPlayer, player_id=player_id, other_id=other_id, since=tx.now)
    return other.name


@transactional
def follow_event(tx: Transaction, player_id: int, event_id: int) -> str:
    """Follows an event and returns its name; raises FollowError. Repeating it changes nothing."""
    event = tx.session.get(Event, event_id)
    if event is None:
        raise FollowError("There's no such event.")
    _check_room(tx, FollowedEvent.player_id == player_id, FollowedEvent.event_id != event_id)
    insert_once(tx.session, FollowedEvent, player_id=player_id, event_id=event_id, since=tx.now)
    return event.name


def _check_room(tx: Transaction, *others: ColumnElement[bool]) -> None:
    """Raises FollowError if a player follows too many others."""
    if (tx.session.scalar(select(func.count()).where(*others)) or 0) >= MOST:
        raise FollowError(f"You can follow up to {MOST} players and as many events.")


@transactional
def unfollow_player(tx: Transaction, player_id: int, other_id: int) -> None:
    """Stops following a player."""
    own = (FollowedPlayer.player_id == player_id, FollowedPlayer.other_id == other_id)
    tx.session.execute(delete(FollowedPlayer).where(*own))


@transactional
def unfollow_event(tx: Transaction, player_id: int, event_id: int) -> None:
    """Stops following an event."""
    tx.session.execute(
        delete(FollowedEvent).where(FollowedEvent.player_id == player_id, FollowedEvent.event_id == event_id)
    )


def follows_player(site: Site, player_id: int, other_id: int) -> bool:
    """Whether a player follows another."""
    with site.store.reading() as session:
        return session.get(FollowedPlayer, (player_id, other_id)) is not None


def follows_event(site: Site, player_id: int, event_id: int) -> bool:
    """Whether a player follows an event."""
    with site.store.reading() as session:
        return session.get(FollowedEvent, (player_id, event_id)) is not None


def of(session: Session, player_id: int) -> Following:
    """All that a player follows."""
    players = select(Player.id, Player.name).join(FollowedPlayer, _heard(player_id)).order_by(Player.name)
    events = select(Event.id, Event.name).join(FollowedEvent, FollowedEvent.event_id == Event.id)
    events = events.where(FollowedEvent.player_id == player_id).order_by(Event.name)
    return Following(
        [Followed(number, name) for number, name in session.execute(players)],
        [Followed(number, name) for number, name in session.execute(events)],
        news(session, player_id),
    )


def shown(site: Site, player_id: int) -> Following:
    """`of`, in a transaction of its own."""
    with site.store.reading() as session:
        return of(session, player_id)


def _heard(player_id: int) -> ColumnElement[bool]:
    """The players that one player follows, without those who have blocked them since."""
    away = blocks.between(FollowedPlayer.other_id, player_id)
    return and_(FollowedPlayer.other_id == Player.id, FollowedPlayer.player_id == player_id, ~away)


def news(session: Session, player_id: int, since: datetime | None = None) -> Sequence[News]:
    """What the players that a player follows have begun and ended, the latest first: all, or only after `since`."""
    found = [*_of_players(session, player_id, since), *_of_events(session, player_id, since)]
    return sorted(found, key=lambda one: one.at, reverse=True)[:TOLD]


def _of_players(session: Session, player_id: int, since: datetime | None) -> Sequence[News]:
    appeared = (
        select(Appearance.at, Appearance.what, Appearance.match_id, Match.game, Player.name)
        .join(Player, Player.id == Appearance.player_id)
        .join(FollowedPlayer, _heard(player_id))
        .join(Match, Match.id == Appearance.match_id)
        .where(Appearance.at >= FollowedPlayer.since)
        .order_by(Appearance.at.desc(), Appearance.match_id.desc(), Appearance.what, Player.name)
        .limit(TOLD)
    )
    if since is not None:
        appeared = appeared.where(Appearance.at > since)
    return [
        News(at, what, f"{GAMES[game].title} {match_id}", f"/match/{match_id}", tuple(row[4] for row in rows))
        for (at, what, match_id, game), rows in groupby(session.execute(appeared), lambda row: row[:4])
    ]


def _of_events(session: Session, player_id: int, since: datetime | None) -> Sequence[News]:
    found = []
    own = select(Event, FollowedEvent.since).join(FollowedEvent, FollowedEvent.event_id == Event.id)
    for event, followed in session.execute(own.where(FollowedEvent.player_id == player_id)):
        steps: tuple[tuple[What, datetime | None], ...] = (("began", event.began), ("ended", event.over))
        for what, at in steps:
            if at is not None and at >= followed and (since is None or at > since):
                found.append(News(at, what, event.name, f"/events/{event.id}"))
    return found
