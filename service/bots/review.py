"""What a position was worth, and what would have been best there: asked by play/match/review.py, move by move."""

from __future__ import annotations

from service.bots.compiler import COMPILED
from service.bots.pillars.opponents import strong
from service.bots.roster import OPPONENTS, affordable
from service.bots.stones.think import think
from service.bots.thought import Thought, View
from service.engine.game import Position
from service.engine.stone_games.stone_position import StonePosition
from service.games.pillars.position import PillarsPosition

PART = 4
"""A review looks at each move with this part of the strongest opponent's budget."""


def judged(view: View, budget: int, seed: int) -> Thought:
    """What the strongest search thinks of a position of play, for the seat of the view."""
    return (strong if isinstance(view.position, PillarsPosition) else think)(view, budget, seed)


def can_be_judged(position: Position) -> bool:
    """Whether moves are searched here: not while stones are counted or alliances are made."""
    return position.phase == "play" and isinstance(position, (PillarsPosition, StonePosition))


def budget(game: str, position: Position) -> int:
    """How much a review spends on one move of this match."""
    strongest = OPPONENTS[game][2]
    points = len(position.view(None).board.names)
    return affordable(strongest._replace(budget=strongest.budget // PART), game, points, COMPILED)
