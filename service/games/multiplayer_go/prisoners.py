"""Who gets the stones that come off the board, and in which colours.

Rules: J. P. Neto, "Other Players". Stones that come off together and are judged together are a `Haul`; dividing a
haul gives a `Capture`. What a haul is depends on the game: where players do not cooperate it is one chain, and only a
colour that denied all its liberties alone takes it; where they cooperate it is a cluster, the stones of whatever
colours that touch, shared by all who hold a surviving stone next to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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
NO_WISH = Wish()


class Haul(NamedTuple):
    """Stones judged together: their points, the owner of each, and who took part in taking them, in turn order."""

    points: tuple[int, ...]
    colours: tuple[Seat, ...]
    captors: tuple[Seat, ...]
    droppers: tuple[Seat, ...] = ()
    """The captors who dropped a stone beside the haul in the move or turn that took it."""


class Capture(NamedTuple):
    """A haul divided."""

    haul: Haul
    sharing: Sharing
    picks: tuple[tuple[Seat, tuple[Seat, ...]], ...]
    """In the order of choosing: a seat, and the colours it chose one after another."""
    eliminated: Mapping[Seat, int]
    """Colour to number of the stones nobody got."""


def divide(haul: Haul, sharing: Sharing, wishes: Wishes) -> Capture:
    """The haul as the captors choose it: the last seat in turn order chooses its whole share first."""
    pool: dict[Seat, int] = {}
    for colour in haul.colours:
        pool[colour] = pool.get(colour, 0) + 1
    picks = []
    for seat, number in sorted(shares(haul, sharing).items(), reverse=True):
        taken = _picked(pool, seat, number, wishes.get(seat, NO_WISH))
        if taken:
            picks.append((seat, taken))
    return Capture(haul, sharing, tuple(picks), {colour: left for colour, left in sorted(pool.items()) if left})


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


def _picked(pool: dict[Seat, int], seat: Seat, number: int, wish: Wish) -> tuple[Seat, ...]:
    """Take up to `number` stones out of `pool`, never of the seat's own colour."""

    def rank(colour: Seat) -> tuple[int, int, int]:
        liked = wish.prefer.index(colour) if colour in wish.prefer else len(wish.prefer)
        return liked, -pool[colour], colour

    taken: list[Seat] = []
    while len(taken) < number:
        offered = [colour for colour, left in pool.items() if left and colour != seat]
        if not offered:
            break
        named = wish.take[len(taken)] if len(taken) < len(wish.take) else None
        colour = named if named in offered else min(offered, key=rank) if len(offered) > 1 else offered[0]
        pool[colour] -= 1
        taken.append(colour)
    return tuple(taken)


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
        cluster = set(points)
        survivors = _beside(points, neighbours) - gone
        denied = [
            seat
            for seat, drop in dropped.items()
            if any(cells[near] != seat + 1 for near in cluster.intersection(neighbours[drop]))
        ]
        hauls.append(_haul(sorted(points), cells, survivors, denied))
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
    captors = sorted({cells[near] - 1 for near in beside if cells[near]})
    droppers = [seat for seat in captors if seat in dropped]
    return Haul(tuple(points), tuple([cells[point] - 1 for point in points]), tuple(captors), tuple(droppers))


def _beside(points: Collection[int], neighbours: Neighbours) -> set[int]:
    return set().union(*map(neighbours.__getitem__, points)).difference(points)


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
