"""From is exactly one mailbox or none; Python's own parser of addresses is the reference."""

from __future__ import annotations

import random
import warnings
from email.headerregistry import UniqueSingleAddressHeader as Reference

import pytest

from service.mail import mailbox
from service.mail.parsing.read import read
from tests.mail import given_headers

ADA = "ada@example.org"


def sender(head: bytes) -> str:
    return read(head + b"\r\nTo: play@play.example\r\n\r\nf6\r\n").sender


@pytest.mark.parametrize(
    "field",
    [
        b"ada@example.org",
        b"<ada@example.org>",
        b"ADA@Example.ORG",
        b"Ada <ada@example.org>",
        b"ada@example.org <ada@example.org>",
        b"Ada@Example.org (Ada) <ada@example.org> (Ada)",
        b"Ada L. Byron <ada@example.org>",
        b'"Ada, 1st \\"the\\" Countess <x@y.example>" <ada@example.org>',
        b"ada@example.org (Ada (of (Lovelace)) and \\) so on)",
        b"(first) Ada (second) <ada@example.org> (third)",
        b"=?utf-8?q?Ad=C3=A0?= <ada@example.org>",
        "Adà <ada@example.org>".encode(),
        "Adà <ada@example.org>".encode("latin-1"),
        b'"Ada"\r\n <ada@example.org>',
        b"ada\r\n\t(on two lines)\r\n <ada@example.org>",
    ],
)
def test_a_single_mailbox_is_read(field: bytes) -> None:
    assert sender(b"From: " + field) == ADA


@pytest.mark.parametrize(
    "head",
    [
        b'From: "ada@example.org ' + b"x" * 4000 + b'" <mallory@evil.example>',
        b"From: ada@example.org, " + b" " * 4000 + b"mallory@evil.example",
        b"X: " + b"y" * 66_000 + b"\r\nFrom: ada@example.org",
        b"From: ada@example.org\r\nX: " + b"y" * 66_000,
        b'From: ada@example.org <"a b"@evil.example>',
        b'From: ada@example.org <"a"@evil.example>',
        b"From: ada@example.org <mallory@evil.example>",
        b"From: ada@example.org <ada@example.org> <mallory@evil.example>",
        b"From: ada@example.org <ada@example.org>, mallory@evil.example",
        b"From: ada@example.org, mallory@evil.example",
        b"From: ada@example.org\r\nFrom: mallory@evil.example",
        b"From: ada@example.org\r\nfr\xe2\x80\x8bom: mallory@evil.example",
        b"From: ada@example.org\r\nFrom : mallory@evil.example",
        b"From: friends: ada@example.org;",
        b"From: ada@example.org;",
        b"From: ada@example.org,",
        b"From: (ada@example.org",
        b"From: (ada@example.org) mallory",
        b"From: " + b"(" * 6 + b")" * 6 + b"ada@example.org",
        b"From: ada (comment) @example.org",
        b"From: ada@example.org (comment) .evil.example",
        b"From: ada@example.org.",
        b"From: ada@[192.0.2.1]",
        b"From: ada@@example.org",
        b"From: .ada@example.org",
        b"From: ada\r\n @example.org",
        b"From: ada@example.org\r\n \r\n (after a blank fold)",
        b"From: ada@exam\xe2\x80\x8bple.org",
        b"From: ad\xada@example.org",
        b"From: ada\0@example.org",
        b"From: ada@example.org\r(mallory@evil.example)",
        b"From: <ada@example.org",
        b"From: <ada@example.org> mallory@evil.example",
        b"From: <ada@example.org> <mallory@evil.example>",
        b"From: <@evil.example:ada@example.org>",
        b"From: =?utf-8?q?ada=40example.org?=",
        b"From: \"ada@example.org\"",
        b"From: ada",
        b"From:",
        b"X: y",
    ],
)  # fmt: skip
def test_anything_else_is_not_a_mailbox(head: bytes) -> None:
    assert sender(head) == ""


def test_a_list_is_read_as_a_whole_or_not_at_all() -> None:
    assert mailbox.listed(' Ada <ada@example.org>,\n "Bo, B" <bo@example.net> (b)') == (ADA, "bo@example.net")
    assert mailbox.listed("ada@example.org, friends: bo@example.net;") == ()
    assert mailbox.listed("ada@example.org,, bo@example.net") == ()
    assert mailbox.listed("") == ()


def reference(field: str) -> str | None:
    """The one address that Python's standard library reads in a field; "" if it reads several, a group or none, and
    None if it fails, which it does on some display names."""
    found: dict[str, object] = {"defects": []}
    try:
        Reference.parse(field, found)
    except (AttributeError, IndexError, TypeError):
        return None
    groups = found["groups"]
    assert isinstance(groups, list)
    addresses = [address for group in groups for address in group.addresses]
    return addresses[0].addr_spec.lower() if len(addresses) == 1 and groups[0].display_name is None else ""


def compared(number: int, seed: int) -> tuple[int, int]:
    """How many of as many generated fields we read, and how many the reference reads; fails if they differ."""
    chance, ours, theirs = random.Random(seed), 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(number):
            field = given_headers.sender(chance)
            found, expected = mailbox.only(field), reference(field.replace("\n", ""))
            assert found in (expected, "") or expected is None, field
            ours, theirs = ours + bool(found), theirs + bool(expected)
    return ours, theirs


def test_the_standard_library_reads_the_same_addresses() -> None:
    ours, theirs = compared(1_500, 8)
    assert theirs > 1_000
    assert ours > 0.4 * theirs
