"""What lists of matches need to know of a position, copied into the rows of its match."""

from __future__ import annotations

from service.engine.game import Position
from service.store.models import Match


def show(match: Match, position: Position) -> None:
    """Copies what lists need of a position into the match's rows."""
    match.round = position.round
    for seat in match.seats:
        seat.to_move, seat.awaited = seat.number in position.turns, seat.number in position.public_turns
        if seat.number not in position.active:
            for place in match.team(seat.number):
                place.sought = None
    if position.outcome is not None:
        match.state, match.reason = "over", position.outcome.reason
        for seat, score in zip(match.seats, position.outcome.scores, strict=True):
            seat.score = str(score)
