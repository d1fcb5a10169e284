"""Draws: nobody meets twice if possible, and everybody has each seat about equally often."""

from __future__ import annotations

from collections import Counter

import pytest

from service.contests.draws import Table, draw, meetings


def names(number: int) -> list[str]:
    return [f"p{index}" for index in range(number)]


def spread(drawn: list[list[Table]], seats: int) -> int:
    """The largest difference, over all people, between the numbers of times they have two seats."""
    held: dict[str, Counter[int]] = {}
    for table in (table for tables in drawn for table in tables):
        for seat, name in enumerate(table):
            held.setdefault(name, Counter()).update([seat])
    return max(max(counts[seat] for seat in range(seats)) - min(counts[seat] for seat in range(seats))
               for counts in held.values())  # fmt: skip


@pytest.mark.parametrize("number", range(2, 13))
def test_a_round_robin_pairs_everybody_once(number: int) -> None:
    drawn = draw(names(number), None, 2, seed=1)
    assert len(drawn) == number - 1 + number % 2
    assert set(meetings(drawn).values()) == {1}
    assert len(meetings(drawn)) == number * (number - 1) // 2
    assert spread(drawn, 2) <= 1
    for tables in drawn:
        sitting = [name for table in tables for name in table]
        assert len(sitting) == len(set(sitting)) == number - number % 2


NOBODY_TWICE = [(9, 4, 3), (16, 5, 4), (20, 5, 4), (25, 6, 5), (64, 6, 4), (30, 4, 5), (12, 3, 3), (32, 8, 4)]


@pytest.mark.parametrize(("number", "rounds", "seats"), NOBODY_TWICE)
def test_nobody_meets_twice(number: int, rounds: int, seats: int) -> None:
    drawn = draw(names(number), rounds, seats, seed=1)
    assert [sorted(name for table in tables for name in table) for tables in drawn] == [sorted(names(number))] * rounds
    assert {len(table) for tables in drawn for table in tables} == {seats}
    assert set(meetings(drawn).values()) == {1}
    assert spread(drawn, seats) <= 1


@pytest.mark.parametrize(("number", "rounds", "seats", "sizes"), [(10, 2, 4, [4, 3, 3]), (17, 3, 8, [6, 6, 5])])
def test_tables_differ_by_at_most_one_seat(number: int, rounds: int, seats: int, sizes: list[int]) -> None:
    for tables in draw(names(number), rounds, seats, seed=1):
        assert sorted(map(len, tables), reverse=True) == sizes


def test_repeated_meetings_are_minimal_if_they_cannot_be_avoided() -> None:
    """With eight people at two tables, each table of the second round has two people from each of the first."""
    assert sorted(meetings(draw(names(8), 2, 4, seed=1)).values(), reverse=True)[:5] == [2, 2, 2, 2, 1]


def test_a_draw_depends_on_the_seed_and_not_on_the_order_of_names() -> None:
    once = draw(names(10), 3, 4, seed=7)
    assert once == draw(names(10)[::-1], 3, 4, seed=7)
    assert once != draw(names(10), 3, 4, seed=8)
