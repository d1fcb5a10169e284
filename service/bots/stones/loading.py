"""From the engine's positions to the kernel's."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from service.bots.stones.kernel.chains import (
    BEFORE,
    DROPPED,
    FOLLOWING,
    HELD,
    KO,
    LAST,
    LOST,
    MARKER,
    PASSES,
    SEAT,
    Stones,
    fresh,
    put,
)
from service.bots.stones.kernel.graph import CLUSTER, NOBODY, SOLE, TAKE, TAKER, TOGETHER, TURN, Graph, graph
from service.bots.stones.kernel.rules import legal
from service.bots.thought import Entry
from service.engine.board import Board
from service.engine.game import Seat
from service.engine.stone_games.stone_position import StonePosition
from service.games.medusa import MedusaPosition
from service.games.multiplayer_go.parallel import Parallel
from service.games.multiplayer_go.prisoners import Sharing
from service.games.multiplayer_go.sequential import Sequential
from service.games.multiplayer_go.table import TablePosition
from service.games.reversal import ReversalPosition
from service.games.surround import SurroundPosition

SHARINGS = {Sharing.SOLE: SOLE, Sharing.COOPERATIVE: CLUSTER, Sharing.NOBODY: NOBODY}

Shape: TypeAlias = tuple[tuple[tuple[int, ...], ...], int, int, int, tuple[tuple[int, ...], ...], int, int, bool]


def graph_of(position: StonePosition) -> Graph:
    """The board and rules of a position as a graph for the kernel."""
    board = position.board
    columns = _columns(board)
    if isinstance(position, SurroundPosition):
        flowers, area = position.rules.flowers, not position.rules.territory
        return _graph((board.neighbours, TAKE, 2, TAKER, flowers, columns, 0, area))
    if isinstance(position, ReversalPosition):
        rings = tuple(tuple(sorted(ring)) for ring in position.rules.rings)
        rays = position.rules.kagome.rays if isinstance(position, MedusaPosition) else ()
        return _graph((board.neighbours, TURN, 2, TAKER, rings, 0, position.rules.track, True), rays)
    assert isinstance(position, TablePosition), f"{position.title} is not a game of stones."
    kind = TOGETHER if isinstance(position, Parallel) else TAKE
    sharing = SHARINGS[position.rules.sharing]
    return _graph((board.neighbours, kind, len(position.sides), sharing, (), columns, 0, False))


def _columns(board: Board) -> int:
    """The number of columns of a grid; 0 for other boards."""
    if not board.name.startswith("grid "):
        return 0
    return int(board.name.rpartition("x")[2])


@lru_cache(maxsize=32)
def _graph(shape: Shape, rays: tuple[tuple[tuple[int, ...], ...], ...] = ()) -> Graph:
    neighbours, kind, seats, sharing, flowers, columns, track, area = shape
    return graph(neighbours, kind, seats, sharing, flowers, rays, columns, track, area)


def load(graph: Graph, position: StonePosition, seat: Seat, log: tuple[Entry, ...] = ()) -> Stones:
    """The position for the kernel, with `seat` to move; the latest moves are from the log."""
    stones = fresh(graph)
    for point, stone in enumerate(position.cells):
        if stone:
            put(graph, stones, point, stone)
    seats = len(position.sides)
    stones[SEAT] = seat
    active = position.active
    for each in range(seats):
        stones[FOLLOWING + each] = next(
            other % seats for other in range(each + 1, each + seats + 1) if other % seats in active
        )
    for place, (_, move) in zip((LAST, BEFORE), reversed(log), strict=False):
        name = move.partition(" take ")[0].split(" ")[-1].rpartition("-")[2]
        stones[place] = position.board.index.get(name, -1)
    if isinstance(position, Parallel):
        for each, point in position.report.placed.items():
            stones[DROPPED + each] = point
    stones[PASSES] = _passes(position)
    if isinstance(position, ReversalPosition):
        stones[MARKER] = position.marker
    _prisoners(stones, position)
    if seat in position.turns:
        stones[KO] = _forbidden(graph, stones, position, seat)
    return stones


def _passes(position: StonePosition) -> int:
    if isinstance(position, SurroundPosition):
        return int(position.last is not None and position.last[1] is None)
    if isinstance(position, ReversalPosition):
        return int(position.last is not None and position.last.move == "pass")
    return len(position.passed) if isinstance(position, Sequential) else 0


def _prisoners(stones: Stones, position: StonePosition) -> None:
    if isinstance(position, SurroundPosition):
        for seat in (0, 1):
            stones[HELD + seat] = stones[LOST + 1 - seat] = position.held[seat]
    elif isinstance(position, TablePosition):
        for seat in range(len(position.sides)):
            stones[HELD + seat] = sum(position.tally.held[seat])
            stones[LOST + seat] = position.tally.lost(seat)


def _forbidden(graph: Graph, stones: Stones, position: StonePosition, seat: Seat) -> int:
    """A point where only the rule against repetition forbids a stone; -1 if there is none."""
    if not isinstance(position, (SurroundPosition, Sequential)):
        return -1
    allowed = set(position.moves(seat))
    for point, name in enumerate(position.board.names):
        if not position.cells[point] and name not in allowed and legal(graph, stones, point, seat + 1):
            return point
    return -1
