"""All opponents by game, and what they order: the door to this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.bots.pillars import opponents as pillars
from service.bots.stones import opponents as stones
from service.bots.thought import Opponent, Thought, View
from service.games.pillars.position import PillarsPosition

OPPONENTS: Mapping[str, tuple[Opponent, Opponent, Opponent]] = {**stones.OPPONENTS, **pillars.OPPONENTS}
"""By the name of the game, from the one to learn against to the strongest."""


def order(view: View, opponent: Opponent, seed: int, past: Sequence[float] = ()) -> Thought:
    """What an opponent orders now, in whatever phase. `past` are the values of its own earlier turns, oldest first."""
    if isinstance(view.position, PillarsPosition):
        return pillars.order(view, opponent, seed, past)
    return stones.order(view, opponent, seed, past)
