"""Two transactions at the same moment on PostgreSQL: the second begins before the first has ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar

import pytest
from sqlalchemy import text

from service.play.company import event_matches, events
from service.play.match import substitutes
from service.play.operations.sweep import sweep
from service.play.site import Transaction
from service.store.models import Match
from tests.play.company.test_cups import cup, running, seat_of, shown, silent
from tests.play.company.test_pairing import player
from tests.play.conftest import Town

pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)

Result = TypeVar("Result")

WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


def side_by_side(town: Town, first: Callable[[Transaction], object], second: Callable[[], Result]) -> Result:
    """Does the first, and commits it once the second waits for it or is done; returns or raises what the second does."""
    with ThreadPoolExecutor() as pool, town.site.transaction() as tx:
        first(tx)
        tx.session.flush()
        other = pool.submit(second)
        while not (other.done() or tx.session.scalar(WAITING)):
            time.sleep(0.02)
    return other.result()


def test_who_takes_over_a_seat_while_its_player_is_removed_plays_a_match_that_counts(town: Town) -> None:
    last = silent(town)
    ada, emil = player(town, "ada"), player(town, "emil")
    substitutes.offer(town.site, last, ada, "anybody")
    town.now += timedelta(days=3, minutes=1)
    side_by_side(town, lambda tx: substitutes.join(tx, last, emil), lambda: event_matches.look_after(town.site))
    assert shown(town).states[ada] == "out"
    with town.store.reading() as session:
        match = session.get_one(Match, last)
        assert (match.rated, match.place_of(emil) is not None) == (True, True)


def test_who_withdraws_while_their_seat_is_taken_over_doesnt_offer_the_new_players_seat(town: Town) -> None:
    cup(town)
    sweep(town.site)
    ada, emil = player(town, "ada"), player(town, "emil")
    match_id = next(one for one in running(town) if seat_of(town, one, ada) == 0)
    substitutes.offer(town.site, match_id, ada, "emil@example.org")
    side_by_side(town, lambda tx: substitutes.join(tx, match_id, emil), lambda: events.withdraw(town.site, 1, ada))
    with town.store.reading() as session:
        seat = session.get_one(Match, match_id).seats[0]
        assert (seat.player_id, seat.sought) == (emil, None)
