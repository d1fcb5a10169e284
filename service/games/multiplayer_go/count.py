"""Counting among several: territory, prisoners, and what every alliance would have.

Rules: J. P. Neto, "Other Players". Points are territory and prisoners, without komi. An alliance unites its members'
points: prisoners of an ally's colour count nothing, and neutral points bordered by allies only become theirs. It needs
more than 5/12 of all points, the middle of 1/3 and 1/2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple, TypeAlias

from service.engine.game import Seat
from service.engine.stone_games.stones import Cells, Neighbours, regions
from service.games.multiplayer_go.prisoners import Tally

Alliance: TypeAlias = frozenset[Seat]
"""The seats that win or lose together; a player without allies is one of one."""


class Area(NamedTuple):
    """Empty points that hang together, and the seats whose stones border them."""

    points: tuple[int, ...]
    borders: frozenset[Seat]


class Coalition(NamedTuple):
    """What an alliance of these members would have, and whether that is more than 5/12 of all points."""

    members: tuple[Seat, ...]
    points: int
    qualifies: bool


def areas(cells: Cells, neighbours: Neighbours) -> tuple[Area, ...]:
    """All empty points of a board by area."""
    return tuple(
        Area(tuple(sorted(region.points)), frozenset(colour - 1 for colour in region.borders))
        for region in regions(cells, neighbours)
    )


class Count(NamedTuple):
    """A board counted with every stone on it alive.

    `split`: an area that several colours border gives each the even share, rounded down; otherwise it is neutral.
    `crossman`: nobody scores prisoners, each player loses a point for every stone of his that left the board.
    """

    areas: tuple[Area, ...]
    tally: Tally
    split: bool = False
    crossman: bool = False

    def points(self, members: Collection[Seat]) -> int:
        """The points of an alliance, or of a single player."""
        return self.territory(members) + self.prisoners(members)

    def territory(self, members: Collection[Seat]) -> int:
        """The empty points that count for an alliance."""
        return sum(self._share(area, members) for area in self.areas)

    def _share(self, area: Area, members: Collection[Seat]) -> int:
        if not area.borders:
            return 0
        if area.borders.issubset(members):
            return len(area.points)
        return len(area.points) // len(area.borders) * len(area.borders.intersection(members)) if self.split else 0

    def prisoners(self, members: Collection[Seat]) -> int:
        """What an alliance scores for stones that left the board; never more than 0 in Crossman's counting."""
        if self.crossman:
            return -sum(self.tally.lost(seat) for seat in members)
        return sum(
            number for seat in members for colour, number in enumerate(self.tally.held[seat]) if colour not in members
        )

    @property
    def neutral(self) -> int:
        """The empty points that two or more colours border."""
        return sum(len(area.points) for area in self.areas if len(area.borders) > 1)

    @property
    def total(self) -> int:
        """All points there are: empty points, and the prisoners all hold (less all stones lost, in Crossman's)."""
        return sum(len(area.points) for area in self.areas) + (
            -sum(map(self.tally.lost, range(len(self.tally.held)))) if self.crossman else sum(map(sum, self.tally.held))
        )

    @property
    def owners(self) -> dict[int, Seat]:
        """Each empty point that only one colour borders, and its seat."""
        return {
            point: seat
            for area in self.areas
            if len(area.borders) == 1
            for seat in area.borders
            for point in area.points
        }

    def coalitions(self, active: Iterable[Seat]) -> Iterator[Coalition]:
        """All possible alliances of two and more, small ones first."""
        seats, total = sorted(active), self.total
        for size in range(2, len(seats) + 1):
            for members in combinations(seats, size):
                points = self.points(members)
                yield Coalition(members, points, qualifies(points, total))


def qualifies(points: int, total: int) -> bool:
    """Whether an alliance has more than 5/12 of all points."""
    return 12 * points > 5 * total


def formed(declared: Mapping[Seat, Alliance]) -> list[Alliance]:
    """The alliances that exist: those that every member has declared in exactly the same way."""
    return [
        alliance
        for alliance in sorted(set(declared.values()), key=sorted)
        if len(alliance) > 1 and all(declared.get(seat) == alliance for seat in alliance)
    ]


def winners(points: Mapping[Alliance, int], total: int) -> frozenset[Seat]:
    """Who shares the victory, given the points of all alliances formed and of every single player.

    Alliances that do not qualify dissolve; a player in one that does is no longer single. Most points win, and a
    player without allies needs no 5/12. Tied sides share among all their members.
    """
    strong = [alliance for alliance, each in points.items() if len(alliance) > 1 and qualifies(each, total)]
    taken = frozenset[Seat]().union(*strong)
    sides = [*strong, *(side for side in points if len(side) == 1 and not side & taken)]
    best = max(points[side] for side in sides)
    return frozenset[Seat]().union(*(side for side in sides if points[side] == best))
