"""Who owns the points at the end of a playout."""

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
    """The colour that owns a point at the end of a playout: its stone's, or that of all stones around it; else 0."""
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
    """Writes each seat's points, doubled so that they are integers, at COUNTED, and adds the owners to OWN.

    If only surrounded points and prisoners count, a seat has what it controls, less its stones at the root, plus what
    it captured and lost since, because all seats have placed equally many stones since. In simultaneous games, where
    some may pass, that isn't so, and a wasted stone would gain a point. There, remaining stones of the root don't
    count, and lost stones count only for their captors.
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
    """The points of a seat for stones that have left the board."""
    shared = graph[SHARING] in (SOLE, CLUSTER)
    if graph[KIND] == TOGETHER:
        return stones[HELD + seat] if shared else -stones[LOST + seat]
    return (stones[HELD + seat] + stones[LOST + seat] if shared else 0) - root[LOST + seat]
