"""How long one of four writers waits for SQLite, compared with a single writer.

Each writer is a process that stores orders as the service does, one every 25 ms. The time runs from asking for the
transaction to the end of its commit. One and four take turns, so that other work on the machine slows both alike.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from statistics import quantiles

from service.config import Settings
from service.mail.grammar.orders import parse
from service.play.orders.submit import Incoming, submit
from service.play.site import Site
from service.store.session import Store
from tests.bench.measure import Figure
from tests.bench.pages import filled

WRITERS, ORDERS, ROUNDS = 4, 100, 5
PAUSE = 0.025


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.from_environment({"STONEPOST_DATA": folder})
        store = Store(settings.database_url)
        store.migrate()
        player, _ = filled(store)
        store.close()
        alone, together = list[float](), list[float]()
        for number in range(ROUNDS):
            alone += _written(settings, player, 1, f"{number}:1")
            together += _written(settings, player, WRITERS, f"{number}:{WRITERS}")
    one, four = (quantiles(times, n=100)[98] for times in (alone, together))
    what = f"the 99th percentile of storing an order in SQLite with {WRITERS} writers over one: "
    yield Figure("writers-p99", four / one, 3, f"{what}{1000 * four:.1f} over {1000 * one:.1f} ms")


def _written(settings: Settings, player: int, writers: int, name: str) -> list[float]:
    """The seconds that each order took, with this many writers."""
    with multiprocessing.get_context("fork").Pool(writers) as pool:
        kept = pool.starmap(_keep, [(settings, player, f"{name}:{number}") for number in range(writers)])
    return [seconds for times in kept for seconds in times]


def _keep(settings: Settings, player: int, name: str) -> list[float]:
    site = Site(settings, Store(settings.database_url), lambda task, subject: None)
    order, times = parse("pass"), list[float]()
    for number in range(ORDERS + 5):
        begun = time.perf_counter()
        submit(site, Incoming(f"web:{name}:{number}", 2, 0, player, 1, order, "web"))
        times.append(time.perf_counter() - begun)
        time.sleep(PAUSE)
    site.store.close()
    return times[5:]  # The first ones also compile the SQL statements.
