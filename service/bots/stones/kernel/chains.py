"""Stones on a graph, stored chain by chain to make playouts fast.

Every chain has a head, one of its stones. Stored with the head is its `room`: how often the chain touches empty points,
and the sum and the sum of squares of these points, each counted as often as it is touched. A chain is in atari if all
these points are the same, which is the case exactly if touches * squares == sum * sum (Cauchy and Schwarz). The three
are in one integer, since they always change together; it is 0 if the chain has no liberty.

These functions know no rules: `service/bots/stones/kernel/rules.py` decides what happens to a chain without liberties.
"""

from __future__ import annotations

from typing import TypeAlias

from service.bots.compiler import Ints, compiled, copied, zeros
from service.bots.stones.kernel.graph import (
    BLOOM_AT,
    FLOWERS,
    MOST_POINTS,
    NEAR_AT,
    NEAR_END,
    POINTS,
    SEATS,
    TOUCH,
    Graph,
)

Stones: TypeAlias = Ints
"""A position of the kernel: one flat array that is changed in place. It begins with the numbers below; parts follow,
most with an entry for each point or, if they are about chains, for each head."""

EMPTIES, KO, SEAT, MARKER, PASSES, LAST, BEFORE, RANDOM, PLACED, STEPPED, TAKEN, TO_THE_END, ATARIS = range(13)
"""The number of empty points, the point where a ko may not be retaken, the seat to move, the marker, passes in a row,
the last two placements (-1: none), the state of the random number generator, whether a stone was placed and whether a
group moved in this turn, how many stones the last move captured, whether playouts go on if only eyes are left to fill,
and how many chains in atari are at LIST."""

HELD, LOST, FOLLOWING, DROPPED = 16, 24, 32, 40
"""By seat: prisoners, its stones that left the board, the next active seat, and in simultaneous games the point that it
chose in the previous round (negative: none; at the root, only if it got the point)."""

CELL, HEAD, LINK, SIZE, ROOM, EMPTY, SLOT, SPENT = range(64, 64 + 8 * MOST_POINTS, MOST_POINTS)
"""By point: its colour (1 … seats, 0 is empty); the head of its chain; the next stone of the chain, in a ring. By head:
number of stones, and room. All points, the empty ones first; the index of each point in that list; whether the group of
a stone has moved in this turn."""

TOUCHES = 2047
"""The bits of a room with the number of touches of empty points; for the other bits see `TOUCH` in graph.py."""

KEPT = SPENT + MOST_POINTS
"""The position ends here; temporary data follows."""

LIST, MARK = KEPT, KEPT + MOST_POINTS
CHAINS, LIBERTIES, DROPS, POOL = (MARK + MOST_POINTS + each for each in (0, 256, 320, 336))
WHOLE = POOL + 16
"""A list of points; a mark for each point; chains being captured (64, then their colours, and the colours beside them);
liberties just counted; the point where each seat dropped its stone; and stones being divided."""


def fresh(graph: Graph) -> Stones:
    """An empty board with the first seat to move."""
    stones = zeros(WHOLE)
    for point in range(graph[POINTS]):
        stones[EMPTY + point] = stones[SLOT + point] = point
    for seat in range(graph[SEATS]):
        stones[FOLLOWING + seat] = (seat + 1) % graph[SEATS]
    stones[EMPTIES] = graph[POINTS]
    for place in (KO, LAST, BEFORE, *range(DROPPED, DROPPED + 8)):
        stones[place] = -1
    stones[RANDOM] = 1
    return stones


@compiled
def copy(graph: Graph, target: Stones, source: Stones) -> None:
    """Make `target` the same position as `source`, except for the state of the random number generator."""
    state = target[RANDOM]
    copied(target, source, 0, CELL)
    for part in range(CELL, KEPT, MOST_POINTS):
        copied(target, source, part, part + graph[POINTS])
    target[RANDOM] = state


@compiled
def drawn(stones: Stones, below: int) -> int:
    """A random number from 0 to below - 1 (xorshift32)."""
    x = stones[RANDOM]
    x ^= (x << 13) & 0xFFFFFFFF
    x ^= x >> 17
    x ^= (x << 5) & 0xFFFFFFFF
    stones[RANDOM] = x
    return (x * below) >> 32


@compiled
def put(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Put a stone on an empty point without capturing. Returns whether an enemy chain lost its last liberty."""
    last = stones[EMPTIES] - 1
    stones[EMPTIES] = last
    other, place = stones[EMPTY + last], stones[SLOT + point]
    stones[EMPTY + place], stones[SLOT + other] = other, place
    stones[EMPTY + last], stones[SLOT + point] = point, last
    stones[CELL + point] = colour
    stones[HEAD + point] = stones[LINK + point] = point
    stones[SIZE + point] = 1
    stones[ROOM + point] = room = 0
    weight = graph[TOUCH + point]
    starved = False
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        stone = stones[CELL + a]
        if stone == 0:
            room += graph[TOUCH + a]
            continue
        h = stones[HEAD + a]
        left = stones[ROOM + h] - weight
        stones[ROOM + h] = left
        if stone == colour:
            if h != stones[HEAD + point]:
                join(stones, h, stones[HEAD + point])
        elif left == 0:
            starved = True
    stones[ROOM + stones[HEAD + point]] += room
    return starved


@compiled
def join(stones: Stones, one: int, two: int) -> None:
    """Join two chains, given by their heads; the head of the larger chain remains."""
    if stones[SIZE + one] < stones[SIZE + two]:
        one, two = two, one
    stones[SIZE + one] += stones[SIZE + two]
    stones[ROOM + one] += stones[ROOM + two]
    stones[HEAD + two] = one
    a = stones[LINK + two]
    while a != two:
        stones[HEAD + a] = one
        a = stones[LINK + a]
    stones[LINK + one], stones[LINK + two] = stones[LINK + two], stones[LINK + one]


@compiled
def lift(graph: Graph, stones: Stones, chain: int) -> None:
    """Remove a chain, given by its head, from the board."""
    a = chain
    while True:
        stones[CELL + a] = 0
        first = stones[EMPTIES]
        stones[EMPTIES] = first + 1
        other, place = stones[EMPTY + first], stones[SLOT + a]
        stones[EMPTY + place], stones[SLOT + other] = other, place
        stones[EMPTY + first], stones[SLOT + a] = a, first
        a = stones[LINK + a]
        if a == chain:
            break
    while True:
        weight = graph[TOUCH + a]
        for b in graph[graph[NEAR_AT + a] : graph[NEAR_END + a]]:
            if stones[CELL + b]:
                stones[ROOM + stones[HEAD + b]] += weight
        a = stones[LINK + a]
        if a == chain:
            break


@compiled
def turn(graph: Graph, stones: Stones, chain: int, colour: int) -> None:
    """Give a chain another colour; it joins the chains of that colour next to it."""
    count, a = 0, chain
    while True:
        stones[CELL + a] = colour
        stones[LIST + count] = a
        count += 1
        a = stones[LINK + a]
        if a == chain:
            break
    for k in range(count):
        a = stones[LIST + k]
        for b in graph[graph[NEAR_AT + a] : graph[NEAR_END + a]]:
            if stones[CELL + b] == colour and stones[HEAD + b] != stones[HEAD + a]:
                join(stones, stones[HEAD + b], stones[HEAD + a])


@compiled
def flowered(graph: Graph, stones: Stones, chain: int) -> bool:
    """Whether the chain, given by its head, has a flower."""
    if stones[SIZE + chain] < 6 or graph[FLOWERS] == 0:
        return False
    colour = stones[CELL + chain]
    a = chain
    while True:
        for i in range(graph[BLOOM_AT + a], graph[BLOOM_AT + a + 1]):
            first = graph[i]
            if graph[first] == a:
                whole = True
                for k in range(first + 1, first + 6):
                    b = graph[k]
                    if stones[CELL + b] != colour or stones[HEAD + b] != chain:
                        whole = False
                        break
                if whole:
                    return True
        a = stones[LINK + a]
        if a == chain:
            return False


@compiled
def completes(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether a stone on this point would complete a flower."""
    for i in range(graph[BLOOM_AT + point], graph[BLOOM_AT + point + 1]):
        first = graph[i]
        mine = 0
        for k in range(first, first + 6):
            if stones[CELL + graph[k]] == colour:
                mine += 1
        if mine == 5:
            return True
    return False


@compiled
def atari(stones: Stones, chain: int) -> int:
    """The last liberty of a chain, given by its head; -1 if it has none or more than one."""
    room = stones[ROOM + chain]
    touches, total = room & TOUCHES, room >> 11 & 0x1FFFFF
    return total // touches if room and touches * (room >> 32) == total * total else -1


@compiled
def liberties(graph: Graph, stones: Stones, chain: int, most: int) -> int:
    """The number of liberties of a chain, counted up to `most` (64 or less); they are written at LIBERTIES."""
    start = LIBERTIES
    count, a = 0, chain
    while True:
        for b in graph[graph[NEAR_AT + a] : graph[NEAR_END + a]]:
            if stones[CELL + b] == 0:
                known = False
                for k in range(start, start + count):
                    if stones[k] == b:
                        known = True
                        break
                if not known:
                    stones[start + count] = b
                    count += 1
                    if count == most:
                        return count
        a = stones[LINK + a]
        if a == chain:
            return count


@compiled
def room_after(graph: Graph, stones: Stones, point: int, colour: int) -> int:
    """About how many liberties a stone on `point` would have: 0, 1, or 2 for two or more. Captures count as room."""
    one = -1
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        stone = stones[CELL + a]
        if stone == 0:
            if one >= 0 and one != a:
                return 2
            one = a
        elif stone != colour:
            if atari(stones, stones[HEAD + a]) == point and not flowered(graph, stones, stones[HEAD + a]):
                if stones[SIZE + stones[HEAD + a]] > 1:
                    return 2
                if one >= 0 and one != a:
                    return 2
                one = a
        else:
            count = liberties(graph, stones, stones[HEAD + a], 3)
            start = LIBERTIES
            for k in range(start, start + count):
                b = stones[k]
                if b != point:
                    if one >= 0 and one != b:
                        return 2
                    one = b
    return 1 if one >= 0 else 0
