"""What a real OpenDKIM and a real OpenDMARC write about an attacker's mail, and that we do not fall for it."""

from __future__ import annotations

import smtplib
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

import dkim
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from service.mail.letters import dkim_sign
from service.mail.name_lookup import Kind
from service.mail.parsing.read import read
from service.mail.senders import authentication
from service.mail.senders.authentication import Proof
from tests.ports import free_port
from tests.processes import postfix
from tests.processes.deployment import wait_for
from tests.processes.postfix import NAME, Postfix

WHY = postfix.why_not() or ("" if Path("/usr/sbin/opendmarc").exists() else "Debian's opendmarc is not installed")

pytestmark = [
    pytest.mark.skipif(bool(WHY), reason=WHY),
    pytest.mark.processes,
]

ADA, US = "ada@example.org", "bo@example.net"
KEY = dkim_sign.new_key()
DNS = (
    "_dmarc.example.org v=DMARC1; p=none",
    "_dmarc.evil.example v=DMARC1; p=none",
    "example.org v=spf1 -all",
    "evil.example v=spf1 +all",
)


@dataclass
class Mailbox:
    """What the server in front has delivered, unchanged."""

    mails: list[bytes] = field(default_factory=list)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        self.mails.append(f"Return-Path: <{envelope.mail_from or ''}>\r\n".encode() + envelope.content)
        return "250 OK"


class Controlled(Controller):
    """An LMTP server instead of an SMTP server."""

    def factory(self) -> SMTP:
        return LMTP(self.handler, **self.SMTP_kwargs)


@dataclass
class Front:
    """A server in front, and a way to send mail to it."""

    postfix: Postfix
    mailbox: Mailbox

    def brought(self, raw: bytes, path: str, port: str = "mx") -> bytes:
        """The mail as it is delivered to us."""
        before = len(self.mailbox.mails)
        with smtplib.SMTP("127.0.0.1", self.postfix.ports[port], "mail.evil.example", timeout=60) as line:
            line.sendmail(path, [US], raw)
        wait_for(lambda: len(self.mailbox.mails) > before, "the delivery")
        return self.mailbox.mails[before]


@pytest.fixture(scope="module")
def front() -> Iterator[Front]:
    mailbox, port = Mailbox(), free_port()
    door = Controlled(mailbox, hostname="127.0.0.1", port=port)
    door.start()
    try:
        with Postfix(port, keys=[f"s._domainkey.evil.example {dkim_sign.record(KEY)}"], dns=DNS) as server:
            yield Front(server, mailbox)
    finally:
        door.stop()


def written(number: int, more: str = "") -> bytes:
    now = format_datetime(datetime.now(UTC))
    head = f"From: Ada <{ADA}>\r\nTo: <{US}>\r\nSubject: Re\r\nDate: {now}\r\nMessage-ID: <{number}@x.example>\r\n"
    return f"{more}{head}\r\nf6\r\n".encode()


def proof(raw: bytes) -> Proof | None:
    """What we find proven, if the DNS has only the attacker's key."""

    def look_up(name: str, kind: Kind) -> Sequence[str]:
        return [dkim_sign.record(KEY)] if (name, kind) == ("s._domainkey.evil.example", "TXT") else []

    return authentication.proof(raw, read(raw).sender, "", datetime.now(UTC), look_up, NAME)


def by_attacker(number: int, identity: str = "@evil.example", more: str = "") -> bytes:
    """An email in Ada's name, with a good signature of the attacker's own domain."""
    raw = written(number)
    header: bytes = dkim.sign(raw, b"s", b"evil.example", KEY, identity=identity.encode())
    return more.encode() + header + raw


DICTATED = {
    "not valid by RFC 8601": ("x=3Bdkim=3Dpass=20header.d=3Dexample.org=3B@evil.example", "dmarc=fail"),
    "valid by RFC 8601": ("x=3B=20dkim=3Dpass=20header.d=3Dexample.org=20header.i=3Dy@evil.example", "dmarc=pass"),
}


@pytest.mark.parametrize("kind", DICTATED)
def test_words_that_opendkim_repeats_prove_nothing(front: Front, kind: str) -> None:
    """OpenDKIM writes `i=` decoded and unquoted. If the words fit the grammar, even OpenDMARC is fooled."""
    identity, verdict = DICTATED[kind]
    raw = front.brought(by_attacker(1, identity), "m@evil.example")
    assert b"dkim=pass header.d=example.org" in raw
    assert f"{verdict} (p=none dis=none) header.from=example.org".encode() in raw
    assert read(raw).sender == ADA
    assert proof(raw) is None


@pytest.mark.parametrize(
    "path",
    [
        "m@evil.example",
        '"; dkim=pass header.d=example.org"@evil.example',
        '"x; spf=pass smtp.mailfrom=example.org; y=z a.b=c"@evil.example',
        '"a@example.org"@evil.example',
    ],
)
def test_a_return_path_in_the_attackers_domain_proves_nothing(front: Front, path: str) -> None:
    assert proof(front.brought(by_attacker(2), path)) is None


def test_a_strangers_claims_in_our_servers_name_are_removed(front: Front) -> None:
    claimed = ("dkim=pass header.d=example.org", "spf=pass smtp.mailfrom=example.org")
    claims = [f"Authentication-Results: {NAME}; {claim}\r\n" for claim in claimed]
    raw = front.brought(by_attacker(3, more="".join(claims)), "m@evil.example")
    assert b"dmarc=fail" in raw
    assert b"spf=pass smtp.mailfrom=example.org" not in raw
    assert proof(raw) is None


def test_a_genuine_email_is_proven_by_the_servers_results(front: Front) -> None:
    found = proof(front.brought(written(4), ADA, "submission"))
    assert found is not None
    assert found.how == f"{NAME}: DMARC example.org"
    assert found.recipients == frozenset({US})


def test_a_genuine_mail_that_the_attacker_sends_again_later_or_elsewhere_proves_nothing(front: Front) -> None:
    raw = front.brought(written(5), ADA, "submission")
    genuine = raw[raw.index(b"DKIM-Signature:") :]
    again = front.brought(genuine, "m@evil.example")
    assert b"dkim=pass" in again
    found = proof(again)
    assert found is not None
    assert found.covers(US)
    assert not found.covers("g+other@play.example.org")
    more = front.brought(b"Message-ID: <fresh@x.example>\r\n" + genuine, "m@evil.example")
    assert proof(more) is None


@pytest.mark.parametrize("name", ["submission", "verifier"])
def test_the_server_starts_on_other_ports_if_one_was_taken(name: str) -> None:
    server = Postfix(free_port())
    taken = server.ports[name]
    with socket.create_server(("127.0.0.1", taken)), server:
        assert taken not in server.ports.values()
        assert "fatal" not in server.log
