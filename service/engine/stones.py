"""Stones on any graph: chains, liberties, capture, regions and repetition, for up to eight colours.

A board is two plain things: `neighbours`, for each point the points next to it, and `cells`, for each point 0
when empty or the colour 1 … 8 of its stone (seat + 1). Every function here takes both and knows no geometry.
A chain is a connected set of stones of one colour; its liberties are the empty points next to it. What becomes
of a chain without liberties (taken, reversed, immune) is the game's business.

These functions are the inner loop of every game with stones, so they favour flat lists and early exits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

Cells: TypeAlias = list[int]
Neighbours: TypeAlias = Sequence[Sequence[int]]
Keys: TypeAlias = Sequence[Sequence[int]]
Immune: TypeAlias = Callable[[list[int]], bool]
"""Whether a chain lives without liberties; only ever asked about a chain that has none."""


class Chain(NamedTuple):
    """Stones of one colour that hang together."""

    colour: int
    points: list[int]


class Region(NamedTuple):
    """Empty points that hang together, and the colours on their border."""

    points: list[int]
    borders: frozenset[int]


class Suicide(ValueError):
    """A placement would leave its own chain without a liberty."""


def chain(cells: Cells, neighbours: Neighbours, start: int) -> list[int]:
    """The points of the chain through `start`, which comes first. On an empty point, the empty points it reaches."""
    colour = cells[start]
    found = [start]
    seen = {start}
    for point in found:
        for near in neighbours[point]:
            if cells[near] == colour and near not in seen:
                seen.add(near)
                found.append(near)
    return found


def starved(cells: Cells, neighbours: Neighbours, start: int) -> list[int]:
    """The points of the chain through `start` if it has no liberty, else an empty list."""
    for near in neighbours[start]:
        if not cells[near]:
            return []
    colour = cells[start]
    found = [start]
    seen = {start}
    for point in found:
        for near in neighbours[point]:
            stone = cells[near]
            if stone == colour:
                if near not in seen:
                    seen.add(near)
                    found.append(near)
            elif not stone:
                return []
    return found


def starved_among(cells: Cells, neighbours: Neighbours, starts: Iterable[int]) -> list[Chain]:
    """The chains without liberties through any of `starts`, each once, in the order met; empty points are skipped."""
    found: list[Chain] = []
    done: set[int] = set()
    for start in starts:
        if cells[start] and start not in done:
            points = starved(cells, neighbours, start)
            if points:
                done.update(points)
                found.append(Chain(cells[start], points))
    return found


def besieged(cells: Cells, neighbours: Neighbours, point: int) -> list[Chain]:
    """The chains of other colours next to the stone on `point` that have no liberty, each once."""
    colour = cells[point]
    found: list[Chain] = []
    for near in neighbours[point]:
        stone = cells[near]
        if stone and stone != colour:
            points = starved(cells, neighbours, near)
            if points and not any(near in other.points for other in found):
                found.append(Chain(stone, points))
    return found


def put(cells: Cells, neighbours: Neighbours, point: int, colour: int, immune: Immune | None = None) -> list[Chain]:
    """Put a stone on the empty `point` and remove the chains of other colours it leaves without liberty.

    Returns the removed chains, of every colour at once. The stone's own chain is not looked at.
    """
    cells[point] = colour
    taken = besieged(cells, neighbours, point)
    if taken:
        if immune is not None:
            taken = [other for other in taken if not immune(other.points)]
        for other in taken:
            for stone in other.points:
                cells[stone] = 0
    return taken


def place(cells: Cells, neighbours: Neighbours, point: int, colour: int, immune: Immune | None = None) -> list[Chain]:
    """As `put`, but raises Suicide, with `cells` as they were, if the own chain is left without liberty and dies."""
    taken = put(cells, neighbours, point, colour, immune)
    if not taken:
        own = starved(cells, neighbours, point)
        if own and not (immune is not None and immune(own)):
            cells[point] = 0
            raise Suicide
    return taken


def placeable(
    cells: Cells,
    neighbours: Neighbours,
    colour: int,
    allowed: Callable[[int, list[Chain]], bool],
    immune: Immune | None = None,
) -> list[int]:
    """The empty points where `place` would not be suicide and which are `allowed`, given what would be taken there."""
    trial = cells.copy()
    found = []
    for point, stone in enumerate(cells):
        if stone:
            continue
        trial[point] = colour
        taken = besieged(trial, neighbours, point)
        if immune is not None and taken:
            taken = [other for other in taken if not immune(other.points)]
        own = [] if taken else starved(trial, neighbours, point)
        if (not own or (immune is not None and immune(own))) and allowed(point, taken):
            found.append(point)
        trial[point] = 0
    return found


def liberties(cells: Cells, neighbours: Neighbours, start: int) -> set[int]:
    """The liberties of the chain through `start`."""
    return {near for point in chain(cells, neighbours, start) for near in neighbours[point] if not cells[near]}


def clusters(points: Iterable[int], neighbours: Neighbours) -> list[list[int]]:
    """`points` split into sets that hang together, whatever stands on them."""
    left = set(points)
    found: list[list[int]] = []
    while left:
        start = min(left)
        left.remove(start)
        cluster = [start]
        for point in cluster:
            for near in neighbours[point]:
                if near in left:
                    left.remove(near)
                    cluster.append(near)
        found.append(cluster)
    return found


def regions(cells: Cells, neighbours: Neighbours) -> list[Region]:
    """All empty points by region, with the colours on each border: none on an empty board."""
    empty = (point for point, stone in enumerate(cells) if not stone)
    return [
        Region(points, frozenset(cells[near] for point in points for near in neighbours[point] if cells[near]))
        for points in clusters(empty, neighbours)
    ]


def territory(cells: Cells, neighbours: Neighbours) -> dict[int, int]:
    """Each empty point that only one colour borders, and that colour."""
    return {
        point: colour
        for region in regions(cells, neighbours)
        if len(region.borders) == 1
        for colour in region.borders
        for point in region.points
    }


def blooms(points: Iterable[int], flowers: Iterable[Iterable[int]]) -> bool:
    """Whether a chain holds every point of one of `flowers` (rosettes, lotuses)."""
    return any(map(set(points).issuperset, flowers))


# A board's code is the board itself written as one integer, four bits a point. It is kept up to date by XOR like
# a hash, but two boards never share one: a set of codes compares them whole once their hashes agree, so no
# collision can forbid a move.


@lru_cache(maxsize=64)
def keys(points: int) -> tuple[tuple[int, ...], ...]:
    """What a stone adds to the code of a board: `code ^= keys(n)[point][colour]` when it comes and when it goes.

    There is one row more than points: `keys(n)[n][seat]` marks whose turn it is, where that makes a position new.
    """
    return tuple(tuple(colour << (4 * point) for colour in range(9)) for point in range(points + 1))


def code_of(cells: Cells) -> int:
    """The code of a whole board."""
    return sum(colour << (4 * point) for point, colour in enumerate(cells))


def without(code: int, table: Keys, chains: Iterable[Chain]) -> int:
    """`code` after `chains` have left the board."""
    for colour, points in chains:
        for point in points:
            code ^= table[point][colour]
    return code


class Past(NamedTuple):
    """The codes of the positions that have been. Immutable, and cheap to extend and to ask at any length.

    New codes gather in a small set that joins the large one when full, so that extending seldom copies much.
    """

    old: frozenset[int] = frozenset()
    new: frozenset[int] = frozenset()

    def has(self, code: int) -> bool:
        """Whether this very position has been before."""
        return code in self.new or code in self.old

    def plus(self, code: int) -> Past:
        """The past that has seen this position too."""
        if len(self.new) < 16:
            return Past(self.old, self.new | {code})
        return Past(self.old | self.new | {code})

    def plus_all(self, codes: Iterable[int]) -> Past:
        """The past that has seen all these positions too."""
        return Past(self.old.union(self.new, codes))
