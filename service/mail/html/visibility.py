"""Which elements of an HTML email are open, and so which of its text a reader can see.

Text that a style, a rule of a style sheet or an attribute may hide isn't read (`look`, `style_sheet`), nor is text that
its writer has struck out.

Elements are opened and closed as in a browser, as far as that matters here: a closing tag closes everything that is
still open inside, but nothing outside the cell or table it is in; a block closes a paragraph, and a cell the one before
it (HTML Standard, 13.2.6.4). Each element is pushed and popped once, so the cost is linear.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import NamedTuple

from service.mail.html import html_tags, look, style_sheet
from service.mail.html.look import Look
from service.mail.html.style_sheet import Rule, TooManyRules

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_SIBLINGS = frozenset(("dd", "dt", "li", "option", "td", "th", "tr"))
"""Elements that the next one of their kind closes."""
_CELLS = ("caption", "td", "th")
_TABLE_PARTS = frozenset((*_CELLS, "colgroup", "table", "tbody", "tfoot", "thead", "tr"))
_NEVER_SEEN = frozenset(
    (
        *("annotation", "annotation-xml", "applet", "audio", "canvas", "datalist", "details", "dialog", "marquee"),
        *("math", "meter", "object", "optgroup", "option", "progress", "rp", "select", "svg", "template", "video"),
        *("del", "s", "strike"),
    )
)
"""Elements that don't show their text, or only to some readers or at some times, or that strike it out.
"""
_FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)
"""Elements that continue after their parent closes, up to their own end or that of a cell (HTML Standard, 13.2.4.3)."""
_COLOURS = {"bgcolor": "background-color", "color": "color", "text": "color"}
"""Attributes of older HTML, and the CSS properties they set (HTML Standard, 15.3)."""
_NOT_IN_CLASSES = re.compile(r"[^\w-]")


class _Element(NamedTuple):
    """An open element, and how text in it looks.

    `hides`: it hides everything inside it, wherever it is. `has` is what selectors may ask for, such as `{"p", ".note",
    "=title"}`; empty in a page without rules.
    """

    name: str
    look: Look
    hides: bool = False
    has: frozenset[str] = frozenset()


class Elements:
    """The stack of open elements at some point of a page."""

    def __init__(self, html: str = "") -> None:
        """`html` is the page, whose style elements count wherever they are."""
        self._rules: list[Rule] = []
        self._open: list[_Element] = [_Element("", Look())]
        self._places: dict[str, list[int]] = defaultdict(list)
        self._has = Counter[str]()
        self._met: set[str] = set()
        try:
            self._rules = style_sheet.rules(html)
        except TooManyRules:
            self._open = [_Element("", Look(hidden=True))]

    @property
    def seen(self) -> bool:
        """Whether text at this point is visible."""
        return self._open[-1].look.is_seen

    @property
    def keeps_lines(self) -> bool:
        """Whether a line end in text at this point begins a new line."""
        return self._open[-1].look.keeps_lines

    def inside(self, name: str) -> int:
        """How many elements of this name are open."""
        return len(self._places[name])

    def open(self, name: str, attributes: str, *, block: bool) -> None:
        """Handles an opening tag, its name in lower case; `block` for an element that begins a new line."""
        if block:
            self.close("p")
        if name in _SIBLINGS and self._open[-1].name == name:
            self.close(name)
        for part in _CELLS if name in _CELLS else ("tr",) if name == "tr" else ():
            if self._places["table"]:
                self.close(part)
        element = self._element(name, attributes, self._open[-1].look)
        self._met |= element.has
        if name not in _VOID and not (name in ("math", "svg") and attributes.endswith("/")):
            self._push(element)

    def close(self, name: str) -> None:
        """Handles a closing tag; one without an opening tag in the same cell changes nothing."""
        place = self._place(name)
        if place < max(self._place("table"), 0 if name in _TABLE_PARTS else self._cell()):
            return
        going_on = None
        while len(self._open) > place > 0:
            element = self._open.pop()
            self._places[element.name].pop()
            self._has.subtract(element.has)
            if element.hides and element.name in _FORMATTING and element.name != name:
                going_on = element
        if going_on and name not in _TABLE_PARTS:
            self._push(going_on._replace(look=self._open[-1].look._replace(hidden=True)))

    def _push(self, element: _Element) -> None:
        self._places[element.name].append(len(self._open))
        self._open.append(element)
        self._has.update(element.has)

    def _place(self, name: str) -> int:
        """Where on the stack the innermost element of this name is; 0 if none is open."""
        return self._places[name][-1] if self._places[name] else 0

    def _cell(self) -> int:
        """Where the innermost cell of a table is; 0 if there is none."""
        return max(map(self._place, _CELLS)) if self._places["table"] else 0

    def _element(self, name: str, attributes: str, around: Look) -> _Element:
        found = html_tags.attributes(attributes)
        has = _parts(name, found) if self._rules else frozenset[str]()
        style = [("white-space", "pre")] if name == "pre" else []
        style += [(_COLOURS[key], value.lower()) for key, value in found.items() if key in _COLOURS]
        style += [pair for rule in self._rules if self._fits(rule, has) for pair in rule.style]
        style += look.attribute(found.get("style", ""))
        if name in _NEVER_SEEN or "hidden" in found or "popover" in found:
            style.append(("display", "none"))
        if not style:
            return _Element(name, around, has=has)
        return _Element(name, around.inside(style), not Look().inside(style).is_seen, has)

    def _fits(self, rule: Rule, has: frozenset[str]) -> bool:
        own, around, before = rule.needs
        return own <= has and before <= self._met and all(map(self._has.__getitem__, around))


def _parts(name: str, attributes: dict[str, str]) -> frozenset[str]:
    """What selectors can ask of an element: its name, its classes, its id and the names of its attributes."""
    named = [f".{one}" for one in attributes.get("class", "").lower().split()]
    named += [f"#{attributes.get('id', '').strip().lower()}"]
    return frozenset(
        (name, *(one[0] + _NOT_IN_CLASSES.sub("_", one[1:]) for one in named), *map("={}".format, attributes))
    )
