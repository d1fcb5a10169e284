"""What a stone gains when every point matters.

To a search that counts wins, all moves are equal once the match is decided: it would pass while points are left, or
place stones that change nothing. So here the seat or the others get an allowance with which the match is about even
after a pass.
"""

from __future__ import annotations

from collections.abc import Mapping

from service.bots.stones import settling
from service.bots.stones.playing_on import furthest
from service.bots.stones.think import chosen, searched, shares
from service.bots.thought import View
from service.engine.stone_games.stone_position import StonePosition

LEAST = 300
"""The fewest simulations of a search, or ten times the budget of a move if that is less."""
WORTH = 0.1
"""How much a stone must add to the share of the win. If all else is settled, a point adds about a half."""
EVEN = 0.8
"""The share of the win in an even match, as a part of the average share."""


def for_points(view: View, owners: Mapping[str, tuple[float, ...]], budget: int, seed: int) -> str:
    """The best placement, or a pass if that is as good. `owners` has the owners of the current board."""
    stone, gain = gained(view, owners, max(budget // 2, min(LEAST, 10 * budget)), seed)
    return stone if gain > WORTH else "pass"


def gained(view: View, owners: Mapping[str, tuple[float, ...]], budget: int, seed: int) -> tuple[str, float]:
    """The best placement, and how much its share of the win exceeds that of a pass."""
    close = closely(view, owners, budget, seed)
    found = searched(close, budget, seed)
    still = searched(close, budget, seed, passing=True)
    return chosen(found, seed, but="pass")[0], shares(found)[view.seat] - shares(still)[view.seat]


def closely(view: View, owners: Mapping[str, tuple[float, ...]], budget: int, seed: int) -> View:
    """The view with an allowance that makes the match even if the seat passes."""
    position, seat = view.position, view.seat
    assert isinstance(position, StonePosition)
    level = settling.levelling(position, seat, owners)
    even = EVEN / len(position.active)

    def handicapped(points: int) -> View:
        return view._replace(allowance=tuple(each - points * (one == seat) for one, each in enumerate(level)))

    def wins(points: int) -> bool:
        return shares(searched(handicapped(points), budget // 3, seed, passing=True))[seat] > even

    return handicapped(furthest(wins))
