"""Moves on the kernel's board: legality, captures and prisoners. A test compares them with the engine."""

from __future__ import annotations

from service.bots.compiler import compiled
from service.bots.stones.kernel.chains import (
    BEFORE,
    CELL,
    CHAINS,
    DROPS,
    FOLLOWING,
    HEAD,
    HELD,
    KO,
    LAST,
    LINK,
    LOST,
    MARK,
    MARKER,
    PASSES,
    PLACED,
    ROOM,
    SEAT,
    SIZE,
    SPENT,
    STEPPED,
    TAKEN,
    TOUCHES,
    Stones,
    completes,
    flowered,
    lift,
    put,
    turn,
)
from service.bots.stones.kernel.graph import (
    FLOWERS,
    KIND,
    NEAR_AT,
    NEAR_END,
    POINTS,
    RAY_AT,
    SEATS,
    SHARING,
    SUICIDE,
    TAKER,
    TOUCH,
    TRACK,
    TURN,
    Graph,
)
from service.bots.stones.kernel.sharing import note_drop, remove, share


@compiled
def legal(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether a stone may be placed on an empty point, by all rules except the one against repetition."""
    if graph[SUICIDE]:
        return True
    weight = graph[TOUCH + point]
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        stone = stones[CELL + a]
        if stone == 0:
            return True
        room = stones[ROOM + stones[HEAD + a]]
        if room == (room & TOUCHES) * weight:
            # This point is the chain's only liberty.
            if (stone == colour) == flowered(graph, stones, stones[HEAD + a]):
                return True
        elif stone == colour:
            return True
    return graph[FLOWERS] > 0 and completes(graph, stones, point, colour)


@compiled
def place(graph: Graph, stones: Stones, point: int, colour: int) -> None:
    """Place a legal stone on an empty point and make its captures. The seat to move doesn't change."""
    starved = put(graph, stones, point, colour)
    stones[KO] = -1
    stones[TAKEN] = 0
    if graph[KIND] == TURN:
        if starved or stones[ROOM + stones[HEAD + point]] == 0:
            _reverse(graph, stones, point, colour)
    elif starved:
        _take(graph, stones, point, colour)
    stones[BEFORE], stones[LAST] = stones[LAST], point


@compiled
def _starving(graph: Graph, stones: Stones, point: int, colour: int) -> int:
    """The number of chains of other colours next to `point` that are captured; they are written at CHAINS."""
    start = CHAINS
    count = 0
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        if stones[CELL + a] and stones[CELL + a] != colour and stones[ROOM + stones[HEAD + a]] == 0:
            h = stones[HEAD + a]
            known = False
            for k in range(start, start + count):
                if stones[k] == h:
                    known = True
            if not known and not flowered(graph, stones, h):
                stones[start + count] = h
                count += 1
    return count


@compiled
def _reverse(graph: Graph, stones: Stones, point: int, colour: int) -> None:
    """Captured chains change colour; then the stone's own chain does, if it has no liberty."""
    start = CHAINS
    count = _starving(graph, stones, point, colour)
    for k in range(start, start + count):
        h = stones[k]
        stones[TAKEN] += stones[SIZE + h]
        turn(graph, stones, h, colour)
    own = stones[HEAD + point]
    if stones[ROOM + own] == 0 and not flowered(graph, stones, own):
        stones[TAKEN] -= stones[SIZE + own]
        turn(graph, stones, own, 3 - colour)


@compiled
def capture_around(graph: Graph, stones: Stones, point: int, colour: int) -> None:
    """Reverse the enemy chains next to a stone that has just moved to `point`."""
    start = CHAINS
    count = _starving(graph, stones, point, colour)
    for k in range(start, start + count):
        h = stones[k]
        stones[TAKEN] += stones[SIZE + h]
        turn(graph, stones, h, colour)


@compiled
def _take(graph: Graph, stones: Stones, point: int, colour: int) -> None:
    """Captured chains leave the board."""
    count = _starving(graph, stones, point, colour)
    if count == 0:
        return
    start = CHAINS
    first = stones[start]
    own = stones[HEAD + point]
    alone = count == 1 and stones[SIZE + first] == 1 and stones[SIZE + own] == 1 and stones[ROOM + own] == 0
    if graph[SHARING] == TAKER:
        for k in range(start, start + count):
            h = stones[k]
            stones[HELD + colour - 1] += stones[SIZE + h]
            stones[LOST + stones[CELL + h] - 1] += stones[SIZE + h]
            stones[TAKEN] += stones[SIZE + h]
            lift(graph, stones, h)
    else:
        remove(graph, stones, count)
        note_drop(graph, stones, colour, point)
        share(graph, stones, count)
    if alone:
        stones[KO] = first


@compiled
def together(graph: Graph, stones: Stones) -> bool:
    """Place the stones that the seats have chosen, at DROPS (-1 for none), at the same time.

    A point that several chose stays empty. Then all chains without liberties leave. Returns whether a stone was placed.
    """
    seats = graph[SEATS]
    drops, chains = DROPS, CHAINS
    for seat in range(seats):
        for other in range(seat + 1, seats):
            point = stones[drops + seat]
            if point >= 0 and stones[drops + other] == point:
                for third in range(seats):
                    if stones[drops + third] == point and third != seat:
                        stones[drops + third] = -2
                stones[drops + seat] = -2
    placed = False
    stones[TAKEN] = 0
    for seat in range(seats):
        if stones[drops + seat] >= 0:
            put(graph, stones, stones[drops + seat], seat + 1)
            placed = True
    count = 0
    for seat in range(seats):
        point = stones[drops + seat]
        if point >= 0:
            count = _note(stones, point, chains, count)
            for i in range(graph[NEAR_AT + point], graph[NEAR_AT + point + 1]):
                count = _note(stones, graph[i], chains, count)
    if count:
        remove(graph, stones, count)
        share(graph, stones, count)
    return placed


@compiled
def _note(stones: Stones, point: int, chains: int, count: int) -> int:
    """Add the chain of `point` to those at `chains` if it is new and has no liberty; returns their number."""
    if stones[CELL + point] == 0 or stones[ROOM + stones[HEAD + point]] > 0:
        return count
    h = stones[HEAD + point]
    for k in range(chains, chains + count):
        if stones[k] == h:
            return count
    stones[chains + count] = h
    return count + 1


@compiled
def spent(stones: Stones, point: int) -> bool:
    """Whether the group of this stone may not move (any more) in this turn; single stones never may."""
    if stones[SIZE + stones[HEAD + point]] < 2:
        return True
    a = point
    while True:
        if stones[SPENT + a]:
            return True
        a = stones[LINK + a]
        if a == point:
            return False


@compiled
def landing(graph: Graph, stones: Stones, start: int, direction: int) -> int:
    """Where a stone lands if it jumps over its own colour in a direction; -1 if it can't."""
    colour = stones[CELL + start]
    begin, end = graph[RAY_AT + 6 * start + direction], graph[RAY_AT + 6 * start + direction + 1]
    for i in range(begin, end):
        stone = stones[CELL + graph[i]]
        if stone != colour:
            return graph[i] if stone == 0 and i > begin else -1
    return -1


@compiled
def step(graph: Graph, stones: Stones, start: int, goal: int) -> None:
    """Move a group with the stone on `start`, which lands on `goal`; captured chains are reversed."""
    colour, chain = stones[CELL + start], stones[HEAD + start]
    count, a = 0, chain
    while True:
        stones[MARK + count] = a
        stones[SPENT + a] = 1
        count += 1
        a = stones[LINK + a]
        if a == chain:
            break
    lift(graph, stones, chain)
    for k in range(count):
        a = stones[MARK + k]
        if a != start:
            put(graph, stones, a, colour)
    stones[SPENT + start] = 0
    put(graph, stones, goal, colour)
    stones[TAKEN] = 0
    capture_around(graph, stones, goal, colour)
    a = goal
    while True:
        stones[SPENT + a] = 1
        a = stones[LINK + a]
        if a == goal:
            break
    stones[STEPPED] = 1


@compiled
def end_turn(graph: Graph, stones: Stones) -> None:
    """The seat to move ends its turn; if it placed no stone, it moves the marker or, if there is none, has passed."""
    seat = stones[SEAT]
    if stones[PLACED]:
        stones[PASSES] = 0
    else:
        stones[PASSES] = 0 if stones[STEPPED] else stones[PASSES] + 1
        track = graph[TRACK]
        if track:
            stones[MARKER] = min(track, max(-track, stones[MARKER] + (1 if seat == 0 else -1)))
    if stones[STEPPED]:
        for point in range(graph[POINTS]):
            stones[SPENT + point] = 0
    stones[PLACED] = stones[STEPPED] = 0
    stones[SEAT] = stones[FOLLOWING + seat]


@compiled
def play(graph: Graph, stones: Stones, point: int) -> None:
    """The seat to move places a stone, or passes with -1, and ends its turn."""
    if point >= 0:
        place(graph, stones, point, stones[SEAT] + 1)
        stones[PLACED] = 1
    else:
        stones[KO] = -1
    end_turn(graph, stones)
