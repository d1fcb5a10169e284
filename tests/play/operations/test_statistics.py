"""Statistics of games: which matches count, and what is computed from them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.games import GAMES
from service.play.operations import packing, statistics
from service.play.operations.statistics import OpeningLine, SettingLine, SideLine
from service.store.models import Entry, Match, Seat
from tests.play.conftest import Town

TABLES = (
    # first move, moves, shares
    ("e5", 10, "1 0"),
    ("e5", 20, "0 1"),
    ("e5", 30, "1 0"),
    ("c3", 40, "1/2 1/2"),
)


def add(town: Town, first: str, moves: int, shares: str, **more: object) -> None:
    """A finished match of Go on a board of 9, with its first move."""
    given = {"game": "go", "options": {"size": 9, "handicap": 0}, "state": "over", **more}
    with town.store.writing() as session:
        match = Match(seed=1, ply=moves, created=town.now, moved=town.now, **given)
        match.seats = [Seat(number=number, score=share) for number, share in enumerate(shares.split())]
        session.add(match)
        session.flush()
        for ply in range(1, moves + 1):
            entry = {"seat": (ply - 1) % 2, "move": first if ply == 1 else "pass", "round": ply, "played": town.now}
            session.add(Entry(match_id=match.id, ply=ply, **entry))


@pytest.fixture(autouse=True)
def _two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "BATCH", 2)


def computed(town: Town, game: str = "go") -> statistics.Statistics:
    for _ in GAMES:
        statistics.compute(town.site)
    return statistics.of(town.site, game)


def test_seats_lengths_draws_and_openings(town: Town) -> None:
    for table in TABLES:
        add(town, *table)
    found = computed(town)
    assert found.day == f"{town.now:%Y-%m-%d}"
    (line,) = found.settings
    black, white = line.sides
    assert line == SettingLine(
        seats=2,
        options=(("size", "9"),),
        matches=4,
        even=0.25,
        middle=25,
        short=20,
        long=40,
        sides=(SideLine("black", 0.625, black.error), SideLine("white", 0.375, white.error)),
        openings=(OpeningLine("e5", 3, 2 / 3), OpeningLine("c3", 1, 0.5)),
    )
    assert black.error == white.error == pytest.approx(2 * (0.6875 / 3 / 4) ** 0.5)


@pytest.mark.parametrize(
    "more",
    [
        {"practice": True},
        {"state": "running"},
        {"options": {"size": 9, "setup": "black e5"}},
        {"moves": 3},
        {"game": "rosette"},
    ],
)
def test_matches_that_do_not_count(town: Town, more: dict[str, object]) -> None:
    add(town, "e5", int(str(more.pop("moves", 10))), "1 0", **more)
    assert computed(town).settings == ()


def test_a_packed_match_counts_with_its_first_move(town: Town) -> None:
    for first in ("e5", "e5", "c3"):
        add(town, first, 20, "1 0")
    assert packing.pack_old(town.site) == 0
    before = computed(town)
    assert [(line.move, line.matches) for line in before.settings[0].openings] == [("e5", 2), ("c3", 1)]
    town.now += timedelta(days=100)
    assert packing.pack_old(town.site) == 3
    assert computed(town).settings == before.settings


def test_a_game_is_computed_once_a_day_and_one_at_a_time(town: Town) -> None:
    statistics.compute(town.site)
    assert [bool(statistics.of(town.site, game).day) for game in GAMES].count(True) == 1
    computed(town)
    add(town, *TABLES[0])
    assert computed(town).settings == ()
    town.now += timedelta(days=1)
    assert computed(town).settings[0].matches == 1


def test_the_most_common_settings_come_first(town: Town) -> None:
    add(town, *TABLES[0])
    for _ in range(2):
        add(town, *TABLES[0], options={"size": 13})
    assert [line.options for line in computed(town).settings] == [(("size", "13"),), (("size", "9"),)]


@pytest.mark.parametrize("said", ["draw", "decline", "substitute", "late"])
def test_what_is_no_move_is_no_first_move(town: Town, said: str) -> None:
    add(town, said, 10, "1 0")
    (rows,) = computed(town).settings
    assert rows.openings == (OpeningLine("pass", 1, 0.0),)
    town.now += timedelta(days=100)
    assert packing.pack_old(town.site) == 1
    assert computed(town).settings[0].openings == rows.openings
