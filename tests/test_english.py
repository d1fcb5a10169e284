"""What players read is plain English in whole sentences, so that it can be understood and translated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

TEMPLATES = (
    "account", "dev_mailbox", "errors", "feeds", "help", "lobby", "mail_links", "match", "operators", "players",
    "learn", "mail", "sentences",
)  # fmt: skip
"""The folders of `templates` that are checked. The rules of games are left out: they have their inventors' words."""

ROOMS = ("bots", "cli", "clock", "contests", "engine", "games", "inbound", "mail", "play", "render", "web")
"""The folders of `service` whose sentences are checked."""

UNWANTED = re.compile(
    r"\b(?:whoever|whom|whomever|of ours|anew|so many|no more(?! emails)|stands?"
    r"|(?:is|are|was|were|be) told|told of|shall|lies"
    r"|besides|mails|one's|what is played|nobody's"
    r"|(?<!there )is no (?:cell|colour|game|move|piece|point)|order(?:s|ed)? ahead|found (?:an?|one|this)"
    r"|for want of|sits? down|what became of|upon|whilst|amongst|thereof|hereby)\b",
    re.IGNORECASE,
)
"""Words that make a sentence sound translated, old or stiff."""

TYPED = re.compile(r'<(code|kbd)[ >].*?</\1>|<span class="move">.*?</span>', re.DOTALL)
"""What players type themselves, quoted on a page."""

CODE = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL)

LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'")

NO_PROSE = re.compile(r"url_for\(|\bpublic(?:_url)?\b|^{% include ")
"""Code in which `~` may join: it builds an address or the name of a template, which nobody translates."""

JOINED = re.compile(r" ~ |[\"'] ?\+ |\+ [\"']")


def templates() -> list[Path]:
    """All files checked."""
    folders = (ROOT / "templates" / folder for folder in TEMPLATES)
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [ROOT / "templates/base.html", *found]


def read_by_players(text: str) -> str:
    """A template without its code and markup, but with the literals in its code, since most are shown."""
    text = TYPED.sub(" ", text)
    shown = CODE.sub(lambda code: "" if code[0].startswith("{#") else " ".join(LITERAL.findall(code[0])), text)
    return re.sub(r"<(?!=)[^>]*>", _attributes, shown)


def _attributes(tag: re.Match[str]) -> str:
    return " ".join(re.findall(r'(?:aria-label|placeholder|title|alt|content|data-\w+)="([^"]*)"', tag[0]))


def joins(text: str) -> list[str]:
    """The code of a template that builds prose from pieces."""
    return [
        code
        for code in CODE.findall(text)
        if not code.startswith("{#") and JOINED.search(code) and not NO_PROSE.search(code)
    ]


def sentences(source: str) -> Iterator[str]:
    """The strings of a module that end in a full stop, with a `_` for each value; docstrings are left out."""
    quiet: set[ast.AST] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr):
            quiet.add(node.value)
        elif isinstance(node, ast.JoinedStr | ast.Constant) and node not in quiet:
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            quiet.update(parts)
            words = "".join(str(part.value) if isinstance(part, ast.Constant) else "_" for part in parts)
            if words.endswith("."):
                yield words


@pytest.mark.parametrize("path", templates(), ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_a_template_speaks_plain_english(path: Path) -> None:
    assert UNWANTED.findall(read_by_players(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", templates(), ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_a_template_has_whole_sentences(path: Path) -> None:
    assert joins(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_speaks_plain_english(room: str) -> None:
    sources = sorted((ROOT / "service" / room).rglob("*.py"))
    assert sources
    said = [words for path in sources for words in sentences(path.read_text(encoding="utf-8"))]
    assert [words for words in said if UNWANTED.search(words)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<p>You get no mails.</p>", ["mails"]),
        ('<p>{{ "So many mails" if seat else "Whom?" }}</p>', ["So many", "mails", "Whom"]),
        ('<input placeholder="What shall it be?">', ["shall"]),
        ('<p>Write <span class="move">no more mails</span>.</p>', []),
        ("<h2>Found a cup</h2>", ["Found a"]),
        ("<p>q9 is no point. There is no point q9.</p>", ["is no point"]),
        ('<a class="stands" href="/mails">Emails</a> {# nobody\'s #}', []),
    ],
)
def test_the_word_list_is_held_where_players_read(text: str, found: list[str]) -> None:
    assert UNWANTED.findall(read_by_players(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{{ name ~ " played" }}', 1),
        ('{% set told = "You have " + side %}', 1),
        ('{{ public_url ~ url_for("match.show") }}', 0),
        ('{% include "rules/" ~ game.name ~ ".html" %}', 0),
        ('{{ "%(side)s played %(move)s" | format(side=side, move=move) }}', 0),
        ("{# glued with ~ on purpose #}{{ page + 1 }}", 0),
    ],
)
def test_joining_is_found_and_addresses_are_not(text: str, found: int) -> None:
    assert len(joins(text)) == found


def test_sentences_are_found() -> None:
    source = 'def f(n):\n    "A docstring shall pass."\n    raise E(f"No {n} any more.") from None\n    log("no stop")'
    assert list(sentences(source)) == ["No _ any more."]
