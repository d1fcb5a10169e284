"""Why the learner moved: what its move did on the board, for players who ask."""

from __future__ import annotations

from typing import NamedTuple

from service.bots.pillars.reasons import of_piece
from service.bots.stones.reasons import of_stones
from service.bots.thought import NO_MOVES
from service.engine.game import MoveError, Position, Seat
from service.engine.rewound import Again
from service.engine.stone_games.stone_position import StonePosition
from service.games.pillars.position import PillarsPosition


class Reason(NamedTuple):
    """The reason for a move: the `kind` of sentence, and what it names.

    The kinds are those in `pillars/reasons.py` and `stones/reasons.py`, and `passes`; `plays` is the last resort.
    """

    kind: str
    number: int = 0
    """A number of stones, points or liberties."""
    at: str = ""
    """A cell, or a piece with its square."""


def explained(before: Position, seat: Seat, move: str) -> Reason | None:
    """The strongest reason for a move; None in simultaneous rounds and for moves that aren't part of play."""
    before = before.first if isinstance(before, Again) else before
    if before.phase != "play" or before.turns != (seat,) or len(before.public_turns) > 1 or move in NO_MOVES:
        return None
    try:
        return Reason(*_reason(before, before.play(seat, move), seat, move))
    except MoveError:
        return None


def _reason(before: Position, after: Position, seat: Seat, move: str) -> tuple[str, int, str]:
    if move == "pass":
        return "passes", 0, ""
    if isinstance(before, PillarsPosition) and isinstance(after, PillarsPosition):
        return of_piece(before, after, move)
    if isinstance(before, StonePosition) and isinstance(after, StonePosition):
        return of_stones(before, after, seat, move)
    return "plays", 0, ""
