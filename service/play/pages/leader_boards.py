"""Ratings as pages and letters show them: leader boards, and a player's own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, or_, select
from sqlalchemy.orm import Session

from service.contests.ratings import PROVISIONAL
from service.games import GAMES
from service.play.site import Site
from service.render.rating_graph import Point
from service.store.models import Player
from service.store.tables.ratings import SETTLED, PlayerRating, RatedSeat

LISTED = 50
"""Players on one page of a leader board."""

ACTIVE = timedelta(days=365)
"""A player who has finished no rated match in this time is on no leader board."""

GRAPHED = 300
"""The latest matches of a player that graphs show."""


class Shown(NamedTuple):
    """A rating as people read it: whole points, and whether it is provisional."""

    rating: int
    deviation: int
    provisional: bool

    def __str__(self) -> str:
        return f"{self.rating}?" if self.provisional else str(self.rating)


class Leader(NamedTuple):
    """A line of a leader board."""

    place: int
    player_id: int
    name: str
    bot: bool
    shown: Shown
    matches: int
    at: datetime


class Board(NamedTuple):
    """A page of a leader board, and where the next one begins, as (floor, player, place); None on the last."""

    leaders: tuple[Leader, ...]
    after: tuple[float, int, int] | None


def leaders(site: Site, game: str, after: tuple[float, int, int] | None = None) -> Board:
    """The best players of a game, by rating less deviation, who are certain enough and have played in a year."""
    with site.store.reading() as session:
        found = session.execute(_leaders(game, site.now() - ACTIVE, after)).all()
    first = after[2] + 1 if after else 1
    lines = tuple(_leader(place, row) for place, row in enumerate(found[:LISTED], first))
    last = found[LISTED - 1].PlayerRating if len(found) > LISTED else None
    return Board(lines, last and (last.floor, last.player_id, lines[-1].place))


def _leader(place: int, row: Any) -> Leader:
    rating = row.PlayerRating
    return Leader(place, row.id, row.name, row.bot is not None, shown(rating), rating.matches, rating.at)


def _leaders(
    game: str, since: datetime, after: tuple[float, int, int] | None
) -> Select[PlayerRating, int, str, str | None]:
    best = (
        select(PlayerRating, Player.id, Player.name, Player.bot)
        .join(Player, Player.id == PlayerRating.player_id)
        .where(PlayerRating.game == game, SETTLED, PlayerRating.at > since, Player.left.is_(None))
        .order_by(PlayerRating.floor.desc(), PlayerRating.player_id)
        .limit(LISTED + 1)
    )
    if after is None:
        return best
    floor, player_id, _ = after
    lower = and_(PlayerRating.floor == floor, PlayerRating.player_id > player_id)
    return best.where(or_(PlayerRating.floor < floor, lower))


def shown(rating: PlayerRating) -> Shown:
    """A stored rating as people read it."""
    return Shown(round(rating.rating), round(rating.deviation), rating.deviation > PROVISIONAL)


def of_player(session: Session, player_id: int) -> dict[str, Shown]:
    """A player's ratings by game, of those in which they have finished a rated match."""
    own = select(PlayerRating).where(PlayerRating.player_id == player_id, PlayerRating.matches > 0)
    known = {row.game: shown(row) for row in session.scalars(own)}
    return {game: known[game] for game in GAMES if game in known}


def of_table(session: Session, game: str, players: Collection[int]) -> dict[int, Shown]:
    """The ratings that several players have in one game."""
    theirs = select(PlayerRating).where(PlayerRating.game == game, PlayerRating.player_id.in_(players))
    return {row.player_id: shown(row) for row in session.scalars(theirs.where(PlayerRating.matches > 0))}


def histories(session: Session, player_id: int) -> dict[str, list[Point]]:
    """A player's ratings after each of their latest rated matches, by game, oldest first."""
    own = select(RatedSeat.game, RatedSeat.ended, RatedSeat.rating, RatedSeat.deviation)
    latest = own.where(RatedSeat.player_id == player_id).order_by(RatedSeat.ended.desc()).limit(GRAPHED)
    points: dict[str, list[Point]] = defaultdict(list)
    for game, ended, rating, deviation in reversed(session.execute(latest).all()):
        points[game].append(Point(ended, rating, deviation))
    return points


def changed(session: Session, match_id: int, player_id: int | None) -> tuple[int, int] | None:
    """A player's rating before and after a match; None if it wasn't rated."""
    row = None if player_id is None else session.get(RatedSeat, (match_id, player_id))
    return None if row is None else (round(row.rating_before), round(row.rating))
