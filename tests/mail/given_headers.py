"""Random header fields, valid by their grammars or damaged, which follow from a seed."""

from __future__ import annotations

import re
from random import Random

from service.mail.senders.authentication_results import AuthenticationResults, Result

_BITS = (
    "ada@example.org",
    "mallory@evil.example",
    "<",
    ">",
    "(",
    ")",
    '"',
    "\\",
    ",",
    ";",
    ":",
    "@",
    " ",
    "\n ",
    "=",
    ".",
)
_TOKENS = ("pass", "fail", "none", "dkim", "spf", "header.d", "example.org", "1", "reason", "/", "mx.play.example")


def damaged(chance: Random, text: str, more: tuple[str, ...] = ()) -> str:
    """The text with up to three pieces inserted, removed or doubled."""
    for _ in range(chance.randrange(4)):
        at, length = chance.randint(0, len(text)), chance.choice((0, 1, 1, 5))
        text = text[:at] + chance.choice((*_BITS, *more, "")) + text[at + length :]
    return text


def sender(chance: Random) -> str:
    """The value of a From field, about half the time a mailbox."""
    address = chance.choice(("ada", "a.b", "x+y", '"a b"', "o'neil", "ada=lo")) + "@"
    address += chance.choice(("example.org", "a-b.example", "EXAMPLE.org", "[192.0.2.1]", "x"))
    words = [chance.choice(("Ada", "L.", '"B, <c@d>"', "=?utf-8?q?x?=", "é", "(c (d))", "1/2")) for _ in range(3)]
    name = blank(chance).join(words[: chance.randrange(4)])
    form = chance.choice(("{a}", "<{a}>", "{n} <{a}>", "{n} <{a}>", "{a} {c}", "{c}{a}", "{n} <{a}> {c}", "{a}, {a}"))
    text = form.format(a=address, n=name, c=comment(chance))
    return " " + (damaged(chance, text) if chance.random() < 0.5 else text)


def comment(chance: Random, depth: int = 0) -> str:
    """A comment (RFC 5322, 3.2.2)."""
    inner = comment(chance, depth + 1) if depth < 3 and chance.random() < 0.3 else ""
    return f"({chance.choice(('c', 'dkim=pass', '; x', chr(92) + ')', 'a@b'))}{inner})"


def blank(chance: Random) -> str:
    """Blanks and comments between two tokens."""
    return chance.choice((" ", " ", " ", "\n ", "\t", f" {comment(chance)} ", comment(chance)))


def authentication_results(chance: Random) -> tuple[str, AuthenticationResults]:
    """The value of a field that is valid by RFC 8601, and its meaning."""
    server = chance.choice(("mx.play.example", '"mx.play.example"', "MX.play.example", "a"))
    text = gap(chance) + server + chance.choice(("", f"{blank(chance)}1"))
    if chance.random() < 0.1:
        return f"{text}{gap(chance)};{gap(chance)}none", AuthenticationResults(_bare(server).lower(), ())
    results = []
    for _ in range(chance.randint(1, 3)):
        method, result = chance.choice(("dkim", "spf", "dmarc", "x-Thing")), chance.choice(("pass", "fail", "None"))
        version = chance.choice(("", "", f"{gap(chance)}/{gap(chance)}1"))
        text += f"{gap(chance)};{gap(chance)}{method}{version}{gap(chance)}={gap(chance)}{result}"
        if chance.random() < 0.2:
            text += f"{blank(chance)}reason{gap(chance)}={gap(chance)}{chance.choice(('ok', QUOTED))}"
        properties = []
        for _ in range(chance.randrange(3)):
            kind, name = chance.choice(("header", "smtp", "policy")), chance.choice(("d", "from", "mailfrom"))
            value = chance.choice(
                ("example.org", "@example.org", "ada@example.org", QUOTED, f"{QUOTED}@x.example", "12")
            )
            text += f"{blank(chance)}{kind}{gap(chance)}.{gap(chance)}{name}{gap(chance)}={gap(chance)}{value}"
            properties.append((f"{kind}.{name}", _bare(value)))
        results.append(Result(method.lower(), result.lower(), tuple(properties)))
    return text + gap(chance), AuthenticationResults(_bare(server).lower(), tuple(results))


QUOTED = r'"; dkim=pass (\" header.d=victim.example"'


def gap(chance: Random) -> str:
    """Mostly empty, where blanks and comments are allowed."""
    return blank(chance) if chance.random() < 0.2 else ""


def damaged_results(chance: Random) -> str:
    """A field that may no longer be valid."""
    return damaged(chance, authentication_results(chance)[0], _TOKENS)


def _bare(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') and value.endswith('"') else value
