"""Letters sent through a mail server on this machine, and bounces."""

from __future__ import annotations

import asyncio
import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote

import dkim
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from sqlalchemy import event, select
from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.orm import Session as Reading

from service.mail import reply_address
from service.mail.letters import dkim_sign
from service.mail.reply_address import Purpose, ReplyAddress
from service.play.accounts import identity
from service.play.company_letters import ClubNotice, EventNews
from service.play.inbox.receive import receive
from service.play.notify.announce import owe
from service.play.operations import failed_letters
from service.play.operations.health import examine
from service.play.operations.sweep import sweep
from service.play.outbox import compose, relay, smtp_client
from service.play.outbox import deliver as sending
from service.play.outbox.deliver import ATTEMPTS, LEASE, claim, deliver
from service.play.outbox.unsubscribe import StopError, state, stop, stop_at_once
from service.play.pages import match_page
from service.play.site import Site
from service.store.models import Player
from service.store.tables.mail_rows import IncomingMail, Letter
from tests.play.conftest import Town, parsed, plain, whole
from tests.ports import free_port
from tests.processes.certificate import make_certificate
from tests.processes.deployment import wait_for

ADA, BEN, CLEO = "ada@example.org", "ben@example.net", "cleo@example.org"


@dataclass
class Post:
    """A mail server: the letters it has accepted, and its answer for each recipient."""

    answers: dict[str, str] = field(default_factory=dict)
    taken: list[tuple[str, str, bytes]] = field(default_factory=list)
    lines: set[object] = field(default_factory=set)
    asked: Event = field(default_factory=Event)
    answering: Event = field(default_factory=Event)
    """Set once it receives a letter; and cleared while it must not answer."""
    leaves_after: int | None = None
    """After how many letters it hangs up, if it does."""

    def __post_init__(self) -> None:
        self.answering.set()

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, to: str, options: list[str]) -> str:
        self.lines.add(session.peer)
        if to in self.answers:
            return self.answers[to]
        envelope.rcpt_tos.append(to)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        self.asked.set()
        await asyncio.to_thread(self.answering.wait, 60)
        if self.leaves_after is not None and len(self.taken) >= self.leaves_after:
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
            return "451 this reaches nobody"
        self.taken.append((str(envelope.mail_from), envelope.rcpt_tos[0], envelope.content))
        return "250 OK"


@pytest.fixture
def server(town: Town) -> Iterator[Post]:
    """The mail server through which the town sends all letters."""
    port = free_port()
    town.settings = replace(town.settings, smtp_url=f"smtp://127.0.0.1:{port}")
    with listening(Post(), port) as post:
        yield post


@contextmanager
def listening(post: Post, port: int, tls: ssl.SSLContext | None = None) -> Iterator[Post]:
    """A mail server listening on this port. With `tls`, it offers STARTTLS."""
    controller = Controller(post, hostname="127.0.0.1", port=port, server_hostname="relay.example", tls_context=tls)
    controller.start()
    yield post
    smtp_client.hang_up()
    controller.stop()


def ask(town: Town, *emails: str) -> None:
    """Sends sign-in links to these addresses."""
    for email in emails:
        identity.ask_sign_in(town.site, email)
    town.work()


def letters(town: Town) -> list[Letter]:
    with town.store.reading() as session:
        return list(session.scalars(select(Letter).order_by(Letter.id)))


def player(town: Town, email: str) -> Player:
    with town.store.reading() as session:
        return session.scalars(select(Player).where(Player.email == email)).one()


def match(town: Town) -> dict[str, EmailMessage]:
    """Begins match 1 of Ada and Ben; their first emails, by address."""
    relayed, town.settings = town.settings, replace(town.settings, smtp_url="")
    invitation = town.write(ADA, f"new rosette base=5 vs {BEN}")[0]
    town.reply(invitation, "accept")
    town.settings = relayed
    return {mail["To"].addresses[0].addr_spec: mail for mail in town.post()}


def test_letters_are_sent_over_one_connection_each_with_its_own_return_path(town: Town, server: Post) -> None:
    ask(town, ADA, BEN, ADA)
    assert [to for _, to, _ in server.taken] == [ADA, BEN, ADA]
    assert {parsed(raw)["Feedback-ID"] for _, _, raw in server.taken} == {"all:sign_in:player:stonepost"}
    assert len(server.lines) == 1
    backs = [reply_address.read(town.settings.secret, sender) for sender, _, _ in server.taken]
    assert [back and (back.player, back.purpose) for back in backs] == [
        (player(town, ADA).id, Purpose.BOUNCE),
        (player(town, BEN).id, Purpose.BOUNCE),
        (player(town, ADA).id, Purpose.BOUNCE),
    ]


def test_a_broken_connection_is_opened_again(town: Town, server: Post) -> None:
    ask(town, ADA)
    line = smtp_client._lines.line
    assert line is not None
    assert line.server.sock is not None
    line.server.sock.close()
    ask(town, BEN)
    assert [to for _, to, _ in server.taken] == [ADA, BEN]


def test_a_letter_refused_for_now_is_retried_and_one_refused_for_good_is_given_up(town: Town, server: Post) -> None:
    server.answers = {ADA: "450 4.2.0 try later", BEN: "550 5.7.1 we do not like you"}
    ask(town, ADA, BEN)
    assert [(letter.sent, letter.due is None) for letter in letters(town)] == [(None, False), (None, True)]
    assert player(town, BEN).bounced is None
    assert [letter.why for letter in failed_letters.letters(town.site)] == ["550 5.7.1 we do not like you"]
    server.answers = {}
    town.now += timedelta(minutes=5)
    town.queue.append(("deliver", letters(town)[0].id))
    assert failed_letters.again(town.site) == 1
    town.work()
    assert all(letter.sent for letter in letters(town))


def test_a_letter_that_is_no_longer_of_use_isnt_listed_as_failed(town: Town, server: Post) -> None:
    mails = match(town)
    server.answers = {ADA: "550 5.7.1 we do not like you"}
    town.reply(mails[ADA], "f12")
    assert [letter.kind for letter in failed_letters.letters(town.site)] == ["receipt"]
    server.answers = {}
    town.reply(parsed(next(raw for _, to, raw in server.taken if to == BEN)), "g11")
    assert failed_letters.again(town.site) == 1
    town.work()
    assert failed_letters.letters(town.site) == []


def test_the_receipt_is_sent_even_if_the_opponents_letter_is_refused(town: Town, server: Post) -> None:
    mails = match(town)
    server.answers = {BEN: "450 4.2.0 try later"}
    town.reply(mails[ADA], "f12")
    assert [to for _, to, _ in server.taken] == [ADA]
    turn, receipt = letters(town)[-2:]
    assert (turn.kind, turn.sent, turn.attempts, "450" in turn.error) == ("turn", None, 1, True)
    assert (receipt.kind, receipt.sent is not None) == ("receipt", True)


def test_the_receipt_is_sent_even_if_the_opponents_letter_cannot_be_composed(
    town: Town, server: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    mails = match(town)
    write = compose.compose

    def stumble(site: Site, session: Reading, letter: Letter) -> bytes:
        if letter.kind == "turn":
            raise RuntimeError("a mistake")
        return write(site, session, letter)

    monkeypatch.setattr(compose, "compose", stumble)
    town.reply(mails[ADA], "f12")
    assert [to for _, to, _ in server.taken] == [ADA]
    assert [letter.error for letter in letters(town)[-2:]] == ["RuntimeError: a mistake", ""]
    assert [record.exc_info is not None for record in caplog.records if "cannot be written" in record.message] == [True]


@pytest.mark.parametrize(
    ("said", "taken", "trouble"),
    [
        ("450 4.2.2 mailbox full", [ADA], ""),
        ("451 4.7.1 Service unavailable, try again later", [], "unsent"),
        ("452 4.3.1 insufficient storage", [], "unsent"),
        ("421 too busy", [], "unsent"),
    ],
)
def test_a_full_mailbox_delays_no_other_letter(
    town: Town, server: Post, monkeypatch: pytest.MonkeyPatch, said: str, taken: list[str], trouble: str
) -> None:
    mails, take = match(town), server.handle_DATA

    async def choose(smtp: SMTP, session: Session, envelope: Envelope) -> str:
        return said if envelope.rcpt_tos == [BEN] else await take(smtp, session, envelope)

    monkeypatch.setattr(server, "handle_DATA", choose)
    sweep(town.site)
    town.reply(mails[ADA], "f12")
    assert [to for _, to, _ in server.taken] == taken
    town.now += timedelta(seconds=30)
    sweep(town.site)
    assert examine(town.site).trouble == trouble


@pytest.mark.parametrize("taken", [0, 1])
def test_when_the_server_hangs_up_letters_it_took_are_noted_and_the_rest_wait(
    town: Town, server: Post, knocks: list[Site], taken: int
) -> None:
    mails = match(town)
    server.leaves_after = taken
    town.reply(mails[ADA], "f12")
    turn, receipt = letters(town)[-2:]
    assert [to for _, to, _ in server.taken] == [BEN][:taken]
    assert (turn.sent is not None, receipt.sent) == (bool(taken), None)
    assert (turn.attempts, receipt.attempts) == (1, taken)
    server.leaves_after = None
    town.now += timedelta(minutes=5)
    sweep(town.site)
    town.work()
    assert [to for _, to, _ in server.taken] == [BEN, ADA]


def test_a_letter_of_a_dead_process_is_sent_within_half_a_minute(town: Town, server: Post) -> None:
    identity.ask_sign_in(town.site, ADA)
    ((_, letter_id),) = town.queue
    town.queue.clear()
    with town.site.transaction() as tx:
        assert claim(tx, tx.session.get_one(Letter, letter_id))
    for seconds, taken in ((10, 0), (20, 1)):
        town.now += timedelta(seconds=seconds)
        sweep(town.site)
        town.work()
        assert len(server.taken) == taken


def test_no_other_process_sends_a_letter_that_a_slow_server_is_receiving(town: Town, server: Post) -> None:
    """The lease is renewed every two seconds of the real clock, and ends by the one set by hand."""
    town.settings = replace(town.settings, sweep_seconds=8)
    identity.ask_sign_in(town.site, ADA)
    ((_, letter_id),) = town.queue
    server.answering.clear()
    with ThreadPoolExecutor(1) as another:
        sending = another.submit(deliver, town.site, letter_id)
        assert server.asked.wait(60)
        town.now += timedelta(seconds=7)
        wait_for(lambda: letters(town)[0].due == town.now + timedelta(seconds=8), "the renewal of the lease")
        town.now += timedelta(seconds=7)
        deliver(town.site, letter_id)
        server.answering.set()
        sending.result()
        another.submit(smtp_client.hang_up).result()
    assert len(server.taken) == letters(town)[0].attempts == 1


def test_an_address_that_does_not_exist_gets_only_what_it_asks_for(town: Town, server: Post) -> None:
    server.answers = {BEN: "550 5.1.1 no such user"}
    town.write(ADA, f"new rosette vs {BEN}")
    assert player(town, BEN).bounced is not None
    town.write(CLEO, f"new rosette vs {BEN}")
    invitations = [letter for letter in letters(town) if letter.kind == "invitation"]
    assert [(letter.error, letter.held) for letter in invitations] == [("550 5.1.1 no such user", False), ("", True)]
    server.answers = {}
    ask(town, BEN)
    assert letters(town)[-1].attempts == 1


def test_news_of_an_event_isnt_sent_to_an_address_that_does_not_exist(town: Town, server: Post) -> None:
    server.answers = {BEN: "550 5.1.1 no such user"}
    ask(town, BEN, ADA)
    for email in (BEN, ADA):
        with town.site.transaction() as tx:
            news = EventNews(event=1, name="Winter cup", what="begins")
            owe(tx, f"event:1:1:begins:{email}", player(town, email).id, news)
    town.work()
    assert [(letter.attempts, letter.due is None, letter.error) for letter in letters(town)[-2:]] == [
        (0, True, ""),
        (1, False, ""),
    ]


def test_emails_that_could_not_be_sent_come_once_the_address_works_again(town: Town, server: Post) -> None:
    server.answers = {BEN: "550 5.1.1 no such user"}
    town.write(ADA, f"new rosette vs {BEN}")
    town.write(CLEO, f"new lotus vs {BEN}")
    town.now = town.now.replace(hour=18)
    sweep(town.site)
    server.answers = {}
    town.write(BEN, "status")
    sweep(town.site)
    town.work()
    told = [parsed(raw)["Subject"] for _, to, raw in server.taken if to == BEN]
    assert [subject for subject in told if "Lotus" in subject] == ["Lotus 2: you're invited to play"]


def test_each_failure_doubles_the_delay_until_the_letter_is_given_up(town: Town, server: Post) -> None:
    server.answers = {ADA: "450 4.2.0 try later"}
    ask(town, ADA)
    delays = []
    while (due := letters(town)[0].due) is not None:
        delays.append(round((due - town.now).total_seconds() / town.settings.sweep_seconds))
        town.now = due
        town.queue.append(("deliver", 1))
        town.work()
    assert delays == [LEASE * 2**attempt for attempt in range(ATTEMPTS - 1)]
    assert [letter.attempts for letter in failed_letters.letters(town.site)] == [ATTEMPTS]


@pytest.mark.parametrize(
    ("away", "failures", "is_noted"),
    [(OperationalError, 2, True), (OperationalError, 3, False), (InternalError, 2, True), (InterfaceError, 2, True)],
)
def test_a_letter_is_noted_as_sent_even_if_the_database_is_away_for_a_moment(
    town: Town, server: Post, monkeypatch: pytest.MonkeyPatch, away: type[DBAPIError], failures: int, is_noted: bool
) -> None:
    """Otherwise a copy would be sent. A read-only PostgreSQL raises an InternalError."""
    monkeypatch.setattr(sending, "NOTED_AGAIN", (0, 0))
    left = iter(range(failures))

    def fail(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("UPDATE letter SET sent") and next(left, None) is not None:
            raise away(statement, None, OSError("the server closed the connection"))

    event.listen(town.store.engine, "before_cursor_execute", fail)
    with nullcontext() if is_noted else pytest.raises(away):
        ask(town, ADA)
    event.remove(town.store.engine, "before_cursor_execute", fail)
    assert ([to for _, to, _ in server.taken], letters(town)[0].sent is not None) == ([ADA], is_noted)


@pytest.fixture
def knocks(monkeypatch: pytest.MonkeyPatch) -> list[Site]:
    """The calls of `relay.knock`, which does nothing: the tests themselves knock."""
    begun: list[Site] = []
    monkeypatch.setattr(relay, "knock", begun.append)
    return begun


def leave(town: Town) -> str:
    """Has letters sent to a port on which nobody listens; returns the URL of the server."""
    reachable = town.settings.smtp_url
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        town.settings = replace(town.settings, smtp_url=f"smtp://127.0.0.1:{nobody.getsockname()[1]}")
    return reachable


def test_letters_wait_for_a_server_that_is_down_and_are_sent_once_it_is_up(
    town: Town, server: Post, knocks: list[Site]
) -> None:
    reachable = leave(town)
    ask(town, ADA, BEN)
    assert len(knocks) == 2
    for _ in range(2 * ATTEMPTS):
        town.now += timedelta(seconds=40)
        sweep(town.site)
        assert len(town.queue) == 1  # One, so that a process knocks even if the one that did has died.
        town.work()
        assert not relay.opens(town.site)
    assert [letter.attempts for letter in letters(town)] == [0, 0]
    town.settings = replace(town.settings, smtp_url=reachable)
    assert relay.opens(town.site)
    assert [to for _, to, _ in server.taken] == []
    town.work()
    assert sorted(to for _, to, _ in server.taken) == [ADA, BEN]
    assert relay.opens(town.site)
    assert town.queue == []


def test_a_letter_that_is_due_later_isnt_sent_early_when_the_server_is_up_again(
    town: Town, server: Post, knocks: list[Site]
) -> None:
    reachable = leave(town)
    ask(town, ADA)
    later = town.now + timedelta(hours=3)
    with town.store.writing() as session:
        session.get_one(Letter, 1).due = later
    town.settings = replace(town.settings, smtp_url=reachable)
    assert relay.opens(town.site)
    town.work()
    assert letters(town)[0].due == later


def test_one_thread_of_a_process_knocks_until_the_server_is_up(town: Town) -> None:
    port = free_port()
    town.settings = replace(town.settings, sweep_seconds=1, smtp_url=f"smtp://127.0.0.1:{port}")
    ask(town, ADA, BEN)
    (knocking,) = (thread for thread in threading.enumerate() if thread.name == "knock")
    with listening(Post(), port) as post:
        knocking.join(60)
        town.work()
    assert sorted(to for _, to, _ in post.taken) == [ADA, BEN]


def test_letters_leave_through_a_server_that_hangs_up_instead_of_saying_goodbye(
    town: Town, server: Post, knocks: list[Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang_up(smtp: SMTP, *_: object) -> str:
        assert isinstance(smtp.transport, asyncio.Transport)
        smtp.transport.abort()
        return "221 Bye"

    monkeypatch.setattr(server, "handle_QUIT", hang_up, raising=False)
    reachable = leave(town)
    ask(town, ADA)
    town.settings = replace(town.settings, smtp_url=reachable)
    assert relay.opens(town.site)
    town.work()
    assert [to for _, to, _ in server.taken] == [ADA]


def test_a_letter_that_another_process_is_sending_isnt_sent_twice_when_the_server_is_up_again(
    town: Town, server: Post
) -> None:
    """The server accepts few connections: one process has an open one, and another had none and knocks."""
    identity.ask_sign_in(town.site, ADA)
    town.queue.clear()
    with town.site.transaction() as tx:
        assert claim(tx, tx.session.get_one(Letter, 1))
        relay.note_away(tx, smtp_client.Away(OSError("too many connections")))
    assert relay.opens(town.site)
    assert town.queue == []
    deliver(town.site, 1)
    assert server.taken == []


def test_no_letter_is_sent_to_another_machine_without_encryption_unless_a_setting_allows_it(
    town: Town, server: Post, knocks: list[Site], caplog: pytest.LogCaptureFixture
) -> None:
    """Letters have links that sign people in. 0.0.0.0 connects to this machine and isn't a loopback address."""
    outside = town.settings.smtp_url.replace("127.0.0.1", "me:secret@0.0.0.0")
    town.settings = replace(town.settings, smtp_url=outside)
    ask(town, "ada@example.org")
    assert server.taken == []
    assert "0.0.0.0 offers no STARTTLS: use smtps:// in SMTP_URL, or set SMTP_CLEARTEXT=1" in caplog.text
    assert "secret" not in caplog.text
    town.settings = replace(town.settings, smtp_url=outside.replace("me:secret@", ""), smtp_cleartext=True)
    assert relay.opens(town.site)
    town.work()
    assert len(server.taken) == 1


@pytest.mark.parametrize(
    ("host", "cleartext", "taken"), [("127.0.0.1", False, 1), ("0.0.0.0", False, 0), ("0.0.0.0", True, 1)]
)
def test_a_mail_server_on_this_machine_or_one_allowed_without_tls_may_have_a_self_signed_certificate(
    town: Town, knocks: list[Site], tmp_path: Path, host: str, cleartext: bool, taken: int
) -> None:
    """Debian's Postfix offers STARTTLS with a self-signed certificate. Servers elsewhere need a valid one."""
    make_certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    port = free_port()
    town.settings = replace(town.settings, smtp_url=f"smtp://{host}:{port}", smtp_cleartext=cleartext)
    with listening(Post(), port, tls) as post:
        ask(town, ADA)
        assert len(post.taken) == taken


def test_a_letter_that_cannot_be_composed_delays_nothing_and_is_shown_to_operators(town: Town, server: Post) -> None:
    turns = match(town)
    with town.store.writing() as session:
        # As a bug might leave it: the first letter owed for the next move has a seat that doesn't exist.
        spoilt = {"kind": "turn", "player_id": player(town, BEN).id, "match_id": 1, "created": town.now}
        session.add(Letter(key="turn:1:1:9", data={"ply": 0, "seat": 9}, due=town.now, attempts=ATTEMPTS - 1, **spoilt))
    sweep(town.site)
    town.now += timedelta(minutes=1)
    sweep(town.site)
    town.reply(turns[ADA], "g10")
    assert [to for _, to, _ in server.taken[-2:]] == [BEN, ADA]
    assert parsed(server.taken[-2][2])["Subject"] == "Rosette 1: your move 2 (Black played g10)"
    assert [(letter.kind, letter.attempts, letter.why[:10]) for letter in failed_letters.letters(town.site)] == [
        ("turn", ATTEMPTS, "IndexError")
    ]


def test_a_letter_whose_last_attempt_never_ended_is_shown_to_operators(town: Town, server: Post) -> None:
    identity.ask_sign_in(town.site, ADA)
    town.queue.clear()
    for _ in range(ATTEMPTS + 1):
        with town.site.transaction() as tx:
            # Each time the process dies while it sends.
            claim(tx, tx.session.get_one(Letter, 1))
        town.now += timedelta(days=3)
    assert [letter.attempts for letter in failed_letters.letters(town.site)] == [ATTEMPTS]


def test_a_domain_gets_a_limited_number_a_minute_and_the_rest_wait(town: Town, server: Post) -> None:
    town.settings = replace(town.settings, letters_per_minute=2)
    ask(town, "a@slow.example", "b@slow.example", "c@slow.example", "d@other.example")
    assert [to for _, to, _ in server.taken] == ["a@slow.example", "b@slow.example", "d@other.example"]
    waiting = letters(town)[2]
    assert (waiting.attempts, waiting.error, waiting.sent) == (0, "", None)
    assert waiting.due is not None
    assert waiting.due > town.now


def test_letters_are_sent_while_the_server_that_counts_them_hangs(
    town: Town, server: Post, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hung:
        redis_url = f"redis://127.0.0.1:{hung.getsockname()[1]}/0"
        town.settings = replace(town.settings, redis_url=redis_url, letters_per_minute=2)
        ask(town, "a@slow.example", "b@slow.example", "c@SLOW.example", "d@other.example")
    assert [to for _, to, _ in server.taken] == ["a@slow.example", "b@slow.example", "d@other.example"]
    assert caplog.text.count("letters are counted by each process alone (TimeoutError)") == 1


def test_letters_are_signed_once_there_is_a_key(town: Town, server: Post) -> None:
    key = dkim_sign.new_key()
    town.settings.dkim_key.write_bytes(key)
    town.now = datetime(2021, 11, 21, 12, tzinfo=UTC)  # By the real clock, a signature from the future is invalid.
    ask(town, ADA)
    raw = server.taken[0][2]
    assert dkim.DKIM(raw).verify(dnsfunc=lambda name, timeout=0: dkim_sign.record(key).encode())


def report(town: Town, email: str, kind: str, fields: str) -> None:
    """Delivers a mail server's report to the return path of a player's emails."""
    back = reply_address.write(
        town.settings.secret, reply_address.ReplyAddress(player(town, email).id, 1, purpose=Purpose.BOUNCE)
    )
    town.mails += 1
    raw = (
        f"From: MAILER-DAEMON@mx.example\nMessage-ID: <{town.mails}@mx.example>\n"
        f"Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/{kind}\n\n{fields}\n--b--\n"
    )
    receive(town.site, raw.encode(), [f"{back}@{town.settings.mail_domain}"], "lmtp")
    town.work()


def test_a_bounce_stops_emails_and_is_shown_to_all_players(town: Town) -> None:
    turns = match(town)
    report(town, BEN, "delivery-status", "Action: failed\nStatus: 5.2.2")
    assert player(town, BEN).bounced is None
    report(town, BEN, "delivery-status", "Action: failed\nStatus: 5.1.1")
    town.work()
    (told,) = town.post()
    assert told["Subject"] == "Rosette 1: emails to White are bouncing"
    town.reply(turns[ADA], "g10")
    assert town.post() == []
    assert plain(told).startswith("Emails to White are bouncing, so White may not know")
    assert "White to move, but emails to White are bouncing." in plain(town.write(ADA, "status")[0]).replace("\n", " ")
    page = match_page.match_page(town.site, 1, player(town, ADA).id)
    assert page is not None
    assert [seat.bounces for seat in page.line.seats] == [False, True]
    assert "Rosette 1" in plain(town.write(BEN, "status")[0])
    assert (player(town, BEN).bounced, player(town, BEN).bounces_known) == (None, True)
    town.write(BEN, "match 1\ne1")
    assert player(town, BEN).bounces_known is False


def test_a_bounced_invitation_doesnt_say_that_a_clock_is_running(town: Town) -> None:
    town.write(ADA, f"new rosette base=5 vs {BEN}")
    report(town, BEN, "delivery-status", "Action: failed\nStatus: 5.1.1")
    (told,) = town.post()
    assert told["Subject"] == "Rosette 1: emails to White are bouncing"
    assert "clock" not in plain(told)
    assert "If you have another way to reach them" in plain(told)


def complain(town: Town, name: str, mail: bytes) -> str:
    """Delivers a provider's complaint about an email, with this name in its Message-ID. Returns the verdict."""
    raw = (
        f"From: fbl@provider.example\nMessage-ID: <{name}@provider.example>\n".encode()
        + b"Content-Type: multipart/report; report-type=feedback-report; boundary=b\n\n"
        b"--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\n"
        b"--b\nContent-Type: message/rfc822\n\n" + mail + b"\n--b--\n"
    )
    receive(town.site, raw, [f"abuse@{town.settings.mail_domain}"], "lmtp")
    with town.store.reading() as session:
        return str(session.scalars(select(IncomingMail.verdict)).all()[-1])


def test_a_complaint_stops_all_emails(town: Town) -> None:
    turns = match(town)
    assert complain(town, "whole", turns[BEN].as_bytes()) == "complaint"
    assert player(town, BEN).post == "off"
    assert player(town, ADA).post == "instant"


def test_a_complaint_counts_only_with_the_return_path_of_its_readers_address(town: Town) -> None:
    """The reply address isn't proof, since a copy of an answer has it too."""
    turns = match(town)
    who = player(town, BEN).id
    assert complain(town, "reply", f"Reply-To: {turns[BEN]['Reply-To']}\n\n".encode()) == "automatic"
    old = town.site.reply_address(ReplyAddress(who, 1, reply_address.mark("ben@old.example"), purpose=Purpose.BOUNCE))
    assert complain(town, "old", f"Return-Path: <{old}>\n\n".encode()) == "automatic"
    assert player(town, BEN).post == "instant"
    back = town.site.reply_address(ReplyAddress(who, 1, reply_address.mark(BEN), purpose=Purpose.BOUNCE))
    assert complain(town, "back", f"Return-Path: <{back}>\n\n".encode()) == "complaint"
    assert player(town, BEN).post == "off"


def test_emails_about_a_match_can_be_stopped_with_one_click(town: Town) -> None:
    turns = match(town)
    turn = turns[ADA]
    assert turn["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert turn["Feedback-ID"] == "rosette:turn:match:stonepost"
    link = str(turn["List-Unsubscribe"]).strip("<>")
    assert "Stop emails about this match: http" in whole(turn)
    assert link not in whole(turn)  # A link in the text would reach others when it is quoted.
    token = link.rpartition("/")[2]
    stop_at_once(town.site, token)
    assert state(town.site, token).here == "off"
    town.reply(turn, "g10")
    town.reply(town.post()[-1], "e10")
    assert town.post() == []
    stop(town.site, token, None, ADA, again=True)
    stop(town.site, token, player(town, ADA).id, everything=True)
    assert (state(town.site, token).here, state(town.site, token).all_stopped) == ("", True)
    with pytest.raises(StopError, match="incomplete"):
        stop_at_once(town.site, token[:-2])


def test_answers_to_a_players_own_emails_have_no_unsubscribe_link(town: Town) -> None:
    town.reply(match(town)[ADA], "nonsense")
    (refusal,) = town.post()
    assert refusal["List-Unsubscribe"] is None
    assert parsed(refusal.as_bytes())["Auto-Submitted"] == "auto-replied"


@pytest.mark.parametrize("answer", ["450 4.7.1 Client host rejected", "554 5.7.1 Relay access denied"])
def test_health_reports_a_mail_server_that_refuses_everybody_until_a_letter_is_sent(
    town: Town, server: Post, answer: str
) -> None:
    sweep(town.site)
    people = [f"{name}@{name}.example" for name in ("ada", "ben", "cleo", "dora", "emil")]
    server.answers = dict.fromkeys(people, answer)
    ask(town, *people[:4])
    town.now += timedelta(seconds=21)
    assert examine(town.site).trouble == "", "their own mail servers may have refused it"
    ask(town, people[4])
    with town.site.transaction() as tx:
        notice = owe(tx, "club:1", 1, ClubNotice(to=1, what="seat", games=("go",)))
        assert notice is not None
        notice.sent, notice.due = town.now, None  # By the club's hook.
    assert (examine(town.site).trouble, examine(town.site).error) == ("unsent", "every recipient is refused")
    ask(town, CLEO)
    assert len(server.taken) == 1
    assert examine(town.site).trouble == ""


def test_health_reports_within_a_minute_that_email_cannot_be_sent_and_when_it_can_again(
    town: Town, server: Post, knocks: list[Site]
) -> None:
    reachable = leave(town)
    ask(town, ADA)
    town.now += timedelta(seconds=30)
    sweep(town.site)
    assert (examine(town.site).trouble, examine(town.site).error) == ("unsent", "ConnectionRefusedError")
    town.settings = replace(town.settings, smtp_url=reachable)
    assert relay.opens(town.site)
    town.work()
    assert examine(town.site).trouble == ""


def test_health_reports_a_mail_server_that_goes_away_between_two_letters(
    town: Town, server: Post, knocks: list[Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    def send(*given: Any) -> None:
        if server.taken:
            raise smtp_client.Away(ConnectionRefusedError("nobody listens"))
        reached(*given)

    mails, reached = match(town), smtp_client.send
    monkeypatch.setattr(smtp_client, "send", send)
    town.reply(mails[ADA], "f12")
    assert [to for _, to, _ in server.taken] == [BEN]
    town.now += timedelta(seconds=30)
    sweep(town.site)
    assert (examine(town.site).trouble, examine(town.site).error) == ("unsent", "ConnectionRefusedError")


@pytest.mark.parametrize("answer", ["450 4.2.0 try later", "550 5.1.1 no such user"])
def test_a_refused_recipient_doesnt_make_the_service_unhealthy(town: Town, server: Post, answer: str) -> None:
    server.answers = {ADA: answer}
    ask(town, ADA)
    town.now += timedelta(seconds=30)
    sweep(town.site)
    assert examine(town.site).trouble == ""


def test_a_letter_that_the_server_refuses_after_reading_it_is_given_up_with_the_reason(
    town: Town, server: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> str:
        return said

    monkeypatch.setattr(server, "handle_DATA", refuse)
    said = "451 4.3.0 try later"
    ask(town, BEN)
    said = "554 5.7.1 this looks like spam"
    ask(town, ADA)
    assert [(letter.sent, letter.due is None) for letter in letters(town)] == [(None, False), (None, True)]
    assert [letter.why for letter in failed_letters.letters(town.site)] == ["554 5.7.1 this looks like spam"]
    assert player(town, ADA).bounced is None


@pytest.mark.parametrize(("said", "is_dead"), [("550 Contents refused", False), ("550 5.1.1 no such user", True)])
def test_a_refusal_of_the_contents_says_nothing_about_the_address(
    town: Town, server: Post, monkeypatch: pytest.MonkeyPatch, said: str, is_dead: bool
) -> None:
    async def refuse(*_: object) -> str:
        return said

    monkeypatch.setattr(server, "handle_DATA", refuse)
    ask(town, ADA)
    assert [letter.why for letter in failed_letters.letters(town.site)] == [said]
    assert (player(town, ADA).bounced is not None) is is_dead


def test_a_letter_whose_text_the_server_doesnt_ask_for_doesnt_spoil_the_next(town: Town, server: Post) -> None:
    class Choosy(SMTP):
        async def smtp_DATA(self, arg: str) -> None:
            assert self.envelope is not None
            if self.envelope.rcpt_tos == [ADA]:
                await self.push("451 4.7.1 try again later")
                return
            await super().smtp_DATA(arg)

    port = free_port()
    controller = Controller(server, hostname="127.0.0.1", port=port)
    controller.factory = lambda: Choosy(server)  # type: ignore[method-assign]
    controller.start()
    town.settings = replace(town.settings, smtp_url=f"smtp://127.0.0.1:{port}")
    ask(town, ADA, BEN)
    smtp_client.hang_up()
    controller.stop()
    assert [to for _, to, _ in server.taken] == [BEN]
    first, second = letters(town)
    assert (first.error, first.sent, first.due is None) == ("(451, b'4.7.1 try again later')", None, False)
    assert (second.error, second.sent is not None) == ("", True)


def test_a_server_that_refuses_us_once_the_connection_is_encrypted_says_nothing_about_the_reader(
    town: Town, knocks: list[Site], tmp_path: Path
) -> None:
    class Choosy(SMTP):
        async def smtp_EHLO(self, hostname: str) -> None:
            assert self.session is not None
            if self.session.ssl is None:
                await super().smtp_EHLO(hostname)
            else:
                await self.push("550 you are not welcome")

        smtp_HELO = smtp_EHLO  # noqa: N815 (the name of the library's method)

    make_certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    port = free_port()
    controller = Controller(Post(), hostname="127.0.0.1", port=port)
    controller.factory = lambda: Choosy(controller.handler, tls_context=tls)  # type: ignore[method-assign]
    controller.start()
    town.settings = replace(town.settings, smtp_url=f"smtp://127.0.0.1:{port}")
    ask(town, ADA)
    smtp_client.hang_up()
    controller.stop()
    assert player(town, ADA).bounced is None
    assert letters(town)[0].due is not None
    assert len(knocks) == 1


@pytest.mark.parametrize("said", ["550 sender verification failed", "550 5.1.0 sender rejected"])
def test_a_server_that_refuses_us_as_the_sender_says_nothing_about_the_reader(
    town: Town, server: Post, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    async def refuse(*_: object) -> str:
        return said

    monkeypatch.setattr(server, "handle_MAIL", refuse, raising=False)
    ask(town, ADA)
    assert [letter.why for letter in failed_letters.letters(town.site)] == [said]
    assert player(town, ADA).bounced is None


def test_a_letter_waits_while_the_database_fails_as_it_is_written(town: Town, server: Post) -> None:
    identity.ask_sign_in(town.site, ADA)
    failing = True

    def fail(*given: object) -> None:
        if failing and "FROM player" in str(given[2]) and str(given[2]).startswith("SELECT"):
            raise OperationalError("SELECT", {}, Exception("disk I/O error"))

    event.listen(town.store.engine, "before_cursor_execute", fail)
    with pytest.raises(OperationalError):
        town.work()
    failing = False
    (letter,) = letters(town)
    assert (letter.sent, letter.error) == (None, "")
    town.now += timedelta(minutes=5)
    sweep(town.site)
    town.work()
    event.remove(town.store.engine, "before_cursor_execute", fail)
    assert [to for _, to, _ in server.taken] == [ADA]


def test_a_letter_that_is_gone_by_the_time_its_attempt_failed_is_nobodys_failure(town: Town) -> None:
    sending._put_off(town.site, 99, OSError("timed out"), ADA)
    assert failed_letters.letters(town.site) == []


def test_without_a_limit_a_domain_gets_all_its_letters_at_once(town: Town, server: Post) -> None:
    town.settings = replace(town.settings, letters_per_minute=0)
    ask(town, *(f"{name}@slow.example" for name in "abcd"))
    assert len(server.taken) == 4


def test_a_server_that_hangs_is_not_asked_again_at_once(
    town: Town, server: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(*_: object) -> None:
        raise TimeoutError("timed out")

    with monkeypatch.context() as slow:
        slow.setattr(smtplib.SMTP, "sendmail", hang)
        ask(town, ADA)
    ask(town, BEN)
    first, second = letters(town)
    assert (first.attempts, first.sent) == (1, None)
    assert (second.attempts, second.error, second.sent) == (0, "", None), "it waits without a failure of its own"
    assert server.taken == []
    smtp_client._lines.rests_until = 0.0
    town.now += timedelta(minutes=5)
    sweep(town.site)
    town.work()
    assert {to for _, to, _ in server.taken} == {ADA, BEN}


def test_a_server_that_stays_silent_in_the_middle_of_a_letter_is_not_asked_again_at_once(
    town: Town, server: Post
) -> None:
    town.settings = replace(town.settings, sweep_seconds=0.2)
    server.answering.clear()
    ask(town, ADA)
    ask(town, BEN)
    server.answering.set()
    smtp_client._lines.rests_until = smtp_client._lines.rest = 0.0
    first, second = letters(town)
    assert (first.attempts, first.sent) == (1, None)
    assert (second.attempts, second.error, second.sent) == (0, "", None), "it waits without a failure of its own"


def test_who_knocks_at_the_mail_server_stops_while_the_database_fails(
    town: Town, server: Post, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("disk I/O error"))

    event.listen(town.store.engine, "before_cursor_execute", fail)
    relay._knock(town.site)
    event.remove(town.store.engine, "before_cursor_execute", fail)
    assert "the mail server is not asked for now (OperationalError)" in caplog.text


@pytest.mark.parametrize("password", ["p:w", "pässwörd 密"])
def test_a_letter_is_sent_over_tls_from_the_start_and_with_a_password(
    town: Town, tmp_path: Path, password: str
) -> None:
    make_certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    given: list[tuple[bytes, bytes]] = []

    def authenticate(
        _server: object, _session: object, _envelope: object, _how: str, said: LoginPassword
    ) -> AuthResult:
        given.append((said.login, said.password))
        return AuthResult(success=True)

    post, port = Post(), free_port()
    options = {"authenticator": authenticate, "auth_require_tls": False}
    controller = Controller(post, hostname="127.0.0.1", port=port, ssl_context=tls, **options)  # type: ignore[arg-type]
    controller.start()
    town.settings = replace(town.settings, smtp_url=f"smtps://stone%40post:{quote(password)}@127.0.0.1:{port}")
    ask(town, ADA)
    smtp_client.hang_up()
    controller.stop()
    assert [to for _, to, _ in post.taken] == [ADA], letters(town)[0].error
    assert given == [(b"stone@post", password.encode())], letters(town)[0].error


def test_a_password_that_the_server_cant_take_is_a_failure_to_connect(town: Town, server: Post) -> None:
    town.settings = replace(town.settings, smtp_url=town.settings.smtp_url.replace("//", "//me:p%C3%A4ss@"))
    with pytest.raises(smtp_client.Away):
        smtp_client.knock(town.settings)


def test_a_second_report_that_mail_comes_back_changes_nothing(town: Town, server: Post) -> None:
    ask(town, ADA)
    report(town, ADA, "delivery-status", "Action: failed\nStatus: 5.1.1")
    first = player(town, ADA).bounced
    assert first is not None
    town.now += timedelta(days=1)
    report(town, ADA, "delivery-status", "Action: failed\nStatus: 5.1.1")
    assert player(town, ADA).bounced == first
