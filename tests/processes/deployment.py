"""A deployment of its own: real processes with a temporary data directory, free ports, and a mail server to send to."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope, Session

from service.config import ROOT, Settings
from service.play.site import Site
from service.store.session import Store
from tests.ports import free_port

T = TypeVar("T")

PATIENCE = 120.0
"""Seconds for anything to happen, on a machine that is also busy with other things."""

KINDS = {name: name for name in ("web", "worker", "think", "upkeep", "hooks", "beat", "mail")}
KINDS["queue"] = "valkey-server"
"""The processes of a deployment, and what they call themselves."""


def wait_for(happened: Callable[[], T], what: str, patience: float = PATIENCE) -> T:
    """Returns what has happened, soon after it has; fails if it doesn't within `patience` seconds."""
    deadline, pause = time.monotonic() + patience, 0.01
    while not (found := happened()):
        assert time.monotonic() < deadline, f"{what} did not happen within {patience:.0f} s"
        time.sleep(pause)
        pause = min(1.5 * pause, 0.1)  # Checking takes processor time from what we wait for.
    return found


class Arrival(NamedTuple):
    """An email that the mail server has accepted. `said` is false if the sender got no confirmation."""

    message_id: str
    content: bytes
    """A hash of its content."""
    said: bool = True
    when: float = 0.0
    """In monotonic time."""


class Outbox:
    """The mail server that letters are sent to. It records each arrival and its time."""

    doors: type[Controller] = Controller

    def __init__(self) -> None:
        self.arrived: list[Arrival] = []
        self._port = free_port()
        self._server: Controller | None = None

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self._port}"

    async def handle_DATA(self, server: Any, session: Session, envelope: Envelope) -> str:
        """aiosmtpd's hook."""
        self.take(envelope)
        return "250 2.0.0 OK"

    def take(self, envelope: Envelope, said: bool = True) -> Message:
        """Records a letter, and returns it."""
        assert isinstance(envelope.content, bytes)
        letter = message_from_bytes(envelope.content)
        name, content = str(letter["Message-ID"]), sha256(envelope.content).digest()
        self.arrived.append(Arrival(name, content, said, time.monotonic()))
        return letter

    @property
    def identities(self) -> list[str]:
        """The Message-ID of everything that arrived."""
        return [one.message_id for one in self.arrived.copy()]

    def has(self, identity: str) -> bool:
        """Whether a message has arrived."""
        return any(identity == one.message_id for one in reversed(self.arrived.copy()))

    def when(self, identity: str) -> float:
        """The monotonic time at which the first copy of a message arrived."""
        return next(one.when for one in self.arrived.copy() if one.message_id == identity)

    def open(self) -> None:
        """Listens."""
        self._server = self.doors(self, hostname="127.0.0.1", port=self._port)
        self._server.start()

    def close(self) -> None:
        """Refuses connections."""
        if self._server is not None:
            self._server.stop()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class Deployment:
    """`stonepost run` in a process of its own, and what a test can see and do from outside."""

    data: Path
    settings_given: dict[str, str] = field(default_factory=dict)
    ports: dict[str, int] = field(
        default_factory=lambda: {name: free_port() for name in ("WEB_PORT", "SMTP_PORT", "LMTP_PORT")}
    )
    run: subprocess.Popen[bytes] | None = None
    program: tuple[str, ...] = ("-m", "service.cli")
    """The arguments of Python."""
    apart: bool = True
    """Whether it leads a session of its own. In the tests' session, opponents that think yield to the tests, too."""

    @property
    def environment(self) -> dict[str, str]:
        chosen = {"STONEPOST_DATA": str(self.data), "SWEEP_SECONDS": "2", "MAIL_TRUST": "token", **self.settings_given}
        return os.environ | {name: str(port) for name, port in self.ports.items()} | chosen

    @cached_property
    def site(self) -> Site:
        """The same site in this process, to set things up and to look; its nudges go nowhere."""
        settings = Settings.from_environment(self.environment)
        return Site(settings, Store(settings.database_url), lambda _task, _subject: None)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.ports['WEB_PORT']}"

    def start(self, output: int | None = None) -> subprocess.Popen[bytes]:
        """Begins to start everything. Its output goes to a file, or to `output` if given."""
        with (self.data / "said").open("a") as said:
            self.run = subprocess.Popen(
                [sys.executable, *self.program, "run"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=said if output is None else output,
                stderr=subprocess.STDOUT,
                start_new_session=self.apart,
            )
        return self.run

    def wait_until_open(self) -> None:
        """Waits until web and mail answer, and the worker has done its first sweep."""
        wait_for(lambda: all(map(answers, self.ports.values())), "opening")
        wait_for(lambda: len(self.pids("worker")) > 2 and len(self.pids("upkeep")) > 1, "the workers' start")

    @contextmanager
    def running(self) -> Iterator[Deployment]:
        """Started, and stopped at the end."""
        self.start()
        try:
            self.wait_until_open()
            yield self
        finally:
            self.stop()
            self.site.store.close()

    def stop(self) -> None:
        """Sends Ctrl-C, and waits for the end."""
        assert self.run is not None
        with suppress(ProcessLookupError):
            self.run.send_signal(signal.SIGINT)
        self.run.wait(timeout=PATIENCE)

    def pids(self, name: str) -> list[int]:
        """The processes of one kind, parents before their children."""
        assert self.run is not None
        return [pid for pid in descendants(self.run.pid) if process_name(pid) == KINDS[name]]

    def kill(self, name: str, child: bool = False) -> int:
        """Sends SIGKILL to a parent, or to its newest child; returns its id."""
        pids = wait_for(lambda: self.pids(name)[child:], f"the start of {name}")
        pid = pids[-1 if child else 0]
        os.kill(pid, signal.SIGKILL)
        return pid


def answers(port: int) -> bool:
    """Whether a server listens on this port."""
    try:
        socket.create_connection(("127.0.0.1", port), 10).close()
    except OSError:
        return False
    return True


def descendants(pid: int) -> list[int]:
    """All descendants of a process."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [found for child in children for found in (child, *descendants(child))]


def process_name(pid: int) -> str:
    """What a process calls itself; "" when it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def alive(pid: int) -> bool:
    """Whether a process still exists and isn't a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
