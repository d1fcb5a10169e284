"""Divisions of leagues, the order of ladders, and the parts of tours."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest

from service.contests.ladders import after
from service.contests.leagues import LARGEST, divisions, even, sort
from service.contests.tours import ROUNDS, ring

THREE = ("abcdefgh", "ijklmnop", "qrstuvwx")


def next_season(before: tuple[str, ...], leavers: str = "", newcomers: str = "") -> tuple[str, ...]:
    staying = set("".join(before)) - {*leavers}
    return tuple("".join(division) for division in divisions(before, staying, newcomers))


@pytest.mark.parametrize(
    ("before", "leavers", "newcomers", "then"),
    [
        (THREE, "", "", ("abcdefij", "ghklmnqr", "opstuvwx")),
        (THREE, "a", "Z", ("bcdefijg", "hklmnqro", "pstuvwxZ")),
        (THREE, "abc", "", ("defijgh", "klmnqro", "pstuvwx")),
        (THREE, "qrstuvwx", "", ("abcdefij", "ghklmnop")),
        (THREE, "", "Z", ("abcdefi", "jghklm", "nqrops", "tuvwxZ")),
        (("abcdef",), "", "XYZ", ("abcde", "fXYZ")),
        (("abcdef",), "", "", ("abcdef",)),
        ((), "", "abcdefgh", ("abcdefgh",)),
        (("abc", "def"), "", "", ("abdcef",)),
    ],
)
def test_divisions_of_the_next_season(
    before: tuple[str, ...], leavers: str, newcomers: str, then: tuple[str, ...]
) -> None:
    assert next_season(before, leavers, newcomers) == then


@pytest.mark.parametrize("count", range(4, 60))
def test_divisions_are_as_equal_as_possible_and_never_too_large(count: int) -> None:
    sizes = [len(division) for division in even([str(number) for number in range(count)])]
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= LARGEST
    assert min(sizes) >= 4
    assert count in (*range(4, 6), *range(9, 12), 17) or min(sizes) >= 6


def test_nobody_is_lost_or_duplicated_over_many_seasons() -> None:
    chance = Random(1)
    known = [str(number) for number in range(20)]
    before = even(known)
    for season in range(40):
        staying = [name for name in known if chance.random() > 0.1]
        newcomers = [f"{season}.{number}" for number in range(chance.randrange(5))]
        before = divisions(before, {*staying}, newcomers)
        known = [name for division in before for name in division]
        assert sorted(known) == sorted([*staying, *newcomers])
        assert {*newcomers} <= {*known[len(known) - len(newcomers) :]}


def test_moves_of_single_players() -> None:
    top, middle, bottom = sort(THREE, {*"".join(THREE)} - {"a"})
    assert [top.move(name) for name in "bgh"] == ["stay", "down", "down"]
    assert [middle.move(name) for name in "ijkop"] == ["up", "up", "stay", "down", "down"]
    assert [bottom.move(name) for name in "qrswx"] == ["up", "up", "stay", "stay", "stay"]


@pytest.mark.parametrize(
    ("order", "winner", "loser", "away", "then"),
    [
        ("abcdefgh", "b", "a", "", "bacdefgh"),
        ("abcdefgh", "c", "a", "", "bcadefgh"),
        ("abcdefgh", "d", "a", "", "bdacefgh"),
        ("abcdefgh", "e", "a", "", "baecdfgh"),
        ("abcdefgh", "h", "a", "", "bachdefg"),
        ("abcdefgh", "a", "c", "", "abdcefgh"),
        ("abcdefgh", "a", "h", "", "abcdefgh"),
        ("abcdefgh", "h", "a", "c", "bacdhefg"),
        ("abcdefgh", "h", "a", "b", "cbadhefg"),
        ("abcdefgh", "h", "a", "bcdefg", "hbcdefga"),
        ("abcdefgh", "h", "a", "ah", "bachdefg"),
        ("abcdefgh", "b", "a", "a", "bacdefgh"),
    ],
)
def test_on_a_ladder_a_winner_climbs_half_the_distance_and_a_loser_falls_by_one(
    order: str, winner: str, loser: str, away: str, then: str
) -> None:
    assert "".join(after(order, winner, loser, away)) == then


def test_on_a_ladder_absent_players_keep_their_places_and_winners_never_fall() -> None:
    chance = Random(2)
    order = [str(number) for number in range(12)]
    for _ in range(500):
        winner, loser = chance.sample(order, 2)
        away = [name for name in order if chance.random() < 0.2]
        then = after(order, winner, loser, away)
        assert sorted(then) == sorted(order)
        assert all(then.index(name) == order.index(name) for name in {*away} - {winner, loser})
        assert then.index(winner) <= order.index(winner)
        assert then.index(loser) >= order.index(loser)
        order = then


@pytest.mark.parametrize("people", range(2, 13))
@pytest.mark.parametrize("seats", [2, 3])
def test_everybody_has_two_matches_in_a_part_of_a_tour(people: int, seats: int) -> None:
    names = [f"p{number}" for number in range(people)]
    tables = ring(names, seats, 3, 7)
    assert Counter(name for table in tables for name in table) == dict.fromkeys(names, ROUNDS)
    if seats == 2:
        assert Counter(table[0] for table in tables) == dict.fromkeys(names, 1)


def test_players_of_a_tour_meet_again_only_after_all_pairs_have_met() -> None:
    names = [f"p{number:02}" for number in range(19)]
    met: Counter[frozenset[str]] = Counter()
    for part in range(1, 10):
        met.update(frozenset(table) for table in ring(names, 2, part, 7))
    assert met == Counter(frozenset(pair) for pair in combinations(names, 2))
    assert all(ring(names, 2, one, 7) != ring(names, 2, other, 7) for one, other in pairwise(range(1, 10)))


@pytest.mark.parametrize("people", range(2, 13))
def test_everybody_meets_everybody_in_a_tour(people: int) -> None:
    names = [f"p{number:02}" for number in range(people)]
    met: Counter[frozenset[str]] = Counter()
    for part in range(1, 1 + people // 2):
        met.update(frozenset(table) for table in ring(names, 2, part, 7))
    assert met.keys() == {frozenset(pair) for pair in combinations(names, 2)}
    assert sum(met.values()) == len(met) + (0 if people % 2 else people // 2)
