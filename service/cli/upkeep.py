"""What an operator runs now and then: `stonepost backup DIRECTORY`, `stonepost health`."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    backup = commands.add_parser("backup", help="copy database and keys, while all runs; a start from there restores")
    backup.add_argument("directory", type=Path, metavar="DIRECTORY", help="where to; what is there is replaced")
    backup.set_defaults(run=_backup)
    health = commands.add_parser("health", help="say what waits, and whether all is well")
    health.set_defaults(run=_health)


def _backup(chosen: argparse.Namespace) -> int:
    from service.config import Settings
    from service.store.session import Store

    settings, directory = Settings.from_environment(), chosen.directory
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    store = Store(settings.database_url)
    copied = store.copy(directory / "stonepost.db")
    store.close()
    for source, name in ((settings.data / "secret", "secret"), (settings.dkim_key, "dkim.pem")):
        if source.exists():
            _copy(source, directory / name)
            copied = [*copied, name]
    print(f"{directory}: {', '.join(copied) or 'nothing to copy'}")
    if "stonepost.db" not in copied:
        print("The database is PostgreSQL's: pg_dump copies it.")
    return 0


def _copy(source: Path, target: Path) -> None:
    """A copy that nobody else may read, there at once or not at all."""
    half = target.with_suffix(".new")
    shutil.copyfile(source, half)
    half.chmod(0o600)
    os.replace(half, target)


def _health(_chosen: argparse.Namespace) -> int:
    from service.cli.site import this_site
    from service.play.operations.health import examine

    found = examine(this_site())
    print(f"last sweep     {'never' if found.swept is None else f'{found.swept.total_seconds():.0f} s ago'}")
    print(f"orders waiting {found.orders}")
    print(f"letters due    {found.letters}")
    print(f"letters stuck  {found.stuck}")
    return 1 if found.trouble else 0
