"""The reader of emails: any bytes are read, the same way each time, and only text comes out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random

from service.mail.grammar.reading import parse
from service.mail.parsing import delivery_report
from service.mail.parsing.read import read
from service.mail.senders import authentication, sending_network
from tests.fuzz import mutation
from tests.fuzz.doors import Door, check_printable

CORPUS = Path(__file__).parents[1] / "data" / "mail"
RECEIVED = datetime(2026, 11, 21, tzinfo=UTC)
USUAL, LARGEST = 20_000, 10_000_000
"""The most bytes in most of the emails, and in one of 5,000: as many as we accept."""


def look_up(name: str, kind: str) -> list[str]:
    """A DNS in which everybody has a key."""
    return ["v=DKIM1; k=rsa; p=AAAA"] if "._domainkey." in name else []


def check(raw: bytes) -> bool:
    """Checks what must hold for any bytes, and returns whether there is an order in them."""
    found = read(raw)
    assert found == read(raw), "the same bytes are read alike"
    assert found.order in found.text
    assert "\n" not in found.order + found.sender + found.subject + found.message_id
    for text in (found.order, found.remark, found.text, found.rest, found.subject, found.sender):
        check_printable(text, but="\n\t")
    parse(found.subject, found.text, lambda text: len(text) < 4)
    delivery_report.read(raw)
    sending_network.of(raw, "192.0.2.1", "mx.example.org")
    authentication.proof(raw, found.sender, "192.0.2.1", RECEIVED, look_up, "mx.example.org")
    return bool(found.order)


class Reader(Door):
    name = "reader"
    share = 50

    def __init__(self) -> None:
        self.emails = [path.read_bytes() for path in sorted(CORPUS.glob("*.eml"))]

    def make(self, chance: Random) -> bytes:
        return mutation.raw(chance, self.emails, LARGEST if chance.random() < 1 / 20 else USUAL)

    def take(self, given: bytes) -> bool:
        return check(given)
