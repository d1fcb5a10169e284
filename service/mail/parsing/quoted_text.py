"""Decides which lines of an email are its writer's own.

`split` walks over the lines once and sets aside quotations, the lines that introduce them, signatures and the footers
of phones. After an unmarked quotation has begun, a line counts as the writer's own only if that is certain: an order is
never read from quoted text. Every test looks at one line or a few, so the cost is linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from service.mail.parsing.introductions import LONGEST, introduction, is_quoted, next_words, wraps
from service.mail.phrases import footer_phrases

MAX_LINES = 4_000
_ARMOUR = "-----BEGIN PGP "
_SIGNED = f"{_ARMOUR}SIGNED MESSAGE-----"
_MARKS = ("\u1427",)
"""What programs leave at the end of an email to track who opens it."""
_STRAY = re.compile(r"\s*(?:<|\(https?://[^\s()]{1,400}\) ?>)")
"""The rest of a quoted line that was broken at an address or a link, with its mark at the end."""
_SENTENCE_END = re.compile("[.!?\u2026][\\])\"'\u201d\u00bb]{0,2}$")
_SIGNING = ("--", "—", "__")
"""The beginnings of lines above a signature."""


@dataclass(slots=True)
class Split:
    """The writer's own lines, in order and with their blank lines, and all other lines."""

    own: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)


def split(text: str) -> Split:
    """Splits the lines of a plain text. Lines beyond MAX_LINES belong to neither part."""
    found = _split(text)
    return Split([*found.own], [*found.rest])


@lru_cache(maxsize=4)
def _split(text: str) -> Split:
    """The cached result that `split` copies: the same email is read several times."""
    lines = [line.rstrip() for line in text.split("\n", MAX_LINES)[:MAX_LINES]]
    if _SIGNED in lines:
        lines = _undashed(lines)
    found, at, signing = Split(), 0, False
    while at < len(lines):
        line = lines[at]
        introducing = line and len(line) <= LONGEST and not line.startswith(_ARMOUR)
        quoting = introduction(lines, at) if introducing else 0
        if quoting and not is_quoted(next_words(lines, at + quoting)):
            found.rest += lines[at:]
            return found
        if quoting or is_quoted(line):
            quoting, signing = quoting or 1, False
            quoting += _is_overhang(lines, at + quoting)
        elif line.startswith(_ARMOUR):
            quoting = _armour(lines, at)
        found.rest += lines[at : at + quoting]
        if not quoting:
            signing = signing or line in _SIGNING
            (found.rest if signing or _is_footer(line) else found.own).append(line)
        at += quoting or 1
    return found


def _undashed(lines: list[str]) -> list[str]:
    """The lines without the dashes with which signed OpenPGP text escapes lines that begin with a dash (RFC 9580,
    7.1)."""
    begin = lines.index(_SIGNED)
    end = next((at for at in range(begin + 1, len(lines)) if lines[at].startswith(_ARMOUR)), len(lines))
    return [line.removeprefix("- ") if begin < at < end else line for at, line in enumerate(lines)]


def _armour(lines: list[str], at: int) -> int:
    """How many lines from `at` on are the head of an OpenPGP message, or its whole signature (RFC 9580, 7)."""
    ends = "" if "MESSAGE" in lines[at] else lines[at].replace("BEGIN", "END")
    return next((i for i, line in enumerate(lines[at : at + 200], 1) if line == ends), 1)


def _is_overhang(lines: list[str], at: int) -> bool:
    """Whether this line is the end of the quoted line before it, wrapped without the mark."""
    if at >= len(lines) or is_quoted(lines[at]) or not is_quoted(lines[at - 1]):
        return False
    above, line = lines[at - 1], lines[at]
    if _STRAY.fullmatch(line[:LONGEST]) and is_quoted(next_words(lines, at + 1)):
        return True
    broken_link = "http" in above and above.count("(") > above.count(")") and len(line.split()) == 1
    return broken_link or (wraps(above, line, 72) and not _SENTENCE_END.search(above))


def _is_footer(line: str) -> bool:
    """`Sent from my iPhone` and its like."""
    words = line.strip(" *_<[(-")
    if words in _MARKS or footer_phrases.OUTLOOK.match(words):
        return True
    said = footer_phrases.SENT_FROM.match(words) or footer_phrases.SENT.search(words)
    return len(line) < 120 and bool(said and footer_phrases.DEVICES.search(words))
