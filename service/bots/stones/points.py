"""What a stone gains where every point decides.

To a search that counts wins, all moves are alike once the match is decided: it would pass while there is something to
argue about, or throw in stones that change nothing. So here the seat gets points, or the others do, until a pass makes
the match about even.
"""

from __future__ import annotations

from collections.abc import Mapping

from service.bots.stones import settling
from service.bots.stones.playing_on import furthest
from service.bots.stones.think import chosen, searched, shares
from service.bots.thought import View
from service.engine.stone_games.stone_position import StonePosition

LEAST = 300
"""Simulations of a search, at least; ten times the budget of a move where that is less."""
WORTH = 0.1
"""What a stone must add to the share of the win. Where all else is settled, a point adds about a half."""
EVEN = 0.8
"""What share of the win makes a match even, as a part of what each seat has of it on average."""


def for_points(view: View, owners: Mapping[str, tuple[float, ...]], budget: int, seed: int) -> str:
    """The best stone; a pass if that is as good. `owners` says who owns what as the board is."""
    stone, gain = gained(view, owners, max(budget // 2, min(LEAST, 10 * budget)), seed)
    return stone if gain > WORTH else "pass"


def gained(view: View, owners: Mapping[str, tuple[float, ...]], budget: int, seed: int) -> tuple[str, float]:
    """The best stone, and what it adds to the share of the win that a pass promises."""
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
