"""Which lines of a mail are its writer's own.

`split` walks once over the lines and sets aside quotations, the lines that introduce them, signatures and the footers
of phones. What it cannot prove to be the writer's own after an unmarked quotation began, it does not take for it:
an order is never read from quoted text. Every test looks at one line or a few, so the cost is linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import takewhile

from service.mail import dialects

MAX_LINES = 4_000
_LONGEST = 500
"""No introduction, footer or header of a quoted mail has a longer line."""

_DATE = re.compile(r"\d[:.h]\d\d\b|\b20\d\d(?!\d)|\d\s?[시時时点點]")
"""A time of day or a year."""
_ARMOUR = "-----BEGIN PGP "
_FIELD = re.compile(r"[*\s]{0,4}([^\W\d_][^:\uff1a@<>]{0,24})[*\s]{0,3}(?::(?=[*\s]|$)|\uff1a)")


@dataclass(slots=True)
class Split:
    """The writer's own lines, in order and with their blank lines, and all other lines."""

    own: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)


def split(text: str) -> Split:
    """The lines of a plain text, told apart. Lines beyond MAX_LINES belong to neither."""
    lines = [line.rstrip() for line in text.split("\n", MAX_LINES)[:MAX_LINES]]
    found, at, signing = Split(), 0, False
    while at < len(lines):
        line = lines[at]
        quoting = _introduction(lines, at) if line and len(line) <= _LONGEST else 0
        if quoting and not _is_quoted(_next_words(lines, at + quoting)):
            found.rest += lines[at:]
            return found
        if quoting or _is_quoted(line):
            quoting, signing = quoting or 1, False
            quoting += _is_overhang(lines, at + quoting)
        elif line.startswith(_ARMOUR):
            quoting = _armour(lines, at)
        found.rest += lines[at : at + quoting]
        if not quoting:
            signing = signing or line in ("--", "—")
            (found.rest if signing or _is_footer(line) else found.own).append(line)
        at += quoting or 1
    return found


def _is_quoted(line: str) -> bool:
    return line.lstrip(" ").startswith(">")


def _next_words(lines: list[str], at: int) -> str:
    """The first line from `at` that is not blank, of the next ten."""
    return next((line for line in lines[at : at + 10] if line), "")


def _introduction(lines: list[str], at: int) -> int:
    """How many lines from `at` introduce a quotation: none, or those of an attribution, a divider or copied headers."""
    line = lines[at]
    if _is_quoted(line) or line.startswith(_ARMOUR):
        return 0
    if _is_divider(line) or _copied_headers(lines, at):
        return _and_what_follows(lines, at)
    return _attribution(lines, at)


def _and_what_follows(lines: list[str], at: int) -> int:
    """A divider or header, with the headers or attribution below it where a marked quotation comes after them."""
    below = next((i for i in range(at + 1, min(at + 4, len(lines))) if lines[i]), at)
    block = list(takewhile(lambda line: line and not _is_quoted(line), lines[below : below + 8]))
    return below + len(block) - at if _is_quoted(_next_words(lines, below + len(block))) else 1


def _is_divider(line: str) -> bool:
    """`-----Original Message-----`, the line of underscores of Outlook and Mailman, Apple's `Begin forwarded …`."""
    line = line.strip()
    if len(line) >= 10 and not line.strip("_"):
        return True
    if line.startswith("---") and line.endswith("--"):
        return bool(dialects.ORIGINAL.search(line)) or bool(dialects.WROTE.search(line) and _DATE.search(line))
    return line.endswith(dialects.COLONS) and bool(dialects.FORWARD.match(line))


def _copied_headers(lines: list[str], at: int) -> bool:
    """Three or more lines like `From: …`, `Sent: …`, `Subject: …`, one with a date and one with a sender."""
    first = _FIELD.match(lines[at])
    if not first:
        return False
    block = [line[:_LONGEST] for line in takewhile(bool, lines[at : at + 8])]
    if sum(bool(_FIELD.match(line)) for line in block) < 3:
        return False
    sender = first[1].lower().strip("* ") in dialects.FROM
    return any(map(_DATE.search, block)) and (sender or any("@" in line for line in block))


def _attribution(lines: list[str], at: int) -> int:
    """How many lines `On …, somebody <…> wrote:` takes from `at`, in any language; 0 if that is not what stands there.

    It ends in a colon. With a verb of writing and a date or address it stands alone; with either of the two it must
    be followed by a quotation that is marked.
    """
    joined = ""
    for count, line in enumerate(lines[at : at + 4], 1):
        if not line or len(line) > _LONGEST or _is_quoted(line):
            return 0
        joined = f"{joined} {line}"
        wrote, dated = dialects.WROTE.search(joined), "@" in joined or _DATE.search(joined)
        if line.endswith(dialects.COLONS):
            marked = _is_quoted(_next_words(lines, at + count))
            return count if (wrote and dated) or (marked and (wrote or dated)) else 0
        if wrote and "@" in joined and ":" in joined[wrote.end() : wrote.end() + 4]:
            return count  # Yahoo's telephones begin the quotation in the same line.
        if not _goes_on(line, lines[at + count] if at + count < len(lines) else ""):
            return 0
    return 0


def _goes_on(line: str, following: str) -> bool:
    """Whether an attribution may go on in the next line: it was wrapped, or has the date above and the name below."""
    if wraps(line, following):
        return True
    return bool(_DATE.search(line) and following.endswith(dialects.COLONS) and not _DATE.search(following))


def _armour(lines: list[str], at: int) -> int:
    """How many lines the head of an OpenPGP message takes, or all of its signature (RFC 9580, 7)."""
    ends = "" if "MESSAGE" in lines[at] else lines[at].replace("BEGIN", "END")
    return next((i for i, line in enumerate(lines[at : at + 200], 1) if line == ends), 1)


def _is_overhang(lines: list[str], at: int) -> bool:
    """Whether this line is the end of the quoted line before it, wrapped by a program that left out the mark."""
    if at >= len(lines) or _is_quoted(lines[at]) or not _is_quoted(lines[at - 1]):
        return False
    return wraps(lines[at - 1], lines[at], 72)


def wraps(line: str, following: str, width: int = 60) -> bool:
    """Whether a program may have broken one line of at least `width` columns into these two.

    It would have done so only where the next word did not fit, and none lets lines grow far beyond 80 columns.
    """
    word = following.split(None, 1)[:1]
    return bool(word) and len(line) <= 82 and len(line) + 1 + len(word[0]) > width


def _is_footer(line: str) -> bool:
    """`Sent from my iPhone` and its like."""
    words = line.lstrip(" *_<[(-")
    return len(line) < 120 and bool(dialects.SENT_FROM.match(words)) and bool(dialects.DEVICES.search(words))
