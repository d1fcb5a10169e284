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
        ("for 10 days", "2026-12-01T12:00:00+00:00"),
        ("2026-12-24T00:00:00+00:00", "2026-12-24T00:00:00+00:00"),
    ],
)
def test_ends_are_read(text: str, ends: str) -> None:
    assert read_end(text, NOW, ZoneInfo("Europe/Berlin")).isoformat() == ends


@pytest.mark.parametrize(
    "text",
    ["", "soon", "31 February", "2026-13-45", "2026-13-45t00:00:00+00:00", "2026-12-24t9:9+00:00", "0001-01-01"],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ClockError):
        read_end(text, NOW, ZoneInfo("Asia/Tokyo"))
