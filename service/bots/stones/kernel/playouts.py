"""Games played to the end by fast rules of thumb.

A playout answers an atari next to the last stones, else tries a good 3x3 pattern next to the last stone (on grids),
else plays at random; it doesn't fill eyes, and rarely puts itself into atari. MoGo introduced this sequence.
"""

from __future__ import annotations

from service.bots.compiler import compiled
from service.bots.stones.kernel.chains import (
    ATARIS,
    BEFORE,
    CELL,
    DROPPED,
    DROPS,
    EMPTIES,
    EMPTY,
    FOLLOWING,
    HEAD,
    KO,
    LAST,
    LINK,
    LIST,
    PASSES,
    SEAT,
    SLOT,
    TO_THE_END,
    Stones,
    atari,
    completes,
    drawn,
    flowered,
    room_after,
)
from service.bots.stones.kernel.desk import FIRST, Desk
from service.bots.stones.kernel.graph import (
    AROUND,
    FLOWERS,
    GRID,
    KIND,
    MOVES,
    NEAR_AT,
    NEAR_END,
    PATTERNS,
    POINTS,
    SEATS,
    SUICIDE,
    TOGETHER,
    Graph,
)
from service.bots.stones.kernel.movement import stroke
from service.bots.stones.kernel.rules import end_turn, legal, play, together


@compiled
def eye(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether an empty point is an eye that its owner shouldn't fill."""
    one = two = -1
    near = graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]
    for a in near:
        if stones[CELL + a] != colour:
            return False
        chain = stones[HEAD + a]
        if chain != one:
            if one < 0:
                one = chain
            else:
                two = chain
    if two < 0:
        return True
    if graph[GRID]:
        bad, edge = 0, 0
        for a in graph[AROUND + 8 * point + 1 : AROUND + 8 * point + 8 : 2]:
            if a < 0:
                edge = 1
            elif stones[CELL + a] and stones[CELL + a] != colour:
                bad += 1
        return bad + edge < 2
    for a in near:  # The compiler doesn't support `all`.
        if atari(stones, stones[HEAD + a]) >= 0:
            return False
    return not (stones[TO_THE_END] and graph[FLOWERS] and grafts(graph, stones, point))


@compiled
def grafts(graph: Graph, stones: Stones, point: int) -> bool:
    """Whether a stone on a point surrounded by its own chains joins a chain with a flower to one without."""
    flower = bare = False
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        if flowered(graph, stones, stones[HEAD + a]):
            flower = True
        else:
            bare = True
    return flower and bare


@compiled
def fits(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether a stone on an empty point doesn't fill an eye and is legal, except perhaps for repetition."""
    surrounded = True
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        stone = stones[CELL + a]
        if stone == 0:
            return True
        if stone != colour:
            surrounded = False
    return not (surrounded and eye(graph, stones, point, colour)) and legal(graph, stones, point, colour)


@compiled
def sensible(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether a playout may place a stone on an empty point."""
    if point == stones[KO]:
        return False
    if graph[FLOWERS] and completes(graph, stones, point, colour):
        return True
    if not fits(graph, stones, point, colour):
        return False
    if not graph[SUICIDE] or room_after(graph, stones, point, colour) > 0:
        return True
    return stones[TO_THE_END] > 0 and immortal(graph, stones, point, colour)


@compiled
def immortal(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether a chain of this colour next to a point has a flower, and so doesn't need liberties."""
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:  # The compiler doesn't support `any`.
        if stones[CELL + a] == colour and flowered(graph, stones, stones[HEAD + a]):
            return True
    return False


@compiled
def urgent(graph: Graph, stones: Stones, last: int, colour: int) -> int:
    """A stone that captures or saves a chain in atari next to the last stone; -1 if there is none."""
    found = -1
    count = 0
    if last < 0 or stones[CELL + last] == 0:
        return -1
    if stones[CELL + last] != colour:
        point = atari(stones, stones[HEAD + last])
        if point >= 0 and point != stones[KO] and not flowered(graph, stones, stones[HEAD + last]):
            found = point
            count = 1
    for a in graph[graph[NEAR_AT + last] : graph[NEAR_END + last]]:
        if stones[CELL + a] != 0:
            point = atari(stones, stones[HEAD + a])
            if point >= 0 and point != stones[KO] and not flowered(graph, stones, stones[HEAD + a]):
                if stones[CELL + a] == colour:
                    point = rescue(graph, stones, stones[HEAD + a], point, colour)
                if point >= 0 and legal(graph, stones, point, colour):
                    count += 1
                    if drawn(stones, count) == 0:
                        found = point
    return found


@compiled
def note_ataris(graph: Graph, stones: Stones) -> None:
    """Put all chains in atari at LIST."""
    count = 0
    for a in range(graph[POINTS]):
        if stones[CELL + a] and stones[HEAD + a] == a and atari(stones, a) >= 0:
            stones[LIST + count] = a
            count += 1
    stones[ATARIS] = count


@compiled
def pressing(graph: Graph, stones: Stones, colour: int) -> int:
    """A stone that captures or saves one of the chains at LIST; -1 if there is none, and sometimes at random.

    In simultaneous games an atari can last: attacker and defender may choose the same point, and then neither gets it.
    So all chains in atari count, wherever the last stones are.
    """
    count = stones[ATARIS]
    start = drawn(stones, count) if count else 0
    for k in range(count):
        chain = stones[LIST + (start + k) % count]
        if drawn(stones, 10):
            point = atari(stones, chain)
            if stones[CELL + chain] == colour:
                point = rescue(graph, stones, chain, point, colour)
            if point >= 0 and sensible(graph, stones, point, colour):
                return point
    return -1


@compiled
def rescue(graph: Graph, stones: Stones, chain: int, point: int, colour: int) -> int:
    """The point that saves a chain whose last liberty is `point`, by capturing or extending; -1 if there is none."""
    a = chain
    while True:
        for b in graph[graph[NEAR_AT + a] : graph[NEAR_END + a]]:
            if stones[CELL + b] and stones[CELL + b] != colour:
                other = atari(stones, stones[HEAD + b])
                if other >= 0 and other != stones[KO] and not flowered(graph, stones, stones[HEAD + b]):
                    return other
        a = stones[LINK + a]
        if a == chain:
            break
    return point if room_after(graph, stones, point, colour) > 1 else -1


@compiled
def code_around(graph: Graph, stones: Stones, point: int, colour: int) -> int:
    """The 3x3 pattern around an empty point as its code; see `patterns`."""
    code = place = 0
    for a in graph[AROUND + 8 * point : AROUND + 8 * point + 8]:
        if a < 0:
            code |= 3 << place
        elif stones[CELL + a]:
            code |= (1 if stones[CELL + a] == colour else 2) << place
        place += 2
    return code


@compiled
def shaped(graph: Graph, stones: Stones, last: int, colour: int) -> int:
    """A random point around the last stone that fits a pattern; -1 if there is none."""
    found, count = -1, 0
    for a in graph[AROUND + 8 * last : AROUND + 8 * last + 8]:
        if a < 0 or stones[CELL + a] or graph[PATTERNS + code_around(graph, stones, a, colour)] == 0:
            continue
        if sensible(graph, stones, a, colour) and room_after(graph, stones, a, colour) > 1:
            count += 1
            if drawn(stones, count) == 0:
                found = a
    return found


@compiled
def chosen(graph: Graph, stones: Stones) -> int:
    """The next move of a playout: a point, or -1 to pass."""
    colour, last = stones[SEAT] + 1, stones[LAST]
    if graph[KIND] == TOGETHER:
        last = stones[DROPPED + drawn(stones, graph[SEATS])]
        point = pressing(graph, stones, colour)
        if point >= 0:
            return point
    elif drawn(stones, 10):
        point = urgent(graph, stones, last, colour)
        if point < 0:
            point = urgent(graph, stones, stones[BEFORE], colour)
        if point >= 0 and sensible(graph, stones, point, colour):
            return point
    if graph[GRID] and last >= 0 and drawn(stones, 20):
        point = shaped(graph, stones, last, colour)
        if point >= 0:
            return point
    return wandering(graph, stones, colour)


@compiled
def wandering(graph: Graph, stones: Stones, colour: int) -> int:
    """A random sensible point; -1 if there is none. At the very end, it may also fill an eye of the other side."""
    left = stones[EMPTIES]
    poor = offer = -1
    while left:
        place = drawn(stones, left)
        point = stones[EMPTY + place]
        if sensible(graph, stones, point, colour):
            if room_after(graph, stones, point, colour) > 1 or drawn(stones, 8) == 0:
                return point
            poor = point
        elif stones[TO_THE_END] and graph[SUICIDE] and offer < 0 and fills_eye(graph, stones, point, colour):
            offer = point
        left -= 1
        other = stones[EMPTY + left]
        stones[EMPTY + place], stones[SLOT + other] = other, place
        stones[EMPTY + left], stones[SLOT + point] = point, left
    return poor if poor >= 0 else offer


@compiled
def fills_eye(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether all points around are stones of the other side, in chains without a flower.

    If suicide is legal, it costs only that stone, so eyes don't save a chain that can't make a flower.
    """
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        if stones[CELL + a] == 0 or stones[CELL + a] == colour or flowered(graph, stones, stones[HEAD + a]):
            return False
    return True


@compiled
def active(stones: Stones) -> int:
    """The number of active seats."""
    start = stones[SEAT]
    seat, seats = stones[FOLLOWING + start], 1
    while seat != start:
        seat = stones[FOLLOWING + seat]
        seats += 1
    return seats


@compiled
def finish(graph: Graph, stones: Stones, desk: Desk, most: int) -> None:
    """Plays to the end, or for at most `most` moves. FIRST records who played where."""
    seats = active(stones)
    if graph[KIND] == TOGETHER:
        for _ in range(most // seats):
            if not volley(graph, stones, desk):
                return
        return
    for _ in range(most):
        if stones[PASSES] >= seats:
            return
        if graph[MOVES] and drawn(stones, 4) and stroke(graph, stones):
            end_turn(graph, stones)
            continue
        point = chosen(graph, stones)
        if point >= 0 and desk[FIRST + point] == 0:
            desk[FIRST + point] = stones[SEAT] + 1
        play(graph, stones, point)


@compiled
def volley(graph: Graph, stones: Stones, desk: Desk) -> bool:
    """Plays one simultaneous round. Returns whether play goes on: a stone was placed, or usually if one was tried."""
    begin = stones[SEAT]
    for seat in range(graph[SEATS]):
        stones[DROPS + seat] = -1
    note_ataris(graph, stones)
    tried = False
    seat = begin
    while True:
        stones[SEAT] = seat
        point = chosen(graph, stones)
        stones[DROPS + seat] = point
        if point >= 0:
            tried = True
            desk[FIRST + graph[SEATS] * point + seat] = 1
        seat = stones[FOLLOWING + seat]
        if seat == begin:
            break
    stones[SEAT] = stones[FOLLOWING + begin]
    return drop(graph, stones) or (tried and drawn(stones, 8) > 0)


@compiled
def drop(graph: Graph, stones: Stones) -> bool:
    """Place the stones that the seats have chosen, and record their points. Returns whether any was placed."""
    for seat in range(graph[SEATS]):
        stones[DROPPED + seat] = stones[DROPS + seat]
    return together(graph, stones)
