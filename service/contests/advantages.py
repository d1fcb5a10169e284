"""What a seat is worth, learnt from results: the first move, a handicap, a side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from service.contests.ratings import SCALE, told

PRIOR_MATCHES = 20
"""The prior, as a number of drawn matches between equal players."""


class Advantage(NamedTuple):
    """What a seat is worth in rating points, and the information in the results so far, on Glickman's scale."""

    points: float = 0.0
    information: float = 0.0


def learn(
    before: Sequence[Advantage], shares: Sequence[float], sides: Sequence[tuple[float, float]]
) -> list[Advantage]:
    """The advantages of all seats after a match, a Newton step each; `sides` is what `ledger.sides` returns."""
    prior = PRIOR_MATCHES * (len(sides) - 1) / len(sides) ** 2
    after = []
    for seat, (known, share, (strength, _)) in enumerate(zip(before, shares, sides, strict=True)):
        information, improvement = told(share, strength, (*sides[:seat], *sides[seat + 1 :]))
        total = known.information + information
        after.append(Advantage(known.points + SCALE * improvement / (prior + total), total))
    return after
