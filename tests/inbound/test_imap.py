"""Mail fetched from a real IMAP server: soon, and exactly once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from threading import Thread

import pytest
from imap_tools import MailMessageFlags
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from service.inbound.imap import IDLE_AGAIN, Account, MailboxDoor
from service.inbound.smtp import SIZE_LIMIT
from service.play.inbox.receive import receive_unaddressed
from service.store.models import Entry
from service.store.tables.mail_rows import IncomingMail
from tests.play.conftest import Town, database, town
from tests.processes.deployment import PATIENCE, wait_for
from tests.processes.dovecot import PASSWORD, PATIENT, WHY_NOT, Dovecot
from tests.processes.test_doctor import doctor

__all__ = ["database", "town"]

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

numbers = count(1)


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with Dovecot() as dovecot:
        yield dovecot


@pytest.fixture
def user() -> str:
    """A mailbox of the test's own."""
    return f"box{next(numbers)}@play.example"


@contextmanager
def tended(door: MailboxDoor) -> Iterator[MailboxDoor]:
    thread = Thread(target=door.tend)
    thread.start()
    try:
        yield door
    finally:
        door.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def door_to(dovecot: Dovecot, user: str, receive: Callable[[bytes], None], size_limit: int = SIZE_LIMIT) -> MailboxDoor:
    account = Account.from_url(dovecot.url(user))
    return MailboxDoor(account=account, receive=receive, rest=0.1, size_limit=size_limit)


def kept(town: Town) -> list[IncomingMail]:
    with town.store.reading() as session:
        return [*session.scalars(select(IncomingMail).order_by(IncomingMail.id))]


def flags(dovecot: Dovecot, user: str) -> list[set[str]]:
    """The flags of every message in a mailbox, the oldest first."""
    with dovecot.log_in(user) as box:
        return [{*message.flags} - {MailMessageFlags.RECENT} for message in box.fetch(mark_seen=False)]


def has_kept(town: Town, number: int) -> bool:
    return len(kept(town)) == number


def is_marked(dovecot: Dovecot, user: str, number: int = 1) -> bool:
    """Whether there are `number` messages in a mailbox, all read."""
    return flags(dovecot, user) == [{MailMessageFlags.SEEN}] * number


def command(text: str, *, sender: str = "ada@example.org", to: str = "play@stonepost.localhost") -> bytes:
    identity = f"<{next(numbers)}@program.example>"
    return f"From: {sender}\r\nTo: {to}\r\nMessage-ID: {identity}\r\n\r\n{text}\r\n".encode()


SEEN, ASIDE = {MailMessageFlags.SEEN}, {MailMessageFlags.SEEN, MailMessageFlags.FLAGGED}


def test_mail_is_fetched_as_it_arrives_and_marked_once_it_is_stored(town: Town, dovecot: Dovecot, user: str) -> None:
    with tended(door_to(dovecot, user, partial(receive_unaddressed, town.site, door="imap"))):
        for number in range(1, 4):
            dovecot.bring(command("games"), [user])
            # Long before IDLE is renewed, because the server reports it.
            wait_for(partial(has_kept, town, number), "the message's arrival", IDLE_AGAIN / 2)
            wait_for(partial(is_marked, dovecot, user, number), "the mark")


def reply(town: Town) -> tuple[bytes, list[str]]:
    """A reply with the first move of a match, and its recipients."""
    invitation = town.write("ada@example.org", "new rosette base=5 vs bruno@example.org")[0]
    town.reply(invitation, "accept")
    turn = next(mail for mail in town.post() if "your move 1" in mail["Subject"])
    return town.written(turn, "g10")


def moves(town: Town) -> list[str]:
    town.work()
    with town.store.reading() as session:
        return [*session.scalars(select(Entry.move))]


def test_a_crash_between_storing_and_marking_repeats_nothing(town: Town, dovecot: Dovecot, user: str) -> None:
    raw, _ = reply(town)
    dovecot.bring(raw, [user])

    def keep_and_die(raw: bytes) -> None:
        receive_unaddressed(town.site, raw, "imap")
        dying.stop()

    dying = door_to(dovecot, user, keep_and_die)
    dying.tend()
    assert flags(dovecot, user) == [set()]
    assert moves(town) == ["g10"]
    before = len(kept(town))

    with tended(door_to(dovecot, user, partial(receive_unaddressed, town.site, door="imap"))):
        wait_for(lambda: is_marked(dovecot, user), "the mark")
    assert moves(town) == ["g10"]
    assert len(kept(town)) == before


def test_a_server_without_idle_is_polled(town: Town, dovecot: Dovecot) -> None:
    with tended(door_to(dovecot, PATIENT, partial(receive_unaddressed, town.site, door="imap"))):
        for number in (1, 2):
            dovecot.bring(command("games"), [PATIENT])
            wait_for(partial(is_marked, dovecot, PATIENT, number), "the mark")
    assert len(kept(town)) == 2


def test_a_message_that_cannot_be_received_is_set_aside(
    dovecot: Dovecot, user: str, caplog: pytest.LogCaptureFixture
) -> None:
    taken: list[bytes] = []

    def take(raw: bytes) -> None:
        if b"poison" in raw:
            raise ZeroDivisionError
        taken.append(raw)

    for text in ("poison", "x" * 2000, "games"):
        dovecot.bring(command(text), [user])
    with tended(door_to(dovecot, user, take, size_limit=2000)):
        wait_for(lambda: flags(dovecot, user) == [ASIDE, ASIDE, SEEN], "the marks")
    assert len(taken) == 1
    assert "it could not be received" in caplog.text
    assert "octets" in caplog.text


def test_a_message_is_tried_again_after_a_failure_on_our_side(dovecot: Dovecot, user: str) -> None:
    tries: list[bytes] = []

    def take(raw: bytes) -> None:
        tries.append(raw)
        if len(tries) == 1:
            raise OperationalError("INSERT", {}, Exception("the database is away"))

    dovecot.bring(command("games"), [user])
    with tended(door_to(dovecot, user, take)):
        wait_for(lambda: is_marked(dovecot, user), "the mark")
    assert tries == [tries[0]] * 2


def test_the_server_may_go_and_come_back(dovecot: Dovecot, user: str) -> None:
    taken: list[bytes] = []
    with tended(door_to(dovecot, user, taken.append)):
        dovecot.bring(command("games"), [user])
        wait_for(lambda: len(taken) == 1, "the first message")
        wait_for(lambda: is_marked(dovecot, user), "the mark")
        dovecot.stop()
        dovecot.start()
        dovecot.bring(command("status"), [user])
        wait_for(lambda: is_marked(dovecot, user, 2), "the second mark")
    assert len(taken) == 2


def test_a_password_goes_only_to_a_server_that_proves_its_name(
    dovecot: Dovecot, user: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    taken: list[bytes] = []
    door = partial(MailboxDoor, account=Account.from_url(dovecot.url(user, "imaps")), receive=taken.append, rest=0.1)
    dovecot.bring(command("games"), [user])
    with tended(door()):
        wait_for(lambda: "CERTIFICATE_VERIFY_FAILED" in caplog.text, "the refusal")
    assert not taken
    monkeypatch.setenv("SSL_CERT_FILE", str(dovecot.home / "certificate.pem"))
    with tended(door()):
        wait_for(lambda: len(taken) == 1, "the message")


def test_a_failed_sign_in_is_logged_without_the_password(
    dovecot: Dovecot, user: str, caplog: pytest.LogCaptureFixture
) -> None:
    account = Account.from_url(dovecot.url(user, password="not " + PASSWORD))
    with tended(MailboxDoor(account=account, receive=print, rest=0.1)):
        wait_for(lambda: "trying again" in caplog.text, "the refusal")
    assert "Authentication failed" in caplog.text
    assert PASSWORD not in caplog.text


def test_the_doctor_checks_the_mailbox_but_not_its_providers_dns(dovecot: Dovecot, user: str, tmp_path: Path) -> None:
    for password, found in ((PASSWORD, "ok   IMAP: INBOX on 127.0.0.1"), ("wrong", "fix  IMAP: ")):
        settings = {
            "STONEPOST_DATA": str(tmp_path),
            "MAIL_ADDRESS": user,
            "IMAP_URL": dovecot.url(user, password=password),
        }
        _, lines = doctor(settings)
        assert any(f"{what}: {said}".startswith(found) for what, said in lines.items())
        assert not any(what.endswith("MX") for what in lines)
