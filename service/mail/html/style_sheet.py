"""What the style sheets of an HTML email hide, as far as that can be known without its reader's screen.

A rule hides an element if the last part of one of its selectors fits the element by name, class and id. If that part
has no class and no id, as in `.note p`, the element must also be inside elements that fit the parts before it. Other
than that, what stands before the last part, pseudo-classes such as `:first-child`, rules that show the element again,
and the conditions of `@media` aren't looked at: text that may be hidden isn't read, because it mustn't become an order.
Rules for print, for pseudo-elements and for what the reader points at don't count. Syntax: CSS Syntax Level 3,
Selectors Level 4.

Our own, because a CSS library builds the whole of a stranger's style sheet, and only what hides text matters here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

MOST_SELECTORS = 100
"""Selectors of rules that hide something. An email with more of them isn't read at all."""

Style: TypeAlias = dict[str, str]

_START = re.compile(r"<!--|<style\b([^<>]*)>", re.IGNORECASE)
_END = re.compile(r"</style", re.IGNORECASE)
_FOR_PRINT = re.compile(r"""media\s*=\s*["']?\s*print\s*(?:["'\s]|$)""", re.IGNORECASE)
_COMMENT = re.compile(r"/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|$)|<!--|-->")
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_STRING = re.compile(r""""[^"\n]*"|'[^'\n]*'""")
_INERT = str.maketrans("{};,", "____")
_BRACE = re.compile(r"[{}]")
_GROUP = re.compile(r"@(?:media|supports|layer|container|scope)\b(?!\s+(?:only\s+)?print\b[^,]*$)")
_COMBINATOR = re.compile(r"\s*[>+~]\s*|\s+")
_ATTRIBUTE = re.compile(r"""\[\s*(class|id)\s*[~|^$*]?=\s*["']?\s*([^\]"'\s]*)\s*["']?\s*[is]?\s*\]""")
_ELSEWHERE = re.compile(r"::|:(?:before|after|first-l|hover|active|focus|visited|target|checked|link)")
_PSEUDO = re.compile(r":(?:is|where)\b|:[\w-]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|\[[^\]]*\]|[&*]")
_EVERYWHERE = frozenset(("html", "body"))
_PART = re.compile(r"[.#]?[^\s.#:\[\]()]+")


class Rule(NamedTuple):
    """What an element needs to have, such as `{"p", ".note"}`, what those around it need, and what is declared."""

    needs: frozenset[str]
    around: frozenset[str]
    style: Style


class TooManyRules(ValueError):
    """More selectors hide something than are compared with each element."""


def rules(html: str, declarations: Callable[[str], Style], hides: Callable[[Style], bool]) -> list[Rule]:
    """The rules in the style elements of a page whose declarations hide something; raises TooManyRules."""
    found: dict[tuple[frozenset[str], frozenset[str]], Style] = {}
    for sheet in _sheets(html):
        for selectors, declared in _blocks(sheet):
            style = declarations(declared)
            if not hides(style):
                continue
            for selector in selectors.split(","):
                needs = _needed(selector)
                if any(needs):
                    found[needs] = found.get(needs, {}) | style
                if len(found) > MOST_SELECTORS:
                    raise TooManyRules
    return [Rule(*needs, style) for needs, style in found.items()]


def _sheets(html: str) -> Iterator[str]:
    position = 0
    while start := _START.search(html, position):
        if start[1] is None:
            end = html.find("-->", start.end())
            position = len(html) if end < 0 else end + 3
            continue
        stop = _END.search(html, start.end())
        position = stop.start() if stop else len(html)
        if not _FOR_PRINT.search(start[1]):
            yield _plain(html[start.end() : position])


def _plain(sheet: str) -> str:
    """A sheet in lower case, without comments and escapes, and with nothing in its strings that could end a rule."""
    unescaped = _ESCAPE.sub(_character, _COMMENT.sub(" ", sheet))
    return _STRING.sub(lambda found: found[0].translate(_INERT), unescaped).lower()


def _character(escape: re.Match[str]) -> str:
    number = int(escape[1], 16) if escape[1] else ord(escape[2])
    character = chr(number) if number < 0x110000 else "_"
    return character if character.isalnum() or character == "-" else "_"


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and the declarations of each rule, those within other rules and `@media` too."""
    open_: list[str] = []
    position = 0
    for brace in _BRACE.finditer(sheet):
        text, position = sheet[position : brace.start()], brace.end()
        declared, semicolon, prelude = text.rpartition(";")
        if open_ and open_[-1]:
            yield open_[-1], declared if brace[0] == "{" else text
        if brace[0] == "}":
            del open_[-1:]
        else:
            open_.append(_selectors(prelude if semicolon else text, within=open_))
    if open_ and open_[-1]:
        yield open_[-1], sheet[position:]


def _selectors(prelude: str, within: list[str]) -> str:
    """What a block is about: "" for `@media` and the like, and `@` for one that is about no element."""
    text = prelude.strip()
    if within[-1:] == ["@"]:
        return "@"
    if text.startswith("@"):
        return "" if _GROUP.match(text) else "@"
    return text


def _needed(selector: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a selector needs of an element and of those around it; nothing for one that never fits, or isn't clear."""
    *before, last = _COMBINATOR.split(_ATTRIBUTE.sub(_as_part, selector.strip()))
    if "@" in last or _ELSEWHERE.search(last):
        return frozenset(), frozenset()
    needs = frozenset(_PART.findall(_PSEUDO.sub("", last)))
    is_named = any(part.startswith((".", "#")) for part in needs)
    around = frozenset() if is_named else frozenset(_PART.findall(_PSEUDO.sub("", " ".join(before)))) - _EVERYWHERE
    return needs, around


def _as_part(attribute: re.Match[str]) -> str:
    """`[class~="note"]` as `.note`."""
    return f"{'.' if attribute[1] == 'class' else '#'}{attribute[2]}"
