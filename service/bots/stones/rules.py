"""Moves on the kernel's board: what is legal, what is captured, who holds it. A test proves them by the engine."""

from __future__ import annotations

from service.bots.compiler import compiled
from service.bots.stones.chains import (
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
    LIST,
    LOST,
    MARK,
    MARKER,
    PASSES,
    PLACED,
    POOL,
    ROOM,
    SEAT,
    SIZE,
    SPENT,
    STEPPED,
    TAKEN,
    Stones,
    completes,
    flowered,
    lift,
    put,
    turn,
)
from service.bots.stones.graph import (
    CLUSTER,
    KIND,
    NEAR_AT,
    POINTS,
    RAY_AT,
    SEATS,
    SHARING,
    SOLE,
    SUICIDE,
    TAKER,
    TRACK,
    TURN,
    Graph,
)


@compiled
def legal(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether a stone may be placed on an empty point, by all rules but that against repetition."""
    if graph[SUICIDE]:
        return True
    begin, end = graph[NEAR_AT + point], graph[NEAR_AT + point + 1]
    for i in range(begin, end):
        if stones[CELL + graph[i]] == 0:
            return True
    for i in range(begin, end):
        stones[ROOM + stones[HEAD + graph[i]]] -= 1
    alive = False
    for i in range(begin, end):
        a = graph[i]
        h = stones[HEAD + a]
        if stones[CELL + a] == colour:
            if stones[ROOM + h] > 0 or flowered(graph, stones, h):
                alive = True
        elif stones[ROOM + h] == 0 and not flowered(graph, stones, h):
            alive = True
    for i in range(begin, end):
        stones[ROOM + stones[HEAD + graph[i]]] += 1
    return alive or completes(graph, stones, point, colour)


@compiled
def place(graph: Graph, stones: Stones, point: int, colour: int) -> None:
    """A legal stone on an empty point, and all that follows from it. Whose turn it is stays as it was."""
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
    """How many chains of other colours next to `point` have no liberty and may be captured; they lead CHAINS."""
    start = CHAINS
    count = 0
    for i in range(graph[NEAR_AT + point], graph[NEAR_AT + point + 1]):
        a = graph[i]
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
    """Captured chains change colour; then the mover's own does, if it has no liberty."""
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
        _drop(graph, stones, colour, point)
        share(graph, stones, count)
    if alone:
        stones[KO] = first


@compiled
def remove(graph: Graph, stones: Stones, count: int) -> None:
    """Lift the `count` chains at CHAINS, noting for each its colour and, as bits, the colours beside it."""
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
def _drop(graph: Graph, stones: Stones, colour: int, point: int) -> None:
    """Note that in this move only `colour` placed a stone."""
    start = DROPS
    for seat in range(graph[SEATS]):
        stones[start + seat] = -1
    stones[start + colour - 1] = point


@compiled
def share(graph: Graph, stones: Stones, count: int) -> None:
    """Give the `count` chains that `remove` took off the board to their captors."""
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
    """Stones of whatever colours that touched are shared by all who have a stone beside them."""
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
    """Share the cluster around `first`, whose points are marked with their colours, and mark it as done."""
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
    """Whether a dropped stone lies next to a stone of another colour among the first `total` points of LIST."""
    for i in range(graph[NEAR_AT + drop], graph[NEAR_AT + drop + 1]):
        for k in range(total):
            if stones[LIST + k] == graph[i] and stones[MARK + stones[LIST + k]] != -colour:
                return True
    return False


@compiled
def _pick(stones: Stones, pool: int, seats: int, seat: int, wanted: int) -> None:
    """The seat takes stones of the colour there is most of, never its own."""
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


@compiled
def together(graph: Graph, stones: Stones) -> bool:
    """Place the stones that the seats have chosen, all at once. DROPS says where, -1 for none.

    Where two chose the same point, none is placed. Then every chain without a liberty leaves. Whether any was placed.
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
    """Add the chain of `point` to those at `chains`, if it has no liberty and is not there; how many there are."""
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
    """Whether the group of this stone may not move any more in this turn, or is a single stone."""
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
    """Where a stone lands that jumps over its own colour in a direction; -1 if it cannot."""
    colour = stones[CELL + start]
    begin, end = graph[RAY_AT + 6 * start + direction], graph[RAY_AT + 6 * start + direction + 1]
    for i in range(begin, end):
        stone = stones[CELL + graph[i]]
        if stone != colour:
            return graph[i] if stone == 0 and i > begin else -1
    return -1


@compiled
def step(graph: Graph, stones: Stones, start: int, goal: int) -> None:
    """Move a group by the stone on `start`, which lands on `goal`; what it captures is reversed."""
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
    """The seat to move ends its turn; whoever placed no stone moves the marker or, where there is none, has passed."""
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
