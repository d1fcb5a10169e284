"""A strict parser of the Authentication-Results header field (RFC 8601, 2.2).

A field is read as a whole or not at all. It may contain a stranger's words, such as the `i=` of a signature or a return
path, so nothing is searched for: each character must have its place in the grammar.

Our own, because the package for it, authres, has had no release since 2019.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.mail import mailbox
from service.mail.mailbox import DOMAIN

MAX_FIELD = 8_000
"""The most characters of a field. A longer one isn't read."""

_KEYWORD = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?")
_TOKEN = re.compile(r"[!#$%&'*+.0-9A-Z^_`a-z{|}~-]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NUMBER = re.compile(r"[0-9]+")
_ATEXT = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
_ADDRESS = re.compile(rf'(?:{_ATEXT}+(?:\.{_ATEXT}+)*|"(?:[^"\\]|\\.)*")?@{DOMAIN}(?![A-Za-z0-9.-])')
_SIGNATURE_START = re.compile(r"[A-Za-z0-9+/]{1,512}={0,2}(?=[ \t;(]|$)")
_HOSTS = ("policy.iprev", "smtp.remote-ip", "smtp.client-ip")
"""Properties whose value is the address of the sending host."""
_HOST = re.compile(r"[0-9A-Fa-f:.]{2,45}(?=[ \t;(]|$)")
_FOLD = re.compile(r"\n(?=[ \t]*[^ \t\n])[ \t]")
_PRINTABLE = re.compile(r"[\t -~]*")


@dataclass(frozen=True, slots=True)
class Result:
    """A server's result of one method. `method`, `result` and the names of properties are in lower case."""

    method: str
    result: str
    properties: tuple[tuple[str, str], ...] = ()
    """Such as `("header.d", "example.org")`; a quoted value without its quotes, an address as written."""

    def value(self, name: str) -> str:
        """The value of a property; "" unless it is given exactly once."""
        found = [value for known, value in self.properties if known == name]
        return found[0] if len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class AuthenticationResults:
    """A field: the server's name and its results."""

    server: str
    results: tuple[Result, ...]


def parse(field: str) -> AuthenticationResults | None:
    """Parses the value of a field, which may be folded; None unless all of it follows the RFC."""
    text = _FOLD.sub(" ", field).rstrip("\n")
    if len(text) > MAX_FIELD or not _PRINTABLE.fullmatch(text):
        return None
    try:
        return _Scanner(text).field()
    except ValueError:
        return None


class _Scanner:
    """Reads the text token by token; each method raises ValueError if its token isn't next."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def field(self) -> AuthenticationResults:
        self.skip()
        server = self.token_or_quoted().lower()
        if self.skip() and (version := _NUMBER.match(self.text, self.at)):
            self.at = version.end()
            if int(version[0][:9]) != 1:
                raise ValueError("There is only version 1.")
            self.skip()
        self.sign(";")
        self.skip()
        if self.text[self.at : self.at + 4].lower() == "none" and self.is_end_after(4):
            return AuthenticationResults(server, ())
        results = [self.result()]
        while self.at < len(self.text):
            self.sign(";")
            self.skip()
            results.append(self.result())
        return AuthenticationResults(server, tuple(results))

    def result(self) -> Result:
        """`resinfo`, without the semicolon before it but with the blanks after it."""
        method = self.take(_KEYWORD).lower()
        self.skip()
        if self.peek() == "/":
            self.sign("/")
            self.skip()
            self.take(_NUMBER)
            self.skip()
        self.sign("=")
        self.skip()
        result = self.take(_KEYWORD).lower()
        properties: list[tuple[str, str]] = []
        while self.is_more(self.skip()):
            kind = self.take(_KEYWORD).lower()
            self.skip()
            if kind == "reason" and not properties and self.peek() == "=":
                self.sign("=")
                self.skip()
                self.token_or_quoted()
                continue
            self.sign(".")
            self.skip()
            name = f"{kind}.{self.take(_KEYWORD).lower()}"
            self.skip()
            self.sign("=")
            self.skip()
            properties.append((name, self.value(name)))
        return Result(method, result, tuple(properties))

    def is_more(self, skipped: bool) -> bool:
        """Whether a property follows, separated by blanks or a comment."""
        if self.at == len(self.text) or self.peek() == ";":
            return False
        if not skipped:
            raise ValueError("Something is stuck to a value.")
        return True

    def value(self, name: str) -> str:
        """`pvalue`: an address or the domain of one, a token, or something quoted.

        OpenDKIM writes the first characters of a signature, `header.b` (RFC 6008), as base64 without quotes. One in
        eight contains a slash, which isn't allowed in a token. Many servers write a host's IPv6 address without quotes,
        though its colons aren't allowed there either.
        """
        if name in _HOSTS and (found := _HOST.match(self.text, self.at)):
            self.at = found.end()
            return found[0]
        if name == "header.b" and (found := _SIGNATURE_START.match(self.text, self.at)):
            self.at = found.end()
            return found[0]
        if found := _ADDRESS.match(self.text, self.at):
            self.at = found.end()
            return found[0]
        return self.token_or_quoted()

    def token_or_quoted(self) -> str:
        if found := _QUOTED.match(self.text, self.at):
            self.at = found.end()
            return re.sub(r"\\(.)", r"\1", found[1])
        return self.take(_TOKEN)

    def take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise ValueError("Something else is needed here.")
        self.at = found.end()
        return found[0]

    def sign(self, sign: str) -> None:
        if self.peek() != sign:
            raise ValueError(f"A {sign} is needed here.")
        self.at += 1

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self) -> bool:
        """Skips blanks and comments; returns whether there were any."""
        before, self.at = self.at, mailbox.skip_comments(self.text, self.at)
        return self.at > before

    def is_end_after(self, length: int) -> bool:
        return mailbox.skip_comments(self.text, self.at + length) == len(self.text)
