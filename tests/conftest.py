"""Settings for all tests, and the seeds that make their random choices repeatable."""

from __future__ import annotations

import gc
import os
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer

from service.bots import opponents, review, roster
from service.bots.stones import playing_on, settling
from service.bots.thought import Opponent
from service.store.session import Store
from tests import compiled, memory, postgresql
from tests.cases import FULL, cases
from tests.databases import fresh
from tests.shares import Shares, in_order, slowest

# The same examples every time; `make fuzz` and `--hypothesis-profile=explore` look for new ones. How long one takes
# says something about the machine, not about the code; `make bench` measures speed.
settings.register_profile(
    "stonepost",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=cases(30, full=100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("stonepost")

# Nearly all objects are modules or shared by tests. Looking through them for garbage took a tenth of the time.
gc.set_threshold(50_000, 20, 50)

# How well reviews judge, opponents play and dead stones are found is tested in tests/bots. Thinking for as long as the
# service does would take seconds.
review.PART = cases(100, full=review.PART)
THOROUGH = playing_on.SHORT, playing_on.LONG, settling.PLAYOUTS
if not FULL:
    playing_on.SHORT, playing_on.LONG, settling.PLAYOUTS = 6, 6, 12


def _little(opponent: Opponent, game: str, points: int, compiled: bool) -> int:
    """A budget with which an opponent moves at once."""
    return min(roster.affordable(opponent, game, points, compiled), 500 if game == "pillars" else roster.LEAST)


if not FULL:
    vars(opponents)["affordable"] = _little

_dice = Random()


def _token(size: int = 32) -> str:
    return urlsafe_b64encode(_dice.randbytes(size)).decode().rstrip("=")


LOADED = {
    "token_urlsafe": _token,
    "randbits": _dice.getrandbits,
    "randbelow": _dice.randrange,
    "SystemRandom": lambda: _dice,
}
"""What `_same_luck` seeds: nonces, seats, seeds and, through them, the moves of bots."""


def luck(seed: str) -> None:
    """Seeds all random choices from here on."""
    _dice.seed(seed)


for name, drawn in LOADED.items():
    setattr(secrets, name, drawn)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Shares:
    config.option.loadscopereorder = False
    return Shares(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = in_order(items)


def pytest_collection_finish() -> None:
    """What has been imported stays to the end, so the garbage collector needn't look through it."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Prints where the time went, if `make test` ran the tests."""
    if config.option.numprocesses:
        reports = [
            one for some in terminalreporter.stats.values() for one in some if isinstance(one, pytest.TestReport)
        ]
        terminalreporter.section("slowest files")
        terminalreporter.write_line("\n".join(slowest(reports)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Each test begins with the usual umask. The service's own, once set, would keep Postfix from its directories."""
    os.umask(0o022)


@pytest.fixture(autouse=True)
def _same_luck(request: pytest.FixtureRequest) -> None:
    """The seed of a test is its node id, so its random choices are the same in each run."""
    luck(request.node.nodeid)


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> None:
    own = tmp_path_factory.getbasetemp()
    place = (own if worker_id == "master" else own.parent) / "templates"
    place.mkdir(exist_ok=True)
    compiled.keep(place)


@pytest.fixture(scope="session")
def tables() -> Iterator[Path]:
    """A database with all tables and no rows: each test that needs one gets a copy, in the same folder."""
    with TemporaryDirectory(prefix="tables-", dir=memory.below()) as folder:
        place = Path(folder) / "stonepost.db"
        store = Store(f"sqlite:///{place}")
        store.migrate()
        store.close()
        yield place


@pytest.fixture
def database(tables: Path) -> str:
    """The URL of a database for one test. `tests/play` has two kinds of it."""
    return fresh(tables)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A server for all tests of a process that need one: its URL, with a placeholder for the database's name."""
    with postgresql.server() as url:
        yield url
