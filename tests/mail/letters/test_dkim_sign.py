"""Our signatures are checked by dkimpy, which is independent of our own code."""

from __future__ import annotations

from datetime import UTC, datetime

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from service.mail.letters import dkim_sign
from service.mail.letters.dkim_sign import Signer
from service.mail.letters.write import Mail, compose

KEY = dkim_sign.new_key()
WHEN = datetime(2021, 11, 21, 12, tzinfo=UTC)
MAIL = Mail(
    message_id="<a@play.example>",
    date=WHEN,
    sender="play@play.example",
    sender_name="Stonepost",
    to="ana@example.org",
    reply_to="g+abc@play.example",
    subject="Rosette 12: your move – ünd a very long subject that has to be folded over several lines " * 2,
    text="g10  \n\n  two   blanks\t\n" * 50,
    html="<p>g10</p>",
    thread="<match-12@play.example>",
    unsubscribe="https://play.example/mail/stop/" + "x" * 300,
    feedback="rosette:turn:match:stonepost",
)


def holds(raw: bytes) -> bool:
    def ask(name: bytes, timeout: int = 0) -> bytes:
        assert name == b"s1._domainkey.play.example."
        return dkim_sign.record(KEY).encode()

    try:
        return bool(dkim.DKIM(raw).verify(dnsfunc=ask))
    except dkim.ValidationError:
        return False


def test_a_signature_is_valid() -> None:
    assert holds(Signer(KEY, "play.example", "s1").sign(compose(MAIL), WHEN))


def test_a_signature_is_the_same_each_time() -> None:
    signer = Signer(KEY, "play.example", "s1")
    assert signer.sign(compose(MAIL), WHEN) == signer.sign(compose(MAIL), WHEN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Subject: ", b"Subject: not "),
        (b"To: ana@", b"To: ben@"),
        (b"<p>g10", b"<p>g11"),
        (b"List-Unsubscribe: <https", b"List-Unsubscribe: <http"),
        (b"From: ", b"From: eve@evil.example\r\nFrom: "),
    ],
)
def test_no_part_of_a_signed_email_can_be_changed(old: bytes, new: bytes) -> None:
    raw = Signer(KEY, "play.example", "s1").sign(compose(MAIL), WHEN)
    assert old in raw
    assert not holds(raw.replace(old, new, 1))


@pytest.mark.parametrize("body", [b"", b"\r\n", b"\r\n\r\n", b"a", b"a\r\n\r\n\r\n", b" a \t b\t\r\n \r\n", b"a\n"])
def test_odd_bodies_are_signed(body: bytes) -> None:
    raw = b"From: play@play.example\r\nSubject:\r\n\t folded \r\n  twice\r\n\r\n" + body
    assert holds(Signer(KEY, "play.example", "s1").sign(raw, WHEN))


def test_the_long_link_to_unsubscribe_is_signed() -> None:
    raw = Signer(KEY, "play.example", "s1").sign(compose(MAIL), WHEN)
    assert b":list-unsubscribe:list-unsubscribe-post:" in raw.partition(b"bh=")[0]


def test_a_key_of_another_kind_is_refused() -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    kind = serialization.PrivateFormat.PKCS8
    pem = key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())
    with pytest.raises(ValueError, match="a DKIM key must be an RSA key"):
        Signer(pem, "play.example", "s1")


def test_a_key_with_a_password_is_refused() -> None:
    key = serialization.load_pem_private_key(dkim_sign.new_key(), None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"password"),
    )
    with pytest.raises(ValueError, match="must be an RSA key without a password"):
        Signer(locked, "play.example", "stonepost")
