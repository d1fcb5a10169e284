"""How players have done in each game, counted as matches end, because counting afresh takes longer with every match."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import Insert

from service.store.models import Match
from service.store.tables.ratings import PlayerResult


class Count(NamedTuple):
    """A number of matches of one game. `shared` are those of which a player got a part, neither none nor all."""

    won: int = 0
    lost: int = 0
    shared: int = 0

    @property
    def negative(self) -> Count:
        return Count(-self.won, -self.lost, -self.shared)


def add(session: Session, match: Match) -> None:
    """Counts a match that has just ended for everybody who has a place in it."""
    _add(session, match.game, _counted(match))


def take_away(session: Session, match: Match) -> None:
    """Undoes what `add` did. The seats must still have their scores."""
    _add(session, match.game, ((player_id, count.negative) for player_id, count in _counted(match)))


def hand_over(session: Session, guest_id: int, player_id: int) -> None:
    """Adds what a guest's matches counted to what a player's do."""
    for row in session.scalars(select(PlayerResult).where(PlayerResult.player_id == guest_id)):
        _add(session, row.game, [(player_id, Count(row.won, row.lost, row.shared))])
    session.execute(delete(PlayerResult).where(PlayerResult.player_id == guest_id))


def of_player(session: Session, player_id: int) -> dict[str, Count]:
    """A player's counts by game, without games in which no match counts."""
    rows = session.scalars(select(PlayerResult).where(PlayerResult.player_id == player_id))
    counts = {row.game: Count(row.won, row.lost, row.shared) for row in rows}
    return {game: count for game, count in counts.items() if any(count)}


def _counted(match: Match) -> list[tuple[int, Count]]:
    """In the order of the players, so that two matches that end at once can't deadlock."""
    counted = [
        (place.player_id, _count(score))
        for place in match.places
        if place.player_id is not None and (score := match.seats[place.number].score) is not None
    ]
    return sorted(counted)


def _count(score: str) -> Count:
    return Count(won=1) if score == "1" else Count(lost=1) if score == "0" else Count(shared=1)


def _add(session: Session, game: str, counts: Iterable[tuple[int, Count]]) -> None:
    rows = [{"player_id": player_id, "game": game, **count._asdict()} for player_id, count in counts]
    if rows:
        session.connection().execute(_upsert(session.get_bind().dialect.name), rows)


@cache
def _upsert(dialect: str) -> Insert:
    dialects: dict[str, Any] = {"postgresql": postgresql, "sqlite": sqlite}
    insert = dialects[dialect].insert(PlayerResult)
    sums = {name: getattr(PlayerResult, name) + insert.excluded[name] for name in Count._fields}
    upsert: Insert = insert.on_conflict_do_update(index_elements=["player_id", "game"], set_=sums)
    return upsert
