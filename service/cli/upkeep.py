"""The operator's commands `stonepost backup DIRECTORY` and `stonepost health`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    backup = commands.add_parser("backup", help="copy the database and the keys, while everything runs")
    backup.add_argument(
        "directory", type=Path, metavar="DIRECTORY", help="where to put the copy, replacing an earlier one"
    )
    backup.set_defaults(run=_backup)
    health = commands.add_parser(
        "health", help="show how much work is waiting; the exit code is 1 if something is wrong"
    )
    health.set_defaults(run=_health)
    ratings = commands.add_parser("ratings", help="compute all ratings again from the rated matches")
    ratings.add_argument("--again", action="store_true", help="do it, in one transaction")
    ratings.set_defaults(run=_ratings)

    annul = commands.add_parser("annul", help="have a match that is over count for nothing, in ratings and its event")
    annul.add_argument("match", type=int, metavar="MATCH", help="its number")
    annul.set_defaults(run=_annul)


def _annul(chosen: argparse.Namespace) -> int:
    from service.cli.site import this_site
    from service.play.ratings import recompute

    if not recompute.annul(this_site(), chosen.match):
        print(f"stonepost: There's no match {chosen.match} that is over.", file=sys.stderr)
        return 1
    print(f"Match {chosen.match} no longer counts. All ratings were computed again.")
    return 0


def _ratings(chosen: argparse.Namespace) -> int:
    from service.cli.site import this_site
    from service.play.ratings import recompute

    if not chosen.again:
        print("stonepost: Write stonepost ratings --again to compute all ratings again.", file=sys.stderr)
        return 2
    print(f"{recompute.again(this_site())} matches rated again")
    return 0


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
        print("The database is PostgreSQL: copy it with pg_dump.")
    return 0


def _copy(source: Path, target: Path) -> None:
    """Copies a file atomically, with mode 0600."""
    half = target.with_suffix(".new")
    shutil.copyfile(source, half)
    half.chmod(0o600)
    os.replace(half, target)


def _health(_chosen: argparse.Namespace) -> int:
    from service.cli.site import this_site
    from service.play.operations.health import TROUBLES, examine

    found = examine(this_site())
    print(f"last sweep     {'never' if found.swept is None else f'{found.swept.total_seconds():.0f} s ago'}")
    print(f"orders waiting {found.orders}")
    print(f"letters due    {found.letters}")
    print(f"letters failed {found.stuck}")
    print(f"{TROUBLES[found.trouble]}{f' ({found.error})' if found.error else ''}")
    return 1 if found.trouble else 0
