"""The divisions of a league: two go up and two go down, and sizes are as equal as possible."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple, TypeAlias

LARGEST = 8
"""The most players in a division."""

MOVERS = 2
"""How many players go up from a division, and how many go down."""

Move: TypeAlias = Literal["up", "down", "stay"]


class Sorted(NamedTuple):
    """The players of a division who go up, stay and go down, each list with the best first."""

    up: list[str]
    stay: list[str]
    down: list[str]

    def move(self, name: str) -> Move:
        """Where this player goes."""
        return "up" if name in self.up else "down" if name in self.down else "stay"


def sort(before: Sequence[Sequence[str]], staying: Collection[str]) -> list[Sorted]:
    """Who moves from each division after a season. Divisions and their players are in order, the best first.

    Players who leave the league aren't in any of the lists.
    """
    kept = [division for names in before if (division := [name for name in names if name in staying])]
    sorted_ = []
    for number, names in enumerate(kept):
        movers = min(MOVERS, len(names) // 2)
        up = movers if number else 0
        down = len(names) - (movers if number + 1 < len(kept) else 0)
        sorted_.append(Sorted(names[:up], names[up:down], names[down:]))
    return sorted_


def divisions(before: Sequence[Sequence[str]], staying: Collection[str], newcomers: Sequence[str]) -> list[list[str]]:
    """The divisions of the next season. Newcomers come last, in their order.

    If there's more room in a division than its leavers and movers make, fewer go down, and then more go up.
    """
    order: list[str] = []
    falling: list[str] = []
    for up, stay, down in sort(before, staying):
        order += [*up, *falling, *stay]
        falling = down
    return even([*order, *falling, *newcomers])


def even(order: Sequence[str]) -> list[list[str]]:
    """The names in as few divisions as possible, whose sizes differ by at most one; the larger ones come first."""
    count = -(-len(order) // LARGEST)
    found, rest = [], list(order)
    for left in range(count, 0, -1):
        size = -(-len(rest) // left)
        found.append(rest[:size])
        rest = rest[size:]
    return found
