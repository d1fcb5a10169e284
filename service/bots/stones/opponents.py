"""What the opponents at games of stones order."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from service.bots.stones.manners import mannered
from service.bots.stones.think import searched, think
from service.bots.thought import Opponent, Thought, View

SLIPS = 20
"""The percentage of turns in which the learner plays a move from a much shorter search."""


def order(view: View, opponent: Opponent, seed: int, past: Sequence[float] = ()) -> Thought:
    """What this opponent orders now. `past` are the values of its own earlier turns, oldest first."""
    search = learner if opponent.level == 1 else think
    return mannered(search, view, opponent.budget, seed, past, stubborn=opponent.level == 1)


def learner(view: View, budget: int, seed: int) -> Thought:
    """A short search with human mistakes: sometimes it plays one of the top moves of an even shorter search."""
    thought = think(view, budget, seed)
    chance = Random(seed)  # noqa: S311
    if thought.move == "pass" or chance.randrange(100) >= SLIPS:
        return thought
    minded = [each for each in searched(view, budget // 4, seed + 1).moves if each[0] in view.position.moves(view.seat)]
    move, _, value = chance.choice(minded[:5] or [(thought.move, 0, thought.value)])
    return thought._replace(move=move, value=value, lines=((move,),))
