"""Removes our own words from a reply, however the mail program marks what it quotes.

A reply is compared with the emails it may quote, letter by letter, ignoring blanks, quotation marks, line ends and
transfer encodings, so it doesn't matter how the quotation was wrapped, joined or converted from HTML. Signed links and
reply addresses, which act for their reader, are removed wherever they are.

The time is linear: each line is searched for once, in a text of bounded length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from service.mail.parsing.introductions import has_date, is_header, is_rule
from service.mail.phrases import client_phrases

MOST_LETTERS = 100_000
"""The most characters of known emails that are compared."""

_TELLING = 24
"""This many equal letters in a row are no coincidence ..."""
PROOF = 60
"""... and this many in all show that one of our emails is quoted."""
_JOINED = 6
"""The most short lines that are searched for together."""
_WHOLE = 8
"""A shorter line, even if we sent it, counts as ours only next to another line that we sent: it may be a word like
`pass`."""
_FRAME = 8
"""The most lines above a quotation that may introduce it."""

_ENCODED = re.compile(r"=([0-9A-Fa-f]{2})")
_URL = re.compile(r"<?\b(?:https?://|mailto:|cid:)[^\s<>]*>?", re.IGNORECASE)
_COLON = re.compile(r"[^\W\d_]{1,20} ?: ")
_PLAIN = re.compile(r"[\W_]+")
_SIGNED_PATH = re.compile(
    r"(?:/|%2f)(?:mail(?:/|%2f)(?:stop|confirm)|address(?:/|%2f)(?:confirm|object)|sign-in|account(?:/|%2f)not-me)"
    r"(?:/|%2f)[\w%-]"
    r"|(?:/|%2f)(?:go|feed)(?:/|%2f)(?:[\w-]{1,200}\.){1,3}[\w-]{27}(?![\w-])",
    re.IGNORECASE,
)
"""The paths of links that sign in, confirm, object, stop or shut out; the latter two names are common, a signature is
not."""
_REPLY_ADDRESS = re.compile(
    r"(?<![\w.+-])[\w.-]{1,24}(?:\+|%2b)[a-z2-7]{20,64}(?![a-z2-7])(?:@[\w.-]{1,255}\w)?", re.IGNORECASE
)
_WEB = re.compile(r"https?(?::|%3a)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ours:
    """Our emails that a reply may quote, prepared for comparison."""

    letters: str = ""
    """Only the letters and digits of all of them, first without and then with their links."""
    lines: frozenset[str] = frozenset()
    """Only the letters and digits of each line, and of each link."""
    readers: tuple[str, ...] = ()
    """Addresses they were sent from and to, in lower case."""
    given_back: str = ""
    """The letters and digits of what they quote from their reader: that alone doesn't prove that a reply quotes us."""


NOTHING = Ours()


def known(texts: Iterable[str], readers: Iterable[str] = (), given_back: Iterable[str] = ()) -> Ours:
    """Our emails, given the texts of their plain parts and of their HTML parts as programs convert them.

    `given_back` is what they quote from their reader's own earlier emails, which the reader may send again.
    """
    lines = [line for text in texts for line in text.split("\n")]
    bare, whole = [_letters(line) for line in lines], [_letters(line, links=True) for line in lines]
    links = (_letters(link, links=True) for line in lines for link in _URL.findall(line))
    letters = "".join(bare)[:MOST_LETTERS] + " " + "".join(whole)[:MOST_LETTERS]
    named = tuple(filter(None, map(str.lower, readers)))
    return Ours(letters, frozenset((*bare, *whole, *links)) - {""}, named, "".join(map(_letters, given_back)))


def without(text: str, ours: Ours) -> str:
    """The text without lines from `ours`, the lines that introduce them, and signed links."""
    lines = text.split("\n")
    if ours.letters:
        mine = _not_ours(lines, ours)
        lines = [line for line, kept in zip(lines, mine, strict=True) if kept]
    return without_links("\n".join(lines)).strip("\n")


def without_links(text: str) -> str:
    """The text without links and addresses that only work for their reader, and without lines of nothing else."""
    if not (_SIGNED_PATH.search(text) or _REPLY_ADDRESS.search(text)):
        return text
    pairs = ((line, _without_links(line)) for line in text.split("\n"))
    return "\n".join(kept for line, kept in pairs if kept == line or _PLAIN.sub("", kept))


def _without_links(line: str) -> str:
    if not (_SIGNED_PATH.search(line) or _REPLY_ADDRESS.search(line)):
        return line
    words = [_without_link(word) if len(word) > 10 else word for word in line.split(" ")]
    kept = [word for word in words if word is not None]
    return " ".join(kept).rstrip()


def _without_link(word: str) -> str | None:
    """A word without the link in it; None if there is nothing else."""
    if _SIGNED_PATH.search(word):
        start = _WEB.search(word)
        word = word[: start.start()].rstrip("<([\"'") if start else ""
    else:
        plain = _REPLY_ADDRESS.sub("", word)
        word = "" if plain != word and not _PLAIN.sub("", plain.replace("mailto", "")) else plain
    return word or None


def _letters(line: str, *, links: bool = False) -> str:
    """A line for comparison: its letters and digits in lower case, without what encodings add."""
    if "=" in line:
        line = _ENCODED.sub(_decoded, line.removesuffix("="))
    if ":" in line and not links:
        line = _URL.sub(" ", line)
    return _PLAIN.sub("", line).lower()


def _decoded(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] < "8" else ""


def _not_ours(lines: list[str], ours: Ours) -> list[bool]:
    """For each line, whether it is the writer's own."""
    plain = [_letters(line) for line in lines]
    full = [number for number, letters in enumerate(plain) if letters]
    runs = _found(plain, full, ours.letters)
    telling = [[number for number in run if plain[number] not in ours.given_back] for run in runs]
    if sum(len(plain[number]) for run in telling for number in run) < PROOF:
        return [True] * len(lines)
    # A reader's own words are quoted, too, if what follows is what we wrote below them.
    found = {number for run in runs for number in run}
    first, last = next(run[0] for run, tells in zip(runs, telling, strict=True) if tells), max(found)
    own = [number < first or number not in found for number in range(len(lines))]
    link = ""
    for number in range(first, len(lines)):
        line, between = lines[number].strip().lower(), number < last
        letters = _letters(line, links=True)
        known = bool(letters) and letters in ours.letters
        link = link + letters if link and link + letters in ours.letters else letters if known and "://" in line else ""
        below = number > first and not own[number - 1]
        whole = (len(letters) >= _WHOLE or below) and (letters in ours.lines or plain[number] in ours.lines)
        drawn = bool(line) and not letters and (between or below)  # A row of a board, or a ruled line.
        to_reader = any(reader in line for reader in ours.readers)
        if drawn or link or whole or to_reader or (between and known and _among(number, plain, own)):
            own[number] = False
    for number in _frame(lines, first, ours):
        own[number] = False
    return own


def _found(plain: list[str], full: list[int], letters: str) -> list[list[int]]:
    """The numbers of lines that are in our text, alone or with the lines that follow there too: a list for each part of
    our text, in order."""
    found: list[list[int]] = []
    at = 0
    while at < len(full):
        count, joined = 0, ""
        while len(joined) < _TELLING and count < _JOINED and at + count < len(full):
            joined += plain[full[at + count]]
            count += 1
        start = letters.find(joined) if len(joined) >= _TELLING else -1
        if start < 0:
            at += 1
            continue
        end = start + len(joined)
        while at + count < len(full) and letters.startswith(plain[full[at + count]], end):
            end += len(plain[full[at + count]])
            count += 1
        found.append(full[at : at + count])
        at += count
    return found


def _among(number: int, plain: list[str], own: list[bool]) -> bool:
    """Whether the nearest lines with words above and below are both ours."""
    above = next((i for i in range(number - 1, max(-1, number - 4), -1) if plain[i]), None)
    below = next((i for i in range(number + 1, min(len(plain), number + 4)) if plain[i]), None)
    return above is not None and below is not None and not own[above] and not own[below]


def _frame(lines: list[str], first: int, ours: Ours) -> list[int]:
    """The lines directly above a quotation with which a program introduces it: addresses, headers, ruled lines."""
    top = next((number for number, line in enumerate(lines) if line.strip()), first)
    frame: list[int] = []
    blank = 0
    for number in range(first - 1, max(-1, first - 2 * _FRAME), -1):
        line = lines[number].strip()
        blank = 0 if line else blank + 1
        in_block = bool(frame) and frame[-1] == number + 1 and _COLON.match(line) is not None
        if blank > 2 or (line and not in_block and not _introduces(line, ours, number == top)):
            break
        frame += [number] * bool(line)
    return frame[:_FRAME]


def _introduces(line: str, ours: Ours, only: bool) -> bool:
    """Whether a line above a quotation introduces it. An email's first line does only if it contains an address."""
    if any(reader in line.lower() for reader in ours.readers) or _REPLY_ADDRESS.search(line):
        return True
    if only:
        return False
    dated = has_date(line)
    wrote = bool(client_phrases.WROTE.search(line)) and (dated or "@" in line)
    return is_rule(line) or is_header(line) or wrote or (dated and line.endswith(client_phrases.COLONS))
