"""Who wrote a mail: signatures made here, records from a table, nothing from the network."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from service.mail import spf, trust
from service.mail.spf import Kind, NoAnswer

KEY = rsa.generate_private_key(65537, 1024)
PRIVATE = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
)
PUBLIC = base64.b64encode(
    KEY.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
).decode()
MAIL = b"From: Ana <ana@example.co.uk>\r\nTo: play@play.example\r\nSubject: Re\r\n\r\ng10\r\n"
ZONE = {
    "s._domainkey.example.co.uk TXT": [f"v=DKIM1; k=rsa; p={PUBLIC}"],
    "s._domainkey.mail.example.co.uk TXT": [f"v=DKIM1; k=rsa; p={PUBLIC}"],
    "s._domainkey.evil.co.uk TXT": [f"v=DKIM1; k=rsa; p={PUBLIC}"],
    "example.co.uk TXT": ["some other text", "v=spf1 ip4:198.51.100.0/24 include:hosts.example -all"],
    "hosts.example TXT": ["v=spf1 a mx/24 ?all"],
    "hosts.example A": ["192.0.2.7"],
    "hosts.example MX": ["mx.hosts.example"],
    "mx.hosts.example A": ["203.0.113.9"],
    "loop.example TXT": ["v=spf1 include:loop.example -all"],
    "macro.example TXT": ["v=spf1 exists:%{ir}.%{l}.%{d2}._spf.%{d} redirect=example.co.uk"],
    "7.2.0.192.ana.macro.example._spf.macro.example A": ["127.0.0.2"],
    "two.example TXT": ["v=spf1 -all", "v=spf1 +all"],
    "odd.example TXT": ["v=spf1 what:ever"],
}
PEER = "8.8.4.4"


def look_up(name: str, kind: Kind) -> Sequence[str]:
    if name == "silent.example":
        raise NoAnswer(name)
    return ZONE.get(f"{name} {kind}", [])


def signed(domain: str, mail: bytes = MAIL, **how: object) -> bytes:
    header: bytes = dkim.sign(mail, b"s", domain.encode(), PRIVATE, **how)
    return header + mail


def proof(raw: bytes, peer: str = "", trusted: str = "", sender: str = "ana@example.co.uk") -> str:
    return trust.proof(raw, sender, peer, look_up, trusted)


def test_a_signature_of_the_domain_or_of_its_organisation_is_proof() -> None:
    assert proof(signed("example.co.uk")) == "DKIM example.co.uk"
    assert proof(signed("mail.example.co.uk")) == "DKIM mail.example.co.uk"


@pytest.mark.parametrize(
    "raw",
    [
        MAIL,
        signed("evil.co.uk"),
        signed("example.co.uk").replace(b"g10", b"g11"),
        signed("example.co.uk").replace(b"ana@", b"ben@"),
        signed("example.co.uk", length=True) + b"more\r\n",
        signed("example.co.uk").replace(b"a=rsa-sha256", b"a=rsa-sha1"),
        b"DKIM-Signature: v=1; a=rsa-sha256; d=example.co.uk; s=s; h=from; bh=x; b=y\r\n" + MAIL,
        b"DKIM-Signature: nonsense\r\n" * 50 + MAIL,
        b"DKIM-Signature: v=1; a=rsa-sha256; d=silent.example; s=s; h=from\r\n" + MAIL,
        b"",
    ],
)
def test_everything_else_is_not(raw: bytes) -> None:
    assert proof(raw) == ""


def test_a_domain_may_ask_for_the_strict_kind() -> None:
    ZONE["_dmarc.example.co.uk TXT"] = ["v=DMARC1; p=reject; adkim=s"]
    try:
        assert proof(signed("mail.example.co.uk")) == ""
        assert proof(signed("example.co.uk")) == "DKIM example.co.uk"
    finally:
        del ZONE["_dmarc.example.co.uk TXT"]


def test_where_the_dns_does_not_answer_nothing_is_proven() -> None:
    mail = MAIL.replace(b"example.co.uk", b"silent.example")
    assert proof(signed("example.co.uk", mail), sender="ana@silent.example") == ""


@pytest.mark.parametrize(
    ("results", "found"),
    [
        ("mx.play.example; dmarc=pass header.from=example.co.uk", "mx.play.example: DMARC example.co.uk"),
        ("mx.play.example; spf=pass smtp.mailfrom=b@m.example.co.uk", "mx.play.example: SPF m.example.co.uk"),
        ("mx.play.example 1; dkim=pass (good; key) header.i=@example.co.uk", "mx.play.example: DKIM example.co.uk"),
        ("mx.play.example; dkim=pass header.d=evil.co.uk", ""),
        ("mx.play.example; dkim=none (dkim=pass header.d=example.co.uk)", ""),
        ("mx.evil.example; dmarc=pass header.from=example.co.uk", ""),
        ("mx.play.example.evil.example; dmarc=pass header.from=example.co.uk", ""),
        ("mx.play.example; none", ""),
    ],
)  # fmt: skip
def test_our_own_mail_server_is_believed_and_no_other(results: str, found: str) -> None:
    raw = f"Authentication-Results: {results}\r\n".encode() + MAIL
    assert proof(raw, trusted="mx.play.example") == found
    assert proof(raw) == ""
    assert proof(raw, peer=PEER, trusted="mx.play.example") == ""


def test_only_the_topmost_word_of_our_server_counts() -> None:
    forged = b"Authentication-Results: mx.play.example; dmarc=pass header.from=example.co.uk\r\n" + MAIL
    raw = b"Authentication-Results: mx.play.example; dmarc=fail header.from=example.co.uk\r\n" + forged
    assert proof(raw, trusted="mx.play.example") == ""


def test_the_sending_host_is_proof_where_its_domain_is_that_of_from(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = b"Return-Path: <ana@example.co.uk>\r\n" + MAIL
    monkeypatch.setitem(ZONE, "example.co.uk TXT", [f"v=spf1 ip4:{PEER} -all"])
    assert proof(raw, PEER) == "SPF example.co.uk"
    assert proof(raw, "9.9.9.9") == ""
    assert proof(raw, "127.0.0.1") == ""
    assert proof(b"Return-Path: <ana@evil.co.uk>\r\n" + MAIL, PEER) == ""


@pytest.mark.parametrize(
    ("host", "sender", "result"),
    [
        ("198.51.100.20", "ana@example.co.uk", "pass"),
        ("192.0.2.7", "ana@example.co.uk", "pass"),
        ("203.0.113.200", "ana@example.co.uk", "pass"),
        ("192.0.2.8", "ana@example.co.uk", "fail"),
        ("2001:db8::1", "ana@example.co.uk", "fail"),
        ("192.0.2.8", "ana@hosts.example", "neutral"),
        ("192.0.2.8", "ana@nothing.example", "none"),
        ("192.0.2.8", "ana@loop.example", "permerror"),
        ("192.0.2.8", "ana@two.example", "permerror"),
        ("192.0.2.8", "ana@odd.example", "permerror"),
        ("192.0.2.8", "ana@silent.example", "temperror"),
        ("192.0.2.7", "ana@macro.example", "pass"),
        ("192.0.2.8", "ana@macro.example", "fail"),
        ("nonsense", "ana@example.co.uk", "permerror"),
    ],
)
def test_sender_policies(host: str, sender: str, result: str) -> None:
    assert spf.check(host, sender, look_up) == result
