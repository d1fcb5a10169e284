"""Which elements of an HTML email are open, and so which of its text a reader can see.

What a style, a rule of a style sheet or an attribute hides is not read.

Elements are opened and closed as a browser would do it, as far as that matters here: a closing tag closes all that is
still open inside, but nothing outside the cell or table it is in; a block closes a paragraph, and a cell the one before
it (HTML Standard, 13.2.4.2). Each element is put on the stack and taken off it once, so the cost is linear.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from html import unescape
from typing import NamedTuple

from service.mail.html import style_sheet
from service.mail.html.style_sheet import Rule, TooManyRules

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_SIBLINGS = frozenset(("dd", "dt", "li", "option", "td", "th", "tr"))
"""Elements that the next one of their kind closes."""
_CELLS = ("caption", "td", "th")
_TABLE_PARTS = frozenset((*_CELLS, "colgroup", "table", "tbody", "tfoot", "thead", "tr"))
_NEVER_SEEN = frozenset(("datalist", "svg", "template"))
_ATTRIBUTE = re.compile(r"""([^\s=>"'/]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_COMMENT = re.compile(r"/\*[^*]*\*/")
_BLANKS = re.compile(r"\s+")
_ZERO = re.compile(r"[+-]?0*\.?0*(?:px|pt|em|ex|rem|in|cm|mm|pc|%|vh|vw)?")
_RELATIVE = re.compile(r"[\d.]+(?:em|ex|%)|smaller|larger|inherit")
_FAR_AWAY = re.compile(r"-\d{3,}(?:\.\d*)?(?:px|pt|em|rem|%|vw|vh)?")
_CLIPPED = re.compile(r"rect\(0\D{0,3}[,\s]?0.*|inset\((?:[5-9]\d|100)%.*|circle\(0.*|polygon\(0px0px,0px0px.*")
_SHRUNK = re.compile(r".*\bscale[xy]?\(0(?:\.0*)?[,)].*")


class _Element(NamedTuple):
    """An open element: whether it hides all inside, and whether text in it has no size or no visibility of its own.

    `has` is what rules may ask for, such as `{"p", ".note"}`; empty in a page without rules.
    """

    name: str
    hides: bool = False
    no_size: bool = False
    invisible: bool = False
    has: frozenset[str] = frozenset()


_PAGE = _Element("")


class Elements:
    """What is open at some point of a page."""

    def __init__(self, html: str = "") -> None:
        """`html` is the page: its style elements count wherever they are."""
        self._rules: list[Rule] = []
        self._open: list[_Element] = [_PAGE]
        self._places: dict[str, list[int]] = defaultdict(list)
        self._has = Counter[str]()
        self._hiding = 0
        try:
            self._rules = style_sheet.rules(html, _declarations, _hides_somehow)
        except TooManyRules:
            self._hiding = 1

    @property
    def seen(self) -> bool:
        """Whether text at this point is seen."""
        last = self._open[-1]
        return not (self._hiding or last.no_size or last.invisible)

    def inside(self, name: str) -> int:
        """How many elements of this name are open."""
        return len(self._places[name])

    def open(self, name: str, attributes: str, *, block: bool) -> None:
        """Takes in an opening tag, its name in lower case; `block` for an element that begins a line of its own."""
        if block:
            self.close("p")
        if name in _SIBLINGS and self._open[-1].name == name:
            self.close(name)
        for part in _CELLS if name in _CELLS else ("tr",) if name == "tr" else ():
            if self._places["table"]:
                self.close(part)
        if name in _VOID or (name in _NEVER_SEEN and attributes.endswith("/")):
            return
        element = self._element(name, attributes, self._open[-1])
        self._places[name].append(len(self._open))
        self._open.append(element)
        self._has.update(element.has)
        self._hiding += element.hides

    def close(self, name: str) -> None:
        """Takes in a closing tag; one without an opening tag in the same cell changes nothing."""
        place = self._place(name)
        if place < max(self._place("table"), 0 if name in _TABLE_PARTS else self._cell()):
            return
        while len(self._open) > place > 0:
            element = self._open.pop()
            self._places[element.name].pop()
            self._has.subtract(element.has)
            self._hiding -= element.hides

    def _place(self, name: str) -> int:
        """Where on the stack the innermost element of this name is; 0 if none is open."""
        return self._places[name][-1] if self._places[name] else 0

    def _cell(self) -> int:
        """Where the innermost cell of a table is; 0 if there is none."""
        return max(map(self._place, _CELLS)) if self._places["table"] else 0

    def _element(self, name: str, attributes: str, parent: _Element) -> _Element:
        hides, no_size, invisible = name in _NEVER_SEEN, parent.no_size, parent.invisible
        lower = attributes.lower()
        has = frozenset[str]()
        if self._rules or "style" in lower or "hidden" in lower:
            # Of an attribute that is there twice, the first counts.
            found = {key: value.strip("\"'") for key, value in reversed(_ATTRIBUTE.findall(lower))}
            has = _parts(name, found) if self._rules else has
            ruled = self._ruled(has)
            own = _declarations(found.get("style", ""))
            hides = hides or ("hidden" in found and found["hidden"] != "until-found") or _hides(ruled) or _hides(own)
            style = ruled | own
            size = style.get("font-size", "")
            if size and not (no_size and _RELATIVE.fullmatch(size)):
                no_size = bool(_ZERO.fullmatch(size))
            if "visibility" in style:
                invisible = style["visibility"] in ("hidden", "collapse")
        return _Element(name, hides, no_size, invisible, has)

    def _ruled(self, has: frozenset[str]) -> dict[str, str]:
        """What the rules of style sheets declare for an element that has this."""
        fitting = (rule for rule in self._rules if rule.needs <= has and all(map(self._has.__getitem__, rule.around)))
        return {key: value for rule in fitting for key, value in rule.style.items()}


def _parts(name: str, attributes: dict[str, str]) -> frozenset[str]:
    """What selectors can ask of an element: its name, its classes and its id."""
    classes = unescape(attributes.get("class", "")).split()
    return frozenset((name, *(f".{one}" for one in classes), f"#{unescape(attributes.get('id', '')).strip()}"))


def _hides_somehow(style: dict[str, str]) -> bool:
    """Whether nothing inside is seen, or nothing that doesn't have a size or a visibility of its own."""
    size, visibility = style.get("font-size", ""), style.get("visibility", "")
    return _hides(style) or bool(size and _ZERO.fullmatch(size)) or visibility in ("hidden", "collapse")


def _declarations(style: str) -> dict[str, str]:
    """A style attribute as property and value, in lower case and without blanks."""
    plain = _BLANKS.sub("", _COMMENT.sub("", unescape(style))).replace("!important", "")
    pairs = (declaration.partition(":") for declaration in plain.split(";"))
    return {name: value for name, colon, value in pairs if colon}


def _hides(style: dict[str, str]) -> bool:
    """Whether nothing inside is seen: not shown at all, without any extent, outside the window, or transparent."""
    if style.get("display") == "none" or style.get("mso-hide") == "all" or style.get("content-visibility") == "hidden":
        return True
    if _is_zero(style, "opacity") or style.get("color") == "transparent":
        return True
    cut = style.get("overflow", "") in ("hidden", "clip") or "overflow-x" in style or "overflow-y" in style
    if cut and any(_is_zero(style, name) for name in ("height", "max-height", "width", "max-width")):
        return True
    if style.get("position") in ("absolute", "fixed", "relative") and any(
        _FAR_AWAY.fullmatch(style.get(side, "")) for side in ("left", "top", "right", "bottom")
    ):
        return True
    if _FAR_AWAY.fullmatch(style.get("text-indent", "")) or _SHRUNK.fullmatch(style.get("transform", "")):
        return True
    return any(_CLIPPED.fullmatch(style.get(name, "")) is not None for name in ("clip", "clip-path"))


def _is_zero(style: dict[str, str], name: str) -> bool:
    value = style.get(name, "")
    return bool(value) and _ZERO.fullmatch(value) is not None
