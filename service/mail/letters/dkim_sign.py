"""Signing what we send (DKIM, RFC 6376), with RSA and both canonicalisations relaxed.

dkimpy, with which we check others' signatures, does its arithmetic in Python: 20 ms per email, more than everything
else an email needs. The tests use it to check the signatures made here.
"""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import datetime
from hashlib import sha256

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

BITS = 2048
"""Accepted by every receiver, and fits into one DNS record of two strings."""

_SIGNED = (
    *("from", "to", "subject", "date", "message-id", "reply-to", "in-reply-to", "references", "mime-version"),
    *("content-type", "list-id", "list-unsubscribe", "list-unsubscribe-post", "feedback-id", "auto-submitted"),
)
_FIELD = re.compile(rb"([^:\s]+)[ \t]*:((?:.|\r\n[ \t])*)\r\n")
_BLANKS = re.compile(rb"[ \t]+")


class Signer:
    """Signs the emails of one domain with one key, which the DNS has under `selector`."""

    def __init__(self, pem: bytes, domain: str, selector: str) -> None:
        """Raises ValueError if the key isn't an RSA key in PEM without a password."""
        self._key, self._domain, self._selector = _private_key(pem), domain, selector

    def sign(self, raw: bytes, when: datetime) -> bytes:
        """The mail (CRLF line ends) with its signature on top; the same signature for the same email and time."""
        head, _, body = raw.partition(b"\r\n\r\n")
        fields = {name.lower().decode("ascii"): value for name, value in _FIELD.findall(head + b"\r\n")}
        names = [name for name in _SIGNED if name in fields]
        # From is named once more than it occurs, so that nobody can add another (RFC 6376, 5.4.2).
        begun = (
            f"v=1; a=rsa-sha256; c=relaxed/relaxed; d={self._domain}; s={self._selector};\r\n"
            f" t={int(when.timestamp())}; h={':'.join((*names, 'from'))};\r\n"
            f" bh={b64encode(sha256(_relaxed_body(body)).digest()).decode()};\r\n b="
        ).encode()
        signed = b"".join(_relaxed(name, fields[name]) + b"\r\n" for name in names)
        signature = self._key.sign(signed + _relaxed("dkim-signature", begun), padding.PKCS1v15(), hashes.SHA256())
        lines = re.findall(".{1,70}", b64encode(signature).decode())
        return b"DKIM-Signature: " + begun + "\r\n ".join(lines).encode() + b"\r\n" + raw


def new_key() -> bytes:
    """A new private key in PEM."""
    return rsa.generate_private_key(65537, BITS).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def record(pem: bytes) -> str:
    """The TXT record for `<selector>._domainkey.<domain>` that belongs to this private key; raises ValueError like
    `Signer`."""
    public = _private_key(pem).public_key()
    der = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return f"v=DKIM1; k=rsa; p={b64encode(der).decode()}"


def _private_key(pem: bytes) -> rsa.RSAPrivateKey:
    try:
        key = load_pem_private_key(pem, None)
    except (TypeError, UnsupportedAlgorithm) as error:  # A TypeError means that it has a password.
        raise ValueError("a DKIM key must be an RSA key without a password") from error
    if not isinstance(key, rsa.RSAPrivateKey):
        raise ValueError("a DKIM key must be an RSA key without a password")
    return key


def _relaxed(name: str, value: bytes) -> bytes:
    """A header in relaxed canonicalisation (RFC 6376, 3.4.2)."""
    return name.encode() + b":" + _BLANKS.sub(b" ", value.replace(b"\r\n", b"")).strip()


def _relaxed_body(body: bytes) -> bytes:
    """A body in relaxed canonicalisation (RFC 6376, 3.4.4)."""
    lines = _BLANKS.sub(b" ", body).replace(b" \r\n", b"\r\n").rstrip(b"\r\n ")
    return lines + b"\r\n" if lines else b""
