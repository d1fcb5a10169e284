"""What a search records outside its tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from service.bots.compiler import Ints, zeros
from service.bots.stones.kernel.graph import MOST_POINTS

Desk: TypeAlias = Ints
"""One flat array with the indices below."""

USED, SIMULATIONS, PASSING, AS_IT_IS = range(4)
"""The numbers of nodes and simulations; whether the root may only pass; whether all stones count as alive once all have
passed."""
AGAIN = 4
"""By seat, in simultaneous games: the point that it and others chose in the last round; negative if there is none."""
OFFSET, COUNTED, REWARD, TOTAL, PATH, MOVER = 16, 24, 32, 40, 48, 208
"""By seat: its points in advance, doubled; its points in this playout, doubled; its share of the win in thousandths;
the sum of these shares over all simulations. By depth: the nodes of this simulation, and the seat to move."""
PLACED_AT = MOVER
"""By seat, in simultaneous games: the point of its stone in the first round; negative if it got none."""
ALLOWED = 368
"""By point: whether the seat to move at the root may play there."""
FIRST = ALLOWED + MOST_POINTS
"""By point: seat + 1 of the first to play there in this simulation; in simultaneous games, 1 by point and seat."""
OWN = FIRST + 8 * MOST_POINTS
"""By point and seat: the number of playouts in which the seat owned the point."""


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
