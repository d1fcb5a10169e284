"""Who meets at which table in an event: round robins for two seats, and tables of three to eight.

A draw depends only on the set of names and on the seed, not on the order of the names.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from math import exp
from random import Random

Table = tuple[str, ...]
"""Names; those from `draw` are in the order of their seats."""

PRIMES = (3, 5, 7, 11, 13, 17, 19)
IRREDUCIBLE = {4: 0b111, 8: 0b1011, 16: 0b10011}
"""Sizes of fields of characteristic 2, each with the polynomial that reduces its products."""

TRIES = 120_000
"""How many exchanges of two people the annealing tries, so that people don't meet twice."""

HEAT = 0.6
"""The temperature at which the annealing starts, in meetings; it falls to zero."""


def draw(names: Sequence[str], rounds: int | None, seats: int, seed: int) -> list[list[Table]]:
    """The tables of each round, with everybody at one of them and names in seat order.

    At two seats it is a round robin (`rounds` None means all of it), in which an odd number of names leaves one out in
    each round. At more seats the tables differ in size by at most one, and nobody meets twice if a way is found.
    Everybody's numbers of matches in each seat differ by at most one, unless tables differ in size.
    """
    order = sorted(names)
    chance = Random(seed)  # noqa: S311 - a draw isn't a secret
    chance.shuffle(order)
    if seats == 2:
        drawn = _round_robin(order, rounds)
    else:
        drawn = _without_repeats(order, rounds or 1, seats) or _annealed(order, rounds or 1, seats, chance)
    flat = iter(_seated([table for tables in drawn for table in tables]))
    return [[next(flat) for _ in tables] for tables in drawn]


def meetings(drawn: Sequence[Sequence[Table]]) -> Counter[frozenset[str]]:
    """How often each pair is at the same table."""
    return Counter(frozenset(pair) for tables in drawn for table in tables for pair in combinations(table, 2))


def _round_robin(order: Sequence[str], rounds: int | None) -> list[list[Table]]:
    """The circle method: one person stays, the others move on by one place each round."""
    stays, *circle = [*order, *[""] * (len(order) % 2)]
    drawn: list[list[Table]] = []
    for _ in range(len(circle) if rounds is None else rounds):
        line = [stays, *circle]
        pairs = zip(line[: len(line) // 2], reversed(line), strict=False)
        drawn.append([pair for pair in pairs if all(pair)])
        circle = [circle[-1], *circle[:-1]]
    return drawn


def _without_repeats(order: Sequence[str], rounds: int, seats: int) -> list[list[Table]] | None:
    """A draw in which nobody meets twice, from a finite field, if the names fill `seats` groups of its size.

    Person i of group g sits at table i - r g in round r, so i of g and j of h meet only if i - j = r (g - h). This is a
    transversal design; in one more round, groups that are as large as a table can sit together.
    """
    size, rest = divmod(len(order), seats)
    if rest or size < seats or rounds > size + (size == seats) or (shift := _field(size)) is None:
        return None
    groups = [order[group * size : (group + 1) * size] for group in range(seats)]
    drawn = [
        [tuple(people[shift(table, turn, group)] for group, people in enumerate(groups)) for table in range(size)]
        for turn in range(min(rounds, size))
    ]
    return [*drawn, *[[tuple(people) for people in groups]] * (rounds - len(drawn))]


def _field(size: int) -> Callable[[int, int, int], int] | None:
    """The function a + b c in the field of this size; None if the field isn't listed above."""
    if size in PRIMES:
        return lambda a, b, c: (a + b * c) % size
    if size not in IRREDUCIBLE:
        return None

    def shift(a: int, b: int, c: int) -> int:
        product = 0
        while c:
            product ^= b * (c & 1)
            b, c = b << 1, c >> 1
            if b >= size:
                b ^= IRREDUCIBLE[size]
        return a ^ product

    return shift


def _annealed(order: Sequence[str], rounds: int, seats: int, chance: Random) -> list[list[Table]]:
    """Random tables that exchange people by simulated annealing, until few or none meet again."""
    count = -(-len(order) // seats)
    mixed = [chance.sample(order, len(order)) for _ in range(rounds)]
    drawn = [[people[table::count] for table in range(count)] for people in mixed]
    met: dict[str, Counter[str]] = defaultdict(Counter)
    for table in (table for tables in drawn for table in tables):
        for name, neighbour in permutations(table, 2):
            met[name][neighbour] += 1
    again = sum(times * (times - 1) // 2 for others in met.values() for times in others.values()) // 2
    least = rounds * (rounds - 1) // 2 * sum(_known_already(len(table), count) for table in drawn[0])
    for left in range(TRIES, 0, -1):
        if again <= least:
            break
        here, there = chance.sample(chance.choice(drawn), 2)
        one, other = chance.randrange(len(here)), chance.randrange(len(there))
        worse = _worse(met, here, one, there[other]) + _worse(met, there, other, here[one])
        if worse <= 0 or chance.random() < exp(-worse * TRIES / (HEAT * left)):
            _exchange(met, here, one, there, other)
            again += worse
    return [[tuple(table) for table in tables] for tables in drawn]


def _known_already(people: int, tables: int) -> int:
    """The fewest pairs at a table that have met before, if its people come from this many tables of another round."""
    most, rest = divmod(people, tables)
    return tables * (most * (most - 1) // 2) + rest * most


def _worse(met: dict[str, Counter[str]], table: list[str], place: int, newcomer: str) -> int:
    """How many more repeated meetings there are if `newcomer` takes this place at the table."""
    leaver = table[place]
    stay = [name for name in table if name != leaver]
    return sum(met[newcomer][name] for name in stay) - sum(met[leaver][name] - 1 for name in stay)


def _exchange(met: dict[str, Counter[str]], here: list[str], one: int, there: list[str], other: int) -> None:
    for table, place, newcomer in ((here, one, there[other]), (there, other, here[one])):
        leaver = table[place]
        for name in table:
            if name != leaver:
                met[name].update({leaver: -1, newcomer: 1})
                met[leaver][name] -= 1
                met[newcomer][name] += 1
    here[one], there[other] = there[other], here[one]


def _seated(tables: Sequence[Table]) -> list[Table]:
    """The tables with seats that are fair to everybody over all tables.

    By König's theorem the edges of a bipartite graph need no more colours than its largest degree. Here the edges join
    people and tables, and colours are seats. Each person counts as a new vertex after as many tables as there are
    seats, so they have every seat once before they have one twice (de Werra's equitable colouring).
    """
    seats = max(map(len, tables), default=0)
    at: dict[object, dict[int, object]] = defaultdict(dict)
    sat: Counter[str] = Counter()
    for number, table in enumerate(tables):
        for name in table:
            person = (name, sat[name] // seats)
            sat[name] += 1
            seat = next(seat for seat in range(seats) if seat not in at[person])
            spare = next(seat for seat in range(seats) if seat not in at[number])
            _swap(at, number, seat, spare)
            at[person][seat], at[number][seat] = number, person
    return [tuple(at[number][seat][0] for seat in sorted(at[number])) for number in range(len(tables))]  # type: ignore[index]


def _swap(at: dict[object, dict[int, object]], start: object, seat: int, spare: int) -> None:
    """Exchange two colours along the path from `start` on which they alternate, which frees `seat` at `start`."""
    path, here, colour = [], start, seat
    while colour in at[here]:
        there = at[here].pop(colour)
        del at[there][colour]
        path.append((here, there, colour))
        here, colour = there, seat + spare - colour
    for one, other, colour in path:
        at[one][seat + spare - colour], at[other][seat + spare - colour] = other, one
