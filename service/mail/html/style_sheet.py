"""What the style sheets of an HTML email may hide, as far as that is known without the reader's screen.

A rule may hide an element if the last part of one of its selectors fits the element by name, class, id and the names of
its attributes. If that part has no class and no id, as in `.note p`, the element must also be inside elements that fit
the parts before it, or come later than those that fit what comes before a `+` or `~`. Apart from that, the parts before
the last, pseudo-classes such as `:first-child`, rules that show the element again, and the conditions of `@media` are
ignored: text that may be hidden isn't read, because it mustn't become an order. Rules for print, for pseudo-elements
and for `:hover` and the like don't count. Syntax: CSS Syntax Level 3, Selectors Level 4.

Our own, because a CSS library builds all of a stranger's style sheet, and only what hides text matters here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from service.mail.html.html_tags import attributes, tags
from service.mail.html.look import Look, Style, declarations, unescaped

MOST_SELECTORS = 100
"""The most selectors of rules that hide something. An email with more isn't read at all."""

_STYLE = re.compile("<style", re.IGNORECASE)
_URL = "".join(rf"(?:\\?{letter}|\\0{{0,4}}(?:{ord(letter):x}|{ord(letter) - 32:x})\s?)" for letter in "url")
_LEXEME = re.compile(
    rf"""/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|$)|<!--|-->|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?"""
    rf"""|(?<![\w\\-]){_URL}\((?!\s*["'])(?:[^)\\]|\\.)*|\\(?:[0-9a-f]{{1,6}}\s?|.)""",
    re.IGNORECASE | re.DOTALL,
)
"""A comment, a string, an unquoted URL or an escape: they may contain characters that have a meaning elsewhere."""
_NEWLINE = re.compile("\r\n|[\r\f]")
_SIGN = re.compile(r"[^\w-]")
_BRACE = re.compile(r"[{}]")
_GROUP = re.compile(r"@(?:media|supports|layer|container|scope)\b(?!\s+(?:only\s+)?print\b[^,]*$)")
_ATTRIBUTE = re.compile(r"""\[\s*(?:(class|id)\s*~?=\s*"?([\w-]+)"?\s*|([\w-]+)[^][]*|[^][]*)\]""")
_NAMESPACE = re.compile(r"(?<![\w*-])[\w*-]*\|(?!\|)")
_ELSEWHERE = re.compile(r"::?(?:before|after)|::(?!first-l)[\w-]+|:(?:hover|active|focus|target|checked)[\w-]*")
_EITHER = re.compile(r"(?:^|(?<=,))\s*:(?:is|where)\(([^()]*)\)\s*(?=,|$)")
_FUNCTION = re.compile(r":[\w-]+\([^()]*\)")
_PSEUDO = re.compile(r":[\w-]+")
_COMBINATOR = re.compile(r"\s*[>+~]\s*|\s+")
_EVERYWHERE = frozenset(("html", "head", "body", "tbody"))
"""Elements that exist even if they aren't written."""
_PART = re.compile(r"[.#=]?[^\s.#=:*&@()]+")
_NONE = frozenset[str]()
_DEEPEST = 5
"""How deep nested pseudo-classes such as `:not(:is(a))` are read."""
_MOST_PARTS = 10
"""Of a selector with more parts, only some are taken to be needed."""


class Needs(NamedTuple):
    """What an element must have, such as `{"p", ".note"}`, and what the elements around and before it must have."""

    own: frozenset[str]
    around: frozenset[str]
    before: frozenset[str]


class Rule(NamedTuple):
    """Which elements are hidden, and how."""

    needs: Needs
    style: Style


class TooManyRules(ValueError):
    """More selectors hide something than are compared with each element."""


def rules(html: str) -> list[Rule]:
    """The rules in the style elements of a page that may hide something; raises TooManyRules."""
    found: dict[Needs, set[tuple[str, str]]] = defaultdict(set)
    for sheet in _sheets(html):
        for selectors, declared in _blocks(sheet):
            if not (effect := _effect(declarations(declared))):
                continue
            for selector in _simple(selectors).split(","):
                if (needs := _needed(selector)) is not None:
                    found[needs] |= effect
                if len(found) > MOST_SELECTORS:
                    raise TooManyRules
    return [Rule(needs, sorted(effect)) for needs, effect in found.items()]


def _effect(style: Style) -> set[tuple[str, str]]:
    """A minimal style that hides the same as this one."""
    look = Look().inside(style)
    found = {("visibility", "hidden")} if look.invisible else set()
    if not look.is_legible:
        found.add(("font-size", "0"))
    if not look._replace(invisible=False, size=Look().size).is_seen:
        found.add(("display", "none"))
    return found


def _sheets(html: str) -> Iterator[str]:
    if not _STYLE.search(html):
        return
    for tag in tags(html):
        if tag.name == "style" and attributes(tag.attributes).get("media", "").strip().lower() != "print":
            yield _plain(tag.raw)


def _plain(sheet: str) -> str:
    """A sheet in lower case, without comments and escapes. In its strings and URLs, characters other than letters,
    digits, `_` and `-` are `?`, so that they can't end anything."""
    return _LEXEME.sub(_inert, _NEWLINE.sub("\n", sheet)).lower()


def _inert(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith(("/*", "<!--", "-->")):
        return " "
    plain = unescaped(text)
    if text[0] in "\"'":
        return f'"{_SIGN.sub("?", plain[1:].removesuffix(text[0]))}"'
    return plain if text[0] == "\\" and "(" not in plain else f"url({_SIGN.sub('?', plain)}"


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and declarations of each rule, including those nested in other rules and in `@media`."""
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
    """The selectors of a block: "" for `@media` and the like, and `@` for a block that applies to no element."""
    text = prelude.strip()
    if within[-1:] == ["@"]:
        return "@"
    if text.startswith("@"):
        return "" if _GROUP.match(text) else "@"
    return text


def _simple(selectors: str) -> str:
    """Selectors with attributes as `.note`, `#id` and `=title`, with `@` for pseudo-elements and states, and with `*`
    for whatever else is ignored."""
    text = _EITHER.sub(r"\1", _NAMESPACE.sub("", _ATTRIBUTE.sub(_as_part, selectors)))
    for _ in range(_DEEPEST):
        text = _FUNCTION.sub("*", text)
    return "*" if "(" in text else _PSEUDO.sub("*", _ELSEWHERE.sub("@", text))


def _needed(selector: str) -> Needs | None:
    """What a selector needs; None for a selector that never matches."""
    *outer, last = _COMBINATOR.split(selector.strip())
    if not selector.strip() or "@" in last:
        return None
    needs = _some_parts(last)
    if any(part.startswith((".", "#")) for part in needs):
        return Needs(frozenset(part for part in needs if not part.startswith("=")), _NONE, _NONE)
    ways = _COMBINATOR.findall(selector.strip())
    before = [part for part, way in zip(outer, ways, strict=True) if way.strip() in ("+", "~")]
    around = [part for part, way in zip(outer, ways, strict=True) if way.strip() not in ("+", "~")]
    return Needs(needs, _some_parts(" ".join(around)), _some_parts(" ".join(before)))


def _some_parts(selector: str) -> frozenset[str]:
    return frozenset(part for part in _PART.findall(selector)[:_MOST_PARTS] if part not in _EVERYWHERE)


def _as_part(attribute: re.Match[str]) -> str:
    """`[class~="note"]` as `.note`, and `[title="a"]` as `=title`."""
    if attribute[1]:
        return f"{'.' if attribute[1] == 'class' else '#'}{attribute[2]}"
    return f"={attribute[3]}" if attribute[3] else "*"
