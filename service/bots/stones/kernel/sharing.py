"""Captures in games for several: captured chains leave the board, and their captors share the prisoners."""

from __future__ import annotations

from service.bots.compiler import compiled
from service.bots.stones.kernel.chains import (
    CELL,
    CHAINS,
    DROPS,
    HELD,
    LINK,
    LIST,
    LOST,
    MARK,
    POOL,
    SIZE,
    TAKEN,
    Stones,
    lift,
)
from service.bots.stones.kernel.graph import (
    CLUSTER,
    NEAR_AT,
    POINTS,
    SEATS,
    SHARING,
    SOLE,
    Graph,
)


@compiled
def remove(graph: Graph, stones: Stones, count: int) -> None:
    """Remove the `count` chains at CHAINS, recording the colour of each and, as bits, the colours next to it."""
    start = CHAINS
    for k in range(start, start + count):
        h = stones[k]
        colours, a = 0, h
        while True:
            for i in range(graph[NEAR_AT + a], graph[NEAR_AT + a + 1]):
                colours |= 1 << stones[CELL + graph[i]]
            a = stones[LINK + a]
            if a == h:
                break
        stones[k + 64] = stones[CELL + h]
        stones[k + 128] = colours & ~1 & ~(1 << stones[CELL + h])
    for k in range(start, start + count):
        h = stones[k]
        stones[LOST + stones[CELL + h] - 1] += stones[SIZE + h]
        stones[TAKEN] += stones[SIZE + h]
        lift(graph, stones, h)


@compiled
def note_drop(graph: Graph, stones: Stones, colour: int, point: int) -> None:
    """Record that only `colour` placed a stone in this move."""
    start = DROPS
    for seat in range(graph[SEATS]):
        stones[start + seat] = -1
    stones[start + colour - 1] = point


@compiled
def share(graph: Graph, stones: Stones, count: int) -> None:
    """Give the `count` chains that `remove` removed to their captors."""
    start = CHAINS
    if graph[SHARING] == SOLE:
        for k in range(start, start + count):
            captors = stones[k + 128]
            if captors & (captors - 1) == 0:
                seat = 0
                while captors > 2:
                    captors >>= 1
                    seat += 1
                stones[HELD + seat] += stones[SIZE + stones[k]]
    elif graph[SHARING] == CLUSTER:
        _share_clusters(graph, stones, count)


@compiled
def _share_clusters(graph: Graph, stones: Stones, count: int) -> None:
    """Connected stones of any colours are shared by all who have a stone next to them."""
    points = graph[POINTS]
    for point in range(points):
        stones[MARK + point] = 0
    for k in range(CHAINS, CHAINS + count):
        a = stones[k]
        while True:
            stones[MARK + a] = stones[k + 64]
            a = stones[LINK + a]
            if a == stones[k]:
                break
    for k in range(CHAINS, CHAINS + count):
        if stones[MARK + stones[k]] > 0:
            _share_one(graph, stones, stones[k])


@compiled
def _share_one(graph: Graph, stones: Stones, first: int) -> None:
    """Share the cluster of `first`, whose points are marked with their colours, and remove the marks."""
    seats = graph[SEATS]
    pool, drops = POOL, DROPS
    for colour in range(seats + 1):
        stones[pool + colour] = 0
    captors = droppers = 0
    total = 1
    stones[LIST] = first
    stones[pool + stones[MARK + first]] += 1
    stones[MARK + first] = -stones[MARK + first]
    done = 0
    while done < total:
        a = stones[LIST + done]
        done += 1
        for i in range(graph[NEAR_AT + a], graph[NEAR_AT + a + 1]):
            b = graph[i]
            if stones[CELL + b]:
                captors |= 1 << stones[CELL + b]
            elif stones[MARK + b] > 0:
                stones[pool + stones[MARK + b]] += 1
                stones[MARK + b] = -stones[MARK + b]
                stones[LIST + total] = b
                total += 1
    number = beside = 0
    for seat in range(seats):
        if captors >> (seat + 1) & 1:
            number += 1
            drop = stones[drops + seat]
            if drop >= 0 and _beside(graph, stones, drop, seat + 1, total):
                droppers |= 1 << seat
                beside += 1
    if number:
        each, rest = total // number, total % number
        for seat in range(seats - 1, -1, -1):
            if captors >> (seat + 1) & 1:
                wanted = each
                if droppers >> seat & 1:
                    wanted += rest // beside
                _pick(stones, pool, seats, seat, wanted)
    for k in range(total):
        stones[MARK + stones[LIST + k]] = 0


@compiled
def _beside(graph: Graph, stones: Stones, drop: int, colour: int, total: int) -> bool:
    """Whether a dropped stone is next to a stone of another colour among the first `total` points of LIST."""
    for i in range(graph[NEAR_AT + drop], graph[NEAR_AT + drop + 1]):
        for k in range(total):
            if stones[LIST + k] == graph[i] and stones[MARK + stones[LIST + k]] != -colour:
                return True
    return False


@compiled
def _pick(stones: Stones, pool: int, seats: int, seat: int, wanted: int) -> None:
    """Give the seat stones of the most frequent colour, never its own."""
    for _ in range(wanted):
        best = 0
        for colour in range(1, seats + 1):
            count = stones[pool + colour]
            if colour != seat + 1 and count and (best == 0 or count > stones[pool + best]):
                best = colour
        if best == 0:
            return
        stones[pool + best] -= 1
        stones[HELD + seat] += 1
