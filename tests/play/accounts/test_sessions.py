"""Browsers on which somebody is signed in."""

from __future__ import annotations

from datetime import timedelta

from service.play.accounts import sessions
from tests.play.accounts.test_display_names import enter
from tests.play.conftest import Town


def test_the_time_a_browser_was_last_seen_is_kept_to_the_hour(town: Town) -> None:
    ada, began = enter(town, "ada@example.org"), town.now
    key = sessions.begin(town.site, ada, "Firefox")
    seen = []
    for passed in (timedelta(hours=1), timedelta(seconds=1), timedelta(hours=1)):
        town.now += passed
        assert sessions.player(town.site, key)
        (visit,) = sessions.of(town.site, ada)
        seen.append(visit.seen - began)
    assert seen == [timedelta(), timedelta(hours=1, seconds=1), timedelta(hours=1, seconds=1)]


def test_a_request_doesnt_change_when_other_browsers_were_seen(town: Town) -> None:
    ada, began = enter(town, "ada@example.org"), town.now
    keys = [sessions.begin(town.site, ada, device) for device in ("Firefox", "Chromium", "Safari")]
    for key, device in zip(keys, ("Firefox", "Chromium", "Safari"), strict=True):
        town.now += timedelta(hours=2)
        assert sessions.player(town.site, key)
        seen = {visit.device: visit.seen for visit in sessions.of(town.site, ada)}
        assert seen[device] == town.now
        assert list(seen.values()).count(town.now) == 1
    assert began not in seen.values()
