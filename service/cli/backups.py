"""`stonepost backup DIRECTORY` copies the database and the keys while everything runs; `restore` puts them back."""

from __future__ import annotations

import argparse
import errno
import fcntl
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from service.cli.site import restoring

if TYPE_CHECKING:
    from service.config import Settings
    from service.store.session import Store

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

SQLITE, POSTGRESQL = "stonepost.db", "stonepost.dump"
"""The file names of the copies. The latter is in pg_dump's custom format."""


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
    from service.config import Settings, SettingsError
    from service.store.session import Store

    settings, directory = Settings.from_environment(), chosen.directory
    store = Store(settings.database_url)
    is_empty = not store.has_tables()
    store.close()
    if is_empty:  # As where STONEPOST_DATA is missing: an earlier copy must not be replaced by nothing.
        raise SettingsError(f"The database {store.engine.url.database} has no tables, so there's nothing to copy.")
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    is_sqlite = store.engine.dialect.name == "sqlite"
    database = SQLITE if is_sqlite else POSTGRESQL
    if is_sqlite and (directory / database).resolve() == Path(store.engine.url.database or "").resolve():
        # Moves that running processes still write to the replaced file would be lost.
        raise SettingsError(f"The database itself is in {directory}. Choose another directory for the copy.")
    with _alone(directory), _whole(directory / database) as half:
        if is_sqlite:
            store.copy(half)
        else:
            _run_tool(store, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={half}")
    store.close()
    keys = [(source, name) for source, name in _keys(settings) if source.exists()]
    for source, name in keys:
        _copy(source, directory / name)
    print(f"{directory}: {', '.join((database, *(name for _, name in keys)))}")
    return 0


def _restore(chosen: argparse.Namespace) -> int:
    from service.cli.deployment.run import sole_use
    from service.config import Settings

    settings = Settings.from_environment()
    with sole_use(settings):
        return _restore_alone(settings, chosen.directory)


def _restore_alone(settings: Settings, directory: Path) -> int:
    from service.config import SettingsError
    from service.play.notify import doors
    from service.store.session import Store
    from service.store.tables.pulse import Restoration

    store = Store(settings.database_url)
    begun = restoring(settings)
    if not store.has_tables():
        _put_back(settings, store, directory, begun)
    elif not begun.exists():
        store.close()
        raise SettingsError(
            "There's a database already. Restore on a machine without a database, or into an empty one."
        )
    store.migrate()
    with store.writing() as session:
        session.add(Restoration(at=(now := datetime.now(UTC))))
        doors.call_again(session, now)
    begun.unlink()
    print(_summary(store, directory))
    if not ((directory / "secret").exists() or os.environ.get("STONEPOST_SECRET")):
        print("The backup has no secret: links and reply addresses in earlier emails won't work.")
    store.close()
    return 0


def _put_back(settings: Settings, store: Store, directory: Path, begun: Path) -> None:
    """Copies the keys and the database; raises SettingsError. The file `begun` is there until the database is more than
    a copy: a restore that ends before that is finished by the next one."""
    from service.config import SettingsError, read_key

    store.close()  # The files that SQLite has open are replaced.
    keys = [(directory / name, target) for target, name in _keys(settings) if (directory / name).exists()]
    for key, _ in keys:
        read_key(key)
    is_sqlite = store.engine.dialect.name == "sqlite"
    _check(directory / (SQLITE if is_sqlite else POSTGRESQL), store)
    # Before the database: if a key can't be written, the restore can be repeated.
    for key, target in keys:
        _copy(key, target)
    begun.touch(mode=0o600)
    try:
        if is_sqlite:
            _copy(directory / SQLITE, Path(store.engine.url.database or ""))
        else:
            options = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
            _run_tool(store, "pg_restore", *options, str(directory / POSTGRESQL))
    except (SettingsError, OSError):
        begun.unlink()
        raise


def _check(copy: Path, store: Store) -> None:
    """Raises SettingsError if this copy is damaged, or if it lacks our tables or is of a newer version."""
    from service.config import SettingsError

    if not copy.exists():
        raise SettingsError(f"There's no {copy}.")
    versions = (_versions if copy.name == SQLITE else _versions_in_dump)(copy)
    if not versions:
        raise SettingsError(f"The file {copy} isn't a copy of a Stonepost database.")
    if not all(map(store.knows, versions)):
        raise SettingsError(f"The backup in {copy.parent} is from a newer version of Stonepost. Restore it with that.")


def _versions(copy: Path) -> list[str]:
    """The versions of our tables in an SQLite database, [] if it has none; raises SettingsError if it's damaged."""
    from service.config import SettingsError

    try:
        with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            found = database.execute("PRAGMA integrity_check").fetchone()[0]
            ours = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
            versions = database.execute("SELECT version_num FROM alembic_version").fetchall() if ours else []
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        raise SettingsError(f"The database in the backup is damaged: {found}.")
    return [version for (version,) in versions]


def _versions_in_dump(copy: Path) -> list[str]:
    """The same of a dump. Raises SettingsError also if it was made by a newer pg_dump."""
    rows = _run("pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(copy))
    return re.findall(r"^(\S+)\n\\\.$", rows, re.MULTILINE)


def _summary(store: Store, directory: Path) -> str:
    """What a restored database contains, and its latest order."""
    from sqlalchemy import func, select

    from service.store.models import Match, Player, Submission

    counted = (func.count(Player.id), func.count(Match.id), func.coalesce(func.sum(Match.ply), 0))
    with store.reading() as session:
        players, matches, moves = (session.scalar(select(count)) for count in counted)
        latest = session.scalar(select(func.max(Submission.received)))
    found = (
        f"{players} {'player' if players == 1 else 'players'}, {matches} {'match' if matches == 1 else 'matches'} and "
        f"{moves} {'move' if moves == 1 else 'moves'}"
    )
    point = "It has no orders." if latest is None else f"The latest order is from {latest:%Y-%m-%d %H:%M:%S} UTC."
    return f"Restored {found} from {directory}. {point}"


def _run_tool(store: Store, program: str, *arguments: str) -> None:
    """Runs one of PostgreSQL's programs on the database; raises SettingsError if it fails. Its password is passed in
    the environment, because everybody can read a command line."""
    from psycopg.conninfo import make_conninfo

    given = store.for_libpq()
    password = given.pop("password", "")
    secret = {"PGPASSWORD": password} if password else {}
    _run(program, f"--dbname={make_conninfo(**given)}", *arguments, **secret)


def _run(program: str, *arguments: str, **more: str) -> str:
    """What one of PostgreSQL's programs prints, with more in its environment; raises SettingsError if it fails."""
    from service.config import SettingsError

    try:
        done = subprocess.run([program, *arguments], env=os.environ | more, capture_output=True, text=True)  # noqa: S603 (ours)
    except FileNotFoundError:
        raise SettingsError(f"{program} isn't installed. Debian's package postgresql-client has it.") from None
    if done.returncode:
        raise SettingsError(f"{program} failed: {' '.join(done.stderr.split())[:300]}")
    return done.stdout


def _keys(settings: Settings) -> tuple[tuple[Path, str], ...]:
    """The files of the keys, and what their copies are called."""
    return (settings.data / "secret", "secret"), (settings.dkim_key, "dkim.pem")


def _copy(source: Path, target: Path) -> None:
    """Copies a file atomically, with mode 0600."""
    with _whole(target) as half:
        shutil.copyfile(source, half)


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Locks a directory, because two backups would replace each other's unfinished files; raises SettingsError if
    another backup is writing there."""
    from service.config import SettingsError

    lock = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # Some network file systems can't lock a directory.
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SettingsError(f"Another backup is being written to {directory}.") from None
        yield
    finally:
        os.close(lock)


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """A new file (mode 0600) that replaces `target` once it's complete, and is deleted if it can't be completed.

    Raises SettingsError if the disk is full.
    """
    from service.config import SettingsError

    half = target.with_suffix(".new")
    half.unlink(missing_ok=True)
    try:
        half.touch(mode=0o600)
        yield half
        os.replace(half, target)
    except (OSError, sqlite3.Error) as error:
        if _is_full(error):
            raise SettingsError(f"There's no room for the copy in {target.parent}.") from error
        raise
    finally:
        half.unlink(missing_ok=True)


def _is_full(error: OSError | sqlite3.Error) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
