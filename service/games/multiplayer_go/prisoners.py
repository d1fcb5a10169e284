"""Who gets the stones that come off the board, and in which colours.

Rules: J. P. Neto, "Other Players". Stones that come off together and are judged together are a `Haul`; dividing a
haul gives a `Capture`. What a haul is depends on the game: where players do not cooperate it is one chain, and only a
colour that denied all its liberties alone takes it; where they cooperate it is a cluster, the stones of whatever
colours that touch, shared by all who hold a surviving stone next to it.
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
    for seat, number in shares(haul, sharing):
        taken = _picked(pool, seat, number, wishes.get(seat, NO_WISH))
        if taken:
            picks.append((seat, taken))
    return Capture(haul, sharing, tuple(picks), dict(sorted(pool.items())))


def shares(haul: Haul, sharing: Sharing) -> list[tuple[Seat, int]]:
    """How many stones each captor may choose, in the order of choosing. What this leaves is eliminated.

    "The larger integer smaller than M/N" is M/N rounded down: the inventor's own examples give one stone each where
    two players take two. The rest is divided in the same way among the droppers, who are one in sequential play.
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
    """The colour named for the stone of that number; else the one liked most, of which there is most, the first."""
    if number < len(wish.take) and wish.take[number] in offered:
        return wish.take[number]
    liked = wish.prefer

    def rank(colour: Seat) -> tuple[int, int, int]:
        return liked.index(colour) if colour in liked else len(liked), -pool[colour], colour

    return min(offered, key=rank)


# What is judged together. `fallen` are chains that have left the board, `cells` the board without them.


def by_chain(fallen: Sequence[Chain], cells: Cells, neighbours: Neighbours) -> list[Haul]:
    """Each fallen chain, its captors being all other colours beside it.

    A colour counts even where its own stone falls at the same time: it did deny a liberty.
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
    """Each fallen cluster; its captors are the colours with a stone beside it, because that stone survives.

    `dropped` is where each seat's stone of this move or turn landed. A captor is a dropper if that stone is beside a
    stone of another colour in the cluster, even if it is in the cluster itself.
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
    """The dead stones of each area of dead stones and empty points, its captors being the living colours around it.

    They were lifted by agreement, so nobody dropped a last stone. `cells` is the board with them.
    """
    living = [0 if point in dead else stone for point, stone in enumerate(cells)]
    areas = stones.clusters([point for point, stone in enumerate(living) if not stone], neighbours)
    stood = {point: cells[point] - 1 for point in dead}
    lying = [(area, [point for point in area if point in stood]) for area in areas]
    return [_haul(points, stood, _beside(area, living, neighbours)) for area, points in lying if points]


def _seats(fallen: Iterable[Chain]) -> dict[int, Seat]:
    """Whose stone stood on each point."""
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
        """How many stones of a colour have left the board, no matter who holds them."""
        return self.eliminated[colour] + sum(row[colour] for row in self.held)
