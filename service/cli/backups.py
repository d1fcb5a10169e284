"""`stonepost backup DIRECTORY` copies the database and the keys while everything runs; `restore` puts them back."""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.config import Settings
    from service.store.session import Store

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

SQLITE, POSTGRESQL = "stonepost.db", "stonepost.dump"
"""What the copy of the database is called. The latter is pg_dump's custom format."""


def add(commands: Commands) -> None:
    """Add this module's commands."""
    backup = commands.add_parser("backup", help="copy the database and the keys, while everything runs")
    backup.add_argument(
        "directory", type=Path, metavar="DIRECTORY", help="where to put the copy, replacing an earlier one"
    )
    backup.set_defaults(run=_backup)
    restore = commands.add_parser("restore", help="put a backup where there's no database yet, and check it")
    restore.add_argument("directory", type=Path, metavar="DIRECTORY", help="where the copy is")
    restore.set_defaults(run=_restore)


def _backup(chosen: argparse.Namespace) -> int:
    from service.config import Settings
    from service.store.session import Store

    settings, directory = Settings.from_environment(), chosen.directory
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    store = Store(settings.database_url)
    if not (copied := store.copy(directory / SQLITE)):
        half = directory / f"{POSTGRESQL}.new"
        _run_tool(store, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={half}")
        os.replace(half, directory / POSTGRESQL)
        copied = [POSTGRESQL]
    store.close()
    for source, name in _keys(settings):
        if source.exists():
            _copy(source, directory / name)
            copied = [*copied, name]
    print(f"{directory}: {', '.join(copied)}")
    return 0


def _restore(chosen: argparse.Namespace) -> int:
    from service.config import Settings, SettingsError
    from service.store.session import Store

    directory, settings = chosen.directory, Settings.from_environment()
    store = Store(settings.database_url)
    if store.has_tables():
        store.close()
        raise SettingsError("There's a database already. Restore a backup where there's none, or into an empty one.")
    store.close()  # What SQLite has opened by now is replaced.
    if store.engine.dialect.name == "sqlite":
        _check(directory / SQLITE)
        _copy(directory / SQLITE, Path(store.engine.url.database or ""))
    else:
        options = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
        _run_tool(store, "pg_restore", *options, str(directory / POSTGRESQL))
    for target, name in _keys(settings):
        if (directory / name).exists():
            _copy(directory / name, target)
    store.migrate()
    print(f"{directory}: restored {_summary(store)}")
    store.close()
    return 0


def _check(copy: Path) -> None:
    """Raises SettingsError if SQLite finds this copy of a database damaged."""
    from service.config import SettingsError

    if not copy.exists():
        raise SettingsError(f"There's no {copy}.")
    try:
        with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro", uri=True)) as database:
            found = database.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        raise SettingsError(f"The database in the backup is damaged: {found}.")


def _summary(store: Store) -> str:
    """What a restored database has, and up to when."""
    from sqlalchemy import func, select

    from service.store.models import Match, Player, Submission

    counted = (func.count(Player.id), func.count(Match.id), func.coalesce(func.sum(Match.ply), 0))
    with store.reading() as session:
        players, matches, moves = (session.scalar(select(count)) for count in counted)
        latest = session.scalar(select(func.max(Submission.received)))
    point = "no orders" if latest is None else f"the latest order from {latest:%Y-%m-%d %H:%M:%S} UTC"
    return f"players: {players}, matches: {matches}, moves: {moves}; {point}"


def _run_tool(store: Store, program: str, *arguments: str) -> None:
    """Runs one of PostgreSQL's programs on the database; raises SettingsError if it fails. Its password is passed in
    the environment, because everybody can read a command line."""
    from service.config import SettingsError

    url = store.engine.url
    database = url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    environment = os.environ | ({"PGPASSWORD": str(url.password)} if url.password else {})
    try:
        done = subprocess.run(  # noqa: S603 (the arguments are ours)
            [program, f"--dbname={database}", *arguments], env=environment, stderr=subprocess.PIPE, text=True
        )
    except FileNotFoundError:
        raise SettingsError(f"{program} isn't installed. Debian's package postgresql-client has it.") from None
    if done.returncode:
        raise SettingsError(f"{program} failed: {' '.join(done.stderr.split())[:300]}")


def _keys(settings: Settings) -> tuple[tuple[Path, str], ...]:
    """The files of the keys, and what their copies are called."""
    return (settings.data / "secret", "secret"), (settings.dkim_key, "dkim.pem")


def _copy(source: Path, target: Path) -> None:
    """Copies a file atomically, with mode 0600."""
    half = target.with_suffix(".new")
    shutil.copyfile(source, half)
    half.chmod(0o600)
    os.replace(half, target)
