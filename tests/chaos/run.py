"""One run: a deployment, its players, the faults meanwhile, and the result."""

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
    """What to do. `faults` are prefixes of names; none means all. There is a fault about `every` orders."""

    orders: int
    seed: int = 1
    database: str = "sqlite"
    broker: str = "valkey"
    faults: Sequence[str] = ()
    every: float = 15.0
    patience: float = 300.0
    """Seconds to wait for the next order, and for all work to end after the last fault."""
    trouble: float = 0.02
    """The share of letters that the relay treats badly."""
    hands: int = 8
    program: tuple[str, ...] = ("-m", "tests.chaos.clock")
    """The arguments of Python."""

    @property
    def for_letters(self) -> bool:
        return not self.faults or LETTERS in self.faults


@dataclass
class Result:
    """The result. `struck` counts the faults by name, including those of single letters."""

    plan: Plan
    findings: Findings
    orders: int
    letters: int
    struck: Counter[str]
    log: list[tuple[float, str]]
    """When each fault struck, and its name."""
    began: float
    seconds: float
    left_out: list[str] = field(default_factory=list)
    kept: Path | None = None
    """A copy of the deployment's data and of its processes' output, if anything was wrong."""

    def __str__(self) -> str:
        """The figures, one per line."""
        wrong = {kind: self.findings.wrong[kind] for kind in KINDS} | self.findings.wrong
        lines = [
            f"seed {self.plan.seed} on {self.plan.database} and {self.plan.broker}: {self.orders} orders, "
            f"{self.letters} emails, {self.struck.total()} faults in {self.seconds:.0f} s",
            ", ".join(f"{len(found)} {kind}" for kind, found in wrong.items()),
            f"copies of emails: {len(self.findings.copies_said)} after the relay had acknowledged one, "
            f"{self.findings.copies_unsaid} after it hadn't",
            "faults: " + ", ".join(f"{count} {name}" for name, count in sorted(self.struck.items())),
        ]
        for taken, again in self.findings.copies_said:
            near = [f"{name} {when - taken:+.1f} s" for when, name in self.log if -6 < when - taken < again - taken]
            lines.append(f"a copy came after {again - taken:.1f} s; faults around the first: {', '.join(near)}")
        if self.left_out:
            lines.append(f"skipped, because they aren't possible here: {', '.join(self.left_out)}")
        lines += [f"{kind}: {one}" for kind, found in wrong.items() for one in found[:10]]
        if self.kept is not None:
            last = ", ".join(f"{name} {self.seconds - (when - self.began):.0f} s" for when, name in self.log[-8:])
            lines += [f"the last faults, and how long before the end: {last}", f"data and log: {self.kept}"]
        return "\n".join(lines)


KINDS = ("lost", "doubled", "misapplied", "unjudged", "letter lost", "different copy")
"""What must not happen, in the order of printing."""


def run(plan: Plan) -> Result:
    """Plays in a new deployment."""
    relay = Relay()
    relay.hang = 2.5 * SWEEP
    with _world(plan, relay) as world:
        result = play(plan, world)
        if result.findings.kinds:
            result.kept = Path(tempfile.mkdtemp(prefix="chaos-kept-"))
            with suppress(shutil.Error):  # Files may be removed meanwhile; all others are copied.
                shutil.copytree(world.deployment.data, result.kept, ignore=_no_sockets, dirs_exist_ok=True)
        return result


def _no_sockets(directory: str, names: list[str]) -> list[str]:
    """The sockets, which can't be copied."""
    return [name for name in names if (Path(directory) / name).is_socket()]


def play(plan: Plan, world: World) -> Result:
    """Plays, with faults, until the planned number of orders is acknowledged, and checks the outcome."""
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
    """Causes one fault after another, each after its scheduled number of orders. Returns their times and names."""
    log = []
    for due, name, seconds in faults:
        if not _wait(world.deployment, people, due, patience):
            break
        log.append((time.monotonic(), name))
        FAULTS[name](world, seconds)
    _wait(world.deployment, people, inf, patience)
    return log


def _wait(deployment: Deployment, people: People, orders: float, patience: float) -> bool:
    """Waits until this many orders are acknowledged. False if orders stop coming."""
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
    """Has permanently refused letters sent again, as an operator does now and then."""
    if time.monotonic() > _looked.get(deployment.data, 0.0) + 2 * SWEEP:
        with suppress(DBAPIError):  # The database may be down.
            failed_letters.again(deployment.site)
        _looked[deployment.data] = time.monotonic()


def _wait_for_the_end(deployment: Deployment, people: People, patience: float) -> None:
    """Waits until nothing is left to judge, send or read, or until it has waited too long."""
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
    with rabbitmq.running() as server:  # Not on the disk that gets full: RabbitMQ would stop and not restart.
        yield server
