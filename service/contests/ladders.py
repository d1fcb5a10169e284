"""The order of a ladder after a match."""

from __future__ import annotations

from collections.abc import Collection, Sequence

REACH = 10
"""How many places above their own somebody may challenge."""


def after(order: Sequence[str], winner: str, loser: str, away: Collection[str] = ()) -> list[str]:
    """The order, best first, after `winner` beat `loser`.

    The loser changes places with the next one down. A winner from below then moves half the distance up that was
    between the two, rounded up. Those who are `away` keep their places, whatever they win or lose, and the others
    move around them.
    """
    moving = [name for name in order if name not in away]
    if loser in moving:
        _move(moving, loser, moving.index(loser) + 1)
    here, there = order.index(winner), order.index(loser)
    if winner in moving and here > there:
        target = here - (here - there + 1) // 2
        _move(moving, winner, sum(name not in away for name in order[:target]))
    found = iter(moving)
    return [name if name in away else next(found) for name in order]


def _move(names: list[str], name: str, place: int) -> None:
    names.remove(name)
    names.insert(place, name)
