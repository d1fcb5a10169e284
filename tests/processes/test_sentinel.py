"""A queue that Sentinels watch over: when one Valkey dies, the queue goes on in the other."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from service.app import create_app
from service.cli.deployment.valkey import program
from service.config import ROOT, Settings
from service.play.site import Site
from service.store.session import Store
from tests.cases import FULL
from tests.ports import free_port
from tests.processes.deployment import answers, wait_for

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not FULL, reason="takes long: make soak tries it"),
]

PASSWORD = "hunter22"


@dataclass
class Pair:
    """Two servers, of which the first is in charge to begin with, and a Sentinel."""

    servers: dict[int, subprocess.Popen[bytes]]
    sentinel: int

    @property
    def url(self) -> str:
        return f"redis+sentinel://:{PASSWORD}@127.0.0.1:{free_port()},127.0.0.1:{self.sentinel}/club"

    def in_charge(self) -> int:
        """The port of the server that accepts writes."""
        with redis.Redis(port=self.sentinel) as asked:
            return int(asked.sentinel_get_master_addr_by_name("club")[1])

    def keys(self, port: int) -> list[str]:
        """The keys on one of the servers."""
        with redis.Redis(port=port, password=PASSWORD, decode_responses=True) as asked:
            return sorted(asked.keys())


@contextmanager
def pair(place: Path) -> Iterator[Pair]:
    first, second, watch = free_port(), free_port(), free_port()
    login = f"requirepass {PASSWORD}\nmasterauth {PASSWORD}\nsave ''\nrepl-diskless-sync-delay 0\n"
    watched = f"sentinel monitor club 127.0.0.1 {first} 1\nsentinel auth-pass club {PASSWORD}\n"
    quick = "sentinel down-after-milliseconds club 500\nsentinel failover-timeout club 2000\n"
    files = {first: login, second: f"{login}replicaof 127.0.0.1 {first}\n", watch: watched + quick}
    with ExitStack() as running:
        started = {}
        for port, said in files.items():
            file = place / f"{port}.conf"
            file.write_text(f"bind 127.0.0.1\nport {port}\ndir {place}\n{said}")
            words = [program(), str(file), *(["--sentinel"] if port == watch else [])]
            started[port] = process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
            running.callback(process.wait)
            running.callback(process.kill)
        wait_for(lambda: all(map(answers, files)), "the start of three Valkeys")
        with redis.Redis(port=watch) as asked:
            wait_for(lambda: asked.sentinel_slaves("club"), "the Sentinel's learning of the second")
        yield Pair({port: started[port] for port in (first, second)}, watch)


def nudge(place: Path, url: str) -> str:
    """The output of a process that queues a task."""
    environment = os.environ | {"STONEPOST_DATA": str(place), "REDIS_URL": url}
    words = "import worker.app; worker.app.open_site().nudge('judge', 7)"
    return subprocess.run(
        [sys.executable, "-c", words], env=environment, cwd=ROOT, capture_output=True, text=True
    ).stderr


def test_the_queue_continues_in_the_other_valkey(tmp_path: Path) -> None:
    with pair(tmp_path) as valkeys:
        first = valkeys.in_charge()
        assert nudge(tmp_path, valkeys.url) == ""
        settings = Settings.from_environment({"STONEPOST_DATA": str(tmp_path), "REDIS_URL": valkeys.url})
        app = create_app(Site(settings, Store(settings.database_url), lambda _task, _subject: None))
        assert app.test_client().post("/inbound/mail").status_code == 401
        found = valkeys.keys(first)
        assert "judge" in found
        assert [name for name in found if name.startswith("LIMITS")]
        valkeys.servers[first].kill()
        wait_for(lambda: valkeys.in_charge() != first, "the second one's taking over")
        second = valkeys.in_charge()
        wait_for(lambda: nudge(tmp_path, valkeys.url) == "", "a nudge")
        assert "judge" in valkeys.keys(second)
        assert app.test_client().post("/inbound/mail").status_code == 401
