"""The template filters for dates and scores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from flask import Flask

from service.web.template_filters import ago, instant, score
from tests.play.conftest import Town

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)


def test_an_instant_has_weekday_and_zone(app: Flask) -> None:
    lisbon_summer = timezone(timedelta(hours=1))
    with app.test_request_context():
        assert instant(NOON.astimezone(lisbon_summer)) == (
            '<time datetime="2026-11-24T12:00:00+00:00">Tuesday 24 November, 12:00 (UTC)</time>'
        )


def test_an_instant_in_another_year_has_the_year(app: Flask, town: Town) -> None:
    with app.test_request_context():
        assert f"November {town.now.year - 2}, 12:00 (UTC)" in instant(NOON.replace(year=town.now.year - 2))


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(minutes=2), "2 minutes ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(minutes=119), "1 hour ago"),
        (timedelta(hours=24, seconds=-1), "23 hours ago"),
        (timedelta(hours=47), "1 day ago"),
        (timedelta(days=12), "12 days ago"),
    ],
)
def test_the_past_is_given_in_its_largest_unit(passed: timedelta, words: str) -> None:
    assert f">{words}</time>" in ago(NOON - passed, NOON)


@pytest.mark.parametrize(("part", "shown"), [("1", "1"), ("0", "0"), ("1/2", "½"), ("1/3", "⅓"), ("2/5", "2/5")])
def test_shares_of_the_point_are_shown_as_fractions(part: str, shown: str) -> None:
    assert score(part) == shown
