"""Browsers on which somebody is signed in."""

from __future__ import annotations

from datetime import timedelta

from service.play.accounts import sessions
from tests.play.accounts.test_display_names import enter
from tests.play.conftest import Town


def test_it_is_known_to_the_hour_when_a_browser_was_last_seen(town: Town) -> None:
    ada, began = enter(town, "ada@example.org"), town.now
    key = sessions.begin(town.site, ada, "Firefox")
    seen = []
    for passed in (timedelta(hours=1), timedelta(seconds=1), timedelta(hours=1)):
        town.now += passed
        assert sessions.player(town.site, key)
        (visit,) = sessions.of(town.site, ada)
        seen.append(visit.seen - began)
    assert seen == [timedelta(), timedelta(hours=1, seconds=1), timedelta(hours=1, seconds=1)]
