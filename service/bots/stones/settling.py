"""The board once play has ended: who owns what, and which chains are dead."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from service.bots.compiler import compiled
from service.bots.stones.kernel.chains import PASSES, RANDOM, TO_THE_END, Stones, copy, fresh
from service.bots.stones.kernel.counting import count
from service.bots.stones.kernel.desk import SIMULATIONS, Desk, laid
from service.bots.stones.kernel.graph import POINTS, Graph
from service.bots.stones.kernel.playouts import finish
from service.bots.stones.loading import graph_of, load
from service.bots.stones.think import offset, owned
from service.bots.thought import seed_of
from service.engine.game import Seat
from service.engine.stone_games.scoring import Scoring
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import chain
from service.games.reversal import ReversalPosition

PLAYOUTS = 200
LOST = 0.65
"""A chain is called dead if it is lost in at least this share of playouts. After matches of GNU Go against itself on
9x9, any limit from 0.5 to 0.65 gave GNU Go's verdict on all 177 chains, and 0.9 missed 14 of them."""
SURE = 0.9
"""A cell is called settled if it has the same owner in at least this share of playouts."""
ALIKE: Mapping[Seat, float] = MappingProxyType({})


def ownership(position: StonePosition, seed: int, playouts: int | None = None) -> dict[str, tuple[float, ...]]:
    """For each cell, the share of playouts from here in which each seat owns it, out of this many, or PLAYOUTS by
    default."""
    graph = graph_of(position)
    active = position.active
    desk, work = laid(offset(position), ()), fresh(graph)
    for turn, seat in enumerate(active):
        root = load(graph, position, seat)
        root[RANDOM] = seed_of(seed, 0, seat) % 0xFFFFFFFF + 1
        rounds = ((playouts or PLAYOUTS) + len(active) - 1 - turn) // len(active)
        work[RANDOM] = root[RANDOM]
        _play_out(graph, root, work, desk, rounds)
    return owned(position, desk)


@compiled
def _play_out(graph: Graph, root: Stones, work: Stones, desk: Desk, playouts: int) -> None:
    for _ in range(playouts):
        copy(graph, work, root)
        work[PASSES] = 0
        work[TO_THE_END] = 1
        finish(graph, work, desk, 3 * graph[POINTS])
        count(graph, work, root, desk)
        desk[SIMULATIONS] += 1


def dead(
    position: StonePosition, owners: Mapping[str, tuple[float, ...]], limits: Mapping[Seat, float] = ALIKE
) -> frozenset[int]:
    """The stones of chains that others mostly own, by `ownership`; never those of a chain that can't die.

    `limits` are the limits for the chains of single seats, instead of LOST.
    """
    names = position.board.names
    found: set[int] = set()
    seen: set[int] = set()
    for point, stone in enumerate(position.cells):
        if stone and point not in seen:
            points = chain(position.cells, position.board.neighbours, point)
            seen.update(points)
            lost = sum(1 - owners[names[one]][stone - 1] for one in points) / len(points)
            if lost >= limits.get(stone - 1, LOST) and position.mortal(points):
                found.update(points)
    return frozenset(found)


def at_worst(position: StonePosition, owners: Mapping[str, tuple[float, ...]], seat: Seat) -> frozenset[int]:
    """The stones that may be called dead if everything unsettled goes against this seat."""
    return dead(position, owners, {each: 1 - SURE if each == seat else SURE for each in range(len(position.sides))})


def evening(position: StonePosition, owners: Mapping[str, tuple[float, ...]]) -> tuple[float, float]:
    """The allowance that puts the second of two seats half a point ahead, with ownership, komi and marker."""
    first, second = offset(position)
    ahead = sum(each[0] - each[1] for each in owners.values())
    marker = position.marker if isinstance(position, ReversalPosition) else 0
    return 0.0, round(ahead + marker) + 0.5 - (second - first) / 2


def levelling(position: StonePosition, seat: Seat, owners: Mapping[str, tuple[float, ...]]) -> tuple[float, ...]:
    """The allowance that gives all seats equal points if this seat passes and play then ends."""
    after = position.play(seat, "pass")
    ended = after.ended if isinstance(after, Scoring) else after
    assert isinstance(ended, StonePosition)
    points = ended.lifted(dead(position, owners)).survey().points
    return tuple(float(max(points) - each) for each in points)


def share(position: StonePosition, seat: Seat, taken: frozenset[int]) -> float:
    """The share of the win of a seat if these stones are dead and the board is counted, without alliances."""
    winners = position.lifted(taken).survey().winners
    return (seat in winners) / len(winners)
