"""A site with its own database, whose nudges are carried out one by one in the test's process."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP, default
from functools import lru_cache
from pathlib import Path
from types import FrameType

import pytest
from sqlalchemy import event, select

from service.config import ROOT, Settings
from service.play.inbox.receive import receive
from service.play.inbox.run_commands import obey
from service.play.match import bot_moves
from service.play.match.review import go_on
from service.play.outbox.calls import call
from service.play.outbox.deliver import deliver, judge_and_send
from service.play.site import Site, Task
from service.play.table import estimate, replay
from service.store.session import Store
from service.store.tables.mail_rows import PostedMail
from tests.databases import data_folder, fresh, fresh_on_postgresql, shared


def think(site: Site, match_id: int) -> None:
    """What the worker's task of this name does."""
    bot_moves.think(site, match_id)
    estimate.think(site, match_id)


def review(site: Site, _match_id: int) -> None:
    """What the worker's task of this name does."""
    go_on(site)


WORK = {"judge": judge_and_send, "deliver": deliver, "call": call, "think": think, "review": review, "obey": obey}


@dataclass
class Town:
    """A site and what happens around it: a hand-set clock, a queue of nudges, and the mail it has posted."""

    settings: Settings
    store: Store
    now: datetime = datetime(2026, 11, 21, 12, tzinfo=UTC)
    queue: list[tuple[Task, int]] = field(default_factory=list)
    pace: timedelta = timedelta(seconds=1)
    """How long the worker takes for a task."""
    seen: int = 0
    mails: int = 0
    receipts: list[bytes] = field(default_factory=list)
    """The raw receipts that `post` has found so far: most tests are about other letters."""
    zone: dict[str, list[str]] = field(default_factory=dict)
    """DNS records by name and type, such as `s._domainkey.example.org TXT`."""

    @property
    def site(self) -> Site:
        return Site(
            self.settings,
            self.store,
            lambda task, subject: self.queue.append((task, subject)),
            lambda: self.now,
            lambda name, kind: self.zone.get(f"{name} {kind}", []),
        )

    def work(self) -> None:
        """Works through the queue as the worker would."""
        while self.queue:
            task, subject = self.queue.pop(0)
            WORK[task](self.site, subject)
            self.now += self.pace

    def post(self) -> list[EmailMessage]:
        """The emails posted since the last look, except receipts, which join `receipts`."""
        with self.store.reading() as session:
            new = select(PostedMail.id, PostedMail.raw).where(PostedMail.id > self.seen).order_by(PostedMail.id)
            mails = session.execute(new).all()
        self.seen = max((number for number, _ in mails), default=self.seen)
        self.receipts += [raw for _, raw in mails if _is_receipt(raw)]
        return [parsed(raw) for _, raw in mails if not _is_receipt(raw)]

    def reply(self, to: EmailMessage, text: str, sender: str = "", message_id: str = "") -> None:
        """Receives the reply of a mail program to the email `to`, and does all that follows."""
        receive(self.site, *self.written(to, text, sender, message_id), "smtp")
        self.work()

    def write(
        self, sender: str, text: str, subject: str = "", proven: bool = True, **headers: str
    ) -> list[EmailMessage]:
        """Receives an email to the desk; returns those that follow. With `proven`, our mail server vouches for it."""
        self.mails += 1
        mail = EmailMessage(policy=SMTP)
        if proven:
            mail["Authentication-Results"] = f"{self.settings.trusted_authserv_id}; spf=pass smtp.mailfrom={sender}"
        recipient = self.settings.desk
        mail["From"], mail["To"], mail["Subject"] = sender, recipient, subject
        mail["Date"], mail["Message-ID"] = self.now, f"<{self.mails}@program.example>"
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(f"{text}\n")
        receive(self.site, mail.as_bytes(), [recipient], "smtp")
        self.work()
        return self.post()

    def written(self, to: EmailMessage, text: str, sender: str = "", message_id: str = "") -> tuple[bytes, list[str]]:
        """A reply to the email `to` as raw bytes, and its recipients."""
        self.mails += 1
        reply = EmailMessage(policy=SMTP)
        reply["From"] = sender or to["To"]
        reply["To"] = to["Reply-To"]
        reply["Subject"] = f"Re: {to['Subject']}"
        reply["Date"] = self.now
        reply["Message-ID"] = message_id or f"<{self.mails}@program.example>"
        reply["In-Reply-To"] = to["Message-ID"]
        body = to.get_body(("plain",))
        assert body is not None
        quoted = "\n".join(f"> {line}" for line in str(body.get_content()).splitlines())
        reply.set_content(f"{text}\n\nOn Saturday, Stonepost wrote:\n{quoted}\n")
        return reply.as_bytes(), [to["Reply-To"].addresses[0].addr_spec]


@dataclass
class Writing:
    """How many transactions that write there were, and which functions of the rules ran in them."""

    times: int = 0
    rules: list[str] = field(default_factory=list)
    is_open: bool = False


@contextmanager
def writing(store: Store) -> Iterator[Writing]:
    """Observes this thread's transactions that write. SQLite has one writer at a time, for which all others wait."""
    found = Writing()

    def begin(*_: object) -> None:
        found.times, found.is_open = found.times + 1, True

    def end(*_: object) -> None:
        found.is_open = False

    def called(frame: FrameType, what: str, _: object) -> None:
        if found.is_open and what == "call" and frame.f_code.co_filename.startswith(RULES):
            found.rules.append(frame.f_code.co_qualname)

    hooks = {"after_begin": begin, "after_commit": end, "after_rollback": end}
    for name, hook in hooks.items():
        event.listen(store._write, name, hook)
    before = sys.getprofile()
    sys.setprofile(called)
    try:
        yield found
    finally:
        sys.setprofile(before)
        for name, hook in hooks.items():
            event.remove(store._write, name, hook)


RULES = tuple(str(ROOT / "service" / room) for room in ("engine", "games", "bots"))


class Remembered(HeaderRegistry):
    """Parses each header once: the standard library parses it again at each access, for each line of a body."""

    __call__ = lru_cache(1000)(HeaderRegistry.__call__)


READING = default.clone(header_factory=Remembered())


def _is_receipt(raw: bytes) -> bool:
    return re.search(rb"^Feedback-ID: [^\r\n]*:receipt:", raw.partition(b"\r\n\r\n")[0], re.MULTILINE) is not None


@lru_cache(300)
def parsed(raw: bytes) -> EmailMessage:
    """Parses a posted email. Don't change it: the same bytes always give the same object."""
    message = message_from_bytes(raw, policy=READING)
    assert isinstance(message, EmailMessage)
    return message


def whole(mail: EmailMessage) -> str:
    """The plain text of an email."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def plain(mail: EmailMessage) -> str:
    """The plain text without signed tokens, in which any short word may occur."""
    return _SIGNED.sub("...", whole(mail))


_SIGNED = re.compile(r"(?<=[+/])[\w.-]{24,}")
"""Tokens after `g+` in an address, and at the end of a link."""


ON_BOTH = ("test_at_once", "test_match", "test_old_letters")
"""The modules run on both kinds of database: the path of a move, concurrent use, and an upgrade."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "database" in metafunc.fixturenames and metafunc.module.__name__.rpartition(".")[2] in ON_BOTH:
        metafunc.parametrize("database", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def database(request: pytest.FixtureRequest, tables: Path) -> str:
    if getattr(request, "param", "sqlite") == "sqlite":
        return fresh(tables)
    return fresh_on_postgresql(request.getfixturevalue("postgres"))


@pytest.fixture
def town(tables: Path, database: str) -> Iterator[Town]:
    given = {"STONEPOST_DATA": str(data_folder(tables)), "DATABASE_URL": database, "STONEPOST_SECRET": SECRET}
    given |= {"TRUSTED_AUTHSERV_ID": "mx.town.example"}
    settings = Settings.from_environment(given)
    store = shared(database)
    replay.forget()
    yield Town(settings, store)
    store.close()


SECRET = "the same for every test, so that what is signed is too"
