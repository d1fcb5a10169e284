"""The path of a move by email through the files of `service/`: `python -m tests.way` prints it for service/README.md.

A move is mailed to the real SMTP listener, judged, and answered with a letter to a mail server, all in this process,
which has had no other mail. A file is on the path if one of its functions runs, a package is a folder of such files,
and a step back is a chain of calls that enters a package, leaves it for another, and enters it again.

The limits are for the files in which something is decided about the move: those of `inbound` and `play`. The pure
packages are one stop each, entered by one call and left with a value (an email read, a position, a picture), and so is
`store`; their files are counted apart.
"""

from __future__ import annotations

import asyncio
import smtplib
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.policy import default
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from service.config import ROOT, Settings
from service.inbound.smtp import Door, open_door
from service.mail.grammar.orders import parse
from service.play.accounts import identity
from service.play.inbox.receive import receive, why_unknown
from service.play.match import invitations, lobby
from service.play.match.lobby import Chair
from service.play.orders.submit import Incoming, submit
from service.play.outbox import smtp_client
from service.play.outbox.deliver import deliver, judge_and_send
from service.play.site import Site, Task
from service.store.session import Store
from tests.ports import free_port

SERVICE = f"{ROOT / 'service'}/"
ADA, BEN = "ada@example.org", "ben@example.net"
TRANSACTION = "play"
"""The package of `play/site.py`: transactions are opened and nudges fired from everywhere."""


class Way(NamedTuple):
    """Files in the order in which the move first reaches them, and the chains of calls that return to a package they
    had left."""

    files: tuple[str, ...]
    returns: frozenset[tuple[str, ...]]

    @property
    def steps(self) -> dict[str, list[str]]:
        """The files that decide, by their packages, in that order."""
        return {package: files for package, files in self._packages().items() if _decides(package)}

    @property
    def stops(self) -> dict[str, list[str]]:
        """The other files, by the top packages they are in."""
        return {package: files for package, files in self._packages().items() if not _decides(package)}

    def _packages(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file in map(Path, self.files):
            package = str(file.parent)
            found.setdefault(package if _decides(package) else package.split("/")[0], []).append(file.stem)
        return found

    def shown(self) -> str:
        """The path as service/README.md shows it."""
        lines = [f"{package:17} {', '.join(files)}" for package, files in self.steps.items()]
        stops = ", ".join(package for package in self.stops if package != ".")
        return "\n".join([*lines, f"{'stops on the way':17} {stops}"])


def _decides(package: str) -> bool:
    return package.split("/")[0] in ("inbound", "play")


class Recorder:
    """Notes which functions of `service/` run while it is `on`, in whatever thread."""

    def __init__(self) -> None:
        self.on = False
        self.files: dict[str, None] = {}
        self.returns: set[tuple[str, ...]] = set()

    def __call__(self, frame: FrameType, event: str, _arg: object) -> None:
        if self.on and event == "call" and (file := _counted(frame)):
            self.files[file] = None
            chain = [place for place, _ in groupby(_packages(frame))]
            if chain and chain.count(chain[0]) > 1:
                self.returns.add(tuple(reversed(chain)))


def _counted(frame: FrameType) -> str:
    """The file below `service/` whose function this is; "" if it doesn't count."""
    code = frame.f_code
    if not code.co_filename.startswith(SERVICE) or code.co_name.startswith("<") or _is_class_body(frame):
        return ""
    return code.co_filename.removeprefix(SERVICE)


def _is_class_body(frame: FrameType) -> bool:
    return "__module__" in frame.f_locals and "__qualname__" in frame.f_locals


def _packages(frame: FrameType) -> Iterator[str]:
    """The packages of a chain of calls, the innermost first."""
    at: FrameType | None = frame
    while at is not None:
        if (file := _counted(at)) and (package := str(Path(file).parent)) != TRANSACTION and _decides(package):
            yield package
        at = at.f_back


class Sink:
    """A mail server that accepts every letter."""

    def __init__(self) -> None:
        self.letters: list[bytes] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        self.letters.append(envelope.content)
        return "250 OK"


@contextmanager
def _sink() -> Iterator[tuple[Sink, int]]:
    sink, port = Sink(), free_port()
    controller = Controller(sink, hostname="127.0.0.1", port=port, data_size_limit=None)
    controller.start()
    try:
        yield sink, port
    finally:
        smtp_client.hang_up()
        controller.stop()


@contextmanager
def _door(site: Site) -> Iterator[int]:
    """The port of the site's SMTP listener, which runs in its own thread."""
    door = Door(
        receive=lambda raw, to, name, peer: receive(site, raw, to, name, peer),
        domain=site.settings.mail_domain,
        refuse=lambda recipient: why_unknown(site, recipient),
        smtp_port=0,
        lmtp_port=None,
    )
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    opened = asyncio.run_coroutine_threadsafe(open_door(door), loop).result(60)
    try:
        yield opened.ports["smtp"]
    finally:
        asyncio.run_coroutine_threadsafe(opened.close(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _move(letter: bytes, text: str) -> EmailMessage:
    """The reply to a turn's letter."""
    turn = message_from_bytes(letter, policy=default)
    reply = EmailMessage(policy=SMTP_POLICY)
    reply["From"], reply["To"], reply["Subject"] = turn["To"], turn["Reply-To"], f"Re: {turn['Subject']}"
    reply["Message-ID"], reply["In-Reply-To"] = "<1@program.example>", turn["Message-ID"]
    reply.set_content(f"{text}\n\nOn Saturday, Stonepost wrote:\n> It's your move.\n")
    return reply


def trace() -> Way:
    """The path of the second move of a match of Rosette, which Ben sends by email."""
    recorder, queue = Recorder(), list[tuple[Task, int]]()
    with tempfile.TemporaryDirectory() as data, _sink() as (sink, port):
        url = f"smtp://127.0.0.1:{port}"
        given: dict[str, Any] = {"STONEPOST_DATA": data, "STONEPOST_SECRET": "s" * 32, "SMTP_URL": url}
        settings = Settings.from_environment({**given, "MAIL_TRUST": "token"})
        store = Store(settings.database_url)
        store.migrate()
        site = Site(settings, store, lambda task, subject: queue.append((task, subject)))
        _play_first(site)
        _work(site, queue)
        reply = _move(sink.letters[-1], "e10")
        threading.setprofile(recorder)
        with _door(site) as door:
            sys.setprofile(recorder)
            recorder.on = True
            with smtplib.SMTP("127.0.0.1", door) as client:
                client.send_message(reply)
            _work(site, queue)
            recorder.on = False
            sys.setprofile(None)
        threading.setprofile(None)
        store.close()
    assert b"e10" in sink.letters[-1]
    return Way(tuple(recorder.files), frozenset(recorder.returns))


def _play_first(site: Site) -> None:
    """Opens a match and plays its first move on the web."""
    with site.transaction() as tx:
        ada, ben = (identity.by_email(tx.session, email, tx.now) for email in (ADA, BEN))
        match = lobby.open_match(tx, ada.id, "rosette", {"base": "5"}, [Chair("me"), Chair("email", BEN)])
        invitations.answer(tx, match, ben.id, True)
        submit(tx, Incoming("web:1", match, 0, ada.id, 1, parse("g10"), "web"))


def _work(site: Site, queue: list[tuple[Task, int]]) -> None:
    """Works through the queue as the worker does."""
    while queue:
        task, subject = queue.pop(0)
        {"judge": judge_and_send, "deliver": deliver}[task](site, subject)


def main() -> None:
    """Prints the path, and how many files it has."""
    way = trace()
    print(way.shown())
    steps, stops = (sum(map(len, files.values())) for files in (way.steps, way.stops))
    print(f"\n{steps} files in {len(way.steps)} packages, and {stops} files at the {len(way.stops)} stops")
    for chain in sorted(way.returns, key=len):
        print("back:", " > ".join(chain))


if __name__ == "__main__":
    main()
