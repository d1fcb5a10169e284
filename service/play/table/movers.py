"""Who has played moves of their own in a match."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy.orm import Session

from service.engine.game import WAIT
from service.play.table import replay
from service.store.entries import entries
from service.store.models import LATE, REPLACED, Match

NO_MOVES = replay.NO_MOVES | {WAIT}


def by_seat(session: Session, match: Match) -> dict[int, list[int]]:
    """By seat, who has played moves of their own that weren't taken back, in the order of their first moves."""
    log = entries(session, match, authors=True)
    valid = replay.standing((one.ply, one.back) for one in log)
    found = defaultdict[int, dict[int, None]](dict)
    for one in log:
        is_move = not one.private and one.fate not in (LATE, REPLACED) and one.move not in NO_MOVES
        if one.by is not None and is_move and one.ply in valid:
            found[one.seat][one.by] = None
    return {seat: [*movers] for seat, movers in found.items()}


def is_unmoved(session: Session, match: Match) -> bool:
    """Whether a match that was to be rated is over and isn't, because not everybody has moved."""
    return match.rated and match.state == "over" and len(by_seat(session, match)) < len(match.seats)
