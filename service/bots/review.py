"""What a position was worth, and which move was best, for play/match/review.py, move by move."""

from __future__ import annotations

from service.bots.compiler import COMPILED
from service.bots.pillars.opponents import strong
from service.bots.roster import OPPONENTS, affordable
from service.bots.stones.think import think
from service.bots.thought import NO_MOVES, Thought, View
from service.engine.game import Position, Seat
from service.engine.stone_games.stone_position import StonePosition
from service.games.pillars.position import PillarsPosition

PART = 4
"""The strongest opponent's budget is divided by this for each move of a review."""


def judged(view: View, played: str, budget: int, seed: int) -> Thought:
    """The strongest search's thought about a position of play, for the seat of the view, which played this move."""
    thought = (strong if isinstance(view.position, PillarsPosition) else think)(view, budget, seed)
    if not _is_same(view, played, thought.move):
        return thought
    line, *others = thought.lines
    return thought._replace(move=played, lines=((played, *line[1:]), *others))


def _is_same(view: View, one: str, other: str) -> bool:
    """Whether two moves have the same parts and the same result: often, groups can move in any order."""
    if sorted(one.split()) != sorted(other.split()):
        return False
    return view.position.play(view.seat, one).setup == view.position.play(view.seat, other).setup


def can_be_judged(position: Position, seat: Seat, move: str) -> bool:
    """Whether a search can judge a move of the log: one that its player chose, not during scoring or the alliance
    round."""
    is_move = seat in position.turns and move not in NO_MOVES and not position.is_private(move)
    return is_move and position.phase == "play" and isinstance(position, (PillarsPosition, StonePosition))


def budget(game: str, position: Position) -> int:
    """The budget of a review for one move of this match."""
    strongest = OPPONENTS[game][2]
    points = len(position.view(None).board.names)
    return affordable(strongest._replace(budget=strongest.budget // PART), game, points, COMPILED)
