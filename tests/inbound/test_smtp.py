from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import smtplib
import socket
import threading
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import pytest
from aiosmtpd.smtp import SMTP

from service.inbound import smtp
from service.inbound.smtp import Door, DoorError, open_door, probe, serve
from service.inbound.smtp_session import SmtpSession

MESSAGE = b"From: ana@example.org\r\nSubject: Re: Rosette 12\r\n\r\nh12\r\n"
REPLY = "g+aaaa@play.example"


class Desk:
    """Receives messages: keeps them, or fails if asked to."""

    def __init__(self) -> None:
        self.received: list[tuple[bytes, tuple[str, ...], str]] = []
        self.failing = False
        self.entered = threading.Event()
        self.hold = threading.Event()
        self.hold.set()

    def receive(self, raw: bytes, recipients: Sequence[str], door: str, peer: str) -> None:
        self.entered.set()
        self.hold.wait(60)
        if self.failing:
            raise OSError("the disk is full")
        assert peer == "127.0.0.1"
        self.received.append((raw, tuple(recipients), door))


@contextmanager
def running(door: Door) -> Iterator[dict[str, int]]:
    """The ports of the door, open in a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    opened = asyncio.run_coroutine_threadsafe(open_door(door), loop).result(60)
    try:
        yield opened.ports
    finally:
        asyncio.run_coroutine_threadsafe(opened.close(), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def ports(desk: Desk) -> Iterator[dict[str, int]]:
    def refuse(recipient: str) -> str:
        return "" if recipient.startswith("g+") else "Nobody has this address; answer the mail you were sent"

    door = Door(
        receive=desk.receive, refuse=refuse, domain="play.example", smtp_port=0, lmtp_port=0, size_limit=100_000
    )
    with running(door) as ports:
        yield ports


def test_a_message_is_received_before_it_is_acknowledged(desk: Desk, ports: dict[str, int]) -> None:
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        assert client.sendmail("ana@example.org", [REPLY], MESSAGE) == {}
    assert desk.received == [(b"Return-Path: <ana@example.org>\r\n" + MESSAGE, (REPLY,), "smtp")]


def test_a_failure_notice_has_an_empty_return_path(desk: Desk, ports: dict[str, int]) -> None:
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        client.sendmail("<>", [REPLY], MESSAGE)
    assert desk.received[0][0].startswith(b"Return-Path: <>\r\n")


def test_over_lmtp_a_data_command_that_is_refused_has_one_answer(ports: dict[str, int]) -> None:
    with smtplib.LMTP("127.0.0.1", ports["lmtp"]) as client:
        client.ehlo()
        client.mail("ana@example.org")
        for _ in range(2):
            client.rcpt(REPLY)
        assert client.docmd("DATA", "now")[0] == 501
        assert client.noop()[0] == 250


def test_over_lmtp_each_recipient_gets_an_answer(desk: Desk, ports: dict[str, int]) -> None:
    other = "g+bbbb@play.example"
    with smtplib.LMTP("127.0.0.1", ports["lmtp"]) as client:
        client.ehlo()
        for _ in range(2):
            client.mail("ana@example.org")
            client.rcpt(REPLY)
            client.rcpt(other)
            assert client.data(MESSAGE)[0] == 250
            assert client.getreply()[0] == 250
    assert [(recipients, door) for _, recipients, door in desk.received] == [((REPLY, other), "lmtp")] * 2


def test_a_sender_is_asked_to_try_again_if_storing_fails(desk: Desk, ports: dict[str, int]) -> None:
    desk.failing = True
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        with pytest.raises(smtplib.SMTPDataError) as refused:
            client.sendmail("ana@example.org", [REPLY], MESSAGE)
        assert refused.value.smtp_code == 451
        desk.failing = False
        client.sendmail("ana@example.org", [REPLY], MESSAGE)
    assert len(desk.received) == 1


@pytest.mark.parametrize(
    ("recipient", "reason"),
    [
        ("ana@elsewhere.example", b"accepts mail for play.example only"),
        ("ana@play.example", b"answer the mail you were sent"),
    ],
)
def test_other_recipients_are_refused_with_a_reason(
    desk: Desk, ports: dict[str, int], recipient: str, reason: bytes
) -> None:
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            client.sendmail("ana@example.org", [recipient], MESSAGE)
        code, text = refused.value.recipients[recipient]
        assert code == 550
        assert reason in text
    assert desk.received == []


def test_data_is_refused_with_arguments_or_before_a_recipient(ports: dict[str, int]) -> None:
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        client.ehlo()
        client.mail("ana@example.org")
        assert client.docmd("DATA") == (503, b"5.5.1 RCPT comes before DATA")
        client.rcpt(REPLY)
        assert client.docmd("DATA now") == (501, b"5.5.4 DATA takes no arguments")
        assert client.data(MESSAGE)[0] == 250


def test_a_reply_does_not_quote_control_characters(ports: dict[str, int]) -> None:
    with socket.create_connection(("127.0.0.1", ports["smtp"])) as line:
        line.sendall(b"\x1b[2JVR\rFY\x00\r\nQUIT\r\n")
        answers = line.makefile("rb").read()
    assert b'500 Error: command "?[2JVR?FY?" not recognized\r\n' in answers


def test_a_client_that_sends_only_empty_lines_is_disconnected(ports: dict[str, int]) -> None:
    with socket.create_connection(("127.0.0.1", ports["smtp"])) as line:
        line.sendall(b"\r\n" * 20_000)
        answers = b""
        with contextlib.suppress(ConnectionResetError):
            while said := line.recv(65_536):
                answers += said
    assert answers.count(b"500 ") < 20_000


@pytest.mark.parametrize("command", ["VRFY play@", "MAIL FROM:<play@>", "MAIL FROM:<@>", 'RCPT TO:<"@>'])
def test_a_malformed_address_is_refused(ports: dict[str, int], command: str, caplog: pytest.LogCaptureFixture) -> None:
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        client.ehlo()
        client.docmd("MAIL FROM:<a@b.example>" if command.startswith("RCPT") else "NOOP")
        code, _ = client.docmd(command)
    assert 500 <= code < 600
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


ADDRESSES = (
    "<ada@example.org>",
    "<g+abc23@stonepost.localhost> SIZE=1000 BODY=8BITMIME",
    "<ada.lovelace_1@mail-1.example.co.uk>",
    "<>",
    "ada@example.org",
    '<"ada lovelace"@example.org>',
    "<ada..lovelace@example.org>",
    "<ada.@example.org>",
    "<ada@example..org>",
    "<ada@[192.0.2.1]>",
    "<@one.example,@two.example:ada@example.org>",
    "<ada@example.org> (Ada) SIZE=10",
    "<ada@exämple.org>",
    "< ada@example.org >",
    "<ada@example.org",
)


@pytest.mark.parametrize("given", ADDRESSES)
def test_the_fast_pattern_reads_an_address_like_the_full_parser(given: str) -> None:
    session = object.__new__(SmtpSession)
    assert _apart(session._getaddr(given)) == _apart(SMTP._getaddr(session, given))


def _apart(read: tuple[str | None, str | None]) -> tuple[str | None, list[str]]:
    """An address, and the parameters that follow it."""
    return read[0], (read[1] or "").split()


@pytest.mark.parametrize(("door", "hello"), [("smtp", "HELO"), ("lmtp", "LHLO")])
def test_a_listener_knows_the_commands_of_its_protocol(door: str, hello: str, ports: dict[str, int]) -> None:
    with (smtplib.LMTP if door == "lmtp" else smtplib.SMTP)("127.0.0.1", ports[door]) as line:
        known = str(line.help(), "ascii").partition(": ")[2].split()
    assert {hello, "MAIL", "RCPT", "RSET", "NOOP", "QUIT", "HELP"} <= {*known}


def test_a_message_that_is_too_large_is_refused_whether_or_not_it_declares_its_size(
    desk: Desk, ports: dict[str, int]
) -> None:
    large = MESSAGE + b"x" * 70 * 3000
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        client.ehlo()
        assert client.esmtp_features["size"] == "100000"
        with pytest.raises(smtplib.SMTPSenderRefused) as announced:
            client.sendmail("ana@example.org", [REPLY], large)
        assert announced.value.smtp_code == 552
        client.mail("ana@example.org")
        client.rcpt(REPLY)
        assert client.data(MESSAGE + (b"x" * 70 + b"\r\n") * 3000)[0] == 552
    assert desk.received == []


def test_slow_storage_does_not_block_other_sessions(desk: Desk, ports: dict[str, int]) -> None:
    desk.hold.clear()
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as waiting, smtplib.SMTP("127.0.0.1", ports["smtp"]) as other:
        sender = threading.Thread(target=waiting.sendmail, args=("ana@example.org", [REPLY], MESSAGE))
        sender.start()
        assert other.noop()[0] == 250
        assert desk.received == []
        desk.hold.set()
        sender.join(60)
    assert len(desk.received) == 1


def test_sessions_beyond_the_limit_are_asked_to_come_back(desk: Desk) -> None:
    door = Door(receive=desk.receive, domain="play.example", smtp_port=0, lmtp_port=0, sessions=2)
    with running(door) as ports, smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        leaving = smtplib.LMTP("127.0.0.1", ports["lmtp"])
        with pytest.raises(smtplib.SMTPConnectError) as refused:
            smtplib.SMTP("127.0.0.1", ports["smtp"])
        assert refused.value.smtp_code == 421
        leaving.quit()
        assert client.sendmail("ana@example.org", [REPLY], MESSAGE) == {}
        following = _opened(ports["lmtp"])
        assert _greeting(ports["smtp"]) == 421, "one place was free, and it's taken again"
        following.quit()


def _opened(port: int) -> smtplib.LMTP:
    """A session, once there is room for it: the door learns a moment after us that somebody has left."""
    while True:
        with suppress(smtplib.SMTPConnectError):
            return smtplib.LMTP("127.0.0.1", port)


def _greeting(port: int) -> int:
    with socket.create_connection(("127.0.0.1", port)) as caller, caller.makefile("rb") as said:
        return int(said.readline()[:3])


@pytest.mark.parametrize("reads", [True, False])
def test_a_client_that_sends_or_reads_nothing_is_not_waited_for(desk: Desk, reads: bool) -> None:
    door = Door(receive=desk.receive, domain="play.example", smtp_port=0, lmtp_port=None, sessions=1, patience=0.5)
    with running(door) as ports, socket.socket() as caller:
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        caller.settimeout(60)
        caller.connect(("127.0.0.1", ports["smtp"]))
        if reads:
            with caller.makefile("rb") as said:
                assert said.readlines()[-1].startswith(b"421 4.4.2 ")
        else:
            with pytest.raises(ConnectionError):
                caller.sendall(b"\n" * 50_000_000)
        while _greeting(ports["smtp"]) == 421:
            pass


def test_messages_being_received_share_the_space_for_them(desk: Desk) -> None:
    large = MESSAGE + (b"x" * 70 + b"\r\n") * 500
    door = Door(receive=desk.receive, domain="play.example", smtp_port=0, lmtp_port=None, octets=100_000)
    desk.hold.clear()
    with (
        running(door) as ports,
        smtplib.SMTP("127.0.0.1", ports["smtp"]) as first,
        smtplib.SMTP("127.0.0.1", ports["smtp"]) as second,
    ):
        sender = threading.Thread(target=first.sendmail, args=("ana@example.org", [REPLY], large))
        sender.start()
        assert desk.entered.wait(60)
        with pytest.raises(smtplib.SMTPDataError) as refused:
            second.sendmail("ana@example.org", [REPLY], large)
        assert refused.value.smtp_code == 452
        desk.hold.set()
        sender.join(60)
        for _ in range(5):
            second.sendmail("ana@example.org", [REPLY], large)
    assert len(desk.received) == 6


def test_a_message_takes_space_by_its_size_however_many_lines_it_has(desk: Desk, ports: dict[str, int]) -> None:
    lines = MESSAGE + b"\r\n" * 45_000
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        client.ehlo()
        client.mail("ana@example.org")
        client.rcpt(REPLY)
        client.docmd("data")
        tracemalloc.start()
        try:
            client.send(lines + b".\r\n")
            assert client.getreply()[0] == 250
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert desk.received[0][0].endswith(lines)
    assert peak < 20 * len(lines)


def test_doubled_dots_become_single_and_only_a_lone_dot_ends_a_message(desk: Desk, ports: dict[str, int]) -> None:
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        client.ehlo()
        for sent, code in ((b"..\r\n...a\r\nb\n.\nc\r\n", 250), (b"x" * 70_000 + b".\r\nMAIL FROM:<eve@x>\r\n", 500)):
            client.mail("ana@example.org")
            client.rcpt(REPLY)
            client.docmd("data")
            client.send(sent + b".\r\n")
            assert client.getreply()[0] == code
        assert client.noop()[0] == 250
    assert [raw.partition(b"\r\n")[2] for raw, _, _ in desk.received] == [b".\r\n..a\r\nb\n.\nc\r\n"]


def test_one_session_has_limits(desk: Desk, ports: dict[str, int]) -> None:
    with smtplib.SMTP("127.0.0.1", ports["smtp"]) as client:
        client.ehlo()
        client.mail("ana@example.org")
        assert [client.rcpt(f"g+{number}@play.example")[0] for number in range(101)] == [250] * 100 + [452]
        assert client.data(MESSAGE)[0] == 250
        assert [client.noop()[0] for _ in range(101)] == [250] * 100 + [421]
    assert len(desk.received[0][1]) == 100


@pytest.fixture
def own_loop() -> Iterator[None]:
    """This thread without the loop that Playwright keeps running in it between the tests of the browser."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)


@pytest.mark.usefixtures("own_loop")
def test_a_taken_port_is_reported_in_a_sentence(desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        door = Door(receive=desk.receive, domain="play.example", smtp_port=port, lmtp_port=None)
        with pytest.raises(DoorError) as told:
            asyncio.run(open_door(door))
    assert str(told.value) == (
        f"Port {port} on 127.0.0.1 (SMTP) is in use. Stop the program that uses it, or set SMTP_PORT to another port."
    )


@pytest.mark.usefixtures("own_loop")
def test_an_address_of_another_machine_is_reported_in_a_sentence(desk: Desk) -> None:
    door = Door(receive=desk.receive, domain="play.example", host="192.0.2.1", smtp_port=2525, lmtp_port=None)
    with pytest.raises(DoorError, match=r"^Port 2525 on 192\.0\.2\.1 \(SMTP\) can't be used: .*assign"):
        asyncio.run(open_door(door))


@pytest.mark.usefixtures("own_loop")
def test_the_door_closes_when_its_process_is_asked_to_end(desk: Desk) -> None:
    door = Door(receive=desk.receive, domain="play.example", smtp_port=0, lmtp_port=0)
    seen: list[dict[str, int]] = []

    def announce(ports: dict[str, int]) -> None:
        seen.append(ports)
        os.kill(os.getpid(), signal.SIGTERM)

    serve(door, announce)
    assert set(seen[0]) == {"smtp", "lmtp"}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", seen[0]["smtp"]))


def test_a_listener_that_accepts_connections_but_says_nothing_is_noticed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert probe("127.0.0.1", {"lmtp": silent.getsockname()[1]}, 0.05) == "lmtp: SMTPServerDisconnected"


def test_a_door_that_answers_is_in_order(ports: dict[str, int]) -> None:
    assert probe("127.0.0.1", ports) == ""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    assert probe("127.0.0.1", ports | {"lmtp": port}) == "lmtp: ConnectionRefusedError"


@pytest.mark.usefixtures("own_loop")
def test_a_port_for_root_alone_is_reported_in_a_sentence() -> None:
    assert smtp._why_closed("lmtp", "127.0.0.1", 24, PermissionError(errno.EACCES, "Permission denied")) == (
        "This user isn't allowed to use port 24 on 127.0.0.1 (LMTP). Set LMTP_PORT to another port."
    )


def test_a_fault_of_our_own_is_asked_to_be_tried_again(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(recipient: str) -> str:
        raise RuntimeError(recipient)

    door = Door(receive=desk.receive, refuse=refuse, domain="play.example", smtp_port=0, lmtp_port=None)
    with running(door) as ports, smtplib.SMTP("127.0.0.1", ports["smtp"]) as line:
        line.ehlo()
        line.mail("ana@example.org")
        assert line.rcpt(REPLY) == (451, b"4.3.0 Something went wrong here; please send the message again later")
        assert line.noop()[0] == 250, "the session goes on"
    assert "an SMTP or LMTP session failed" in caplog.text
