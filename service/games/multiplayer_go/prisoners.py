"""Who gets the stones that leave the board, and in which colours.

Rules: J. P. Neto, "Other Players". Stones that are removed and divided together are a `Haul`; dividing a haul gives a
`Capture`. What a haul is depends on the game. If players don't cooperate, it is one chain, and a colour takes it only
if it denied all the chain's liberties alone. If they cooperate, it is a cluster: connected stones of any colours,
shared by all who have a surviving stone next to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from service.engine.game import Seat
from service.engine.stone_games import stones
from service.engine.stone_games.stones import Cells, Chain, Neighbours


class Sharing(Enum):
    """How a haul is divided."""

    SOLE = "sole"
    """A single captor takes all; if there are several, the stones are eliminated."""
    COOPERATIVE = "cooperative"
    """Each captor takes an even share, rounded down; the droppers also share the rest."""
    NOBODY = "crossman"
    """Nobody takes prisoners: each stone counts against its owner (Allan Crossman)."""


class Wish(NamedTuple):
    """The colours that a captor wants: `take` has one for each stone in turn, `prefer` is for the rest, best first."""

    take: tuple[Seat, ...] = ()
    prefer: tuple[Seat, ...] = ()


Wishes: TypeAlias = Mapping[Seat, Wish]
NO_WISH = Wish()


class Haul(NamedTuple):
    """Stones divided together: their points, the owner of each, and the captors in turn order."""

    points: tuple[int, ...]
    colours: tuple[Seat, ...]
    captors: tuple[Seat, ...]
    droppers: tuple[Seat, ...] = ()
    """The captors who placed a stone next to the haul in the move or turn that captured it."""


class Capture(NamedTuple):
    """A haul divided."""

    haul: Haul
    sharing: Sharing
    picks: tuple[tuple[Seat, tuple[Seat, ...]], ...]
    """The seats in the order of choosing, each with the colours it chose, in order."""
    eliminated: Mapping[Seat, int]
    """The number of stones of each colour that nobody got."""


def divide(haul: Haul, sharing: Sharing, wishes: Wishes) -> Capture:
    """The haul divided by the captors' choices: the last seat in turn order chooses its whole share first."""
    pool: dict[Seat, int] = {}
    for colour in haul.colours:
        pool[colour] = pool.get(colour, 0) + 1
    picks = []
    for seat, number in shares(haul, sharing):
        taken = _picked(pool, seat, number, wishes.get(seat, NO_WISH))
        if taken:
            picks.append((seat, taken))
    return Capture(haul, sharing, tuple(picks), dict(sorted(pool.items())))


def shares(haul: Haul, sharing: Sharing) -> list[tuple[Seat, int]]:
    """How many stones each captor may choose, in the order of choosing. The remaining stones are eliminated.

    "The larger integer smaller than M/N" is M/N rounded down: in the inventor's own examples, two players who
    take two stones get one each. The rest is divided in the same way among the droppers; in sequential play, there is
    only one dropper.
    """
    captors, droppers = haul.captors, haul.droppers
    if not captors or (sharing is not Sharing.COOPERATIVE and (len(captors) > 1 or sharing is Sharing.NOBODY)):
        return []
    each, rest = divmod(len(haul.points), len(captors))
    extra = rest // len(droppers) if droppers else 0
    found = []
    for seat in reversed(captors):
        number = each + extra if seat in droppers else each
        if number:
            found.append((seat, number))
    return found


def _picked(pool: dict[Seat, int], seat: Seat, number: int, wish: Wish) -> tuple[Seat, ...]:
    """Take up to `number` stones out of `pool`, never of the seat's own colour."""
    taken: list[Seat] = []
    while len(taken) < number:
        offered = [*pool]
        if seat in pool:
            offered.remove(seat)
        if not offered:
            break
        colour = offered[0] if len(offered) == 1 else _chosen(offered, pool, wish, len(taken))
        taken.append(colour)
        pool[colour] -= 1
        if not pool[colour]:
            del pool[colour]
    return tuple(taken)


def _chosen(offered: list[Seat], pool: Mapping[Seat, int], wish: Wish, number: int) -> Seat:
    """The colour named for this stone; else the most preferred, then the most frequent, then the first colour."""
    if number < len(wish.take) and wish.take[number] in offered:
        return wish.take[number]
    liked = wish.prefer

    def rank(colour: Seat) -> tuple[int, int, int]:
        return liked.index(colour) if colour in liked else len(liked), -pool[colour], colour

    return min(offered, key=rank)


# Which stones are divided together. `fallen` are chains that have left the board, `cells` is the board without them.


def by_chain(fallen: Sequence[Chain], cells: Cells, neighbours: Neighbours) -> list[Haul]:
    """Each fallen chain; its captors are all other colours next to it.

    A colour is a captor even if its own stone falls at the same time, because that stone did deny a liberty.
    """
    stood, before = _seats(fallen), cells.copy()
    for point, seat in stood.items():
        before[point] = seat + 1
    hauls = []
    for colour, points in fallen:
        captors = tuple([seat for seat in _beside(points, before, neighbours) if seat != colour - 1])
        hauls.append(_haul(points, stood, captors))
    return hauls


def by_cluster(
    fallen: Sequence[Chain], cells: Cells, neighbours: Neighbours, dropped: Mapping[Seat, int]
) -> list[Haul]:
    """Each fallen cluster; its captors are the colours with a stone next to it, because that stone survives.

    `dropped` is the point where each seat placed its stone in this move or turn. A captor is a dropper if that stone is
    next to a stone of another colour in the cluster, even if it is part of the cluster.
    """
    stood = _seats(fallen)
    hauls = []
    for points in stones.clusters(stood, neighbours) if len(fallen) > 1 else (fallen[0].points,):
        captors = _beside(points, cells, neighbours)
        droppers = []
        for seat, drop in dropped.items():
            for near in neighbours[drop]:
                if near in points and stood[near] != seat and seat in captors:
                    droppers.append(seat)
                    break
        hauls.append(_haul(points, stood, captors, tuple(sorted(droppers))))
    return hauls


def by_area(dead: Collection[int], cells: Cells, neighbours: Neighbours) -> list[Haul]:
    """The dead stones of each area of dead stones and empty points; its captors are the living colours around it.

    They are removed by agreement, so there are no droppers. `cells` is the board with the dead stones.
    """
    living = [0 if point in dead else stone for point, stone in enumerate(cells)]
    areas = stones.clusters([point for point, stone in enumerate(living) if not stone], neighbours)
    stood = {point: cells[point] - 1 for point in dead}
    lying = [(area, [point for point in area if point in stood]) for area in areas]
    return [_haul(points, stood, _beside(area, living, neighbours)) for area, points in lying if points]


def _seats(fallen: Iterable[Chain]) -> dict[int, Seat]:
    """The seat whose stone was on each point."""
    stood: dict[int, Seat] = {}
    for colour, points in fallen:
        for point in points:
            stood[point] = colour - 1
    return stood


def _beside(area: Iterable[int], cells: Cells, neighbours: Neighbours) -> tuple[Seat, ...]:
    """The seats with a stone next to a point of `area`, in turn order."""
    colours: set[int] = set()
    for point in area:
        colours.update(map(cells.__getitem__, neighbours[point]))
    return tuple([colour - 1 for colour in sorted(colours) if colour])


def _haul(
    points: list[int], stood: Mapping[int, Seat], captors: tuple[Seat, ...], droppers: tuple[Seat, ...] = ()
) -> Haul:
    ordered = sorted(points)
    return Haul(tuple(ordered), tuple(map(stood.__getitem__, ordered)), captors, droppers)


class Tally(NamedTuple):
    """The stones that have left the board: `held` by holder and colour, and `eliminated` by colour."""

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
        """How many stones of a colour have left the board, held or eliminated."""
        return self.eliminated[colour] + sum(row[colour] for row in self.held)
