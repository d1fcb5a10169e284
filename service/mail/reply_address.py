"""Signed reply addresses and stable message identifiers.

A reply address is `g+<token>@domain`, where another mailbox may stand before the `+`. The token names who may do what
with it and carries an HMAC-SHA256 cut to 80 bits (RFC 2104 allows no fewer), so none can be guessed or altered. It is
base32 in lower case, because mail servers may change the case of a local part, and stays below the 64 octets a local
part may have (RFC 5321, 4.5.3.1.1).
"""

from __future__ import annotations

import hmac
from base64 import b32decode, b32encode
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from hashlib import sha256

_SIGNATURE = 10
_LONGEST = 64


class Purpose(IntEnum):
    """What a message to the address is. The numbers are in addresses already sent and never change."""

    ORDER = 1
    """A reply to an email about a running match."""
    INVITATION = 2
    """A reply to an invitation: `accept` or `decline`."""
    BOUNCE = 3
    """A return path: what arrives here is a failure notice about an email to `player`, to the address marked `seat`."""
    CONFIRMATION = 4
    """A reply to the question whether `player` means to resign: `yes`, or a move after all."""
    PRESS = 5
    """An answer to a message at the table, as addresses were made once: in place of a round, the message's row."""
    TAKEBACK = 6
    PAUSE = 7
    RESUME = 8
    DRAW = 9
    """A reply to the letter in which somebody offers this: a plain `accept` or `decline` is about nothing else."""
    RESULT = 10
    """A reply to the result of a match: what is no command is said to the table."""
    TALK = 11
    """An answer to a message at the table. In place of a round, the seats it goes to, a bit each; 0 is everybody."""
    ASKED = 12
    """A reply to the question whether `player` means an order: `yes`, or another order. In place of a round, a number
    that stands for the email that was asked about."""
    LESSON = 13
    """A reply to a step of a lesson. In place of a seat it has the number of the lesson, in place of a round that of
    the step, and no match."""
    OPENINGS = 14
    """A reply to a notice of who looks for opponents: `accept`. In place of a round it has the day of the notice."""
    EVENT = 15
    """A reply to news of an event. In place of a round it has the event, and no match."""
    GAZETTE = 16
    """A reply to the gazette: what it lists is joined, or its problem tried. In place of a round it has the issue."""


ANSWERS = (Purpose.PRESS, Purpose.TALK)
"""A reply to one of these addresses is said, and is no order."""


@dataclass(frozen=True, slots=True)
class ReplyAddress:
    """Who is meant by a reply, and to what. All numbers are 0 or more; `round` is that of the mail being answered."""

    player: int
    match: int = 0
    seat: int = 0
    round: int = 0
    purpose: Purpose = Purpose.ORDER
    restored: int = 0
    """When the database had last come back from a backup as the email was written, in seconds of Unix; 0 if never."""


def write(secret: str, address: ReplyAddress, mailbox: str = "g") -> str:
    """The local part, `g+<token>`; ValueError where the numbers are too large for 64 characters (beyond some 2**40)."""
    numbers = (address.purpose, address.player, address.match, address.seat, address.round)
    fields = _pack((*numbers, address.restored) if address.restored else numbers)
    token = b32encode(fields + _sign(secret, fields)).decode().rstrip("=").lower()
    local_part = f"{mailbox}+{token}"
    if len(local_part) > _LONGEST:
        raise ValueError(f"{address} does not fit a local part")
    return local_part


@lru_cache(256)  # A door reads it to see whether it takes the email, and then to see what that means.
def read(secret: str, recipient: str) -> ReplyAddress | None:
    """What `write` was given, from a local part or a whole address in any case; None unless we signed exactly that.

    The mailbox doesn't count: after it is renamed, the addresses already sent have to stay valid.
    """
    _, _, token = recipient.partition("@")[0].lower().partition("+")
    if not token or len(token) > _LONGEST:
        return None
    try:
        signed = b32decode(token.upper() + "=" * (-len(token) % 8))
    except ValueError:
        return None
    fields, signature = signed[:-_SIGNATURE], signed[-_SIGNATURE:]
    if not hmac.compare_digest(signature, _sign(secret, fields)):
        return None
    purpose, player, match, seat, round_, *restored = _unpack(fields)
    return ReplyAddress(player, match, seat, round_, Purpose(purpose), *restored)


def mark(recipient: str) -> int:
    """A number from 1 on that distinguishes one address of a player from another, without naming either."""
    return 1 + int.from_bytes(sha256(recipient.lower().encode()).digest()[:2])


def message_id(key: str, domain: str) -> str:
    """The Message-ID of the letter with this key: the same at every attempt to send it, so copies are recognized."""
    return f"<{_name(key)}@{domain}>"


def thread_id(match: int, domain: str) -> str:
    """The Message-ID all emails about a match refer to, which keeps them in one thread. No email bears it."""
    return f"<match-{match}@{domain}>"


def list_id(match: int, domain: str) -> str:
    """The List-Id of a match (RFC 2919), for mail programs that sort by it."""
    return f"<match-{match}.{domain}>"


def _name(key: str) -> str:
    return b32encode(sha256(key.encode()).digest()[:20]).decode().lower()


def _sign(secret: str, fields: bytes) -> bytes:
    return hmac.digest(secret.encode(), b"stonepost reply address\0" + fields, sha256)[:_SIGNATURE]


def _pack(numbers: tuple[int, ...]) -> bytes:
    """Seven bits a byte, the highest bit set on all but the last byte of a number."""
    packed = bytearray()
    for number in numbers:
        if number < 0:
            raise ValueError(f"{number} is negative")
        while number > 0x7F:
            packed.append(0x80 | number & 0x7F)
            number >>= 7
        packed.append(number)
    return bytes(packed)


def _unpack(packed: bytes) -> list[int]:
    numbers, number, shift = [], 0, 0
    for byte in packed:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number, shift = 0, 0
    return numbers
