"""Stones on any graph: chains, liberties, capture, regions and repetition, for up to eight colours.

A board is two lists: `neighbours` has the points next to each point, and `cells` has 0 for each empty point or
the colour 1 … 8 of its stone (seat + 1). Every function here takes both and knows no geometry. A chain is a
connected set of stones of one colour; its liberties are the empty points next to it. The game decides what
happens to a chain without liberties (captured, reversed, immune).

These functions are the inner loop of every game with stones, so they favour flat lists and early exits.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

Cells: TypeAlias = list[int]
Neighbours: TypeAlias = Sequence[Sequence[int]]
Keys: TypeAlias = Sequence[Sequence[int]]
Immune: TypeAlias = Callable[[list[int]], bool]
"""Whether a chain lives without liberties; only called for a chain that has none."""


class Chain(NamedTuple):
    """Connected stones of one colour."""

    colour: int
    points: list[int]


class Region(NamedTuple):
    """Connected empty points, and the colours on their border."""

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
    """The points of the chain through `start`, if it has no liberty, else an empty list.

    Callers have checked that the stone on `start` has no empty point next to it; here each other stone is checked as
    soon as it is found.
    """
    colour = cells[start]
    found = [start]
    seen = {start}
    for point in found:
        for near in neighbours[point]:
            if cells[near] == colour and near not in seen:
                for beyond in neighbours[near]:
                    if not cells[beyond]:
                        return []
                seen.add(near)
                found.append(near)
    return found


def starved_among(cells: Cells, neighbours: Neighbours, starts: Iterable[int]) -> list[Chain]:
    """The chains without liberties through any of `starts`, each once, in the order found; skips empty points."""
    found: list[Chain] = []
    done: set[int] = set()
    for start in starts:
        if cells[start] and start not in done and 0 not in map(cells.__getitem__, neighbours[start]):
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
            # Most stones have a liberty of their own.
            for beyond in neighbours[near]:
                if not cells[beyond]:
                    break
            else:
                points = starved(cells, neighbours, near)
                if points and not (found and any(near in other.points for other in found)):
                    found.append(Chain(stone, points))
    return found


def place(
    cells: Cells, neighbours: Neighbours, point: int, colour: int, immune: Immune | None = None
) -> Sequence[Chain]:
    """Put a stone on the empty `point` and remove the chains of other colours that it leaves without liberties.

    Returns the removed chains of all colours. Raises Suicide, with `cells` unchanged, if nothing is removed and the
    stone's own chain has no liberty and isn't immune.
    """
    cells[point] = colour
    taken: Sequence[Chain] = ()
    alive = False
    for near in neighbours[point]:
        stone = cells[near]
        if not stone:
            alive = True
        elif stone != colour:
            # This is `besieged`, written out for speed.
            for beyond in neighbours[near]:
                if not cells[beyond]:
                    break
            else:
                points = starved(cells, neighbours, near)
                if points and not (taken and any(near in other.points for other in taken)):
                    taken = [*taken, Chain(stone, points)]
    if taken and immune is not None:
        taken = [other for other in taken if not immune(other.points)]
    if taken:
        for _, points in taken:
            for gone in points:
                cells[gone] = 0
    elif not alive:
        own = starved(cells, neighbours, point)
        if own and not (immune is not None and immune(own)):
            cells[point] = 0
            raise Suicide
    return taken


def placeable(
    cells: Cells,
    neighbours: Neighbours,
    colour: int,
    doubtful: Container[int],
    allowed: Callable[[int, Sequence[Chain]], bool],
    immune: Immune | None = None,
) -> Iterator[int]:
    """The empty points, in order, where `place` isn't suicide; a `doubtful` point must also be `allowed`.

    `allowed` gets the point and the chains that would be captured. For a rule against repetition, the doubtful points
    are those where a stone was captured before: a stone anywhere else can't repeat an earlier board.
    """
    trial = cells.copy()
    stands = cells.__getitem__
    for point, stone in enumerate(cells):
        if stone:
            continue
        if point not in doubtful and 0 in map(stands, neighbours[point]):
            yield point
            continue
        try:
            taken = place(trial, neighbours, point, colour, immune)
        except Suicide:
            continue
        trial[point] = 0
        for other, points in taken:
            for gone in points:
                trial[gone] = other
        if point not in doubtful or allowed(point, taken):
            yield point


def liberties(cells: Cells, neighbours: Neighbours, start: int) -> set[int]:
    """The liberties of the chain through `start`."""
    return {near for point in chain(cells, neighbours, start) for near in neighbours[point] if not cells[near]}


def clusters(points: Iterable[int], neighbours: Neighbours) -> list[list[int]]:
    """`points` split into connected sets, regardless of the stones on them."""
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
    """All empty points by region, with the colours on each border (no colour on an empty board)."""
    empty = (point for point, stone in enumerate(cells) if not stone)
    return [
        Region(points, frozenset(cells[near] for point in points for near in neighbours[point] if cells[near]))
        for points in clusters(empty, neighbours)
    ]


def territory(cells: Cells, neighbours: Neighbours) -> dict[int, int]:
    """Each empty point of a region that only one colour borders, with that colour."""
    return {
        point: colour
        for region in regions(cells, neighbours)
        if len(region.borders) == 1
        for colour in region.borders
        for point in region.points
    }


def flowering(flowers: Iterable[Iterable[int]]) -> Immune:
    """A function that says whether a chain has every point of any of `flowers` (rosettes, lotuses)."""
    by_least: dict[int, list[frozenset[int]]] = {}
    for flower in map(frozenset, flowers):
        by_least.setdefault(min(flower), []).append(flower)
    fewest = min((len(flower) for found in by_least.values() for flower in found), default=0)

    def flowers_in(points: list[int]) -> bool:
        if len(points) < fewest:
            return False
        stones = frozenset(points)
        return any(flower <= stones for point in points if point in by_least for flower in by_least[point])

    return flowers_in


# A board's code is the board itself written as one integer, a few bits per point. It is updated by XOR like a hash,
# but no two boards share a code: Python compares whole codes once their hashes agree, so a collision can't forbid a
# move.


@lru_cache(maxsize=64)
def keys(points: int, colours: int = 8) -> tuple[tuple[int, ...], ...]:
    """A stone's part of a board's code: `code ^= keys(n)[point][colour]` both when it is placed and when it is removed.

    There is one more row than points: `keys(n)[n][seat]` marks whose turn it is, in games where that distinguishes
    positions.
    """
    bits = 2 if colours < 4 else 4
    return tuple(tuple(colour << bits * point for colour in range(colours + 1)) for point in range(points + 1))


def code_of(cells: Cells, table: Keys) -> int:
    """The code of a whole board."""
    return sum(table[point][colour] for point, colour in enumerate(cells) if colour)


def without(code: int, table: Keys, chains: Iterable[Chain]) -> int:
    """`code` after `chains` have left the board."""
    for colour, points in chains:
        for point in points:
            code ^= table[point][colour]
    return code


Trail: TypeAlias = list[tuple[int, int]]
"""The placements of a run: each the point of the stone, and the code of the position it made."""


class Past:
    """The codes of all earlier positions, in order. A past never changes, and extending it costs little.

    The pasts of one line of play share a list, and each knows how much of it is its own. The next index belongs to
    the first past to claim it; a different continuation makes a copy. The index of each code's first occurrence is
    calculated only on demand.
    """

    __slots__ = ("_first", "_length", "_line")

    def __init__(self, codes: Iterable[int] = ()) -> None:
        self._line = [*codes]
        self._first: dict[int, int] = {}
        self._length = len(self._line)

    def has(self, code: int) -> bool:
        """Whether this position has occurred before."""
        first, line, length = self._first, self._line, self._length
        # Passes may repeat a code; then `first` is shorter than the line, and a few indices are looked at again.
        for place in range(len(first), length):
            first.setdefault(line[place], place)
        return first.get(code, length) < length

    def plus(self, code: int) -> Past:
        """This past with one more position."""
        line, length = self._line, self._length
        if len(line) == length:
            line.append(code)
        # Another thread may have appended before this one did: the code at this index decides.
        if line[length] != code:
            return Past([*self.codes(), code])
        after = Past.__new__(Past)
        after._line, after._first, after._length = line, self._first, length + 1
        return after

    def along(self, trail: Trail) -> Past:
        """This past with the positions of a run of placements."""
        return Past([*self.codes(), *[code for _, code in trail]])

    def codes(self) -> list[int]:
        """All codes, in order."""
        return self._line[: self._length]


def recurs(code: int, trail: Trail, vacated: Container[int], past: Past) -> bool:
    """Whether a position has occurred before: in `trail`, or in the `past` before it.

    `vacated` are the points where stones were ever captured. On any other point of the trail, the stone has stayed
    since it was placed, so no earlier position can recur, and the search ends there: usually at the first step.
    """
    for point, earlier in reversed(trail):
        if earlier == code:
            return True
        if point not in vacated:
            return False
    return past.has(code)
