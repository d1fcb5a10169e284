"""Search for simultaneous moves: decoupled UCT at the root.

Each seat has a table of its own moves and learns their worth against the moves that the others try (Tak, Lanctot and
Winands 2014). The move is then drawn at random by visits, since the others could predict the best one.
"""

from __future__ import annotations

from service.bots.compiler import compiled
from service.bots.stones.kernel.chains import (
    CELL,
    DROPPED,
    DROPS,
    FOLLOWING,
    KO,
    LIST,
    RANDOM,
    SEAT,
    Stones,
    completes,
    copy,
    drawn,
)
from service.bots.stones.kernel.counting import count
from service.bots.stones.kernel.desk import (
    AGAIN,
    COUNTED,
    FIRST,
    PASSING,
    PATH,
    PLACED_AT,
    REWARD,
    SIMULATIONS,
    Desk,
)
from service.bots.stones.kernel.graph import POINTS, SEATS, Graph
from service.bots.stones.kernel.playouts import drop, eye, finish
from service.bots.stones.kernel.rules import legal
from service.bots.stones.tree import (
    EQUIVALENT,
    FULL,
    MOVE,
    NODE,
    PRIOR,
    RAVE_WINS,
    RAVES,
    VISITS,
    WINS,
    Tree,
    promise,
    rewards,
    spread,
)


@compiled
def prepare(graph: Graph, root: Stones, tree: Tree, desk: Desk) -> None:
    """Makes a node for each seat and point, at `seat * (points + 1) + point`; the last node of each seat is a pass."""
    points, begin = graph[POINTS], root[SEAT]
    total = 0
    for each in range(graph[SEATS]):
        if root[DROPPED + each] >= 0:
            root[LIST + total] = root[DROPPED + each]
            total += 1
    spread(graph, root, total)
    seat = begin
    while True:
        for point in range(points if desk[PASSING] and seat == begin else 0, points + 1):
            node = seat * (points + 1) + point
            tree[NODE * node + MOVE] = point
            bonus = -6
            if point < points:
                colour = seat + 1
                fills = eye(graph, root, point, colour) and not completes(graph, root, point, colour)
                if root[CELL + point] or fills or not legal(graph, root, point, colour):
                    continue
                bonus = promise(graph, root, point, colour)
            tree[NODE * node + VISITS] = tree[NODE * node + PRIOR] = 10 + abs(bonus)
            tree[NODE * node + WINS] = FULL * (5 + max(0, bonus)) + drawn(root, 64)
        seat = root[FOLLOWING + seat]
        if seat == begin:
            return


@compiled
def search_round(graph: Graph, root: Stones, work: Stones, tree: Tree, desk: Desk, sims: int) -> None:
    """Adds `sims` simulations to the tables of all seats. A seat that met others on a point often tries it again."""
    points, seats = graph[POINTS], graph[SEATS]
    work[RANDOM] = root[RANDOM]
    for _ in range(sims):
        copy(graph, work, root)
        work[KO] = -1
        for k in range(points * seats):
            desk[FIRST + k] = 0
        for seat in range(seats):
            work[DROPS + seat] = -1
            desk[PATH + seat] = -1
        seat = root[SEAT]
        while True:
            point = own_choice(tree, work, seat, points)
            if seat != root[SEAT] and desk[AGAIN + seat] >= 0 and drawn(work, 2):
                point = desk[AGAIN + seat]
            desk[PATH + seat] = point
            if point < points:
                work[DROPS + seat] = point
                desk[FIRST + seats * point + seat] = 1
            seat = root[FOLLOWING + seat]
            if seat == root[SEAT]:
                break
        drop(graph, work)
        for seat in range(seats):
            desk[PLACED_AT + seat] = work[DROPS + seat]
        finish(graph, work, desk, 3 * points)
        count(graph, work, root, desk)
        charge(work, desk, seats)
        rewards(work, desk, points)
        for seat in range(seats):
            if desk[PATH + seat] >= 0:
                learn(tree, desk, seat, seats, points)
        desk[SIMULATIONS] += 1


@compiled
def charge(work: Stones, desk: Desk, seats: int) -> None:
    """Subtracts the points of remaining stones of the first round, as `count` does for stones from before.

    So a stone in a player's own territory costs the point that it fills, and a player who passes keeps it.
    """
    for seat in range(seats):
        point = desk[PLACED_AT + seat]
        if point >= 0 and work[CELL + point] == seat + 1:
            desk[COUNTED + seat] -= 2


@compiled
def own_choice(tree: Tree, work: Stones, seat: int, points: int) -> int:
    """The point that this seat tries now, or the number of points for a pass."""
    best, highest = points, -1.0
    begin = seat * (points + 1)
    wild = drawn(work, 10) == 0
    for k in range(begin, begin + points + 1):
        n, r = tree[NODE * k + VISITS], tree[NODE * k + RAVES]
        if n == 0:
            continue
        value = tree[NODE * k + WINS] / n
        if r:
            share = r / (r + n + r * n / EQUIVALENT)
            value = share * (tree[NODE * k + RAVE_WINS] / r) + (1.0 - share) * value
        if wild:
            value *= (8 + drawn(work, 5)) / 8
        if value > highest:
            best, highest = k - begin, value
    return best


@compiled
def learn(tree: Tree, desk: Desk, seat: int, seats: int, points: int) -> None:
    """Count the playout for the move that this seat tried, and by RAVE for its later moves."""
    won, begin = desk[REWARD + seat], seat * (points + 1)
    tree[NODE * (begin + desk[PATH + seat]) + VISITS] += 1
    tree[NODE * (begin + desk[PATH + seat]) + WINS] += won
    for point in range(points):
        if desk[FIRST + seats * point + seat] and tree[NODE * (begin + point) + VISITS]:
            tree[NODE * (begin + point) + RAVES] += 1
            tree[NODE * (begin + point) + RAVE_WINS] += won
