"""What mail programs put above the email they quote: `On … wrote:`, a divider, or a copy of its headers.

A shape counts in every language; the words of `client_phrases` decide if a shape alone could be the writer's own. Each
test looks at a few lines of bounded length, so the cost is linear.
"""

from __future__ import annotations

import re
from itertools import takewhile

from service.mail.phrases import client_phrases

LONGEST = 500
"""The longest line of an introduction, footer or quoted header."""

_DATE = re.compile(r"\d[:.h]\d\d\b|\b20\d\d(?!\d)|\d\s?[시時时点點]")
"""A time of day or a year."""
_DAY_FIRST = re.compile(r"[-\u2013*\s]{0,4}(?:[^\W\d]{1,12}[.,]{0,2}\s{1,2}){0,3}\d")
"""The beginning of an attribution in most languages: a few short words and a number, as in `On Wed, Dec 9`."""
_ADDRESS_LAST = re.compile(
    r"[<(][^<>()]{1,200}@[^<>()]{1,200}(?:<[^<>]{1,200}>)?[>)]{1,2}[*\s]{0,3}[:\uff1a]?[*\s]{0,3}$"
)
_TITLED = re.compile(r"-{3,}[*\s]{0,3}([^-*\s].{2,60}?)[*\s]{0,3}-{3,}")
_PROCESSED = re.compile(r"(\S{4,20} \S{4,20}) processed by \S{2,30}", re.IGNORECASE)
"""The divider of Tobit's david."""
_RULE = re.compile(r"[-=_*~\u2014\u2013\s]{3,}")
_FIELD = re.compile(r"([^\W\d_][^:\uff1a@<>]{0,24})(?::(?!//)|\uff1a)")
_LABEL = re.compile(r"(?:^|[\s*])([^\W\d_]{1,15}(?: [^\W\d_]{1,15})?) ?:(?=\s)")
_MOST = 6
"""The most lines an attribution may be broken into, including blank ones."""


def is_quoted(line: str) -> bool:
    """Whether the line has the mark of a quotation."""
    return line.lstrip(" ").startswith(">")


def next_words(lines: list[str], at: int) -> str:
    """The first line that isn't blank among the ten from `at` on."""
    return next((line for line in lines[at : at + 10] if line), "")


def is_rule(line: str) -> bool:
    """Whether the line consists of nothing but a rule."""
    return bool(_RULE.fullmatch(line)) and bool(line.strip())


def has_date(line: str) -> bool:
    """Whether the line has a time of day or a year."""
    return bool(_DATE.search(line[:LONGEST]))


def is_header(line: str) -> bool:
    """Whether the line looks like an email header in some language: `Subject: …`."""
    return _label(line.strip(" *")[:LONGEST]) in client_phrases.LABELS


def introduction(lines: list[str], at: int) -> int:
    """How many lines from `at` on introduce a quotation, including a rule above; 0 if none do."""
    if is_rule(lines[at]):
        below = next((i for i in range(at + 1, min(at + 4, len(lines))) if lines[i].strip(" *")), 0)
        if below and not _is_divider(lines, at) and (found := _introduction(lines, below)):
            return below - at + found
    return _introduction(lines, at)


def _introduction(lines: list[str], at: int) -> int:
    if is_quoted(lines[at]) or len(lines[at]) > LONGEST:
        return 0
    if _is_divider(lines, at) or _copied_headers(lines, at) or _headers_in_one_line(lines[at]):
        return _and_what_follows(lines, at)
    return _attribution(lines, at)


def _and_what_follows(lines: list[str], at: int) -> int:
    """The lines of a divider or header, with headers or an attribution below it if a marked quotation follows."""
    below = next((i for i in range(at + 1, min(at + 4, len(lines))) if lines[i]), at)
    block = list(takewhile(lambda line: line and not is_quoted(line), lines[below : below + 8]))
    return below + len(block) - at if is_quoted(next_words(lines, below + len(block))) else 1


def _is_divider(lines: list[str], at: int) -> bool:
    """`-----Original Message-----`, the line of underscores of Outlook and Mailman, Apple's `Begin forwarded …`."""
    line = lines[at].strip(" *")
    if len(line) >= 10 and not line.strip("_"):
        return True
    titled = _TITLED.match(line)
    if titled and client_phrases.ORIGINAL.search(titled[1]):
        return True
    processed = _PROCESSED.fullmatch(line)
    if processed and all(map(client_phrases.ORIGINAL.match, processed[1].split())):
        return True
    if line.startswith("---") and line.endswith("--") and client_phrases.WROTE.search(line):
        return bool(_DATE.search(line)) or is_quoted(next_words(lines, at + 1))
    return line.endswith(client_phrases.COLONS) and bool(client_phrases.FORWARD.match(line))


def _copied_headers(lines: list[str], at: int) -> bool:
    """Lines like `From: …`, `Sent: …`, `Subject: …`, one with a date and one with a sender.

    There must be three, with whatever names, or two with known names.
    """
    block = [line.strip(" *")[:LONGEST] for line in takewhile(bool, lines[at : at + 8])]
    labels = [_label(line) for line in block]
    if not block or not labels[0] or not any(map(_DATE.search, block)):
        return False
    if not (labels[0] in client_phrases.FROM or any("@" in line for line in block)):
        return False
    known = labels[0] in client_phrases.LABELS and sum(label in client_phrases.LABELS for label in labels) >= 2
    return known or sum(map(bool, labels)) >= 3


def _label(line: str) -> str:
    """The name before a header's colon, in lower case; "" if the line isn't a header.

    Most programs write a blank after the colon; French ones may write it before.
    """
    field = _FIELD.match(line)
    if field is None:
        return ""
    label = field[1].strip(" *").lower()
    follows = line[field.end() : field.end() + 1]
    spaced = not follows or follows in " \t*" or line[field.end() - 1] == "\uff1a" or field[1].endswith(" ")
    return label if spaced or label in client_phrases.LABELS else ""


def _headers_in_one_line(line: str) -> bool:
    """`From: Ada <a@b> Date: 24/11/2026 18:30 To: …`, as some phones copy headers."""
    if "@" not in line or not _DATE.search(line):
        return False
    labels = [label.lower() for label in _LABEL.findall(line)]
    return (
        bool(labels)
        and labels[0] in client_phrases.FROM
        and sum(label in client_phrases.LABELS for label in labels) >= 2
    )


def _attribution(lines: list[str], at: int) -> int:
    """How many lines from `at` on are an attribution such as `On …, somebody <…> wrote:`, in any language; 0 if none.

    It ends in a colon or its verb. A verb of writing with a date or address is enough, and so is a date with an address
    at the end; with less, a marked quotation must follow.
    """
    joined, dated_first = "", bool(_DAY_FIRST.match(lines[at]))
    for count, line in enumerate(lines[at : at + _MOST], 1):
        following = lines[at + count] if at + count < len(lines) else ""
        torn = _is_open(joined) or (dated_first and following.startswith("<"))
        if torn and (not line or _closes(line)):
            joined += line
        elif not line or len(line) > LONGEST or is_quoted(line):
            return 0
        else:
            joined = f"{joined} {line}"
        ended = not (_is_open(joined) and _closes(following))
        if ended and _is_whole(joined, is_quoted(next_words(lines, at + count))):
            return count
        if len(joined) > LONGEST or not (_is_open(joined) or dated_first or _goes_on(line, following)):
            return 0
    return 0


def _is_open(joined: str) -> bool:
    """Whether an angle bracket is still open."""
    return joined.count("<") > joined.count(">")


def _closes(line: str) -> bool:
    """Whether this is the end of an attribution, `>:` or `> wrote:`, rather than a quoted line."""
    rest = line.strip(" >*")
    return line.lstrip().startswith(">") and rest.endswith(client_phrases.COLONS) and len(rest) < 20


def _is_whole(joined: str, marked: bool) -> bool:
    """Whether these words are a complete attribution; `marked` if a marked quotation follows."""
    date, addressed, at_end = _DATE.search(joined), "@" in joined, joined.rstrip(" *")
    if not (date or addressed or (marked and at_end.endswith(client_phrases.COLONS))):
        return False
    wrote = client_phrases.WROTE.search(joined)
    if at_end.endswith(client_phrases.COLONS):
        if wrote and (addressed or date):
            return True
        return bool(date and _ADDRESS_LAST.search(joined)) or (marked and bool(wrote or addressed or date))
    if wrote and addressed and ":" in joined[wrote.end() : wrote.end() + 4]:
        return True  # Yahoo on phones begins the quotation in the same line.
    if wrote and addressed and date and wrote.end() == len(at_end):
        return True
    return marked and bool(date or _DAY_FIRST.match(joined.lstrip())) and bool(_ADDRESS_LAST.search(joined))


def _goes_on(line: str, following: str) -> bool:
    """Whether an attribution may continue in the next line: it was wrapped, or the name is below the date."""
    if wraps(line, following):
        return True
    return bool(_DATE.search(line) and following.endswith(client_phrases.COLONS) and not _DATE.search(following))


def wraps(line: str, following: str, width: int = 60) -> bool:
    """Whether a program may have broken one line of at least `width` columns into these two.

    Programs do so only if the next word doesn't fit, and none has lines far longer than 80 columns.
    """
    word = following.split(None, 1)[:1]
    return bool(word) and len(line) <= 82 and len(line) + 1 + len(word[0]) > width
