"""Whose the points are when a playout has ended."""

from __future__ import annotations

from service.bots.compiler import compiled
from service.bots.stones.kernel.chains import CELL, HELD, LOST, MARKER, Stones
from service.bots.stones.kernel.desk import COUNTED, OFFSET, OWN, Desk
from service.bots.stones.kernel.graph import (
    AREA,
    CLUSTER,
    KIND,
    NEAR_AT,
    NEAR_END,
    POINTS,
    SEATS,
    SHARING,
    SOLE,
    TOGETHER,
    Graph,
)


@compiled
def owner(graph: Graph, stones: Stones, point: int) -> int:
    """Whose point this is at the end of a playout, as a colour: the stone's, or that of all stones around; else 0."""
    found = stones[CELL + point]
    if found:
        return found
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        stone = stones[CELL + a]
        if stone == 0 or (found and stone != found):
            return 0
        found = stone
    return found


@compiled
def count(graph: Graph, stones: Stones, root: Stones, desk: Desk) -> None:
    """Points of each seat, doubled so that half points are whole, at COUNTED, and who owns what onto OWN.

    Where only surrounded points and prisoners count, a seat has what it controls, less its stones at the root, plus
    what it took and lost since: every stone since was one for one. Where all move at once and some pass, that isn't so,
    and a stone thrown away would be a point won. There the stones of the root that are left are no points, and lost
    ones count only for those who took them.
    """
    seats, cells = graph[SEATS], graph[POINTS]
    for seat in range(seats):
        desk[COUNTED + seat] = desk[OFFSET + seat]
    for point in range(cells):
        colour = owner(graph, stones, point)
        if colour:
            desk[COUNTED + colour - 1] += 2
            desk[OWN + point * seats + colour - 1] += 1
        before = root[CELL + point]
        if before and not graph[AREA] and (graph[KIND] != TOGETHER or stones[CELL + point] == before):
            desk[COUNTED + before - 1] -= 2
    marker = stones[MARKER]
    desk[COUNTED + 0] += 2 * max(0, marker)
    desk[COUNTED + 1] += 2 * max(0, -marker)
    if not graph[AREA]:
        for seat in range(seats):
            desk[COUNTED + seat] += 2 * traded(graph, stones, root, seat)


@compiled
def traded(graph: Graph, stones: Stones, root: Stones, seat: int) -> int:
    """What the stones that have left the board are worth to a seat."""
    shared = graph[SHARING] in (SOLE, CLUSTER)
    if graph[KIND] == TOGETHER:
        return stones[HELD + seat] if shared else -stones[LOST + seat]
    return (stones[HELD + seat] + stones[LOST + seat] if shared else 0) - root[LOST + seat]
