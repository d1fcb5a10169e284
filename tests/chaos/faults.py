"""What goes wrong around the service while people play: the faults by name, and a schedule of when they strike."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import redis
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests import postgresql, rabbitmq
from tests.chaos.clock import set_clock
from tests.chaos.relay import Relay
from tests.processes.deployment import KINDS, Deployment, alive, descendants, wait_for

LONGEST = 4.0
"""Most seconds that something hangs, refuses or is full; longer than most timeouts."""


@dataclass
class World:
    """What can break. `disk` is a file system with all data, if one could be mounted; `clock` is a file with the
    seconds to add to the time, if the service uses it; `rabbitmq` is the queue, if it isn't Valkey."""

    deployment: Deployment
    relay: Relay
    database: postgresql.Server | None
    disk: Path | None
    clock: Path | None = None
    rabbitmq: rabbitmq.Server | None = None

    def tell_queue(self, *words: str) -> None:
        """Sends the queue a command; raises RedisError if it doesn't answer."""
        socket = str(self.deployment.site.settings.valkey_socket)
        with redis.Redis(unix_socket_path=socket, socket_timeout=5) as queue:
            queue.execute_command(*words)


Fault = Callable[[World, float], None]
"""A function that returns when the fault is over; the number is how many seconds it lasts, if it does last."""


def _kill(kind: str, child: bool, world: World, _seconds: float) -> None:
    world.deployment.kill(kind, child)


def _stop(kind: str, world: World, seconds: float) -> None:
    stopped = world.deployment.pids(kind)
    for pid in stopped:
        _signal(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in stopped:
        _signal(pid, signal.SIGCONT)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _kill_all(world: World, _seconds: float) -> None:
    """Kills the supervisor, waits for the end of its processes, and starts it again."""
    run = world.deployment.run
    assert run is not None
    below = descendants(run.pid)
    run.kill()
    run.wait()
    wait_for(lambda: not [pid for pid in below if alive(pid)], "the end of the killed supervisor's processes")
    world.deployment.start()
    world.deployment.wait_until_open()


def _told_to_queue(begin: tuple[str, ...], end: tuple[str, ...], world: World, seconds: float) -> None:
    with suppress(redis.RedisError):  # The queue may be down or hang, now or at the end.
        world.tell_queue(*begin)
        if end:
            time.sleep(seconds)
    if end:
        with suppress(redis.RedisError):
            world.tell_queue(*end)


def _relay_away(world: World, seconds: float) -> None:
    world.relay.close()
    time.sleep(seconds)
    world.relay.open()


def _full_disk(world: World, seconds: float) -> None:
    assert world.disk is not None
    while not _resize(world.disk, _used(world.disk)):
        pass  # Something was written meanwhile.
    time.sleep(seconds)
    _resize(world.disk, DISK)
    if world.database is not None:
        world.database.start_again()


def _locked(world: World, seconds: float) -> None:
    """Another program, such as an operator's tool, locks the tables."""
    take = "BEGIN IMMEDIATE" if world.database is None else "LOCK TABLE match, submission IN EXCLUSIVE MODE"
    with suppress(DBAPIError), world.deployment.site.store.engine.connect() as connection:
        connection.execute(text(take))
        time.sleep(seconds)


def _clock_jumps(hours: int, world: World, seconds: float) -> None:
    """The clock is wrong for a while, and then right again."""
    assert world.clock is not None
    set_clock(world.clock, 3600 * hours)
    time.sleep(seconds)
    set_clock(world.clock, 0)


def _kill_backend(world: World, _seconds: float) -> None:
    """Kills one of PostgreSQL's processes, whereupon it closes all connections and recovers."""
    assert world.database is not None
    with suppress(DBAPIError), world.deployment.site.store.engine.connect() as connection:
        query = text("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' ORDER BY query_start")
        for pid in connection.execute(query).scalars().all()[:1]:
            _signal(pid, signal.SIGKILL)


def _kill_database(world: World, seconds: float) -> None:
    assert world.database is not None
    world.database.kill()
    time.sleep(seconds / 4)
    world.database.start()


def _stop_database(world: World, seconds: float) -> None:
    assert world.database is not None
    pids = [world.database.pid, *descendants(world.database.pid)]
    for pid in pids:
        _signal(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in pids:
        _signal(pid, signal.SIGCONT)


def _read_only_database(world: World, seconds: float) -> None:
    assert world.database is not None
    for setting in ("SET default_transaction_read_only = on", "RESET default_transaction_read_only"):
        with suppress(DBAPIError):
            world.database.execute(f"ALTER SYSTEM {setting}")
            world.database.execute("SELECT pg_reload_conf()")
        time.sleep(seconds)


def _kill_rabbitmq(world: World, seconds: float) -> None:
    assert world.rabbitmq is not None
    world.rabbitmq.kill()
    time.sleep(seconds / 4)
    world.rabbitmq.start()


def _restart_rabbitmq(world: World, _seconds: float) -> None:
    assert world.rabbitmq is not None
    world.rabbitmq.stop()
    world.rabbitmq.start()


def _stop_rabbitmq(world: World, seconds: float) -> None:
    assert world.rabbitmq is not None
    world.rabbitmq.signal(signal.SIGSTOP)
    time.sleep(seconds)
    world.rabbitmq.signal(signal.SIGCONT)


def _full_rabbitmq(world: World, seconds: float) -> None:
    """RabbitMQ accepts no messages, because it uses more memory than it may."""
    assert world.rabbitmq is not None
    world.rabbitmq.tell("set_vm_memory_high_watermark", "0.000001")
    time.sleep(seconds)
    world.rabbitmq.tell("set_vm_memory_high_watermark", "0.4")


def _forgetful_rabbitmq(world: World, _seconds: float) -> None:
    """RabbitMQ loses its queues with all their messages."""
    assert world.rabbitmq is not None
    for words in ("stop_app", "force_reset", "start_app"):
        world.rabbitmq.tell(words)


HAVE_CHILDREN = ("web", "worker", "think", "upkeep")

FAULTS: dict[str, Fault] = {
    **{f"kill-{kind}": partial(_kill, kind, False) for kind in KINDS},
    **{f"kill-{kind}-child": partial(_kill, kind, True) for kind in HAVE_CHILDREN},
    **{f"stop-{kind}": partial(_stop, kind) for kind in KINDS},
    "kill-run": _kill_all,
    "flush-queue": partial(_told_to_queue, ("FLUSHALL",), ()),
    "pause-queue": partial(_told_to_queue, ("CLIENT", "PAUSE", "2500"), ()),
    "read-only-queue": partial(_told_to_queue, ("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE")),
    "full-queue": partial(_told_to_queue, ("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0")),
    "relay-away": _relay_away,
    "locked-database": _locked,
    "full-disk": _full_disk,
    "clock-ahead": partial(_clock_jumps, 30),
    "clock-behind": partial(_clock_jumps, -30),
    "kill-backend": _kill_backend,
    "kill-database": _kill_database,
    "stop-database": _stop_database,
    "read-only-database": _read_only_database,
    "kill-rabbitmq": _kill_rabbitmq,
    "restart-rabbitmq": _restart_rabbitmq,
    "stop-rabbitmq": _stop_rabbitmq,
    "full-rabbitmq": _full_rabbitmq,
    "forget-rabbitmq": _forgetful_rabbitmq,
}

OF_POSTGRESQL = {"kill-backend", "kill-database", "stop-database", "read-only-database"}
LETTERS = "letters"
"""The name for all faults of the relay that affect single letters."""

DISK = 4_000_000_000
"""Bytes; a tmpfs takes up only the space of its files."""


def make_disk(place: Path) -> Path | None:
    """Mounts a file system at this path; None if this user can't mount one."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=755", "chaos", place], capture_output=True)
    return None if done.returncode else place


def remove_disk(disk: Path | None) -> None:
    if disk is not None:
        subprocess.run(["umount", "--lazy", disk], check=True)


def _used(disk: Path) -> int:
    found = os.statvfs(disk)
    return (found.f_blocks - found.f_bfree) * found.f_bsize


def _resize(disk: Path, size: int) -> bool:
    """Resizes the file system; False if its files need more space."""
    done = subprocess.run(["mount", "-o", f"remount,size={size}", disk], capture_output=True)
    return done.returncode == 0


def possible(world: World, wanted: list[str]) -> list[str]:
    """The faults that are possible in this world and whose names begin with one of these prefixes, if there are any."""
    found = [name for name in FAULTS if not wanted or name.startswith(tuple(wanted))]
    if world.database is None:
        found = [name for name in found if name not in OF_POSTGRESQL]
    if world.rabbitmq is None:
        found = [name for name in found if not name.endswith("rabbitmq")]
    if world.clock is None:
        found = [name for name in found if not name.startswith("clock")]
    return [name for name in found if name != "full-disk" or world.disk is not None]


def schedule(names: list[str], seed: int, every: float) -> Iterator[tuple[float, str, float]]:
    """After how many acknowledged orders a fault strikes, its name, and for how many seconds. Each fault strikes once
    before any strikes again."""
    chance, orders = Random(f"faults {seed}"), 0.0
    while names:
        for name in chance.sample(names, len(names)):
            orders += chance.expovariate(1 / every)
            yield orders, name, chance.uniform(0.2, LONGEST)
