"""`python -m tests.events_year [--people N] [--weeks N] [--seed N]`: simulates a year of events and checks it."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from sqlalchemy import event

from service.config import Settings
from service.games import GAMES
from service.store.session import Store
from tests import memory
from tests.databases import hurry
from tests.events_year.recount import live
from tests.play.conftest import SECRET, Town


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, usual in (("people", 200), ("weeks", 52), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=memory.below()) as folder:
        database = f"sqlite:///{Path(folder) / 'year.db'}"
        given = {"STONEPOST_DATA": folder, "DATABASE_URL": database, "STONEPOST_SECRET": SECRET}
        store = Store(database)
        event.listen(store.engine, "connect", hurry)
        store.migrate()
        town = Town(Settings.from_environment(given), store)
        figures = live(town, wanted.people, wanted.weeks, wanted.seed, tuple(GAMES), tell=print)
        print("\n".join(figures.lines))
        store.close()


if __name__ == "__main__":
    main()
