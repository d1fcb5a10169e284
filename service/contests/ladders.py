"""The order of a ladder after a match."""

from __future__ import annotations

from collections.abc import Collection, Sequence

REACH = 10
"""How many places up a player may challenge."""


def after(order: Sequence[str], winner: str, loser: str, away: Collection[str] = ()) -> list[str]:
    """The order, best first, after `winner` beat `loser`.

    The loser changes places with the next player down. A winner from below then moves up by half the distance between
    the two, rounded up. Others who are `away` keep their places and aren't counted.
    """
    moving = [name for name in order if name not in away or name in (winner, loser)]
    here, there = moving.index(winner), moving.index(loser)
    _move(moving, loser, there + 1)
    if here > there:
        _move(moving, winner, here - (here - there + 1) // 2)
    found = iter(moving)
    return [next(found) if name in moving else name for name in order]


def _move(names: list[str], name: str, place: int) -> None:
    names.remove(name)
    names.insert(place, name)
