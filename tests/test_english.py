"""What players read is plain English in whole sentences, so that it can be understood and translated.

What programmers read is plain English too: docstrings, comments, names of tests, and Markdown.
"""

from __future__ import annotations

import ast
import os
import re
import tokenize
from collections.abc import Iterator
from io import StringIO
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

ARCHAIC = (
    r"whoever|whom|whomever|of (?:ours|theirs)|anew|so many|shall|(?:is|are|was|were|been|be) told(?! apart)|told of"
    r"|besides|mails|one's|for want of|in vain|what became of|upon|whilst|amongst|thereof|hereby"
)
"""Words that make a sentence sound translated, old or stiff, wherever they are."""

UNWANTED = re.compile(
    rf"\b(?:{ARCHAIC}|no more(?! emails)|stands?|lies|what is played|nobody's|sits? down"
    r"|(?<!there )is no (?:cell|colour|game|move|piece|point)|order(?:s|ed)? ahead|found (?:an?|one|this))\b",
    re.IGNORECASE,
)
"""Those that players don't read either. In a comment, a stone may stand somewhere and a point lie on a line."""

OLD = re.compile(rf"\b(?:{ARCHAIC})\b".replace(" ", r"\s+(?:# )?"), re.IGNORECASE)
"""The same words in source, where a line may end between two of them."""

COMMENT = re.compile(r"{#.*?#}|/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
"""A comment in a template, a stylesheet or a script."""

TEST = re.compile(r"def test_\w+")

KINDS = (".css", ".html", ".js", ".md", ".py", ".txt")

BREAKS = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
"""The tokens after which a statement begins."""

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


def explained() -> Iterator[Path]:
    """The files with words for programmers. GRAMMAR.md and `phrases` quote what other people write."""
    yield from ROOT.glob("*.md")
    for folder in ("service", "templates", "tests", "worker"):
        for place, _, names in os.walk(ROOT / folder):
            if not {"data", "phrases"} & {*Path(place).parts}:
                yield from (Path(place, name) for name in names if name.endswith(KINDS) and name != "GRAMMAR.md")


def old_words(source: str, kind: str) -> list[tuple[int, str]]:
    """The old words in the docstrings, comments and names of tests of a file of this kind, each with its line."""
    if kind == ".py":
        source = TEST.sub(lambda name: name[0].replace("_", " "), source)
    hits = list(OLD.finditer(source))
    if not hits:  # Nearly always: only what has such a word anywhere is looked at more closely.
        return []
    spans = [(0, len(source))] if kind == ".md" else _comments(source) if kind == ".py" else _marked(source)
    found = (hit for hit in hits if any(start <= hit.start() < end for start, end in spans))
    return [(source.count("\n", 0, hit.start()) + 1, " ".join(hit[0].replace("# ", "").split())) for hit in found]


def _marked(source: str) -> list[tuple[int, int]]:
    return [comment.span() for comment in COMMENT.finditer(source)]


def _comments(source: str) -> list[tuple[int, int]]:
    """Where docstrings, comments and names of tests begin and end: a docstring is a string that begins a statement."""
    lines = [0, *(end.end() for end in re.finditer("\n", source))]
    spans, begins = [name.span() for name in re.finditer("def test [^(]*", source)], True
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and begins):
            spans.append((lines[token.start[0] - 1] + token.start[1], lines[token.end[0] - 1] + token.end[1]))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in BREAKS
    return spans


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
def test_unwanted_words_are_found_where_players_read(text: str, found: list[str]) -> None:
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
def test_joined_sentences_are_found_and_joined_addresses_are_not(text: str, found: int) -> None:
    assert len(joins(text)) == found


def test_docstrings_comments_and_markdown_are_in_plain_english() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {words}"
        for path in explained()
        for line, words in old_words(path.read_text(encoding="utf-8"), path.suffix)
    ]
    assert not found, "Say it in other words:\n" + "\n".join(found)


SOURCE = '''
"""A docstring for whoever
shall read it."""
STRING = (
    "This string shall pass, so many times."  # Whom?
)
VALUE = 1  # One comment, so
# many lines.
class One:
    # A comment
    """upon which a docstring is
told apart, and is told."""
    def check_mails_of_ours(self, name="anew"): return "hereby"
'''


@pytest.mark.parametrize(
    ("source", "kind", "found"),
    [
        (SOURCE.replace("check", "test"), ".py", [
            (2, "whoever"), (3, "shall"), (5, "Whom"), (7, "so many"), (11, "upon"), (12, "is told"),
            (13, "mails"), (13, "of ours"),
        ]),
        ("Plain.\nIt is\ntold to whoever asks.", ".md", [(2, "is told"), (3, "whoever")]),
        ("<p>anew</p>\n{# anew #}", ".html", [(2, "anew")]),
        ("a { color: red } /* so\nmany */", ".css", [(1, "so many")]),
        ('const shall = "https://shall.example"; // It shall.', ".js", [(1, "shall")]),
    ],
)  # fmt: skip
def test_old_words_are_found_in_docstrings_comments_and_test_names(
    source: str, kind: str, found: list[tuple[int, str]]
) -> None:
    assert old_words(source, kind) == found


def test_sentences_are_found() -> None:
    source = 'def f(n):\n    "A docstring shall pass."\n    raise E(f"No {n} any more.") from None\n    log("no stop")'
    assert list(sentences(source)) == ["No _ any more."]
