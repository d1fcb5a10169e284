"""Signed reply addresses and stable message identifiers.

A reply address is `g+<token>@domain`, possibly with another mailbox before the `+`. The token says who may do what with
it, and has an HMAC-SHA256 truncated to 80 bits (RFC 2104 allows no fewer), so it can't be guessed or altered. It is
base32 in lower case, because mail servers may change the case of a local part, and stays below the 64 octets a local
part may have (RFC 5321, 4.5.3.1.1).
"""

from __future__ import annotations

import hmac
from base64 import b32decode, b32encode
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from functools import lru_cache
from hashlib import sha256

_SIGNATURE = 10
_LONGEST = 64


class Purpose(IntEnum):
    """What a message to the address means. The numbers never change, because they are in addresses already sent."""

    ORDER = 1
    """A reply to an email about a running match."""
    INVITATION = 2
    """A reply to an invitation: `accept` or `decline`."""
    BOUNCE = 3
    """A return path: what arrives here is a failure notice about an email to `player`, at the address that `seat`
    marks."""
    CONFIRMATION = 4
    """A reply to the question whether `player` really resigns: `yes`, or a move after all."""
    PRESS = 5
    """An answer to a message at the table, in older addresses. In place of a round, the message's row id."""
    TAKEBACK = 6
    PAUSE = 7
    RESUME = 8
    DRAW = 9
    """A reply to the letter with this offer: a plain `accept` or `decline` is about nothing else."""
    RESULT = 10
    """A reply to the result of a match: unless it is a command, it is a message to the table."""
    TALK = 11
    """An answer to a message at the table. In place of a round, the seats it goes to as a bit mask; 0 is everybody."""
    ASKED = 12
    """A reply to the question whether `player` means an order: `yes`, or another order. In place of a round, a number
    that identifies the email in question."""
    LESSON = 13
    """A reply to a step of a lesson. In place of a seat, the lesson's number; in place of a round, the step's. No
    match."""
    OPENINGS = 14
    """A reply to a notice of who looks for opponents: `accept`. In place of a round, the day of the notice."""
    EVENT = 15
    """A reply to news of an event. In place of a round, the event. No match."""
    GAZETTE = 16
    """A reply to the gazette, which joins what it lists or tries its problem. In place of a round, the issue."""


ANSWERS = (Purpose.PRESS, Purpose.TALK)
"""A reply to one of these addresses is a message, not an order."""


@dataclass(frozen=True, slots=True)
class ReplyAddress:
    """Who a reply is from, and to what. All numbers are 0 or more; `round` is that of the mail being answered."""

    player: int
    match: int = 0
    seat: int = 0
    round: int = 0
    purpose: Purpose = Purpose.ORDER
    restored: int = 0
    """When the database had last been restored from a backup before the email was written, in Unix seconds; 0 if
    never."""
    until: int = 0
    """When the pause that the email offers would end, in Unix seconds; 0 if it offers none."""

    @property
    def pause(self) -> str:
        """The offered pause, as an order names it."""
        return f"pause until {datetime.fromtimestamp(self.until, UTC).isoformat()}" if self.until else "pause"


def write(secret: str, address: ReplyAddress, mailbox: str = "g") -> str:
    """The local part, `g+<token>`; raises ValueError for numbers too large for 64 characters (beyond some 2**40)."""
    numbers = (address.purpose, address.player, address.match, address.seat, address.round)
    optional = (address.restored, address.until) if address.until else (address.restored,) if address.restored else ()
    fields = _pack((*numbers, *optional))
    token = b32encode(fields + _sign(secret, fields)).decode().rstrip("=").lower()
    local_part = f"{mailbox}+{token}"
    if len(local_part) > _LONGEST:
        raise ValueError(f"{address} does not fit a local part")
    return local_part


@lru_cache(256)  # It is read twice: to decide whether to accept an email, and to see what that means.
def read(secret: str, recipient: str) -> ReplyAddress | None:
    """What `write` was given, from a local part or a whole address in upper or lower case; None unless we signed it.

    The mailbox is ignored: addresses already sent must stay valid after it is renamed.
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
    purpose, player, match, seat, round_, *optional = _unpack(fields)
    return ReplyAddress(player, match, seat, round_, Purpose(purpose), *optional)


def mark(recipient: str) -> int:
    """A positive number that tells a player's addresses apart, without revealing them."""
    return 1 + int.from_bytes(sha256(recipient.lower().encode()).digest()[:2])


def message_id(key: str, domain: str) -> str:
    """The Message-ID of the letter with this key: the same at every attempt to send it, so copies are recognised."""
    return f"<{_name(key)}@{domain}>"


def thread_id(match: int, domain: str) -> str:
    """The Message-ID that all emails about a match refer to, which keeps them in one thread. No email has it."""
    return f"<match-{match}@{domain}>"


def list_id(match: int, domain: str) -> str:
    """The List-Id of a match (RFC 2919), for mail programs that sort by it."""
    return f"<match-{match}.{domain}>"


def _name(key: str) -> str:
    return b32encode(sha256(key.encode()).digest()[:20]).decode().lower()


def _sign(secret: str, fields: bytes) -> bytes:
    return hmac.digest(secret.encode(), b"stonepost reply address\0" + fields, sha256)[:_SIGNATURE]


def _pack(numbers: tuple[int, ...]) -> bytes:
    """Seven bits per byte; the highest bit is set in all but the last byte of a number."""
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
