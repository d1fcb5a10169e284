"""`stonepost doctor`: checks everything a server needs, and prints for each what is wrong and what to do."""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import shutil
import ssl
import stat
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError

from service.cli.deployment.run import is_running

if TYPE_CHECKING:
    from service.mail.letters.dns_records import Finding
    from service.play.site import Site

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

PATIENCE = 3.0
"""Seconds that the queue, the processes at it, and the web page may take to answer."""

TIME_ERROR = 5
"""What adjtimex(2) returns while the clock isn't synchronised."""

Check = Callable[["Site"], tuple[str, str]]
"""Returns two texts: what is wrong and what to do, or "", and what was found."""


def add(commands: Commands) -> None:
    """Add this module's command."""
    doctor = commands.add_parser(
        "doctor", help="check everything a server needs, and say what to do; the exit code is 1 if something is wrong"
    )
    doctor.set_defaults(run=_doctor)


def _doctor(_chosen: argparse.Namespace) -> int:
    wrong = 0
    for finding in findings():
        print(f"{'ok ' if finding.well else 'fix'}  {finding.what}: {finding.found}", flush=True)
        wrong += not finding.well
    return 1 if wrong else 0


def findings() -> Iterator[Finding]:
    """Checks the deployment that the environment describes, and yields each result."""
    from service.cli.site import this_site
    from service.config import SettingsError
    from service.mail.letters.dns_records import Finding

    try:
        site = this_site(migrate=False)
    except (SettingsError, OSError) as error:
        yield Finding("settings", False, str(error))
        return
    with closing(site.store):
        for what, check in (("settings", _settings), ("files", _files), ("disk", _disk), ("clock", _clock)):
            yield _look(site, what, check)
        database = _look(site, "database", _in_time(_database))
        yield database
        for what, check in (("tables", _tables), ("backup", _backup)) if database.well else ():
            yield _look(site, what, _in_time(check))
        yield from _processes(site, database.well)
        yield _look(site, "mail server", _mail_server)
        yield from _incoming_mail(site)


def _processes(site: Site, has_database: bool) -> Iterator[Finding]:
    """The checks that need running processes; if there are none, one finding says so."""
    running = _look(site, "processes", _running)
    if not running.well:
        yield running
        return
    if has_database:
        yield _look(site, "health", _in_time(_health))
    for what, check in (("queue", _queue), ("limits", _limits), ("web", _web)):
        yield _look(site, what, check)


def _running(site: Site) -> tuple[str, str]:
    runs = site.settings.redis_url or is_running(site.settings)
    return ("" if runs else "Stonepost isn't running. Start it."), "running"


def _in_time(check: Check) -> Check:
    """A check of the database that takes ten seconds at most."""
    from service.play.operations.health import TROUBLES, in_time

    def checked(site: Site) -> tuple[str, str]:
        try:
            return in_time(partial(check, site))
        except TimeoutError:
            return TROUBLES["hung"], ""

    return checked


def _look(site: Site, what: str, check: Check) -> Finding:
    import psycopg
    from amqp import AMQPError
    from kombu.exceptions import OperationalError as QueueError
    from redis import RedisError
    from sqlalchemy.exc import SQLAlchemyError

    from service.mail.letters.dns_records import Finding
    from service.mail.redact import redacted

    try:
        trouble, found = check(site)
    except (SQLAlchemyError, psycopg.Error, QueueError, AMQPError, RedisError, OSError) as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        trouble, found = f"{type(error).__name__}: {redacted(reason)[:300]}", ""
    return Finding(what, not trouble, trouble or found)


def _settings(site: Site) -> tuple[str, str]:
    settings = site.settings
    if not settings.development and not settings.proxies:
        return (
            "TRUSTED_PROXIES is 0, but a proxy in front must handle TLS, so all visitors count as one. "
            "Set it to the number of reverse proxies."
        ), ""
    return "", f"{'development' if settings.development else 'production'}, {settings.public_url}"


def _files(site: Site) -> tuple[str, str]:
    """The data directory and the keys must belong to this user and be closed to others."""
    settings = site.settings
    for path in (settings.data, *_existing(settings.data / "secret", settings.dkim_key)):
        found = path.stat()
        if found.st_uid != os.geteuid():
            return (
                f"{path} belongs to user {found.st_uid}, not {os.geteuid()}. Run this as the user of the service.",
                "",
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            can, mode = ("look into", 700) if path == settings.data else ("read", 600)
            return f"Other users can {can} {path}. Run: chmod {mode} {path}", ""
    if not os.access(settings.data, os.W_OK):
        return f"{settings.data} can't be written to.", ""
    return "", f"{settings.data} and the keys can't be read by other users."


def _existing(*paths: Path) -> list[Path]:
    return [path for path in paths if path.exists()]


def _disk(site: Site) -> tuple[str, str]:
    from service.play.operations.health import LEAST_ROOM

    free = shutil.disk_usage(site.settings.data).free
    few = f"Only {free / 1e6:.0f} MB are free in {site.settings.data}. Free some space." if free < LEAST_ROOM else ""
    return few, f"{free / 1e9:.1f} GB free"


def _clock(_site: Site) -> tuple[str, str]:
    # The structure timex is filled in for reading, and has at most 208 bytes on Linux.
    state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(1024))
    if state == TIME_ERROR:
        return "Nothing keeps this machine's clock right. Install systemd-timesyncd or chrony.", ""
    return "", "is kept right" if state >= 0 else "This machine doesn't let us ask whether it is kept right."


def _database(site: Site) -> tuple[str, str]:
    """Checked without SQLAlchemy, which can't even connect to a PostgreSQL database with the wrong encoding."""
    import psycopg

    if site.store.engine.dialect.name == "sqlite":
        return _sqlite(site)
    given = site.store.for_libpq() | {"connect_timeout": int(PATIENCE)}
    with psycopg.connect(**given) as connection:
        encoding, version = map(connection.info.parameter_status, ("server_encoding", "server_version"))
        if encoding != "UTF8":
            return f"Its encoding is {encoding}. Make one with createdb --encoding UTF8 --template template0.", ""
        asked = "SELECT clock_timestamp(), current_setting('transaction_read_only') = 'on'"
        theirs, is_closed = connection.execute(asked).fetchone() or (site.now(), False)
    if is_closed:
        return "It can only be read: it is a standby, or default_transaction_read_only is on.", ""
    apart = abs(theirs - site.now()).total_seconds()
    return (f"Its clock and ours are {apart:.0f} seconds apart. Correct them." if apart > 5 else ""), (
        f"PostgreSQL {version}"
    )


def _sqlite(site: Site) -> tuple[str, str]:
    from sqlalchemy.exc import DatabaseError, OperationalError

    file = site.store.engine.url.database or ""
    try:
        site.store.has_tables()
    except OperationalError:
        raise  # It's busy, or can't be opened.
    except DatabaseError as error:
        return f"{file} can't be read ({error.orig}). Move it away, and run: stonepost restore DIRECTORY", ""
    if not os.access(file, os.W_OK):
        return f"{file} can't be written to. Give it to the user of the service.", ""
    return "", f"SQLite in {file}"


def _tables(site: Site) -> tuple[str, str]:
    from alembic.util import CommandError

    try:
        return ("" if site.store.is_migrated() else "They aren't up to date. Run: stonepost migrate"), "up to date"
    except CommandError:
        return "They are from a newer version of Stonepost. Run that version, or restore a backup.", ""


def _health(site: Site) -> tuple[str, str]:
    from service.play.operations.health import TROUBLES, examine

    found = examine(site)
    trouble = f"{TROUBLES[found.trouble]}{f' ({found.error})' if found.error else ''}" if found.trouble else ""
    stuck = f" {found.stuck} letters failed: see stonepost mail stuck." if found.stuck else ""
    return trouble, f"{TROUBLES['']}{stuck}"


def _backup(site: Site) -> tuple[str, str]:
    """PostgreSQL's own tools must not be older than the server."""
    from sqlalchemy import text

    if site.store.engine.dialect.name == "sqlite":
        return "", "stonepost backup needs no other program."
    with site.store.reading() as session:
        server = int(session.scalar(text("SHOW server_version_num")) or 0) // 10_000
    for tool in ("pg_dump", "pg_restore"):
        if shutil.which(tool) is None:
            return f"stonepost backup needs {tool}. Install postgresql-client.", ""
        told = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout  # noqa: S603 (a fixed name)
        found = re.search(r"\) (\d+)", told)  # pg_dump (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)
        if found is None:  # Debian's postgresql-client-common has only a script that looks for the program.
            return f"{tool} can't be run. Install postgresql-client-{server}.", ""
        version = int(found[1])
        if version < server:
            return f"{tool} {version} is older than the server, {server}. Install postgresql-client-{server}.", ""
    return "", f"pg_dump {version}"


def _queue(_site: Site) -> tuple[str, str]:
    """Whether the queue answers, and whether a process serves each of its queues."""
    worker = import_module("worker.app")
    with worker.app.connection_for_read(connect_timeout=PATIENCE) as connection:
        connection.ensure_connection(max_retries=1, timeout=PATIENCE)
        answers = worker.app.control.inspect(timeout=PATIENCE, connection=connection).active_queues() or {}
    tended = {queue["name"] for queues in answers.values() for queue in queues}
    if missing := worker.QUEUES.keys() - tended:
        return f"No process is looking after {', '.join(sorted(missing))}. Start one: see the Procfile.", ""
    return "", f"answers, and so do {', '.join(sorted(answers))}."


def _limits(site: Site) -> tuple[str, str]:
    from limits.storage import storage_from_string

    from service import broker

    url, options = broker.counter(site.settings)
    # A class for each kind of storage; some raise their own errors.
    counts = storage_from_string(url, **options).check()
    advice = "Look at REDIS_URL." if site.settings.redis_url else "Restart Stonepost."
    return ("" if counts else f"Requests can't be counted. {advice}"), "requests are counted."


def _web(site: Site) -> tuple[str, str]:
    url = f"{site.settings.public_url}/health/live"
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE, context=ssl.create_default_context()) as page:  # noqa: S310
            page.read(100)
    except (OSError, HTTPException) as error:
        # A URLError wraps the real error. An HTTPError, such as 502, speaks for itself.
        inside = error.reason if type(error) is URLError else error
        reason = getattr(inside, "strerror", None) or " ".join(str(inside).split())
        return f"{url} can't be opened from here ({reason}). Check PUBLIC_URL, its proxy, certificate and DNS.", ""
    return "", f"{site.settings.public_url} answers."


def _mail_server(site: Site) -> tuple[str, str]:
    from service.play.outbox import smtp_client

    if site.settings.post_office_open:
        return "", "all email stays in the local post office."
    try:
        smtp_client.knock(site.settings)
    except smtp_client.Away as error:
        return f"The server in SMTP_URL can't be used ({error}).", ""
    return "", "takes a connection."


def _incoming_mail(site: Site) -> Iterator[Finding]:
    """Checks the mailbox, if there is one, and the DNS, unless it's the mailbox provider's business."""
    from service.mail.letters import dkim_sign, dns_records

    settings = site.settings
    key: str | None = ""
    if settings.imap_url:
        yield _look(site, "IMAP", _mailbox)
    if _is_there(settings.dkim_key):
        signing = _look(site, "DKIM key", _dkim_key)
        yield signing
        key = dkim_sign.record(settings.dkim_key.read_bytes()) if signing.well else None
    if not (settings.shares_domain or settings.post_office_open):
        yield from dns_records.examine(settings.mail_domain, settings.dkim_selector, key, site.look_up)


def _is_there(path: Path) -> bool:
    """Whether there is such a file. Where we may not look, we say yes, and reading it fails with the reason."""
    try:
        return path.exists()
    except OSError:
        return True


def _dkim_key(site: Site) -> tuple[str, str]:
    from service.mail.letters.dkim_sign import Signer

    settings = site.settings
    try:
        Signer(settings.dkim_key.read_bytes(), settings.mail_domain, settings.dkim_selector)
    except ValueError:
        advice = "Put it back from a backup, or delete it and run: stonepost mail dkim-key"
        return f"{settings.dkim_key} has no RSA key. {advice}", ""
    return "", f"{settings.dkim_key} signs outgoing mail."


def _mailbox(site: Site) -> tuple[str, str]:
    from service.inbound.imap import Account, MailboxDoor

    account = Account.from_url(site.settings.imap_url)
    door = MailboxDoor(account=account, receive=lambda _raw: None, rest=1.0)
    return door.trouble(), f"{account.folder} on {account.host} can be opened."
