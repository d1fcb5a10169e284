"""Parses a DKIM-Signature header (RFC 6376, 3.5), and decides whether it covers enough to act on.

A signature proves that a domain once sent this text. It proves that the text is meant for us, and now, only if it
covers the sender, the recipients, the date, and the Message-ID, which identifies copies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import dkim

from service.mail import mailbox
from service.mail.mailbox import DOMAIN
from service.mail.parsing.mime import Part

OLDEST = timedelta(days=5)
"""The longest time an email may have been on its way: servers give up after four or five days (RFC 5321, 4.5.4.1)."""
CLOCK_ERROR = timedelta(days=1)
"""How far in the future an email may be dated: some people's clocks, and many time zones, are wrong."""

ONCE = ("from", "to", "date", "message-id")
"""Headers that an email must have exactly once and a signature must cover."""
AT_MOST_ONCE = (
    "subject",
    "cc",
    "content-type",
    "content-transfer-encoding",
    "mime-version",
    "in-reply-to",
    "references",
)
"""Headers that change what an email says and who gets it."""

_TAG = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*([!-:<-~\s]*?)\s*")
_DOMAIN = re.compile(DOMAIN)
_IDENTITY = re.compile(rf"(?:[\w.+-]*)@{DOMAIN}", re.ASCII)
_NAMES = re.compile(r"[!-9;-~]+(?:\s*:\s*[!-9;-~]+)*")
_MESSAGE_ID = re.compile(r"<[!#-;=?-~]{1,250}>")
_ALGORITHMS = ("rsa-sha256", "ed25519-sha256")

LONGEST_KEY = 2000
"""The most bytes of a key record that is used; with 4,096 bits, a record has 750."""
MOST_BITS, LARGEST_EXPONENT = 4096, 2**32
"""RSA keys with which signatures are checked: all that verifiers have to support (RFC 8301, 3.2)."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A well-formed signature, which may or may not be valid."""

    domain: str
    """In lower case, like all names here."""
    signed: tuple[str, ...]
    """The names of the headers it covers, repeated for each header of the same name."""
    expires: int | None
    """In seconds since 1970."""
    is_whole: bool
    """Whether it covers all of the body: with `l=`, anybody may add text below (RFC 6376, 8.2)."""
    algorithm: str


def read(field: str) -> Signature | None:
    """Parses the signature in a header's value; None if anything about it is odd."""
    tags: dict[str, str] = {}
    for part in field.strip().removesuffix(";").split(";"):
        found = _TAG.fullmatch(part)
        if found is None or found[1] in tags:
            return None
        tags[found[1]] = found[2]
    if not (_DOMAIN.fullmatch(tags.get("d", "")) and _DOMAIN.fullmatch(tags.get("s", ""))):
        return None
    if not _NAMES.fullmatch(tags.get("h", "")) or not _IDENTITY.fullmatch(tags.get("i", "@a")):
        return None
    if not all(re.fullmatch(r"[0-9]{1,12}", tags.get(name, "0")) for name in ("t", "x")):
        return None
    return Signature(
        domain=tags["d"].lower(),
        signed=tuple(name.lower() for name in re.split(r"\s*:\s*", tags["h"])),
        expires=int(tags["x"]) if "x" in tags else None,
        is_whole="l" not in tags,
        algorithm=tags.get("a", ""),
    )


def covers(signature: Signature, message: Part, received: datetime) -> bool:
    """Whether a valid signature proves that its domain sent this very email, and recently."""
    if signature.algorithm not in _ALGORITHMS or not signature.is_whole:
        return False
    if signature.expires is not None and signature.expires < received.timestamp():
        return False
    return _covers_headers(signature, message) and _is_recent(message, received) and _is_identified(message)


def signed_recipients(signature: Signature, message: Part) -> frozenset[str]:
    """The signed addresses in To and Cc, in lower case."""
    names = [name for name in ("to", "cc") if name in signature.signed]
    return frozenset(address for name in names for value in message.exactly(name) for address in mailbox.listed(value))


def _covers_headers(signature: Signature, message: Part) -> bool:
    """Whether no header occurs more often than it is signed: anybody may have added such a one (RFC 6376, 8.15)."""
    there = {name: len(values) for name, values in message.headers.items()}
    if any(there.get(name) != 1 or name not in signature.signed for name in ONCE):
        return False
    if "subject" in there and "subject" not in signature.signed:
        return False
    if any(there.get(name, 0) > 1 for name in AT_MOST_ONCE):
        return False
    return all(there.get(name, 0) <= signature.signed.count(name) for name in signature.signed)


def _is_recent(message: Part, received: datetime) -> bool:
    try:
        written = parsedate_to_datetime(message.header("date"))
    except (ValueError, OverflowError):
        return False
    if written.tzinfo is None:  # "-0000": the time is in UTC, from an unknown time zone.
        written = written.replace(tzinfo=UTC)
    return received - OLDEST <= written <= received + CLOCK_ERROR


def _is_identified(message: Part) -> bool:
    return any(_MESSAGE_ID.fullmatch(value.strip()) for value in message.exactly("message-id"))


def is_quick_to_check(record: bytes) -> bool:
    """Whether checking a signature with the key in this record is quick. dkimpy accepts any key, and one of 16,384 bits
    would block this process for ten seconds."""
    if len(record) > LONGEST_KEY:
        return False
    try:
        key, _, kind, _ = dkim.evaluate_pk(b"", record)
    except (dkim.DKIMException, ValueError, LookupError):
        return True  # It isn't a key, as dkimpy will find too.
    if kind != b"rsa" or key is None:
        return True
    return bool(key["modulus"].bit_length() <= MOST_BITS and key["publicExponent"] < LARGEST_EXPONENT)
