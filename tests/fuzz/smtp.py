"""Sessions with the mail listeners, on a socket: mail servers that violate SMTP or LMTP, or hang up."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Sequence
from random import Random

from service.inbound.smtp import Door as MailDoor
from service.inbound.smtp import OpenDoor, open_door
from tests.fuzz import mutation
from tests.fuzz.doors import Door
from tests.fuzz.reader import CORPUS

DOMAIN = "play.example"
TALK = (
    b"EHLO mx.example.org\r\n", b"HELO mx\r\n", b"LHLO mx\r\n", b"MAIL FROM:<a@b.example>\r\n", b"MAIL FROM:<>\r\n",
    b"MAIL FROM:<a@b.example> SIZE=1000 BODY=8BITMIME SMTPUTF8\r\n", b"RCPT TO:<play@play.example>\r\n",
    b"RCPT TO:<g+aaaa@play.example>\r\n", b"RCPT TO:<x@elsewhere.example>\r\n", b"DATA\r\n", b".\r\n", b"RSET\r\n",
    b"NOOP x\r\n", b"VRFY play@play.example\r\n", b"EXPN x\r\n", b"HELP MAIL\r\n", b"AUTH PLAIN AGEAYg==\r\n",
    b"STARTTLS\r\n", b"BDAT 10 LAST\r\n0123456789", b"QUIT\r\n", b"XCLIENT ADDR=1.2.3.4\r\n",
    b"GET / HTTP/1.1\r\n\r\n", b"From: a@b.example\r\nSubject: x\r\n\r\ne5\r\n.\r\n", b"\r\n",
    b"MAIL FROM:<a@b> SIZE=99999999999999999999\r\n", b"MAIL FROM:<\"a b\"@[IPv6:::1]>\r\n",
    b"RCPT TO:<@a,@b:play@play.example>\r\n", b"DATA x\r\n", b"..\r\n",
)  # fmt: skip
WHOLE = b"EHLO mx.example.org\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<play@play.example>\r\nDATA\r\n%b\r\n.\r\nQUIT\r\n"
REPLY = re.compile(rb"[245]\d\d[ -][\x20-\x7e]*\r\n|354 [\x20-\x7e]*\r\n")
PATIENCE = 20.0
"""Seconds until the door must have hung up on a client that has sent everything."""


class Smtp(Door):
    name = "smtp"
    share = 15

    def __init__(self) -> None:
        self.emails = [
            path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for path in sorted(CORPUS.glob("*"))
        ]
        self.received = 0
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        door = MailDoor(
            receive=self._receive, refuse=self._refuse, domain=DOMAIN, smtp_port=0, lmtp_port=0, patience=10
        )
        self.opened: OpenDoor = asyncio.run_coroutine_threadsafe(open_door(door), self.loop).result(60)

    def _receive(self, raw: bytes, recipients: Sequence[str], door: str, peer: str) -> None:
        assert raw.startswith(b"Return-Path: <")
        assert recipients
        self.received += 1

    def _refuse(self, recipient: str) -> str:
        return "" if recipient.startswith(("play@", "g+")) else "No such address here"

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.opened.close(), self.loop).result(60)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def make(self, chance: Random) -> tuple[str, list[bytes]]:
        """The protocol, and what is sent, piece by piece."""
        if chance.random() < 0.4:
            said = WHOLE % mutation.raw(chance, self.emails, 200_000).replace(b"\r\n.\r\n", b"\r\n..\r\n")
        else:
            said = b"".join(chance.choices(TALK, k=chance.randint(1, 14)))
        if chance.random() < 0.6:
            said = mutation.raw(chance, [said, *TALK], 300_000)
        cuts = sorted(chance.randint(0, len(said)) for _ in range(chance.choice((0, 0, 0, 1, 3))))
        pieces = [said[start:end] for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]
        return chance.choice(("smtp", "smtp", "lmtp")), pieces

    def take(self, given: tuple[str, list[bytes]]) -> bool:
        protocol, pieces = given
        before = self.received
        answers = self._talk(self.opened.ports[protocol], pieces)
        rest = REPLY.sub(b"", answers)
        assert not rest, f"no reply: {rest[:100]!r}"
        assert b"Something went wrong" not in answers
        assert b"could not be stored" not in answers
        return self.received > before

    def _talk(self, port: int, pieces: list[bytes]) -> bytes:
        """Everything the door replies to these pieces until it hangs up."""
        answers = b""
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line:
            try:
                for piece in pieces:
                    line.sendall(piece)
                line.shutdown(socket.SHUT_WR)
                while said := line.recv(65_536):
                    answers += said
            except TimeoutError:
                raise
            except OSError:
                pass  # It hung up while we were still sending.
        return answers
