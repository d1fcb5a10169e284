"""Who meets in a part of a tour: everybody has the same number of matches and, at tables of two, each seat once."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from service.contests.draws import Table, draw

ROUNDS = 2
"""The number of matches that everybody has in each part."""


def ring(names: Sequence[str], seats: int, part: int, seed: int) -> list[Table]:
    """The tables of a part, numbered from 1. The same names and seed give other tables in each part.

    At two seats, people sit in a ring, and each meets those who are `part` places on and `part` places back. If the
    same people play in all parts, nobody meets twice before everybody has met, except that players who sit opposite
    each other meet in both matches of a part.
    """
    if seats > 2:
        return [table for tables in draw(names, ROUNDS, seats, seed + part) for table in tables]
    order = sorted(names)
    Random(seed).shuffle(order)  # noqa: S311 - a draw isn't a secret
    step = 1 + (part - 1) % max(1, len(order) // 2)
    return [(name, order[(place + step) % len(order)]) for place, name in enumerate(order)]
