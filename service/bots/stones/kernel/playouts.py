"""Games played to their end by quick rules of thumb, and counted.

A playout answers an atari next to the last stones, then tries a good 3x3 pattern next to the last stone (on grids),
else plays at random; it fills no eyes and rarely puts itself into atari. MoGo made this sequence known.
"""

from __future__ import annotations

from service.bots.compiler import compiled
from service.bots.stones.kernel.chains import (
    BEFORE,
    CELL,
    DROPS,
    EMPTIES,
    EMPTY,
    FOLLOWING,
    HEAD,
    HELD,
    KO,
    LAST,
    LINK,
    LOST,
    MARKER,
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
from service.bots.stones.kernel.desk import COUNTED, FIRST, OFFSET, OWN, Desk
from service.bots.stones.kernel.graph import (
    AREA,
    AROUND,
    CLUSTER,
    FLOWERS,
    GRID,
    KIND,
    MOVES,
    NEAR_AT,
    NEAR_END,
    PATTERNS,
    POINTS,
    SEATS,
    SHARING,
    SOLE,
    SUICIDE,
    TOGETHER,
    Graph,
)
from service.bots.stones.kernel.movement import stroke
from service.bots.stones.kernel.rules import end_turn, legal, play, together


@compiled
def eye(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether an empty point is an eye that its owner had better not fill."""
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
    for a in near:  # noqa: SIM110 # The compiler knows no `all`.
        if atari(stones, stones[HEAD + a]) >= 0:
            return False
    return True


@compiled
def fits(graph: Graph, stones: Stones, point: int, colour: int) -> bool:
    """Whether a stone on an empty point fills no eye and is legal, by all rules but that against repetition."""
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
    return not graph[SUICIDE] or room_after(graph, stones, point, colour) > 0


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
def rescue(graph: Graph, stones: Stones, chain: int, point: int, colour: int) -> int:
    """How a chain whose last liberty is `point` gets away: by taking a neighbour in atari or by extending; else -1."""
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
    """A random one of the points around the last stone that fit a pattern; -1 if there is none."""
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
    """The move a playout makes now: a point, or -1 to pass."""
    colour, last = stones[SEAT] + 1, stones[LAST]
    if drawn(stones, 10):
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
    """A random sensible point, -1 if there is none. At the very end also one that fills an eye of the other side."""
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
    """Whether a stone here takes a liberty from chains of the other side that can all be captured some time.

    Where suicide is legal it costs just that stone, so no number of eyes saves a chain that cannot make a flower.
    """
    for a in graph[graph[NEAR_AT + point] : graph[NEAR_END + point]]:
        if stones[CELL + a] == 0 or stones[CELL + a] == colour or flowered(graph, stones, stones[HEAD + a]):
            return False
    return True


@compiled
def active(stones: Stones) -> int:
    """How many seats take part."""
    start = stones[SEAT]
    seat, seats = stones[FOLLOWING + start], 1
    while seat != start:
        seat = stones[FOLLOWING + seat]
        seats += 1
    return seats


@compiled
def finish(graph: Graph, stones: Stones, desk: Desk, most: int) -> None:
    """Play to the end, at most so many moves. FIRST notes who played where."""
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
    """One round in which all seats move at once; False if nobody placed a stone."""
    begin = stones[SEAT]
    for seat in range(graph[SEATS]):
        stones[DROPS + seat] = -1
    last = -1
    seat = begin
    while True:
        stones[SEAT] = seat
        point = chosen(graph, stones)
        stones[DROPS + seat] = point
        if point >= 0:
            last = point
            desk[FIRST + graph[SEATS] * point + seat] = 1
        seat = stones[FOLLOWING + seat]
        if seat == begin:
            break
    stones[SEAT] = stones[FOLLOWING + begin]
    stones[BEFORE], stones[LAST] = stones[LAST], last
    return together(graph, stones) or (last >= 0 and drawn(stones, 8) > 0)


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

    Where only surrounded points and prisoners count, a seat
    has what it controls, less its stones at the root, plus what it took and lost since.
    """
    seats, cells = graph[SEATS], graph[POINTS]
    for seat in range(seats):
        desk[COUNTED + seat] = desk[OFFSET + seat]
    for point in range(cells):
        colour = owner(graph, stones, point)
        if colour:
            desk[COUNTED + colour - 1] += 2
            desk[OWN + point * seats + colour - 1] += 1
        if root[CELL + point] and not graph[AREA]:
            desk[COUNTED + root[CELL + point] - 1] -= 2
    marker = stones[MARKER]
    desk[COUNTED + 0] += 2 * max(0, marker)
    desk[COUNTED + 1] += 2 * max(0, -marker)
    if not graph[AREA]:
        for seat in range(seats):
            desk[COUNTED + seat] -= 2 * root[LOST + seat]
            if graph[SHARING] in (SOLE, CLUSTER):
                desk[COUNTED + seat] += 2 * (stones[HELD + seat] + stones[LOST + seat])
