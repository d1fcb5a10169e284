"""What a search notes outside its tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from service.bots.compiler import Ints, zeros
from service.bots.stones.kernel.graph import MOST_POINTS

Desk: TypeAlias = Ints
"""One flat array, at the places below."""

USED, SIMULATIONS, PASSING, AS_IT_IS = range(4)
"""Nodes used, and simulations made; whether the root may only pass; whether the board is counted as it is once all have
passed, because every stone is then alive."""
AGAIN = 4
"""By seat, where all move at once: the point that others chose with it in the last round; negative if there is none."""
OFFSET, COUNTED, REWARD, TOTAL, PATH, MOVER = 16, 24, 32, 40, 48, 208
"""By seat, the points it has beforehand, doubled; the points of this playout, doubled; its share of the win in
thousandths, and the sum of these over all simulations. By depth, the nodes of this simulation, and who moves there."""
PLACED_AT = MOVER
"""By seat, where all move at once: the point of its stone in the first round; negative if it got none."""
ALLOWED = 368
"""By point: whether the root may play there."""
FIRST = ALLOWED + MOST_POINTS
"""By point, which seat + 1 played there first in this simulation; where all move at once by point and seat."""
OWN = FIRST + 8 * MOST_POINTS
"""By point and seat: the playouts in which it owned the point."""


def laid(offset: Sequence[int], allowed: Sequence[int]) -> Desk:
    """A desk for a new search."""
    desk = zeros(OWN + 8 * MOST_POINTS)
    desk[USED] = 1
    for seat in range(8):
        desk[AGAIN + seat] = -1
    for seat, points in enumerate(offset):
        desk[OFFSET + seat] = points
    for point, each in enumerate(allowed):
        desk[ALLOWED + point] = each
    return desk
