"""The bot for all games of stones: it loads the position into the kernel, searches, and writes the move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from service.bots.stones.kernel.chains import RANDOM, fresh
from service.bots.stones.kernel.desk import AGAIN, AS_IT_IS, OWN, PASSING, SIMULATIONS, TOTAL, Desk, laid
from service.bots.stones.kernel.graph import KIND, MOVES, SEATS, TOGETHER, Graph
from service.bots.stones.loading import graph_of, load
from service.bots.stones.rounds import prepare, search_round
from service.bots.stones.tree import (
    CHILD,
    CHILDREN,
    EXPAND,
    FULL,
    MOVE,
    NODE,
    PRIOR,
    VISITS,
    WINS,
    Tree,
    planted,
    search,
)
from service.bots.thought import Thought, View, seed_of
from service.engine.game import MoveError, Seat
from service.engine.stone_games.stone_position import StonePosition
from service.games.multiplayer_go.parallel import Parallel
from service.games.surround import SurroundPosition

MOST_NODES = 600_000
"""The most nodes of a tree: about 40 MB if the kernel is compiled."""
LONGEST_LINE = 6
YIELD = 0.05
"""How much less another move may promise if a bot leaves a point to others who want it."""


@dataclass
class Searched:
    """The result of a search in one position of play."""

    position: StonePosition
    seat: Seat
    graph: Graph
    tree: Tree
    desk: Desk
    moves: list[tuple[str, int, float]] = field(default_factory=list)
    """Moves with their visits and the shares of the win that they promise, the most visited first."""

    def ownership(self) -> dict[str, tuple[float, ...]]:
        """For each cell, the chance of each seat to own it at the end."""
        return owned(self.position, self.desk)


def owned(position: StonePosition, desk: Desk) -> dict[str, tuple[float, ...]]:
    """The chance of each seat to own each cell, by its name."""
    seats, most = len(position.sides), max(1, int(desk[SIMULATIONS]))
    return {
        name: tuple(int(desk[OWN + seats * point + seat]) / most for seat in range(seats))
        for point, name in enumerate(position.board.names)
    }


def think(view: View, budget: int, seed: int) -> Thought:
    """The best move in a position of play, after `budget` simulations."""
    found = searched(view, budget, seed)
    move, value = chosen(found, seed)
    return Thought(move, value, found.ownership(), lines(found, move), shares(found))


def chosen(found: Searched, seed: int, but: str = "") -> tuple[str, float]:
    """The move to play, and the share of the win that it promises. It isn't `but` unless there is no other."""
    moves = [each for each in found.moves if each[0] != but] or found.moves
    if found.graph[KIND] == TOGETHER:
        moves = [_drawn(_yielding(found, moves, seed), seed), *moves]
    move, _, value = next(each for each in (*moves, *found.moves) if playable(found.position, found.seat, each[0]))
    return move, value


def shares(found: Searched) -> tuple[float, ...]:
    """Each seat's average share of the win over all playouts.

    The best move's promise would be too high for the seat to move: after few simulations, it is mostly the move's
    virtual games by rules of thumb.
    """
    desk, most = found.desk, FULL * max(1, int(found.desk[SIMULATIONS]))
    means = tuple(int(desk[TOTAL + seat]) / most for seat in range(len(found.position.sides)))
    return (means[0], 1 - means[0]) if len(means) == 2 else means


def playable(position: StonePosition, seat: Seat, move: str) -> bool:
    """Whether the engine accepts the move: only the engine knows all earlier positions."""
    try:
        position.play(seat, move)
    except MoveError:
        return False
    return True


def _drawn(moves: list[tuple[str, int, float]], seed: int) -> tuple[str, int, float]:
    """One of the moves at random; more visits make a move more likely, and rarely visited ones are left out."""
    good = [each for each in moves if 4 * each[1] >= moves[0][1]]
    return Random(seed).choices(good, [each[1] ** 2 + 1 for each in good])[0]  # noqa: S311


def _yielding(found: Searched, moves: list[tuple[str, int, float]], seed: int) -> list[tuple[str, int, float]]:
    """The moves, half of the time without the point where the seat just met others, if another is about as good."""
    point = met(found.position).get(found.seat)
    if point is None or seed % 2:
        return moves
    name = found.position.board.names[point]
    value = next((each[2] for each in moves if each[0] == name), 0.0)
    return [each for each in moves if each[0] != name and each[2] >= value - YIELD] or moves


def met(position: StonePosition) -> dict[Seat, int]:
    """In simultaneous games, the seats that chose the same point as others in the last round, with that point."""
    if not isinstance(position, Parallel):
        return {}
    return {seat: point for point, seats in position.report.collided.items() for seat in seats}


def searched(view: View, budget: int, seed: int, passing: bool = False) -> Searched:
    """The search itself. With `passing`, it only searches what follows a pass."""
    position, seat = view.position, view.seat
    assert isinstance(position, StonePosition), "There is nothing to search once play has ended."
    graph = graph_of(position)
    root, work = load(graph, position, seat, view.log), fresh(graph)
    root[RANDOM] = seed_of(seed, 0, 0) % 0xFFFFFFFF + 1
    points = len(position.cells)
    desk = laid(offset(position, view.allowance), allowed(position, seat))
    desk[PASSING], desk[AS_IT_IS] = int(passing), int(resumed(position))
    if graph[KIND] == TOGETHER:
        for each, point in met(position).items():
            desk[AGAIN + each] = point
        tree = planted(graph[SEATS] * (points + 1))
        prepare(graph, root, tree, desk)
        search_round(graph, root, work, tree, desk, budget)
        found = Searched(position, seat, graph, tree, desk)
        begin = seat * (points + 1)
        found.moves = ranked(found, [node for node in range(begin, begin + points + 1) if tree[NODE * node + VISITS]])
        return found
    tree = planted(min(MOST_NODES, (budget // EXPAND + 10) * (points + 1) + 8 * points))
    search(graph, root, work, tree, desk, budget)
    found = Searched(position, seat, graph, tree, desk)
    found.moves = ranked(found, kin(tree, 0))
    return found


def allowed(position: StonePosition, seat: Seat) -> list[int]:
    """1 for each point where the engine allows the seat to play, else 0."""
    names = {*position.moves(seat)}
    return [int(name in names) for name in position.board.names]


def resumed(position: StonePosition) -> bool:
    """Whether play has ended once before, so that all stones count as alive when it ends again."""
    return bool(getattr(position, "ended", False))


def offset(position: StonePosition, allowance: Sequence[float] = ()) -> list[int]:
    """The points that each seat has in advance, doubled."""
    given = [*allowance] or [0.0] * len(position.sides)
    given[1] += float(position.rules.komi) if isinstance(position, SurroundPosition) else 0.0
    return [int(2 * points) for points in given]


def kin(tree: Tree, node: int) -> list[int]:
    """The children of a node."""
    begin = int(tree[NODE * node + CHILD])
    return list(range(begin, begin + int(tree[NODE * node + CHILDREN])))


def ranked(found: Searched, nodes: Iterable[int]) -> list[tuple[str, int, float]]:
    """The moves of sibling nodes with visits and value, the most visited first; always includes `pass`."""
    tree = found.tree
    listed = sorted(nodes, key=lambda node: _rank(tree, node), reverse=True)
    moves = [(written(found, node), _rank(tree, node)[0], share(tree, node)) for node in listed]
    if "pass" not in [move for move, _, _ in moves]:
        moves.append(("pass", 0, 0.0))
    return moves


def share(tree: Tree, node: int) -> float:
    """The share of the win that a node promises to the seat that chooses it."""
    return int(tree[NODE * node + WINS]) / (FULL * int(tree[NODE * node + VISITS]))


def written(found: Searched, node: int) -> str:
    """The text of a whole turn that begins with a node; if groups move, their best steps follow."""
    return " ".join(_part(found, one) for one in turn_of(found, node) if _part(found, one)) or "pass"


def turn_of(found: Searched, node: int) -> list[int]:
    """The nodes of a whole turn that begins with this one."""
    tree, points, nodes = found.tree, len(found.position.cells), [node]
    while found.graph[MOVES] and tree[NODE * nodes[-1] + MOVE] != points:
        following = kin(tree, nodes[-1])
        # After its first part, a turn can't place a stone.
        if not following or any(tree[NODE * child + MOVE] < points for child in following):
            break
        nodes.append(_best(tree, following))
    return nodes


def _part(found: Searched, node: int) -> str:
    names, move = found.position.board.names, int(found.tree[NODE * node + MOVE])
    points = len(names)
    if move < points:
        return names[move]
    start, goal = divmod(move - points - 1, points)
    return f"{names[start]}-{names[goal]}" if move > points else ""


def _best(tree: Tree, nodes: list[int]) -> int:
    """The most visited node; among equals, the one that won most."""
    return max(nodes, key=lambda node: _rank(tree, node))


def _rank(tree: Tree, node: int) -> tuple[int, int, int]:
    """A key for sorting: real visits, then wins, then the lower number."""
    place = NODE * node
    return int(tree[place + VISITS] - tree[place + PRIOR]), int(tree[place + WINS]), -node


def lines(found: Searched, move: str) -> tuple[tuple[str, ...], ...]:
    """The line that begins with the chosen move, as far as the tree goes."""
    if found.graph[KIND] == TOGETHER:
        return ((move,),)
    node = next((node for node in kin(found.tree, 0) if written(found, node) == move), None)
    line: list[str] = []
    while node is not None and len(line) < LONGEST_LINE:
        line.append(written(found, node))
        following = kin(found.tree, turn_of(found, node)[-1])
        node = _best(found.tree, following) if following else None
    return (tuple(line or [move]),)
