"""Random changes of texts and bytes that people, programs or attackers wrote. All of them follow from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T", str, bytes)

NASTY = (
    "", " ", "\t", "\n", "\r\n", "\r", "\0", "\x1b[2J", "\x7f", "\x85", "\xa0", "\xad", "\u0130", "\u0301" * 9,
    "\u200b", "\u202e", "\u2028", "\ufeff", "\ufffe", "\ud800", "\udc80", "\udcff", "\U0001f4a5", "\u0661\u0662",
    "\u00b2", "\uff11", "\u2460", "0", "-1", "1/0", "00", "007", "1e9", "2147483648", "9223372036854775808",
    "9" * 40, "9" * 5_000, "nan", "inf", "None", "0001-01-01", "9999-12-31", "2026-13-45", "29 February", "25:61",
    "#", ":", ";", ",", ".", "?", "!", "/", "\\", "'", '"', "`", "=", "+", "-", "--", "*", "%s", "%", "{0}",
    "{{7*7}}", "${x}", "<", ">", "&", "&amp;", "<script>alert(1)</script>", "]]>", "(", ")", "[", "]", "{", "}",
    "(" * 300, "[" * 2_000, "a" * 300, "../../etc/passwd", "x@y", "@", "a@b.c", "xn--", "http://x", "if", "then",
    "or", "and", "pass", "resign", "accept", "take", "dead", "undo", "a1", "i5", "z99", "O-O", "(;",
    "=?utf-8?q?=ff?=", "=?x?b?===?=", "\nFrom: x@y\n",
)  # fmt: skip
"""Texts on which programs have failed."""

NASTY_BYTES = (
    *(text.encode("utf-8", "surrogatepass") for text in NASTY), b"\xff", b"\xfe\xff", b"\xc0\x80", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\x80" * 9, b"\x1b$B", b"\x1b(B", b"\x0e", b"\r\n\r\n", b"\n\n", b"\r\n.\r\n", b"--",
    b"--b--\r\n", b"=\r\n", b"=3D", b"=zz", b"Content-Type: text/html\r\n",
    b"Content-Type: multipart/mixed; boundary=\"\"\r\n", b"Content-Type: message/rfc822\r\n\r\n",
    b"Content-Transfer-Encoding: base64\r\n", b"Content-Transfer-Encoding: quoted-printable\r\n",
    b"; charset=utf-7", b"; charset=utf-16", b"; charset=idna", b"; charset=punycode", b"; charset=unicode_escape",
    b"; charset=hz", b"Subject: ", b"From: ", b"To: ", b"Date: ", b"Message-ID: <",
    b"Auto-Submitted: auto-replied\r\n", b"DKIM-Signature: ", b"Authentication-Results: ", b"<blockquote>",
    b"<div style=\"display:none\">", b"<!--", b"<style>a{", b"</", b"> ",
)  # fmt: skip

LONGEST = 20_000
"""The length to which a text is cut by default."""


def text(chance: Random, seeds: Sequence[str], longest: int = LONGEST) -> str:
    """One of these texts, changed a little or a lot, or not at all."""
    return _changed(chance, seeds, NASTY, longest)


def raw(chance: Random, seeds: Sequence[bytes], longest: int = LONGEST) -> bytes:
    """One of these messages, changed in the same way."""
    return _changed(chance, seeds, NASTY_BYTES, longest)


def words(chance: Random, known: Sequence[str], most: int = 6) -> str:
    """Some of these words, with separators between them."""
    between = chance.choice((" ", " ", " ", "", "-", ", ", "; ", "  ", "\t", "/"))
    return between.join(chance.choices(known, k=chance.randint(1, most)))


def _changed(chance: Random, seeds: Sequence[T], nasty: Sequence[T], longest: int) -> T:
    changed = chance.choice(seeds)
    for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 2, 3, 5, 9))):
        start = chance.randint(0, len(changed))
        end = min(len(changed), start + int(chance.expovariate(chance.choice((1, 0.2, 0.02)))))
        changed = chance.choice(CHANGES)(chance, changed, start, end, seeds, nasty)
    if chance.random() < ENLARGED and changed:
        changed = _enlarged(chance, changed, longest)
    return changed[:longest]


ENLARGED = 1 / 300
"""The share of inputs that become as long as they may be."""


def _enlarged(chance: Random, given: T, longest: int) -> T:
    start = chance.randrange(len(given))
    piece = given[start : start + chance.choice((1, 2, 7, 80))]
    return given[:start] + piece * (longest // len(piece)) + given[start:]


def _cut(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    return given[:start] + given[end:]


def _ended(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    return given[:end]


def _doubled(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    return given[:start] + given[start:end] * chance.choice((2, 2, 3, 40)) + given[end:]


def _put_in(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    return given[:start] + chance.choice(nasty) + given[start:]


def _replaced(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    return given[:start] + chance.choice(nasty) + given[max(end, start + 1) :]


def _spliced(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    other = chance.choice(seeds)
    from_there = chance.randint(0, len(other))
    return given[:start] + other[from_there : from_there + max(20, end - start)] + given[end:]


def _swapped(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    return given[end:] + given[start:end] + given[:start]


def _other_word(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    parts, others = given.split(), chance.choice(seeds).split()
    if not parts or not others or len(given) > LONGEST:
        return given
    word = chance.choice(parts)
    return given.replace(word, chance.choice(others), chance.choice((1, -1)))


def _cased(chance: Random, given: T, start: int, end: int, seeds: Sequence[T], nasty: Sequence[T]) -> T:
    return given[:start] + given[start:end].swapcase() + given[end:]


CHANGES = (_cut, _ended, _doubled, _put_in, _put_in, _replaced, _replaced, _spliced, _swapped, _other_word, _cased)
