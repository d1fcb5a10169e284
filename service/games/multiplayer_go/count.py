"""The count for several players: territory, prisoners, and the points of every possible alliance.

Rules: J. P. Neto, "Other Players". Points are territory and prisoners, without komi. An alliance adds up its
members' points: prisoners of an ally's colour don't count, and neutral points that only allies border become theirs. It
needs more than 5/12 of all points, halfway between 1/3 and 1/2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple, TypeAlias

from service.engine.game import Seat
from service.engine.stone_games.stones import Cells, Neighbours, regions
from service.games.multiplayer_go.prisoners import Tally

Alliance: TypeAlias = frozenset[Seat]
"""The seats that win or lose together; a player without allies is an alliance of one."""


class Area(NamedTuple):
    """Connected empty points, and the seats whose stones border them."""

    points: tuple[int, ...]
    borders: frozenset[Seat]


class Coalition(NamedTuple):
    """The points that an alliance of these members would have, and whether they are more than 5/12 of all points."""

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

    `split`: each colour gets an even share, rounded down, of an area that several border; otherwise it is neutral.
    `crossman`: prisoners don't score, and each player loses a point for each of their stones that left the board.
    """

    areas: tuple[Area, ...]
    tally: Tally
    split: bool
    crossman: bool

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
        """An alliance's points for stones that left the board; 0 or less in Crossman's counting."""
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
        """All points: empty points and all prisoners; in Crossman's counting, empty points less all stones lost."""
        return sum(len(area.points) for area in self.areas) + (
            -sum(map(self.tally.lost, range(len(self.tally.held)))) if self.crossman else sum(map(sum, self.tally.held))
        )

    @property
    def owners(self) -> dict[int, Seat]:
        """Each empty point in an area that only one colour borders, with its seat."""
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
    """The alliances that exist: those that all their members have declared identically."""
    return [
        alliance
        for alliance in sorted(set(declared.values()), key=sorted)
        if len(alliance) > 1 and all(declared.get(seat) == alliance for seat in alliance)
    ]


def winners(points: Mapping[Alliance, int], total: int) -> frozenset[Seat]:
    """Who shares the victory, given the points of all alliances formed and of every single player.

    Alliances that don't qualify dissolve; a player in one that does isn't counted alone. Most points win, and a player
    without allies doesn't need 5/12. Tied sides share the victory among all their members.
    """
    strong = [alliance for alliance, each in points.items() if len(alliance) > 1 and qualifies(each, total)]
    taken = frozenset[Seat]().union(*strong)
    sides = [*strong, *(side for side in points if len(side) == 1 and not side & taken)]
    best = max(points[side] for side in sides)
    return frozenset[Seat]().union(*(side for side in sides if points[side] == best))
