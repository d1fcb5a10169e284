"""What the opponents order: the entry point of this package."""

from __future__ import annotations

from collections.abc import Sequence

from service.bots.compiler import COMPILED
from service.bots.pillars import opponents as pillars
from service.bots.pillars.manners import accepts
from service.bots.roster import NAMES, YARDSTICK, affordable, for_counting
from service.bots.stones import opponents as stones
from service.bots.thought import Opponent, Thought, View
from service.bots.yardsticks import pebble
from service.games.pillars.position import PillarsPosition


def order(view: View, opponent: Opponent, seed: int, past: Sequence[float] = ()) -> Thought:
    """What an opponent orders now, in any phase. `past` are the values of its own earlier turns, oldest first."""
    if isinstance(view.position, PillarsPosition):
        return pillars.order(view, opponent, seed, past)
    return stones.order(view, opponent, seed, past)


def hurried_order(view: View, name: str, seed: int, past: Sequence[float] = ()) -> Thought:
    """What the opponent of this name orders, with a budget that takes a club's server a few seconds.

    If it isn't its turn, it answers the draw offered to it.
    """
    level = 1 if name == YARDSTICK else NAMES[name][1].level
    if view.seat not in view.position.turns:
        return Thought("draw" if past and accepts(past, level) else "decline")
    if name == YARDSTICK:
        return pebble(view, 0, seed)
    game, opponent = NAMES[name]
    points = len(view.position.view(view.seat).board.names)
    counts = view.position.phase == "scoring"
    budget = for_counting(game, points, COMPILED) if counts else affordable(opponent, game, points, COMPILED)
    return order(view, opponent._replace(budget=budget), seed, past)
