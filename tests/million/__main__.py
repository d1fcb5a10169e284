"""The commands `make` and `figures`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from service.store.session import Store
from tests import postgresql
from tests.million import figures, filling

MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
"""The machine's memory in MB. PostgreSQL's documentation suggests a quarter of it for `shared_buffers`."""

OPTIONS = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 "
    f"--listen_addresses= -c max_wal_size=4GB -c shared_buffers={MEMORY // 4}MB "
    f"-c effective_cache_size={MEMORY // 2}MB -c jit=off"
)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.million", description=__doc__)
    parser.add_argument("command", choices=("make", "figures"))
    parser.add_argument("directory", type=Path)
    parser.add_argument("--running", type=int, default=1_000_000)
    parser.add_argument("--finished", type=int, default=10_000_000)
    chosen = parser.parse_args(arguments)
    with postgresql.kept(chosen.directory, OPTIONS) as server:
        name = "million"
        url = server.url.format(name).replace("postgresql://", "postgresql+psycopg://")
        if chosen.command == "make":
            server.execute(f"CREATE DATABASE {name}")
            store = Store(url)
            store.migrate()
            filling.fill(store, chosen.running, chosen.finished)
            store.close()
        else:
            server.execute("DROP DATABASE IF EXISTS alone WITH (FORCE)")  # Left by an interrupted run.
            server.execute("CREATE DATABASE alone TEMPLATE template0")
            try:
                figures.measure(url, server)
            finally:
                server.execute("DROP DATABASE alone WITH (FORCE)")


if __name__ == "__main__":
    main(sys.argv[1:])
