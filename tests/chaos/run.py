"""One run: a deployment, its players, what goes wrong meanwhile, and what has come of it."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random

from sqlalchemy.exc import DBAPIError

from service.play.operations import failed_letters
from tests import postgresql, rabbitmq
from tests.chaos.clock import make_clock
from tests.chaos.faults import FAULTS, LETTERS, World, make_disk, possible, remove_disk, schedule
from tests.chaos.ledger import Findings, compare, rows, unfinished
from tests.chaos.people import People
from tests.chaos.relay import Relay
from tests.processes.deployment import Deployment

SWEEP = 2
"""Seconds between two sweeps."""

FOR_MANY = {"MAIL_PER_DAY": "0", "MAIL_PER_MINUTE": "0", "MAIL_ANSWERS_PER_DAY": "1000000", "TRUSTED_PROXIES": "1"}
"""Settings that let many players play from one machine."""


@dataclass(frozen=True)
class Plan:
    """What to do. `faults` are beginnings of names; none means all. About `every` orders something goes wrong."""

    orders: int
    seed: int = 1
    database: str = "sqlite"
    broker: str = "valkey"
    faults: Sequence[str] = ()
    every: float = 15.0
    patience: float = 300.0
    """Seconds for the next order, and for all work to end once nothing goes wrong any more."""
    trouble: float = 0.02
    """The part of letters that the relay treats badly."""
    hands: int = 8
    program: tuple[str, ...] = ("-m", "tests.chaos.clock")
    """What Python runs."""

    @property
    def for_letters(self) -> bool:
        return not self.faults or LETTERS in self.faults


@dataclass
class Result:
    """What came of it. `struck` counts the faults by name, those of single letters included."""

    plan: Plan
    findings: Findings
    orders: int
    letters: int
    struck: Counter[str]
    log: list[tuple[float, str]]
    """When which fault struck."""
    began: float
    seconds: float
    left_out: list[str] = field(default_factory=list)
    kept: Path | None = None
    """A copy of the deployment's data with what its processes said, if anything was wrong."""

    def __str__(self) -> str:
        """The figures, one a line."""
        wrong = {kind: self.findings.wrong[kind] for kind in KINDS} | self.findings.wrong
        lines = [
            f"seed {self.plan.seed} on {self.plan.database} and {self.plan.broker}: {self.orders} orders, "
            f"{self.letters} emails, {self.struck.total()} faults in {self.seconds:.0f} s",
            ", ".join(f"{len(found)} {kind}" for kind, found in wrong.items()),
            f"copies of emails: {len(self.findings.copies_said)} after the relay said that it took one, "
            f"{self.findings.copies_unsaid} after it didn't",
            "faults: " + ", ".join(f"{count} {name}" for name, count in sorted(self.struck.items())),
        ]
        for taken, again in self.findings.copies_said:
            near = [f"{name} {when - taken:+.1f} s" for when, name in self.log if -6 < when - taken < again - taken]
            lines.append(f"a copy came after {again - taken:.1f} s; faults around the first: {', '.join(near)}")
        if self.left_out:
            lines.append(f"left out, because they aren't possible here: {', '.join(self.left_out)}")
        lines += [f"{kind}: {one}" for kind, found in wrong.items() for one in found[:10]]
        if self.kept is not None:
            last = ", ".join(f"{name} {self.seconds - (when - self.began):.0f} s" for when, name in self.log[-8:])
            lines += [f"the last faults, and how long before the end: {last}", f"data and log: {self.kept}"]
        return "\n".join(lines)


KINDS = ("lost", "doubled", "misapplied", "unjudged", "letter lost", "different copy")
"""What must not happen, in the order in which it's printed."""


def run(plan: Plan) -> Result:
    """Plays in a deployment of its own."""
    relay = Relay()
    relay.hang = 2.5 * SWEEP
    with _world(plan, relay) as world:
        result = play(plan, world)
        if result.findings.kinds:
            result.kept = Path(tempfile.mkdtemp(prefix="chaos-kept-"))
            with suppress(shutil.Error):  # What was removed meanwhile; all else is copied.
                shutil.copytree(world.deployment.data, result.kept, ignore=_no_sockets, dirs_exist_ok=True)
        return result


def _no_sockets(directory: str, names: list[str]) -> list[str]:
    """What can't be copied."""
    return [name for name in names if (Path(directory) / name).is_socket()]


def play(plan: Plan, world: World) -> Result:
    """Plays until that many orders have been acknowledged, with faults, and looks at what has come of it."""
    relay, site = world.relay, world.deployment.site
    people = People(world.deployment, relay, plan.seed, plan.orders, plan.hands)
    people.sit_down(players=min(400, 6 + plan.orders // 40), matches=4 + plan.orders // 30)
    began, players = time.monotonic(), people.play()
    relay.chance, relay.trouble = Random(f"relay {plan.seed}"), plan.trouble if plan.for_letters else 0.0
    names = possible(world, list(plan.faults)) if list(plan.faults) != [LETTERS] else []
    log = _strike_until_over(world, people, schedule(names, plan.seed, plan.every), plan.patience)
    relay.trouble = 0.0
    _wait_for_the_end(world.deployment, people, plan.patience)
    people.stop(players)
    if people.failures:
        raise people.failures[0]
    found = rows(site.store.engine, site.settings.mail_domain, people.ledger.tables)
    return Result(
        plan,
        compare(people.ledger, found, relay.arrived),
        people.acknowledged,
        len(relay.arrived),
        Counter(name for _, name in log) + relay.done,
        log,
        began,
        time.monotonic() - began,
        [] if plan.faults else sorted({*FAULTS} - {*names}),
    )


def _strike_until_over(
    world: World, people: People, faults: Iterator[tuple[float, str, float]], patience: float
) -> list[tuple[float, str]]:
    """Faults, one after the other, each once as many orders are acknowledged as the schedule says. Returns when."""
    log = []
    for due, name, seconds in faults:
        if not _wait(world.deployment, people, due, patience):
            break
        log.append((time.monotonic(), name))
        FAULTS[name](world, seconds)
    _wait(world.deployment, people, inf, patience)
    return log


def _wait(deployment: Deployment, people: People, orders: float, patience: float) -> bool:
    """Waits until this many orders are acknowledged. False if nobody orders anything any more."""
    known, since = people.acknowledged, time.monotonic()
    while people.acknowledged < orders and not people.over.is_set():
        time.sleep(0.02)
        _look_after(deployment)
        if people.acknowledged > known:
            known, since = people.acknowledged, time.monotonic()
        elif time.monotonic() - since > patience:
            people.over.set()
    return not people.over.is_set()


_looked: dict[Path, float] = {}


def _look_after(deployment: Deployment) -> None:
    """What an operator does now and then: has letters tried again that were refused for good."""
    if time.monotonic() > _looked.get(deployment.data, 0.0) + 2 * SWEEP:
        with suppress(DBAPIError):  # The database may be away.
            failed_letters.again(deployment.site)
        _looked[deployment.data] = time.monotonic()


def _wait_for_the_end(deployment: Deployment, people: People, patience: float) -> None:
    """Until there's nothing left to judge, send or read, or it becomes clear that there always will be."""
    engine, relay = deployment.site.store.engine, people.relay
    people.send_all_late()
    deadline = time.monotonic() + patience
    since = time.monotonic()
    while since > time.monotonic() - 0.5 and time.monotonic() < deadline:  # The last letters are being read.
        time.sleep(0.05)
        _look_after(deployment)
        try:
            is_over = not people.busy and not unfinished(engine) and relay.post.empty()
        except DBAPIError:
            is_over = False  # PostgreSQL is recovering from the last fault.
        since = since if is_over else time.monotonic()


@contextmanager
def _world(plan: Plan, relay: Relay) -> Iterator[World]:
    place = Path(tempfile.mkdtemp(prefix="chaos-"))
    place.chmod(0o755)  # PostgreSQL runs as another user.
    disk = make_disk(place)
    relay.open()
    try:
        with _database(plan, place) as (database, settings), _broker(plan) as rabbit:
            data = place / "data"
            data.mkdir(mode=0o700)
            clock, its_place = make_clock(place)
            given = {"SMTP_URL": relay.url, "SWEEP_SECONDS": str(SWEEP), **FOR_MANY, **settings, **its_place}
            if rabbit is not None:
                given["AMQP_URL"] = rabbit.url
            with Deployment(data, given, program=plan.program).running() as deployment:
                yield World(deployment, relay, database, disk, clock, rabbit)
    finally:
        relay.close()
        remove_disk(disk)
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _database(plan: Plan, place: Path) -> Iterator[tuple[postgresql.Server | None, dict[str, str]]]:
    if plan.database == "sqlite":
        yield None, {}
        return
    with postgresql.running(postgresql.DURABLE, place) as server:
        server.execute("CREATE DATABASE stonepost")
        yield server, {"DATABASE_URL": server.url.format("stonepost")}


@contextmanager
def _broker(plan: Plan) -> Iterator[rabbitmq.Server | None]:
    if plan.broker == "valkey":
        yield None
        return
    with rabbitmq.running() as server:  # Not on the disk that gets full: it would end and stay so.
        yield server
