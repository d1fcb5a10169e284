"""Who wrote an email: signatures made here, records from a table, nothing from the network."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from service.mail.name_lookup import Kind, NoAnswer
from service.mail.parsing import mime
from service.mail.senders import authentication, dkim_signature

KEY = rsa.generate_private_key(65537, 1024)
PRIVATE = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
)
PUBLIC = base64.b64encode(
    KEY.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
).decode()
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEAD = (
    b"From: Ana <ana@example.co.uk>\r\nTo: Stonepost <play@play.example>\r\nSubject: Re\r\n"
    b"Date: Sat, 21 Nov 2026 11:59:00 +0000\r\nMessage-ID: <1@program.example>\r\n"
)
MAIL = HEAD + b"\r\ng10\r\n"
ZONE = {
    "s._domainkey.example.co.uk TXT": [f"v=DKIM1; k=rsa; p={PUBLIC}"],
    "s._domainkey.mail.example.co.uk TXT": [f"v=DKIM1; k=rsa; p={PUBLIC}"],
    "s._domainkey.evil.co.uk TXT": [f"v=DKIM1; k=rsa; p={PUBLIC}"],
    "_dmarc.strict.example TXT": ["v=DMARC1; p=none; aspf=s; adkim=s"],
}
PEER = "8.8.4.4"


def look_up(name: str, kind: Kind) -> Sequence[str]:
    if name == "silent.example":
        raise NoAnswer(name)
    return ZONE.get(f"{name} {kind}", [])


def signed(domain: str, mail: bytes = MAIL, **how: object) -> bytes:
    header: bytes = dkim.sign(mail, b"s", domain.encode(), PRIVATE, **how)
    return header + mail


def proof(
    raw: bytes, peer: str = "", trusted: str = "", sender: str = "ana@example.co.uk", to: str = "play@play.example"
) -> str:
    found = authentication.proof(raw, sender, peer, NOW, look_up, trusted)
    return found.how if found is not None and found.covers(to) else ""


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
def test_nothing_else_is_proof(raw: bytes) -> None:
    assert proof(raw) == ""


def test_a_domain_may_require_strict_alignment() -> None:
    ZONE["_dmarc.example.co.uk TXT"] = ["v=DMARC1; p=reject; adkim=s"]
    try:
        assert proof(signed("mail.example.co.uk")) == ""
        assert proof(signed("example.co.uk")) == "DKIM example.co.uk"
    finally:
        del ZONE["_dmarc.example.co.uk TXT"]


def test_nothing_is_proven_if_the_dns_does_not_answer() -> None:
    mail = MAIL.replace(b"example.co.uk", b"silent.example")
    assert proof(signed("example.co.uk", mail), sender="ana@silent.example") == ""


COVERED = (b"from", b"to", b"subject", b"date", b"message-id")


def without(name: str) -> tuple[bytes, ...]:
    return tuple(known for known in COVERED if known != name.encode())


@pytest.mark.parametrize("name", ["to", "subject", "date", "message-id"])
def test_a_signature_that_does_not_cover_what_matters_is_not_proof(name: str) -> None:
    assert proof(signed("example.co.uk", include_headers=COVERED)) == "DKIM example.co.uk"
    assert proof(signed("example.co.uk", include_headers=without(name))) == ""


@pytest.mark.parametrize("name", ["From", "To", "Subject", "Date", "Message-ID", "Cc", "Content-Type", "In-Reply-To"])
def test_a_header_added_above_the_signed_one_voids_the_proof(name: str) -> None:
    mail = HEAD + b"Cc: bo@example.net\r\nContent-Type: text/plain\r\nIn-Reply-To: <0@x>\r\n\r\ng10\r\n"
    header = next(line for line in mail.split(b"\r\n") if line.lower().startswith(name.lower().encode()))
    assert proof(signed("example.co.uk", mail)) == "DKIM example.co.uk"
    assert proof(header + b"\r\n" + signed("example.co.uk", mail)) == ""


def test_a_genuine_mail_to_somebody_else_proves_nothing_to_us() -> None:
    elsewhere = MAIL.replace(b"play@play.example", b"bo@example.net")
    assert proof(signed("example.co.uk", elsewhere)) == ""
    assert proof(signed("example.co.uk", elsewhere), to="bo@example.net") == "DKIM example.co.uk"
    named = MAIL.replace(b"Stonepost <play@play.example>", b'"play@play.example" <bo@example.net>')
    assert proof(signed("example.co.uk", named)) == ""
    other_match = MAIL.replace(b"play@", b"g+other@")
    assert proof(signed("example.co.uk", other_match)) == ""
    assert proof(signed("example.co.uk", other_match), to="g+other@play.example") == "DKIM example.co.uk"


@pytest.mark.parametrize(
    ("date", "proven"),
    [
        ("Sat, 21 Nov 2026 11:59:00 -0000", True),
        ("Sun, 22 Nov 2026 01:00:00 +1400", True),
        ("Tue, 17 Nov 2026 12:00:00 +0000", True),
        ("Sun, 15 Nov 2026 12:00:00 +0000", False),
        ("Mon, 23 Nov 2026 12:00:00 +0000", False),
        ("Sat, 21 Nov 2020 11:59:00 +0000", False),
        ("today", False),
        ("", False),
    ],
)
def test_an_old_email_is_not_proof(date: str, proven: bool) -> None:
    mail = MAIL.replace(b"Sat, 21 Nov 2026 11:59:00 +0000", date.encode())
    assert proof(signed("example.co.uk", mail)) == ("DKIM example.co.uk" if proven else "")


@pytest.mark.parametrize("identifier", [b"1@program.example", b"", b"<a@b> <c@d>", b"<a b@c>"])
def test_an_email_without_a_message_id_could_be_a_copy_so_it_is_not_proof(identifier: bytes) -> None:
    assert proof(signed("example.co.uk", MAIL.replace(b"<1@program.example>", identifier))) == ""


def test_a_signature_may_expire() -> None:
    whole = signed("example.co.uk")
    for change in (timedelta(hours=1), timedelta(hours=-1)):
        until = int((NOW + change).timestamp())
        names = b":".join(COVERED).decode()
        found = dkim_signature.read(f"v=1; a=rsa-sha256; d=example.co.uk; s=s; h={names}; x={until}")
        assert found is not None
        assert dkim_signature.covers(found, mime.parse(whole), NOW) == (change > timedelta())


@pytest.mark.parametrize(
    "field",
    [
        "d=example.org; s=s; h=from; h=to",
        "d=example.org; s=s",
        "d=example.org; s=s; h=from; i=x=3Bdkim=3Dpass@example.org",
        'd=example.org; s=s; h=from; i="x y"@example.org',
        "d=exam ple.org; s=s; h=from",
        "d=example.org; s=s;x; h=from",
        "d=example.org(a); s=s; h=from",
        "d=example.org; s=s; h=from; x=soon",
        "d=éxample.org; s=s; h=from",
    ],
)
def test_an_odd_signature_is_not_read(field: str) -> None:
    assert dkim_signature.read(field) is None


US = "mx.play.example"


def told(results: str, mail: bytes = MAIL, trusted: str = US, **how: str) -> str:
    return proof(f"Authentication-Results: {results}\r\n".encode() + mail, trusted=trusted, **how)


UNKNOWN_KEY = signed("example.co.uk").replace(b"s=s;", b"s=t;")
"""A signature that only our server has the key for."""


@pytest.mark.parametrize(
    ("results", "found"),
    [
        ("mx.play.example; dmarc=pass header.from=example.co.uk", "mx.play.example: DMARC example.co.uk"),
        ("MX.Play.example; spf=pass smtp.mailfrom=b@m.example.co.uk", "mx.play.example: SPF m.example.co.uk"),
        ("mx.play.example; spf=pass smtp.mailfrom=example.co.uk", "mx.play.example: SPF example.co.uk"),
        ("mx.play.example 1; dkim=pass (good; key) header.d=example.co.uk", "mx.play.example: DKIM example.co.uk"),
        ("mx.play.example; dkim=pass header.i=@example.co.uk", ""),
        ("mx.play.example; dkim=pass header.d=evil.co.uk", ""),
        ("mx.play.example; dkim=fail header.d=example.co.uk", ""),
        ("mx.play.example; dkim=pass header.d=example.co.uk; dkim=fail header.d=example.co.uk", ""),
        ("mx.play.example; dkim=pass header.d=example.co.uk header.d=evil.co.uk", ""),
        ("mx.play.example; dkim=none (dkim=pass header.d=example.co.uk)", ""),
        ('mx.play.example; dkim=none reason="; dkim=pass header.d=example.co.uk"', ""),
        ("mx.play.example; dkim=none ((nested) ; dkim=pass header.d=example.co.uk)", ""),
        ("mx.play.example; dkim=none (open ; dkim=pass header.d=example.co.uk", ""),
        ('mx.play.example; spf=fail smtp.mailfrom="; dkim=pass header.d=example.co.uk"@evil.com', ""),
        ('mx.play.example; spf=pass smtp.mailfrom="x@example.co.uk"@evil.com', ""),
        ('mx.play.example; spf=pass smtp.mailfrom="a@evil.com, @example.co.uk"', ""),
        ("mx.play.example; dkim=pass header.d=evil.com header.i=x;dkim=pass header.d=example.co.uk;@evil.com", ""),
        ("mx.play.example; spf=pass smtp.mailfrom=evil.com; spf=pass smtp.mailfrom=example.co.uk", ""),
        ("mx.play.example; spf=pass smtp.helo=example.co.uk", ""),
        ("mx.play.example; dmarc=pass header.from=sub.example.co.uk", ""),
        ("mx.play.example; dmarc=fail header.from=example.co.uk; dmarc=pass header.from=example.co.uk", ""),
        ("mx.evil.example; dmarc=pass header.from=example.co.uk", ""),
        ("mx.play.example.evil.example; dmarc=pass header.from=example.co.uk", ""),
        ("mx.play.example 2; dmarc=pass header.from=example.co.uk", ""),
        ("mx.play.example; none", ""),
    ],
)  # fmt: skip
def test_only_our_own_mail_server_is_believed(results: str, found: str) -> None:
    assert told(results, UNKNOWN_KEY) == found
    assert told(results, UNKNOWN_KEY, trusted="") == ""
    assert told(results, UNKNOWN_KEY, peer=PEER) == ""


def test_only_the_topmost_result_of_our_server_counts() -> None:
    forged = b"Authentication-Results: mx.play.example; dmarc=pass header.from=example.co.uk\r\n" + MAIL
    assert told("mx.play.example; dmarc=fail header.from=example.co.uk", forged) == ""
    assert told("mx.play.example; dkim=pass header.d=evil.com;@evil.com", forged) == ""
    assert told("mx.other.example; spf=pass smtp.mailfrom=other.example", forged) != ""


def test_everything_our_server_wrote_above_its_received_header_counts() -> None:
    """OpenDMARC and OpenDKIM write a header each."""
    received = b"Received: from x by mx.play.example; Sat, 21 Nov 2026 12:00:00 +0000\r\n"
    spf = b"Authentication-Results: mx.play.example; spf=pass smtp.mailfrom=example.co.uk\r\n"
    dmarc = "mx.play.example; dmarc=none header.from=example.co.uk"
    assert told(dmarc, spf + received + MAIL) == "mx.play.example: SPF example.co.uk"
    assert told(dmarc, received + spf + MAIL) == ""
    assert told(dmarc, spf + MAIL) == ""
    assert told("mx.play.example; dkim=pass header.d=evil.com;@evil.com", spf + received + MAIL) == ""
    assert told("mx.other.example; none", received + spf + MAIL) == "mx.play.example: SPF example.co.uk"
    for server in (b"mx.a.example", b"mx.z.example"):
        assert told(dmarc, spf.replace(b"mx.play.example", server) + received + MAIL) == ""


PASS = "mx.play.example; dkim=pass header.d=example.co.uk; dmarc=pass header.from=example.co.uk"


def test_our_servers_result_for_a_signature_proves_no_more_than_the_signature() -> None:
    assert told(PASS, UNKNOWN_KEY) == "mx.play.example: DMARC example.co.uk"
    assert told(PASS, UNKNOWN_KEY.replace(b"21 Nov 2026", b"21 Nov 2020")) == ""
    assert told(PASS, UNKNOWN_KEY, to="g+other@play.example") == ""
    assert told(PASS, b"To: play@play.example\r\n" + UNKNOWN_KEY) == ""
    assert told("mx.play.example; dkim=pass header.d=example.co.uk", MAIL) == ""


def test_our_own_check_takes_precedence_over_our_servers_result() -> None:
    assert told(PASS, signed("example.co.uk").replace(b"g10", b"g11")) == ""
    assert told("mx.play.example; dkim=fail header.d=example.co.uk", signed("example.co.uk")) == "DKIM example.co.uk"


@pytest.mark.parametrize(
    "dictated",
    [
        b"DKIM-Signature: v=1; d=evil.com; s=s; h=from;\r\n"
        b" i=x=3B=20dkim=3Dpass=20header.d=3Dexample.co.uk=20header.i=3Da@evil.com\r\n",
        b'DKIM-Signature: v=1; d=evil.com; s=s; h=from; i="x; dkim=pass"@evil.com\r\n',
        b"DKIM-Signature: v=1; d=evil.com; s=\xd1\x95; h=from\r\n",
        b"DKIM-Signature: v=1; d=evil.com; s=s; h=from\r\n" * 21,
        b'Return-Path: <"; dkim=pass header.d=example.co.uk"@evil.com>\r\n',
        b"Return-Path: <a; dkim=pass@evil.com>\r\n",
    ],
)
def test_our_server_is_not_believed_where_it_may_repeat_a_strangers_words(dictated: bytes) -> None:
    """OpenDKIM repeats `i=` decoded and without quotes, so the field it writes can be valid by RFC 8601 and still
    contain a result that nobody found."""
    spf = "mx.play.example; spf=pass smtp.mailfrom=example.co.uk"
    assert told(spf) == "mx.play.example: SPF example.co.uk"
    for results in (spf, PASS):
        assert told(results, dictated + UNKNOWN_KEY) == ""


def test_a_domain_may_require_strict_spf_alignment() -> None:
    mail = MAIL.replace(b"example.co.uk", b"strict.example")
    for path, found in (("strict.example", f"{US}: SPF strict.example"), ("m.strict.example", "")):
        assert told(f"{US}; spf=pass smtp.mailfrom={path}", mail, sender="ana@strict.example") == found


def test_the_sending_host_alone_proves_nothing() -> None:
    assert proof(b"Return-Path: <ana@example.co.uk>\r\n" + MAIL, PEER) == ""


@pytest.mark.parametrize(
    ("bits", "exponent", "record", "found"),
    [
        (4096, 65537, "k=rsa; p={}", True),
        (4096, 2**4095 + 1, "k=rsa; p={}", False),
        (8192, 65537, "k=rsa; p={}", False),
        (4096, 65537, "n=" + "x" * 2000 + "; k=rsa; p={}", False),
        (4096, 65537, "k=dsa; p={}", True),
        (4096, 65537, "k=rsa; p=!", True),
    ],
)
def test_a_key_that_takes_long_to_check_with_is_not_used(bits: int, exponent: int, record: str, found: bool) -> None:
    """The check would block the whole process."""
    assert dkim_signature.is_quick_to_check(record.format(public_key(2**bits - 159, exponent)).encode()) == found


def test_a_signature_with_an_enormous_key_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ZONE, "s._domainkey.example.co.uk TXT", [f"p={public_key(2**65_536 - 159, 2**65_535 + 1)}"])
    assert proof(signed("example.co.uk")) == ""


def public_key(modulus: int, exponent: int) -> str:
    """An RSA key as in a DKIM record (RFC 8017, A.1.1), even one that a library would refuse to make."""
    numbers = b"".join(der(2, number.to_bytes(number.bit_length() // 8 + 1, "big")) for number in (modulus, exponent))
    kind = bytes.fromhex("06092a864886f70d0101010500")
    return base64.b64encode(der(0x30, der(0x30, kind) + der(3, b"\0" + der(0x30, numbers)))).decode()


def der(tag: int, content: bytes) -> bytes:
    size = len(content)
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, size] if size < 128 else [tag, 0x80 | len(length)]) + length * (size >= 128) + content


def test_a_head_too_long_to_be_read_proves_nothing() -> None:
    """The topmost From would be read, and the signed one below would not."""
    forged = HEAD + b"X: " + b"y" * 66_000 + b"\r\n" + signed("example.co.uk")
    assert proof(forged) == ""
    assert told("mx.play.example; spf=pass smtp.mailfrom=example.co.uk", b"X: " + b"y" * 66_000 + b"\r\n" + MAIL) == ""


@pytest.mark.parametrize("name", ["_dmarc.example.co.uk", "s._domainkey.mail.example.co.uk"])
def test_a_name_that_the_dns_does_not_answer_for_is_no_proof_and_no_error(name: str) -> None:
    """Neither the wish of the domain, nor the key of a part of it."""

    def partly(asked: str, kind: Kind) -> Sequence[str]:
        if asked == name:
            raise NoAnswer(asked)
        return look_up(asked, kind)

    raw = signed("mail.example.co.uk")
    assert authentication.proof(raw, "ana@example.co.uk", "", NOW, look_up) is not None
    assert authentication.proof(raw, "ana@example.co.uk", "", NOW, partly) is None
    assert authentication.proof(signed("example.co.uk"), "ana@example.co.uk", "", NOW, partly) is not None


def test_a_signature_of_a_kind_that_is_not_checked_here_is_left_to_the_server_in_front(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """RFC 8463. dkimpy needs another package for it, which we don't have."""
    monkeypatch.setitem(
        ZONE, "s._domainkey.example.co.uk TXT", [f"k=ed25519; p={base64.b64encode(bytes(32)).decode()}"]
    )
    raw = signed("example.co.uk").replace(b"a=rsa-sha256", b"a=ed25519-sha256")
    assert proof(raw) == ""
    passed = b"Authentication-Results: mx.play.example; dkim=pass header.d=example.co.uk header.s=s\r\n"
    assert proof(passed + raw, trusted="mx.play.example")
