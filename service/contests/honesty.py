"""Pairs of players whose results against each other are stranger than chance explains.

At tables of two, a pair is odd if one loses to the other more often than their ratings explain: somebody may be
throwing matches. At larger tables, it's odd if the two share wins more often than other pairs at such tables do. How
odd is a z-score: the excess over the expected number, in standard deviations. Of a thousand honest pairs, one or two
have a z above 3, so a high one is a reason to look at the matches, not proof.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import hypot, sqrt
from typing import Literal, NamedTuple

from service.contests.ratings import expected

ODD = 3.0
"""The z-score above which a pair is listed."""

FEWEST = 6
"""The fewest matches from which a pair is judged."""


class Chair(NamedTuple):
    """A player at a table: their number, their rating and deviation before the match, and their share of the win."""

    player: int
    rating: float
    deviation: float
    share: float


class Table(NamedTuple):
    """A finished match. Tables of the same `setting`, such as a game and number of seats, are comparable."""

    setting: str
    chairs: Sequence[Chair]


class Odd(NamedTuple):
    """A pair: in `matches`, `one` has won `found` points from `other`, or both have shared `found` wins, where about
    `expected` would be usual."""

    what: Literal["throws", "shares"]
    one: int
    other: int
    matches: int
    found: float
    expected: float
    z: float


@dataclass(slots=True)
class _Sum:
    matches: int = 0
    found: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    def add(self, found: float, chance: float, times: int = 1) -> None:
        self.matches += times
        self.found += found
        self.expected += chance * times
        self.variance += chance * (1 - chance) * times

    @property
    def z(self) -> float:
        return (self.found - self.expected) / sqrt(self.variance) if self.variance else 0.0


@dataclass(slots=True)
class _Met:
    """How often a pair, or all pairs, met at tables of each setting, and how often they shared the win."""

    tables: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    shared: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, setting: str, shared: bool) -> None:
        self.tables[setting] += 1
        self.shared[setting] += shared


def odd_pairs(tables: Iterable[Table]) -> list[Odd]:
    """The pairs with a z-score above ODD, the oddest first."""
    duels: dict[tuple[int, int], _Sum] = defaultdict(_Sum)
    met: dict[tuple[int, int], _Met] = defaultdict(_Met)
    everybody = _Met()
    for setting, chairs in tables:
        if len(chairs) == 2:
            _duel(duels, *chairs)
            continue
        for one, other in combinations(sorted(chairs), 2):
            shared = one.share > 0 and other.share > 0
            met[one.player, other.player].add(setting, shared)
            everybody.add(setting, shared)
    found = [*_throws(duels), *_shares(met, everybody)]
    return sorted(found, key=lambda odd: (-odd.z, odd.one, odd.other))


def _duel(duels: dict[tuple[int, int], _Sum], one: Chair, other: Chair) -> None:
    """Counts a match for both players: what each won from the other."""
    uncertain = hypot(one.deviation, other.deviation)
    for own, others in ((one, other), (other, one)):
        chance = expected(own.rating, [(others.rating, uncertain)])
        duels[own.player, others.player].add(own.share, chance)


def _throws(duels: dict[tuple[int, int], _Sum]) -> Iterable[Odd]:
    for (one, other), known in duels.items():
        if known.matches >= FEWEST and known.z > ODD:
            yield Odd("throws", one, other, known.matches, known.found, known.expected, known.z)


def _shares(met: dict[tuple[int, int], _Met], everybody: _Met) -> Iterable[Odd]:
    """Compares each pair with all others; a pair that plays often would look usual if it were included."""
    for (one, other), own in met.items():
        known = _Sum()
        for setting, tables in own.tables.items():
            shared = own.shared[setting]
            rest = everybody.tables[setting] - tables
            chance = (everybody.shared[setting] - shared + 0.5) / (rest + 1)
            known.add(shared, chance, tables)
        if known.matches >= FEWEST and known.z > ODD:
            yield Odd("shares", one, other, known.matches, known.found, known.expected, known.z)
