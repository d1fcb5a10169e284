"""Who gets the stones that come off the board, and in which colours.

Rules: J. P. Neto, "Other Players". Stones that come off together and are judged together are a `Haul`; dividing a
haul gives a `Capture`. What a haul is depends on the game: where players do not cooperate it is one chain, and only a
colour that denied all its liberties alone takes it; where they cooperate it is a cluster, the stones of whatever
colours that touch, shared by all who hold a surviving stone next to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from service.engine import stones
from service.engine.game import Seat
from service.engine.stones import Cells, Chain, Neighbours


class Sharing(Enum):
    """How a haul is divided."""

    SOLE = "sole"
    """A single captor takes all; of several, none does, and the stones are eliminated."""
    COOPERATIVE = "cooperative"
    """Each captor takes an even share, rounded down; those who dropped a stone also share the rest."""
    NOBODY = "crossman"
    """Nobody takes anything: each stone counts against its owner (Allan Crossman)."""


class Wish(NamedTuple):
    """The colours a captor would like: one for each stone in turn, then in order of preference."""

    take: tuple[Seat, ...] = ()
    prefer: tuple[Seat, ...] = ()


Wishes: TypeAlias = Mapping[Seat, Wish]


@dataclass(frozen=True, slots=True)
class Haul:
    """Stones judged together: their points, the owner of each, and who took part in taking them, in turn order."""

    points: tuple[int, ...]
    colours: tuple[Seat, ...]
    captors: tuple[Seat, ...]
    droppers: tuple[Seat, ...] = ()
    """The captors who dropped a stone beside the haul in the move or turn that took it."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A haul divided. `picks` are in the order of choosing: a seat, and the colours it chose one after another."""

    haul: Haul
    sharing: Sharing
    picks: tuple[tuple[Seat, tuple[Seat, ...]], ...]

    @property
    def eliminated(self) -> Counter[Seat]:
        """Colour to number of the stones nobody got."""
        taken = Counter(colour for _, colours in self.picks for colour in colours)
        return Counter(self.haul.colours) - taken


def divide(haul: Haul, sharing: Sharing, wishes: Wishes) -> Capture:
    """The haul as the captors choose it: the last seat in turn order chooses its whole share first."""
    pool = Counter(haul.colours)
    picks = []
    for seat, number in sorted(shares(haul, sharing).items(), reverse=True):
        taken = tuple(_pick(pool, seat, number, wishes.get(seat, Wish())))
        picks.append((seat, taken))
    return Capture(haul, sharing, tuple(pick for pick in picks if pick[1]))


def shares(haul: Haul, sharing: Sharing) -> dict[Seat, int]:
    """How many stones each captor may choose. What this leaves is eliminated.

    "The larger integer smaller than M/N" is M/N rounded down: the inventor's own examples give one stone each where
    two players take two. The rest is divided in the same way among the droppers, who are one in sequential play.
    """
    size, captors = len(haul.points), len(haul.captors)
    if sharing is Sharing.NOBODY or not captors or (sharing is Sharing.SOLE and captors > 1):
        return {}
    each, rest = divmod(size, captors)
    extra = rest // len(haul.droppers) if haul.droppers else 0
    return {seat: each + (extra if seat in haul.droppers else 0) for seat in haul.captors}


def _pick(pool: Counter[Seat], seat: Seat, number: int, wish: Wish) -> Iterator[Seat]:
    """Take up to `number` stones out of `pool`, never of the seat's own colour."""

    def rank(colour: Seat) -> tuple[int, int, int]:
        liked = wish.prefer.index(colour) if colour in wish.prefer else len(wish.prefer)
        return liked, -pool[colour], colour

    for turn in range(number):
        offered = [colour for colour, left in pool.items() if left and colour != seat]
        if not offered:
            return
        named = wish.take[turn] if turn < len(wish.take) else None
        colour = named if named in offered else min(offered, key=rank)
        pool[colour] -= 1
        yield colour


# What is judged together. `cells` is always the board before the removal, the dropped stones included.


def by_chain(fallen: Iterable[Chain], cells: Cells, neighbours: Neighbours) -> list[Haul]:
    """Each fallen chain, its captors being all other colours beside it.

    A colour counts even where its own stone falls at the same time: it did deny a liberty.
    """
    return [_haul(sorted(chain.points), cells, _beside(chain.points, neighbours)) for chain in fallen]


def by_cluster(
    fallen: Iterable[Chain], cells: Cells, neighbours: Neighbours, dropped: Mapping[Seat, int]
) -> list[Haul]:
    """Each fallen cluster, its captors being the colours with a stone beside it that survives.

    `dropped` is where each seat's stone of this move or turn landed. A captor is a dropper where that stone lies
    beside a stone of another colour in the cluster, even if it is in the cluster itself.
    """
    gone = {point for chain in fallen for point in chain.points}
    hauls = []
    for points in stones.clusters(gone, neighbours):
        denied = {
            seat
            for seat, drop in dropped.items()
            if any(near in points and cells[near] != seat + 1 for near in neighbours[drop])
        }
        hauls.append(_haul(sorted(points), cells, _beside(points, neighbours) - gone, denied))
    return hauls


def by_area(dead: Collection[int], cells: Cells, neighbours: Neighbours) -> list[Haul]:
    """The dead stones of each area of dead stones and empty points, its captors being the living colours around it.

    They were lifted by agreement, so nobody dropped a last stone.
    """
    open_points = {point for point, stone in enumerate(cells) if not stone}.union(dead)
    areas = stones.clusters(open_points, neighbours)
    lying = [(area, [point for point in sorted(area) if point in dead]) for area in areas]
    return [_haul(points, cells, _beside(area, neighbours)) for area, points in lying if points]


def _haul(points: list[int], cells: Cells, beside: Iterable[int], dropped: Collection[Seat] = ()) -> Haul:
    captors = tuple(sorted({cells[near] - 1 for near in beside if cells[near]}))
    droppers = tuple(seat for seat in captors if seat in dropped)
    return Haul(tuple(points), tuple(cells[point] - 1 for point in points), captors, droppers)


def _beside(points: Collection[int], neighbours: Neighbours) -> set[int]:
    return {near for point in points for near in neighbours[point]}.difference(points)


class Tally(NamedTuple):
    """The stones that have left the board: by holder and colour those held, by colour those nobody holds."""

    held: tuple[tuple[int, ...], ...]
    eliminated: tuple[int, ...]

    def plus(self, captures: Iterable[Capture]) -> Tally:
        """The tally after these captures."""
        held, eliminated = [[*row] for row in self.held], [*self.eliminated]
        for capture in captures:
            for seat, colours in capture.picks:
                for colour in colours:
                    held[seat][colour] += 1
            for colour, number in capture.eliminated.items():
                eliminated[colour] += number
        return Tally(tuple(map(tuple, held)), tuple(eliminated))

    def lost(self, colour: Seat) -> int:
        """How many stones of a colour have left the board, whoever holds them."""
        return self.eliminated[colour] + sum(row[colour] for row in self.held)
