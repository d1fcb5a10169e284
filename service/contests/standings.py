"""Who is ahead in an event: points, and what decides between equal points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

Shares = Mapping[str, Fraction]
"""A finished match: each player's share of the win."""


class Line(NamedTuple):
    """A player's line in a table of standings. Players who are equal in everything share a place."""

    place: int
    name: str
    points: Fraction
    sonneborn_berger: Fraction
    matches: int


def points(shares: Shares, name: str) -> Fraction:
    """What a match is worth to a player: the share of the win times half the seats, so 1, 1/2 or 0 at two seats."""
    return shares[name] * len(shares) / 2


def standings(
    matches: Sequence[tuple[Shares, frozenset[str]]],
    entrants: Iterable[str] = (),
    extra: Mapping[str, Fraction] | None = None,
) -> list[Line]:
    """The table of all entrants and of everybody who has finished a match; a match comes with who lost it on time.

    `extra` are points that were not won in a match.
    Equal points are decided by the Sonneborn-Berger score, which for more than two seats is the sum over the matches
    of the share won times the points of everybody else at the table; then by the points from matches among those who
    are still equal; then by fewer matches lost on time.
    """
    total: dict[str, Fraction] = dict.fromkeys(entrants, Fraction(0)) | dict(extra or {})
    played: dict[str, int] = defaultdict(int)
    late: dict[str, int] = defaultdict(int)
    for shares, flagged in matches:
        for name in shares:
            total[name] = total.get(name, Fraction(0)) + points(shares, name)
            played[name] += 1
            late[name] += name in flagged
    beaten = {name: Fraction(0) for name in total}
    for shares, _ in matches:
        everybody = sum((total[name] for name in shares), Fraction(0))
        for name, share in shares.items():
            beaten[name] += share * (everybody - total[name])
    lines: list[Line] = []
    for group in _tied({name: (-total[name], -beaten[name]) for name in total}):
        among = {name: Fraction(0) for name in group}
        for shares, _ in matches:
            if len(among.keys() & shares.keys()) > 1:
                for name in among.keys() & shares.keys():
                    among[name] += points(shares, name)
        for equals in _tied({name: (-among[name], Fraction(late[name])) for name in group}):
            place = len(lines) + 1
            lines += [Line(place, name, total[name], beaten[name], played[name]) for name in equals]
    return lines


def _tied(keys: Mapping[str, tuple[Fraction, Fraction]]) -> list[list[str]]:
    """The names with equal keys together, least key first."""
    return [sorted(names) for _, names in groupby(sorted(keys, key=keys.__getitem__), key=keys.__getitem__)]
