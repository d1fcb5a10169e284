"""Who is ahead in an event: points, and how ties are broken."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import lcm
from typing import NamedTuple

Shares = Mapping[str, Fraction]
"""A finished match: each player's share of the win."""


class Line(NamedTuple):
    """A player's line in a table of standings. Players whose ties can't be broken share a place."""

    place: int
    name: str
    points: Fraction
    sonneborn_berger: Fraction
    matches: int


def standings(
    matches: Sequence[tuple[Shares, frozenset[str]]],
    entrants: Iterable[str] = (),
    extra: Mapping[str, Fraction] | None = None,
) -> list[Line]:
    """The table of all entrants and everybody who has finished a match. Each match comes with those who lost on time.

    `extra` are points that weren't won in a match.
    Ties are broken by the Sonneborn-Berger score, which for more than two seats is the sum over the matches of the
    share won times the points of everybody else at the table; then by the points from matches among those who are
    still tied; then by fewer matches lost on time.
    """
    # Integers are much faster than fractions: points are in `unit`ths, Sonneborn-Berger scores in `unit**2`ths.
    extra = extra or {}
    denominators = {share.denominator for shares, _ in matches for share in shares.values()}
    unit = 2 * lcm(*denominators, *(more.denominator for more in extra.values()))
    won = [
        {name: share.numerator * (unit // share.denominator) for name, share in shares.items()} for shares, _ in matches
    ]
    total = dict.fromkeys(entrants, 0)
    total |= {name: more.numerator * (unit // more.denominator) for name, more in extra.items()}
    played: dict[str, list[int]] = defaultdict(list)
    late: dict[str, int] = defaultdict(int)
    for number, (shares, (_, flagged)) in enumerate(zip(won, matches, strict=True)):
        for name, share in shares.items():
            total[name] = total.get(name, 0) + _points(share, shares)
            played[name].append(number)
            late[name] += name in flagged
    beaten = dict.fromkeys(total, 0)
    for shares in won:
        everybody = sum([total[name] for name in shares])
        for name, share in shares.items():
            beaten[name] += share * (everybody - total[name])
    lines: list[Line] = []
    for group in _tied({name: (-total[name], -beaten[name]) for name in total}):
        among = _among(group, won, played)
        for equals in _tied({name: (-among[name], late[name]) for name in group}):
            place = len(lines) + 1
            lines += [
                Line(place, name, Fraction(total[name], unit), Fraction(beaten[name], unit**2), len(played[name]))
                for name in equals
            ]
    return lines


def _points(share: int, shares: Mapping[str, int]) -> int:
    """The points from a match: the share of the win times half the seats, so 1, 1/2 or 0 at two seats."""
    return share * len(shares) // 2


def _among(group: Sequence[str], won: Sequence[Mapping[str, int]], played: Mapping[str, list[int]]) -> dict[str, int]:
    """The points that each name of a group has from matches against others of the group."""
    among = dict.fromkeys(group, 0)
    if len(group) > 1:
        for shares in (won[number] for number in {number for name in group for number in played.get(name, ())}):
            if len(met := among.keys() & shares.keys()) > 1:
                for name in met:
                    among[name] += _points(shares[name], shares)
    return among


def _tied(keys: Mapping[str, tuple[int, int]]) -> list[list[str]]:
    """The names grouped by equal keys, the smallest key first."""
    return [sorted(names) for _, names in groupby(sorted(keys, key=keys.__getitem__), key=keys.__getitem__)]
