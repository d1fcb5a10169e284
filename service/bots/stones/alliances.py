"""Which seats to ally with after the count, and whose stones to take before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from service.engine.game import Seat
from service.engine.stone_games.stones import liberties
from service.games.multiplayer_go.alliances import Alliances
from service.games.multiplayer_go.count import Alliance, Count, qualifies, winners
from service.games.multiplayer_go.table import TablePosition


def declaration(position: Alliances, seat: Seat) -> str:
    """`ally …` or `alone`, whichever gives the seat most if all others reason alike."""
    table = position.table
    count = table.rules.count(table.cells, table.tally)
    offers = [wanted for one, wanted in position.declared.items() if one != seat and position.open and seat in wanted]
    allies = wished(count, table.active, seat, offers) - {seat}
    return f"ally {' '.join(position.sides[ally] for ally in sorted(allies))}" if allies else "alone"


def wished(count: Count, active: Iterable[Seat], seat: Seat, offers: Iterable[Alliance] = ()) -> Alliance:
    """The alliance that a seat should name, itself included; the seat alone if nothing is better.

    All who reason alike name the same one: the smallest that wins whatever the others do, and among equals the one
    with most points. A seat that isn't in it names the best one that includes it, which costs nothing. An open offer
    is accepted if it gives no less.
    """
    safe = [*winning(count, active)]
    mine = [one for one in safe if seat in one]
    for offer in offers:
        if offer in mine and len(offer) == len(mine[0]):
            return offer
    return mine[0] if mine else frozenset({seat})


def winning(count: Count, seats: Iterable[Seat]) -> Iterator[Alliance]:
    """The alliances and single seats among `seats` that win against any alliance of the others; the best first."""
    everybody = sorted(seats)
    for size in range(1, len(everybody) + 1):
        found = []
        for members in combinations(everybody, size):
            side, rest = frozenset(members), [one for one in everybody if one not in members]
            points = count.points(side)
            if (size == 1 or qualifies(points, count.total)) and _unbeaten(count, side, points, rest):
                found.append((-points, members))
        yield from (frozenset(members) for _, members in sorted(found))


def _unbeaten(count: Count, side: Alliance, points: int, rest: list[Seat]) -> bool:
    """Whether the side beats any alliance and any single seat of the rest."""
    for size in range(1, len(rest) + 1):
        for others in combinations(rest, size):
            theirs = count.points(others)
            strong = size == 1 or qualifies(theirs, count.total)
            if strong and not winners({side: points, frozenset(others): theirs}, count.total) <= side:
                return False
    return True


def liked(table: TablePosition, seat: Seat) -> tuple[Seat, ...]:
    """The other colours by the worth of their stones as prisoners; likely allies are last, since theirs don't count.

    A colour's worth is the sum of the shares of the win in all qualifying alliances with the seat and without it.
    """
    count = table.rules.count(table.cells, table.tally)
    worth = dict.fromkeys((one for one in range(len(table.sides)) if one != seat), 0.0)
    for coalition in count.coalitions(table.active):
        if seat in coalition.members and coalition.qualifies:
            for colour in worth:
                worth[colour] += (colour not in coalition.members) / len(coalition.members)
    return tuple(sorted(worth, key=lambda colour: (-worth[colour], colour)))


def may_share(table: TablePosition, seat: Seat, point: int) -> bool:
    """Whether the seat may share in a capture if it places a stone here while all others place one.

    A chain that it touches can only be captured if there are enough seats to fill its remaining liberties.
    """
    neighbours = table.board.neighbours
    cells = [*table.cells[:point], seat + 1, *table.cells[point + 1 :]]
    own = (at for at, colour in enumerate(cells) if colour == seat + 1)
    touched = {near for at in own for near in neighbours[at] if cells[near] not in (0, seat + 1)}
    return any(len(liberties(cells, neighbours, one)) < len(table.active) for one in touched)
