"""The movement of whole groups, for playouts and the search."""

from __future__ import annotations

from service.bots.compiler import compiled
from service.bots.stones.kernel.chains import (
    BEFORE,
    CELL,
    HEAD,
    LAST,
    LIBERTIES,
    PLACED,
    SEAT,
    SIZE,
    Stones,
    atari,
    flowered,
    liberties,
)
from service.bots.stones.kernel.graph import NEAR_AT, RAY_AT, Graph
from service.bots.stones.kernel.rules import landing, place, spent, step


@compiled
def jumper(graph: Graph, stones: Stones, goal: int, colour: int) -> int:
    """A stone of this colour that can land on an empty point, and whose group hasn't moved yet; -1 if there is none."""
    for way in range(6 * goal, 6 * goal + 6):
        begin, end = graph[RAY_AT + way], graph[RAY_AT + way + 1]
        if begin + 1 < end and stones[CELL + graph[begin]] == colour and stones[CELL + graph[begin + 1]] == colour:
            start = graph[begin + 1]
            if not spent(stones, start):
                return start
    return -1


@compiled
def stroke(graph: Graph, stones: Stones) -> bool:
    """Try to capture a chain at the last stones by a group move, with a placement first if it has two liberties."""
    colour = stones[SEAT] + 1
    for place_of_last in (LAST, BEFORE):
        last = stones[place_of_last]
        if last < 0 or stones[CELL + last] == 0:
            continue
        if stones[CELL + last] != colour and _struck(graph, stones, stones[HEAD + last], colour):
            return True
        for i in range(graph[NEAR_AT + last], graph[NEAR_AT + last + 1]):
            a = graph[i]
            if stones[CELL + a] and stones[CELL + a] != colour and _struck(graph, stones, stones[HEAD + a], colour):
                return True
    return False


@compiled
def _struck(graph: Graph, stones: Stones, chain: int, colour: int) -> bool:
    """Capture this chain if a group move can; returns whether it moved."""
    room = liberties(graph, stones, chain, 3)
    if room > 2 or room == 0 or stones[SIZE + chain] < room or flowered(graph, stones, chain):
        return False
    base = LIBERTIES
    one, two = stones[base], stones[base + 1]
    if room == 1:
        start = jumper(graph, stones, one, colour)
        if start < 0:
            return False
        step(graph, stones, start, one)
        return True
    for _ in range(2):
        start = jumper(graph, stones, one, colour)
        if start >= 0:
            place(graph, stones, two, colour)
            stones[PLACED] = 1
            start = jumper(graph, stones, one, colour)
            if stones[CELL + two] == colour and stones[CELL + one] == 0 and start >= 0:
                step(graph, stones, start, one)
            return True
        one, two = two, one
    return False


@compiled
def worthwhile(graph: Graph, stones: Stones, start: int, goal: int) -> int:
    """How good a group move looks: 3 captures, 2 threatens, 1 moves a group out of atari, 0 does nothing."""
    colour = stones[CELL + start]
    best = 0
    for i in range(graph[NEAR_AT + goal], graph[NEAR_AT + goal + 1]):
        a = graph[i]
        if stones[CELL + a] and stones[CELL + a] != colour and not flowered(graph, stones, stones[HEAD + a]):
            room = liberties(graph, stones, stones[HEAD + a], 4)
            if room == 1:
                return 3
            if room <= 3:
                best = 2
    if best == 0 and atari(stones, stones[HEAD + start]) >= 0:
        best = 1
    return best


@compiled
def goal_of(graph: Graph, stones: Stones, start: int, way: int) -> int:
    """Where the stone lands if its group may still move in this turn; else -1."""
    goal = landing(graph, stones, start, way)
    return goal if goal >= 0 and not spent(stones, start) else -1
