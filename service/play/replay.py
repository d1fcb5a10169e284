"""From options and log to positions, with the recent ones kept."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.game import Position
from service.games import GAMES
from service.store.models import Entry, Match

KEPT = 512
"""Positions kept per process. A log only grows, so a kept position never becomes wrong."""

_Key: TypeAlias = tuple[int, int, int]
_kept: OrderedDict[_Key, Position] = OrderedDict()


def start(match: Match) -> Position:
    """The position before the first move."""
    return GAMES[match.game].begin(len(match.seats), match.seed, match.options)


def position(session: Session, match: Match, ply: int | None = None) -> Position:
    """The position after the first `ply` entries, by default after all of them."""
    wanted = match.ply if ply is None else ply
    known, found = _nearest(match, wanted)
    if found is None:
        found = start(match)
    if known < wanted:
        log = session.execute(
            select(Entry.seat, Entry.move)
            .where(Entry.match_id == match.id, Entry.ply > known, Entry.ply <= wanted)
            .order_by(Entry.ply)
        )
        found = GAMES[match.game].replay(found, ((seat, move) for seat, move in log))
    keep(match, wanted, found)
    return found


def keep(match: Match, ply: int, found: Position) -> None:
    """Remembers a position. Ids repeat from one database to the next, seeds do not: both make the key."""
    _kept[(match.seed, match.id, ply)] = found
    _kept.move_to_end((match.seed, match.id, ply))
    while len(_kept) > KEPT:
        _kept.popitem(last=False)


def forget() -> None:
    """Drops what is kept: after a transaction that had played moves was rolled back."""
    _kept.clear()


def _nearest(match: Match, ply: int) -> tuple[int, Position | None]:
    """The latest kept position at or shortly before `ply`, and its ply."""
    for known in range(ply, max(-1, ply - 16), -1):
        found = _kept.get((match.seed, match.id, known))
        if found is not None:
            return known, found
    return 0, None
