"""The time to rate a table of eight, to recompute the ratings of 100,000 matches, and of a leader board after that."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time

from sqlalchemy import insert

from service.app import create_app
from service.config import Settings
from service.contests.ledger import Account, Seat, settle
from service.play.ratings import recompute
from service.play.site import Site
from service.store.models import Match, Player
from service.store.session import Store
from service.store.tables.ratings import RatedSeat
from tests.bench.measure import Figure, seconds

MATCHES, PLAYERS = 100_000, 1_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def figures() -> Iterator[Figure]:
    """All figures of this part."""
    table = [Seat((str(number),), float(number == 0)) for number in range(8)]
    known = {str(number): Account(day=0.0) for number in range(8)}
    spent = seconds(lambda: [settle(1.0, table, known) for _ in range(100)])[0] / 100
    yield Figure("rating-table-of-eight-us", spent * 1e6, 150, "rating a match of eight seats")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.from_environment({"STONEPOST_DATA": folder})
        site = Site(settings, Store(f"sqlite:///{Path(folder) / 'bench.db'}"), lambda *_: None, _after)
        site.store.migrate()
        _fill(site.store)
        begun = process_time()
        assert recompute.again(site) == MATCHES
        yield Figure("ratings-again-seconds", process_time() - begun, 20, f"{MATCHES} matches rated again, SQLite")
        browser = create_app(site).test_client()
        begun, rounds = process_time(), 20
        for _ in range(rounds):
            assert browser.get("/ratings/go").status_code == 200
        spent = (process_time() - begun) / rounds
        yield Figure("leader-board-ms", spent * 1000, 50, f"a leader board after {MATCHES} matches, SQLite")
        site.store.close()


def _after() -> datetime:
    return BEGIN + timedelta(minutes=MATCHES)


def _fill(store: Store) -> None:
    """Adds one match a minute; the higher a player's number, the more often the player wins."""
    chance = random.Random(1)
    with store.writing() as session:
        players = [{"name": f"Player {number}", "name_key": str(number), "created": BEGIN} for number in range(PLAYERS)]
        ids = list(session.scalars(insert(Player).returning(Player.id, sort_by_parameter_order=True), players))
        match = {"game": "go", "options": {"size": "19", "komi": "7.5"}, "seed": 1, "state": "over"}
        rows = [{**match, "created": BEGIN, "moved": BEGIN} for _ in range(MATCHES)]
        numbers = list(session.scalars(insert(Match).returning(Match.id, sort_by_parameter_order=True), rows))
        session.execute(insert(RatedSeat), list(_seats(chance, ids, numbers)))


def _seats(chance: random.Random, players: list[int], matches: list[int]) -> Iterator[dict[str, object]]:
    for minute, match_id in enumerate(matches):
        pair = chance.sample(players, 2)
        first = chance.random() < 1 / (1 + 10 ** ((pair[1] - pair[0]) / PLAYERS))
        for seat, player_id in enumerate(pair):
            yield {
                "match_id": match_id,
                "player_id": player_id,
                "game": "go",
                "seat": seat,
                "share": "1" if first == (seat == 0) else "0",
                "absence": None,
                "bot": False,
                "fixed": False,
                "ended": BEGIN + timedelta(minutes=minute),
                "rating_before": 0.0,
                "rating": 0.0,
                "deviation": 0.0,
            }
