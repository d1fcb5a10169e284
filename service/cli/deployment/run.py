"""`stonepost run` and `stonepost migrate`: a whole deployment on one machine."""

from __future__ import annotations

import argparse
import errno
import fcntl
import gc
import logging
import os
import socket
import sys
import time
from contextlib import ExitStack
from importlib import import_module
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from service.addresses import with_port
from service.cli.deployment.output import say
from service.cli.site import up_to_date
from service.config import ROOT, Settings, SettingsError

if TYPE_CHECKING:
    from service.cli.deployment.supervisor import Process, Supervisor

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def add(commands: Commands) -> None:
    """Add this module's commands."""
    run = commands.add_parser(
        "run", help="start all processes in the Procfile, with an embedded queue and database by default"
    )
    run.add_argument("names", nargs="*", metavar="NAME", help="only these processes; needs REDIS_URL")
    run.set_defaults(run=_run)
    migrate = commands.add_parser("migrate", help="bring the database's tables up to date")
    migrate.set_defaults(run=_migrate)


def _run(chosen: argparse.Namespace) -> int:
    settings = (
        Settings.from_environment()
    )  # Before the slow imports below, so that wrong settings are reported immediately.
    from service.cli.deployment.supervisor import Supervisor, read_procfile

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
    environment = _environment(settings)
    processes = read_procfile((ROOT / "Procfile").read_text(), environment)
    if not chosen.names:
        return _run_all(settings, processes, environment)
    if unknown := {*chosen.names} - {process.name for process in processes}:
        known = ", ".join(process.name for process in processes)
        raise SettingsError(f"The Procfile has no process {min(unknown)}. It has {known}.")
    if not settings.redis_url:
        raise SettingsError("Set REDIS_URL: processes that start one by one have no embedded queue.")
    _get_ready()
    supervisor = Supervisor([process for process in processes if process.name in chosen.names])
    try:
        supervisor.tend_until_stopped()
    finally:
        supervisor.stop()
    return 0


def _run_all(settings: Settings, processes: list[Process], environment: dict[str, str]) -> int:
    """Runs everything on a database that is brought up to date first, and with an embedded queue unless REDIS_URL is
    set."""
    from service.cli.deployment.supervisor import Supervisor
    from service.cli.deployment.valkey import queue, wait_until_ready

    with sole_use(settings):
        _check_ports(settings)
        up_to_date(settings).close()
        _get_ready()
        embedded = [] if settings.redis_url else [queue(settings, environment)]
        supervisor = Supervisor(processes, embedded)
        try:
            for process in embedded:
                wait_until_ready(settings, process, stopping=lambda: supervisor.stopping)
            _announce(settings, supervisor)
            supervisor.tend_until_stopped()
        finally:
            say("Stopping.")
            supervisor.stop()
    return 0


def _get_ready() -> None:
    """Imports and makes what all processes need. They are forked from this one."""
    gc.disable()  # None of it is garbage.
    import_module("worker.ready").get_ready()
    gc.enable()


def _migrate(_chosen: argparse.Namespace) -> int:
    up_to_date(Settings.from_environment()).close()
    return 0


def sole_use(settings: Settings) -> IO[str]:
    """A lock on the data directory, held while the file is open; raises SettingsError if another process has it."""
    lock = (settings.data / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise SettingsError(
            f"Stonepost is already running, or being restored, with its data in {settings.data}."
        ) from None
    return lock


def is_running(settings: Settings) -> bool:
    """Whether a run has its data in this data directory."""
    try:
        with (settings.data / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _check_ports(settings: Settings) -> None:
    """Raises SettingsError for the first port that is already in use, not allowed, or wanted twice."""
    wanted = (
        ("WEB_PORT", "WEB_HOST", settings.web_host, settings.web_port),
        ("SMTP_PORT", "MAIL_HOST", settings.mail_host, settings.smtp_port),
        ("LMTP_PORT", "MAIL_HOST", settings.mail_host, settings.lmtp_port),
    )
    ours: dict[int, str] = {}
    with ExitStack() as probes:
        for name, host_name, host, port in wanted:
            probe = probes.enter_context(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET))
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
                probe.listen()  # Before that, others can bind the port too.
            except OSError as error:
                if port in ours:
                    told = f"{ours[port]} and {name} are both {port}. Set one of them to another port."
                else:
                    told = f"Port {port} on {host} can't be used ({error.strerror}). {_advice(error, name, host_name)}"
                raise SettingsError(told) from None
            ours[port] = name


def _advice(error: OSError, port_name: str, host_name: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Stop the program that uses it, or set {port_name} to another port."
    if error.errno == errno.EACCES:
        return f"Only root may use ports below 1024. Set {port_name} to another port."
    return f"Look at {host_name}."


def _environment(settings: Settings) -> dict[str, str]:
    """The environment of all processes: ours, plus the variables in the Procfile, and this Python first in PATH."""
    return {
        **os.environ,
        "PATH": f"{os.path.dirname(sys.executable)}:{os.environ.get('PATH', os.defpath)}",
        "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}".rstrip(":"),
        "STONEPOST_DATA": str(settings.data),
        "WEB_HOST": settings.web_host,
        "WEB_PORT": str(settings.web_port),
    }


def _announce(settings: Settings, supervisor: Supervisor) -> None:
    """Prints the addresses of the web pages and doors, once they answer."""
    doors = ((settings.web_host, settings.web_port), (settings.mail_host, settings.smtp_port))
    deadline = time.monotonic() + 60
    while not supervisor.stopping and time.monotonic() < deadline and not all(_answers(*door) for door in doors):
        supervisor.tend()
    if supervisor.stopping:
        return
    lines = [
        ("Web", f"{settings.public_url}/"),
        ("Email to", f"{with_port(settings.mail_host, settings.smtp_port)} (SMTP), {settings.lmtp_port} (LMTP)"),
        ("Mailbox", f"{urlsplit(settings.imap_url).hostname} (IMAP)"),
        ("Post office", f"{settings.public_url}/post-office/   read and answer all email here"),
        ("Data", str(settings.data)),
    ]
    absent = {"Mailbox": not settings.imap_url, "Post office": not settings.post_office_open}
    told = [f"  {label + ':':13} {where}" for label, where in lines if not absent.get(label)]
    say("\n".join(("\nStonepost is running. Ctrl-C stops it.\n", *told, "")))


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), 0.5).close()
    except OSError:
        return False
    return True
