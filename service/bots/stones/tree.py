"""Monte Carlo tree search with RAVE, for any number of seats that move in turn.

Every child counts the wins of the seat that chooses it, so that each seat maximises its own share (max^n). The moves of
a playout count for all nodes on its path (RAVE; Gelly and Silver 2007), weighted by the formula in David Silver's
thesis. New children begin with a few virtual games, by rules of thumb. A turn with several parts, as in games with
group moves, is several nodes of one seat.
"""

from __future__ import annotations

from typing import TypeAlias

from service.bots.compiler import Ints, compiled, zeros
from service.bots.stones.kernel.chains import (
    CELL,
    EMPTIES,
    FOLLOWING,
    HEAD,
    KO,
    LAST,
    LIST,
    MARK,
    PASSES,
    PLACED,
    RANDOM,
    SEAT,
    SIZE,
    STEPPED,
    TO_THE_END,
    Stones,
    atari,
    completes,
    copy,
    drawn,
    flowered,
    room_after,
)
from service.bots.stones.kernel.counting import count
from service.bots.stones.kernel.desk import (
    ALLOWED,
    AS_IT_IS,
    COUNTED,
    FIRST,
    MOVER,
    PASSING,
    PATH,
    REWARD,
    SIMULATIONS,
    TOTAL,
    USED,
    Desk,
)
from service.bots.stones.kernel.graph import AREA, FLOWERS, GRID, HEIGHT, MOVES, NEAR_AT, PATTERNS, POINTS, Graph
from service.bots.stones.kernel.movement import goal_of, worthwhile
from service.bots.stones.kernel.playouts import active, code_around, eye, finish
from service.bots.stones.kernel.rules import end_turn, legal, place, step

FULL = 1000
"""A whole win."""
EQUIVALENT = 1500
"""The number of games after which RAVE counts as much as the games themselves."""
EXPAND = 3
"""Visits after which a leaf gets children."""
DEEPEST = 120


Tree: TypeAlias = Ints
"""One flat array of nodes, each with NODE integers from `NODE * number` on. 0 is the root; the children of a node are
consecutive."""

MOVE, CHILD, CHILDREN, VISITS, WINS, PRIOR, RAVES, RAVE_WINS = range(8)
NODE = 8
"""The integers of a node: its move, which is a point, or the number of points to end the turn, or for a group move
points + 1 + start * points + goal; its first child and their number; visits, and the wins in them of the seat that
chose it, in thousandths; how many of those visits are virtual; visits and wins by RAVE."""


def planted(nodes: int) -> Tree:
    """A tree with room for this many nodes."""
    return zeros(NODE * nodes)


@compiled
def search(graph: Graph, root: Stones, work: Stones, tree: Tree, desk: Desk, sims: int) -> None:
    """Adds `sims` simulations to the tree."""
    points = graph[POINTS]
    work[RANDOM] = root[RANDOM]
    for _ in range(sims):
        copy(graph, work, root)
        for k in range(points):
            desk[FIRST + k] = 0
        depth = descend(graph, work, tree, desk)
        settle(work, desk)
        finish(graph, work, desk, 3 * points)
        count(graph, work, root, desk)
        spare(graph, tree, desk, depth)
        rewards(work, desk, points)
        backup(points, tree, desk, depth)
        desk[SIMULATIONS] += 1


@compiled
def settle(work: Stones, desk: Desk) -> None:
    """If all have passed, play on to find dead stones, on which players agree without capturing them."""
    if work[PASSES] >= active(work) and not desk[AS_IT_IS]:
        work[PASSES] = 0
        work[TO_THE_END] = 1


@compiled
def spare(graph: Graph, tree: Tree, desk: Desk, depth: int) -> None:
    """Adds the point that a pass saves if a stone in a player's own territory costs one, since `count` assumes that all
    seats have placed equally many stones since the root."""
    if not graph[AREA]:
        for k in range(depth):
            if tree[NODE * desk[PATH + k + 1] + MOVE] == graph[POINTS]:
                desk[COUNTED + desk[MOVER + k]] += 2


@compiled
def descend(graph: Graph, work: Stones, tree: Tree, desk: Desk) -> int:
    """Descend to a leaf, playing the moves on `work`; expands it after EXPAND visits. Returns the depth."""
    node = depth = 0
    seats = active(work)
    desk[PATH] = 0
    desk[MOVER] = work[SEAT]
    while depth < DEEPEST and work[PASSES] < seats:
        if tree[NODE * node + CHILDREN] == 0:
            if depth and tree[NODE * node + VISITS] - tree[NODE * node + PRIOR] < EXPAND:
                break
            expand(graph, work, tree, desk, node)
            if tree[NODE * node + CHILDREN] == 0:
                break
        node = best_child(tree, node)
        depth += 1
        desk[PATH + depth] = node
        carry_out(graph, work, desk, tree[NODE * node + MOVE])
        desk[MOVER + depth] = work[SEAT]
    return depth


@compiled
def best_child(tree: Tree, node: int) -> int:
    """The child with the highest value, blended from games and RAVE."""
    begin, end = tree[NODE * node + CHILD], tree[NODE * node + CHILD] + tree[NODE * node + CHILDREN]
    best, highest = begin, -1.0
    for k in range(begin, end):
        n, r = tree[NODE * k + VISITS], tree[NODE * k + RAVES]
        value = tree[NODE * k + WINS] / n
        if r:
            share = r / (r + n + r * n / EQUIVALENT)
            value = share * (tree[NODE * k + RAVE_WINS] / r) + (1.0 - share) * value
        if value > highest:
            best, highest = k, value
    return best


@compiled
def carry_out(graph: Graph, work: Stones, desk: Desk, move: int) -> None:
    """Play the move of a node."""
    points = graph[POINTS]
    if move < points:
        if desk[FIRST + move] == 0:
            desk[FIRST + move] = work[SEAT] + 1
        place(graph, work, move, work[SEAT] + 1)
        work[PLACED] = 1
    elif move > points:
        step(graph, work, (move - points - 1) // points, (move - points - 1) % points)
    else:
        work[KO] = -1
    if move == points or not graph[MOVES] or (move < points and not more_to_do(graph, work)):
        end_turn(graph, work)


@compiled
def more_to_do(graph: Graph, work: Stones) -> bool:
    """Whether any group move is worth searching in this turn."""
    colour = work[SEAT] + 1
    for start in range(graph[POINTS]):
        if work[CELL + start] == colour:
            for way in range(6):
                goal = goal_of(graph, work, start, way)
                if goal >= 0 and worthwhile(graph, work, start, goal):
                    return True
    return False


@compiled
def expand(graph: Graph, work: Stones, tree: Tree, desk: Desk, node: int) -> None:
    """Add all sensible moves as the children of a node."""
    points, colour = graph[POINTS], work[SEAT] + 1
    begin = desk[USED]
    if NODE * (begin + 7 * points + 1) > len(tree):
        return
    tree[NODE * node + CHILD] = begin
    work[LIST] = work[LAST]
    spread(graph, work, int(work[LAST] >= 0))
    passing = node == 0 and desk[PASSING] > 0
    if not work[PLACED] and not work[STEPPED] and not passing:
        for point in range(points):
            if work[CELL + point] == 0 and (node or desk[ALLOWED + point]) and point != work[KO]:
                fills = eye(graph, work, point, colour) and not completes(graph, work, point, colour)
                if not fills and legal(graph, work, point, colour):
                    add(tree, desk, work, point, promise(graph, work, point, colour))
    if graph[MOVES] and not passing:
        for start in range(points):
            if work[CELL + start] == colour:
                for way in range(6):
                    goal = goal_of(graph, work, start, way)
                    if goal >= 0:
                        worth = worthwhile(graph, work, start, goal)
                        if worth:
                            add(tree, desk, work, points + 1 + start * points + goal, (0, 2, 5, 30)[worth])
    ending = work[PLACED] or work[STEPPED]
    if ending or desk[USED] == begin or 2 * work[EMPTIES] < points:
        add(tree, desk, work, points, 8 if ending else -6)
    tree[NODE * node + CHILDREN] = desk[USED] - begin


@compiled
def add(tree: Tree, desk: Desk, work: Stones, move: int, bonus: int) -> None:
    """Add a child. `bonus` is the number of virtual games won, or lost if negative, in addition to five wins of ten."""
    node = desk[USED]
    desk[USED] = node + 1
    tree[NODE * node + MOVE] = move
    tree[NODE * node + CHILD] = tree[NODE * node + CHILDREN] = 0
    tree[NODE * node + RAVES] = tree[NODE * node + RAVE_WINS] = 0
    visits = 10 + abs(bonus)
    tree[NODE * node + VISITS] = tree[NODE * node + PRIOR] = visits
    tree[NODE * node + WINS] = FULL * (5 + max(0, bonus)) + drawn(work, 64)


@compiled
def promise(graph: Graph, work: Stones, point: int, colour: int) -> int:
    """The virtual games that a placement wins, by rules of thumb; negative for games lost."""
    bonus = 0
    for i in range(graph[NEAR_AT + point], graph[NEAR_AT + point + 1]):
        a = graph[i]
        if work[CELL + a] == 0 or atari(work, work[HEAD + a]) != point or flowered(graph, work, work[HEAD + a]):
            continue
        if work[CELL + a] != colour or room_after(graph, work, point, colour) > 1:
            bonus = max(bonus, 15 if work[SIZE + work[HEAD + a]] == 1 else 30)
    if bonus == 0 and room_after(graph, work, point, colour) < 2:
        return -10
    distance = work[MARK + point]
    bonus += (0, 24, 22, 8, 0)[distance]
    if graph[GRID]:
        if graph[PATTERNS + code_around(graph, work, point, colour)]:
            bonus += 10
        if distance == 4 and lonely(graph, work, point):
            if graph[HEIGHT + point] < 2:
                return -10
            if graph[HEIGHT + point] == 2:
                bonus += 10
    if graph[FLOWERS] and completes(graph, work, point, colour):
        bonus += 20
    return bonus


@compiled
def lonely(graph: Graph, work: Stones, point: int) -> bool:
    """Whether no stone is within two steps of a point."""
    for i in range(graph[NEAR_AT + point], graph[NEAR_AT + point + 1]):
        a = graph[i]
        if work[CELL + a]:
            return False
        for k in range(graph[NEAR_AT + a], graph[NEAR_AT + a + 1]):
            if work[CELL + graph[k]]:
                return False
    return True


@compiled
def spread(graph: Graph, work: Stones, total: int) -> None:
    """Write at MARK each point's distance from the nearest of the `total` points at LIST: 0 to 3, 4 for more.

    All stones of a chain are at the same distance (common fate).
    """
    points, done = graph[POINTS], 0
    for point in range(points):
        work[MARK + point] = 4
    for k in range(total):
        work[MARK + work[LIST + k]] = 0
    while done < total:
        a = work[LIST + done]
        distance = work[MARK + a]
        done += 1
        for i in range(graph[NEAR_AT + a], graph[NEAR_AT + a + 1]):
            b = graph[i]
            further = distance if work[CELL + b] and work[CELL + b] == work[CELL + a] else distance + 1
            if further < work[MARK + b]:
                work[MARK + b] = further
                work[LIST + total % points] = b
                total += 1
                if total >= points:
                    return


@compiled
def rewards(work: Stones, desk: Desk, cells: int) -> None:
    """Writes each seat's share of the win, in thousandths, at REWARD: mostly for winning, partly for more points.

    Seats that have left can't win.
    """
    start, best, tied = work[SEAT], -(10**9), 0
    seats = mean = 0
    seat = start
    while True:
        seats += 1
        mean += desk[COUNTED + seat]
        if desk[COUNTED + seat] > best:
            best, tied = desk[COUNTED + seat], 0
        tied += desk[COUNTED + seat] == best
        seat = work[FOLLOWING + seat]
        if seat == start:
            break
    margin = 50 if seats == 2 else 150
    while True:
        won = (FULL - margin) // tied if desk[COUNTED + seat] == best else 0
        lead = (desk[COUNTED + seat] * seats - mean) * margin // (4 * cells * seats) + margin // 2
        desk[REWARD + seat] = won + min(margin, max(0, lead))
        desk[TOTAL + seat] += desk[REWARD + seat]
        seat = work[FOLLOWING + seat]
        if seat == start:
            return


@compiled
def backup(points: int, tree: Tree, desk: Desk, depth: int) -> None:
    """Count the playout for all nodes on the path, and by RAVE for their children."""
    for k in range(depth + 1):
        node = desk[PATH + k]
        mover = desk[MOVER + k]
        tree[NODE * node + VISITS] += 1
        if k:
            tree[NODE * node + WINS] += desk[REWARD + desk[MOVER + k - 1]]
        begin = tree[NODE * node + CHILD]
        for c in range(begin, begin + tree[NODE * node + CHILDREN]):
            move = tree[NODE * c + MOVE]
            if move < points and desk[FIRST + move] == mover + 1:
                tree[NODE * c + RAVES] += 1
                tree[NODE * c + RAVE_WINS] += desk[REWARD + mover]
