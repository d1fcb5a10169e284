"""Standings: points, and how ties are broken."""

from __future__ import annotations

from fractions import Fraction

from service.contests.results import Result, read
from service.contests.standings import standings


def table(text: str) -> list[tuple[object, ...]]:
    matches = [(item.shares, item.late) for item in read(text.splitlines()) if isinstance(item, Result)]
    return [(line.place, line.name, line.points, line.sonneborn_berger) for line in standings(matches)]


def test_a_match_is_worth_half_its_seats() -> None:
    assert table("2026-01-01 ada=1/2 ben=1/2 cem=0 dan=0") == [
        (1, "ada", 1, Fraction(1, 2)),
        (1, "ben", 1, Fraction(1, 2)),
        (3, "cem", 0, 0),
        (3, "dan", 0, 0),
    ]


def test_sonneborn_berger_breaks_ties_first() -> None:
    assert table(
        """2026-01-01 ada=1 ben=0
        2026-01-01 cem=1 dan=0
        2026-01-02 ben=1 dan=0
        """
    ) == [(1, "ada", 1, 1), (2, "ben", 1, 0), (2, "cem", 1, 0), (4, "dan", 0, 0)]


def test_matches_between_tied_players_break_ties_next() -> None:
    """Ada, Ben and Dan have equal Sonneborn-Berger scores; Ada beat Ben, and Dan beat Ada."""
    lines = table(
        """2026-01-01 ada=1 ben=0
        2026-01-01 ben=1 cem=0
        2026-01-01 cem=1 eve=0
        2026-01-01 dan=1 ada=0
        """
    )
    assert lines[:4] == [(1, "ada", 1, 1), (1, "dan", 1, 1), (3, "ben", 1, 1), (4, "cem", 1, 0)]


def test_fewer_matches_lost_on_time_break_ties_last() -> None:
    lines = table(
        """2026-01-01 ada=1 ben=0
        2026-01-01 cem=1 dan!=0
        2026-01-01 ben=1 ada=0
        2026-01-01 dan=1 cem=0
        """
    )
    assert [(line[0], line[1]) for line in lines] == [(1, "ada"), (1, "ben"), (1, "cem"), (4, "dan")]
