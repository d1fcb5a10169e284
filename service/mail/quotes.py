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

_DATED = re.compile(r"@|\d[:.h]\d\d|\d\d\d\d|\d\s?시")
"""An address, a time of day or a year."""
_FIELD = re.compile(r"[*\s]{0,4}([^\W\d_][^:\uff1a@<>]{0,24})[*\s]{0,3}[:\uff1a][*\s]{0,3}(\S.*)?$")


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
        quoting = _introduction(lines, at)
        if quoting and not _is_quoted(_next_words(lines, at + quoting)):
            found.rest += lines[at:]
            return found
        if quoting or _is_quoted(line):
            quoting, signing = quoting or 1, False
            quoting += _is_overhang(lines, at + quoting)
            found.rest += lines[at : at + quoting]
        else:
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
    if not line or len(line) > _LONGEST or _is_quoted(line):
        return 0
    if _is_divider(line) or _copied_headers(lines, at):
        return _and_what_follows(lines, at)
    return _attribution(lines, at)


def _and_what_follows(lines: list[str], at: int) -> int:
    """A divider, with the attribution that some programs put below it."""
    below = next((i for i in range(at + 1, min(at + 4, len(lines))) if lines[i]), at)
    attribution = _attribution(lines, below)
    return below - at + attribution if attribution else 1


def _is_divider(line: str) -> bool:
    """`-----Original Message-----`, the line of underscores of Outlook and Mailman, Apple's `Begin forwarded …`."""
    line = line.strip()
    if len(line) >= 10 and not line.strip("_"):
        return True
    if line.startswith("---") and line.endswith("--"):
        return bool(dialects.ORIGINAL.search(line))
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
    return any(map(_DATED.search, block)) and (sender or any("@" in line for line in block))


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
        if line.endswith(dialects.COLONS):
            wrote, dated = bool(dialects.WROTE.search(joined)), bool(_DATED.search(joined))
            marked = _is_quoted(_next_words(lines, at + count))
            return count if (wrote and dated) or (marked and (wrote or dated)) else 0
        if not wraps(line, lines[at + count] if at + count < len(lines) else ""):
            return 0
    return 0


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
