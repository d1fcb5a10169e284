"""Dates and lengths of time as people write them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from service.clock.dates import read_end
from service.clock.duration import ClockError

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("until 24 December", "2026-12-23T23:00:00+00:00"),
        ("till Jan 6th", "2027-01-05T23:00:00+00:00"),
        ("2027-01-06", "2027-01-05T23:00:00+00:00"),
        ("the 24th of December", "2026-12-23T23:00:00+00:00"),
        ("until 24.12.2026.", "2026-12-23T23:00:00+00:00"),
        ("6. 1. 2027", "2027-01-05T23:00:00+00:00"),
        ("5 Sept", "2027-09-04T22:00:00+00:00"),
        ("24. novembre 2027", "2027-11-23T23:00:00+00:00"),
        ("for 10 days", "2026-12-01T12:00:00+00:00"),
        ("2026-12-24T00:00:00+00:00", "2026-12-24T00:00:00+00:00"),
    ],
)
def test_ends_are_read(text: str, ends: str) -> None:
    assert read_end(text, NOW, ZoneInfo("Europe/Berlin")).isoformat() == ends


@pytest.mark.parametrize(
    ("name", "month"),
    [("janeiro", 1), ("febrero", 2), ("febbraio", 2), ("marts", 3), ("aprile", 4), ("mayo", 5), ("junho", 6),
     ("julho", 7), ("decembre", 12)],
)  # fmt: skip
def test_names_of_months_that_begin_like_the_english_ones_are_read(name: str, month: int) -> None:
    assert read_end(f"until 9 {name} 2027", NOW, ZoneInfo("UTC")) == datetime(2027, month, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("today", "text", "ends"),
    [
        ("2027-12-10", "until 29 February", "2028-02-29"),
        ("2028-02-29", "Feb 29th", "2032-02-29"),
        ("2096-03-01", "29 February", "2104-02-29"),
        ("2027-12-10", "until 28 February", "2028-02-28"),
    ],
)
def test_a_leap_day_without_a_year_is_the_next_one(today: str, text: str, ends: str) -> None:
    now, end = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (today, ends))
    assert read_end(text, now, ZoneInfo("UTC")) == end


@pytest.mark.parametrize("text", ["31 February", "until 0 May", "30 Feb 2028", "29 February 2027"])
def test_a_day_that_never_comes_is_refused_as_a_date(text: str) -> None:
    with pytest.raises(ClockError, match="isn't a date"):
        read_end(text, NOW, ZoneInfo("Asia/Tokyo"))


@pytest.mark.parametrize(
    "text",
    [
        "10 decades",
        "3 marks",
        "mayhem 5",
        "24.12",
        "24.13.2026",
        "31.11.2026",
        "",
        "soon",
        "31 February",
        "2026-13-45",
        "2026-13-45t00:00:00+00:00",
        "2026-12-24t9:9+00:00",
        "0001-01-01",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ClockError):
        read_end(text, NOW, ZoneInfo("Asia/Tokyo"))
