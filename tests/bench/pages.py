"""CPU time of two pages, on SQLite, in this process: a long match, and the list of a player with many matches."""

from __future__ import annotations

import gc
import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import process_time

from flask.testing import FlaskClient

from service.app import create_app
from service.config import Settings
from service.engine.game import MoveError
from service.games import GAMES
from service.play.accounts import sessions
from service.play.site import Site
from service.play.table import replay
from service.store.models import Entry, Match, Player, Seat, Submission
from service.store.session import Store
from tests.bench.measure import Figure

NOW = datetime(2026, 11, 21, tzinfo=UTC)
LENGTH = 250
MATCHES = 200


def log_of(game: str) -> list[tuple[int, str]]:
    """Random legal placements, no passes."""
    chance = random.Random(1)
    position = GAMES[game].start()
    names = position.view(None).board.names
    log: list[tuple[int, str]] = []
    while len(log) < LENGTH:
        seat, move = position.turns[0], chance.choice(names)
        try:
            position = position.play(seat, move)
        except MoveError:
            continue
        log.append((seat, move))
    return log


def filled(store: Store) -> tuple[int, int]:
    """A database with `MATCHES` matches of one player, the first of them `LENGTH` moves long; their ids."""
    with store.writing() as session:
        me = Player(name="Ada", email="ada@example.org", created=NOW)
        others = [Player(name=f"Bruno {n}", email=f"bruno{n}@example.org", created=NOW) for n in range(20)]
        session.add_all([me, *others])
        session.flush()
        matches = [_match(me, others[n % len(others)], "go" if n == 0 else "rosette") for n in range(MATCHES)]
        session.add_all(matches)
        session.flush()
        first = matches[0]
        first.ply, first.round = LENGTH, LENGTH + 1
        orders = [_order(first, ply, seat, move) for ply, (seat, move) in enumerate(log_of("go"), 1)]
        session.add_all(orders)
        session.flush()
        session.add_all(map(_entry, orders))
    return me.id, first.id


def _match(me: Player, other: Player, game: str) -> Match:
    position = GAMES[game].start()
    match = Match(game=game, options=GAMES[game].settle(2, {}), seed=7, state="running", created=NOW, moved=NOW, ply=0)
    match.seats = [Seat(number=n, player=player, accepted=True) for n, player in enumerate((me, other))]
    replay.summarise(match, position)
    return match


def _order(match: Match, ply: int, seat: int, move: str) -> Submission:
    return Submission(
        key=f"web:{ply}",
        match_id=match.id,
        seat=seat,
        player_id=match.seats[seat].player_id,
        round=ply,
        text=move,
        door="web",
        received=NOW,
        verdict="accepted",
        ply=ply,
    )


def _entry(order: Submission) -> Entry:
    return Entry(
        match_id=order.match_id,
        ply=order.ply,
        seat=order.seat,
        move=order.text,
        round=order.round,
        played=NOW,
        submission_id=order.id,
    )


def milliseconds(client: FlaskClient, path: str, rounds: int = 40) -> float:
    """The median CPU time of a page, after a first request."""
    client.get(path)
    taken = []
    for _ in range(rounds):
        begun = process_time()
        answer = client.get(path)
        taken.append((process_time() - begun) * 1000)
        assert answer.status_code == 200
    return median(taken)


def signed_in(site: Site, player_id: int) -> FlaskClient:
    client = create_app(site).test_client()
    with client.session_transaction() as session:
        session["visit"] = sessions.begin(site, player_id, "bench")
    return client


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(Settings.from_environment({"STONEPOST_DATA": folder}), redis_url="memory://")
        store = Store(f"sqlite:///{Path(folder) / 'bench.db'}")
        store.migrate()
        player, match = filled(store)
        client = signed_in(Site(settings, store, lambda task, subject: None), player)
        gc.freeze()  # As `worker/web.py` does. Otherwise collecting the garbage of other parts would slow these pages.
        page = milliseconds(client, f"/match/{match}")
        yield Figure("match-page-ms", page, 20, f"median ms to serve the page of a match of {LENGTH} moves")
        mine = milliseconds(client, "/")
        yield Figure("my-matches-200-ms", mine, 30, f"median ms to serve the list of a player with {MATCHES} matches")
        store.close()
        gc.unfreeze()
