"""Pairs whose results are stranger than chance explains: who is listed, and that honest people aren't."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from service.contests.honesty import Chair, Table, odd_pairs
from service.contests.ratings import expected

PEOPLE = {number: 1300.0 + 20 * number for number in range(20)}


def duels(dice: Random, number: int) -> Iterator[Table]:
    """Honest matches for two, won as the ratings predict."""
    for _ in range(number):
        one, other = dice.sample(sorted(PEOPLE), 2)
        won = float(dice.random() < expected(PEOPLE[one], [(PEOPLE[other], 0.0)]))
        yield duel(one, other, won)


def duel(one: int, other: int, won: float) -> Table:
    return Table("lotus 2", [Chair(one, PEOPLE[one], 50, won), Chair(other, PEOPLE[other], 50, 1 - won)])


def threes(dice: Random, number: int) -> Iterator[Table]:
    """Honest tables of three: in a quarter of them, a random pair shares the win."""
    for _ in range(number):
        chosen = dice.sample(sorted(PEOPLE), 3)
        shares = [0.5, 0.5, 0.0] if dice.random() < 0.25 else [1.0, 0.0, 0.0]
        yield three(chosen, dice.sample(shares, 3))


def three(players: list[int], shares: list[float]) -> Table:
    return Table("multigo 3", [Chair(one, 1500, 100, share) for one, share in zip(players, shares, strict=True)])


def test_a_pair_that_throws_matches_is_listed_first() -> None:
    dice = Random(1)
    first, *others = odd_pairs([*duels(dice, 2_000), *(duel(0, 19, 1.0) for _ in range(10))])
    assert (first.what, first.one, first.other) == ("throws", 0, 19)
    assert first.matches >= 10
    assert first.found - first.expected > 4
    assert first.z > 5
    assert len(others) <= 2, "by chance"


def test_a_pair_that_shares_wins_is_listed_first() -> None:
    dice = Random(2)
    favours = [three([3, 4, dice.choice(range(5, 20))], [0.5, 0.5, 0.0]) for _ in range(8)]
    first, *others = odd_pairs([*threes(dice, 1_500), *favours])
    assert (first.what, first.one, first.other) == ("shares", 3, 4)
    assert first.z > 5
    assert len(others) <= 4, "by chance"


@pytest.mark.parametrize("wins", [5, 12])
def test_few_matches_and_expected_wins_are_not_listed(wins: int) -> None:
    strong, weak = 19, 0
    tables = [duel(strong, weak, 1.0) for _ in range(wins)] if wins > 5 else [duel(weak, strong, 1.0)] * wins
    assert odd_pairs(tables) == []


def test_draws_between_equals_are_not_listed() -> None:
    assert odd_pairs([duel(9, 10, 0.5)] * 40) == []
