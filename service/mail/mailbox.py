"""A strict parser of mailboxes (RFC 5322, 3.4): a field that could be read in two ways has no mailbox.

Accepted are `ada@example.org`, `Ada <ada@example.org>` and `"Ada, 1st" <ada@example.org>`, each with comments around
it, and with unquoted dots (RFC 5322, 4.1) and non-ASCII letters (RFC 6532) in a display name, which may also be the
very address that follows. Refused are forms that the RFC allows but no mail program writes: a quoted local part, an
address in square brackets, blanks inside an address, groups, and folds that leave a line blank.

Our own, because `email.utils` guesses when a field can be read in two ways, and forgers write such fields.
"""

from __future__ import annotations

import re

MAX_FIELD = 4_000
"""The most characters of a field. A longer one is refused, never cut."""
MAX_COMMENT_DEPTH = 5

_ATEXT = r"[\w!#$%&'*+/=?^`{|}~-]"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
DOMAIN = rf"{_LABEL}(?:\.{_LABEL})*"
"""A domain name in ASCII, as a regular expression."""
ADDRESS = rf"(?=[^@]{{1,64}}@){_ATEXT}+(?:\.{_ATEXT}+)*@(?=[^\s<>(),;]{{1,253}}(?:[\s<>(),;]|\Z)){DOMAIN}"
"""A local part without quotes, and a domain."""

_ADDRESS = re.compile(ADDRESS, re.ASCII)
_ANGLED = re.compile(f"<({ADDRESS})>", re.ASCII)
_WORD = re.compile(r'(?:[\w!#$%&\'*+/=?^`{|}~.-]|[^\x00-\x9f])+|"(?:[^"\\]|\\.)*"', re.ASCII)
_COMMENT_TEXT = re.compile(r"(?:[^()\\]|\\.)*")
_FOLD = re.compile(r"\n(?=[ \t]*[^ \t\n])[ \t]")
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class _Odd(ValueError):
    """A field that isn't plainly what it should be."""


def only(field: str) -> str:
    """The lower-case address of the only mailbox in a field, which may be folded; "" unless there is exactly one."""
    found = listed(field)
    return found[0] if len(found) == 1 else ""


def listed(field: str) -> tuple[str, ...]:
    """The lower-case addresses in a list of mailboxes; empty if any mailbox is odd."""
    try:
        return tuple(_mailboxes(_unfolded(field)))
    except _Odd:
        return ()


def is_plain(address: str) -> bool:
    """Whether this is an address without quotes, blanks and comments."""
    return _ADDRESS.fullmatch(address) is not None


def skip_comments(text: str, at: int) -> int:
    """The end of the blanks and comments that begin at `at` (RFC 5322, 3.2.2: CFWS); raises ValueError."""
    while at < len(text) and text[at] in " \t(":
        at = _comment(text, at, 1) if text[at] == "(" else at + 1
    return at


def _unfolded(field: str) -> str:
    if len(field) > MAX_FIELD:
        raise _Odd
    text = _FOLD.sub(" ", field)
    if _CONTROL.search(text):
        raise _Odd
    return text


def _mailboxes(text: str) -> list[str]:
    found, at = [], -1
    while at < len(text):
        address, at = _mailbox(text, at + 1)
        found.append(address)
        if at < len(text) and text[at] != ",":
            raise _Odd
    return found


def _mailbox(text: str, at: int) -> tuple[str, int]:
    """The mailbox that begins here, and the end of the blanks and comments after it."""
    at = skip_comments(text, at)
    bare = _ADDRESS.match(text, at)
    if bare and text[bare.end() : bare.end() + 1] in ("", " ", "\t", "(", ","):
        end = skip_comments(text, bare.end())
        # Some programs write the address in place of a name. Another one there could be a forger's.
        if (again := _ANGLED.match(text, end)) and again[1].lower() == bare[0].lower():
            end = skip_comments(text, again.end())
        return bare[0].lower(), end
    while word := _WORD.match(text, at):
        at = skip_comments(text, word.end())
    angled = _ANGLED.match(text, at)
    if angled is None:
        raise _Odd
    return angled[1].lower(), skip_comments(text, angled.end())


def _comment(text: str, at: int, depth: int) -> int:
    """The end of the comment that begins here."""
    at = _end(_COMMENT_TEXT, text, at + 1)
    while text[at : at + 1] == "(" and depth < MAX_COMMENT_DEPTH:
        at = _end(_COMMENT_TEXT, text, _comment(text, at, depth + 1))
    if text[at : at + 1] != ")":
        raise _Odd
    return at + 1


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None, "the pattern matches the empty text"
    return found.end()
