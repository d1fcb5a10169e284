"""How text looks under the styles around it, and so whether its reader can see it.

There are more ways to hide text than can be listed, so the harmless values of properties are listed instead: text
counts as seen only if it's known to be. It may be hidden if it isn't displayed, too small, too faint, in the colour of
its background, moved away, cut off, or changed in ways that only a browser can compute: `var()`, filters and
transforms. Syntax and units: CSS Syntax Level 3, CSS Values Level 4.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from service.mail.html import colours
from service.mail.html.colours import Colour

Style: TypeAlias = list[tuple[str, str]]
"""The properties and values of a style in their order, in lower case and without browsers' prefixes."""

_SMALLEST, _LARGEST = 5.0, 400.0
"""The range of legible font sizes, in pixels."""
_FAINTEST = 0.3
"""The opacity below which text may be overlooked."""
_FURTHEST = 500.0
"""How far text may be indented, in pixels ..."""
_FURTHEST_BACK = 100.0
"""... and how far it may be moved towards the start of the window, by all elements around it together."""
_NARROWEST = 8.0
"""The least height and width of a box that cuts off text, in pixels."""

_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_IMPORTANT = re.compile(r"(?<!\s)\s*!\s*important\b")
_PREFIX = re.compile("-(?:webkit|moz|ms|o)-")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z%]*)")
_PIXELS = {"": 1, "px": 1, "pt": 4 / 3, "pc": 16, "in": 96, "cm": 37.8, "mm": 3.78, "q": 0.945, "rem": 16}
_OF_LETTERS = {"em": 1.0, "ex": 0.5, "ch": 0.5, "%": 0.01}
_OF_WINDOW = 4.0
"""A hundredth of a phone's window, in pixels."""
_SIZES = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "initial": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
    "xxx-large": 48.0,
}
_SLASH = re.compile(r"\s*/\s*\S+")
_DEFAULT = "none|normal|auto|visible|initial|inherit|unset|revert|revert-layer"
_AS_IT_IS = re.compile(rf"{_DEFAULT}|1|100%")
_HARMLESS = {
    "display": re.compile(r"(?!none|table-column)[a-z -]+"),
    "position": re.compile(rf"{_DEFAULT}|static|relative"),
    "z-index": re.compile(rf"{_DEFAULT}|\d+"),
    **dict.fromkeys(("animation", "animation-name", "clip", "clip-path", "content-visibility", "filter"), _AS_IT_IS),
    **dict.fromkeys(("font-size-adjust", "mask", "mask-image", "mix-blend-mode", "mso-hide", "offset"), _AS_IT_IS),
    **dict.fromkeys(("offset-path", "perspective", "rotate", "scale", "text-security", "transform"), _AS_IT_IS),
    **dict.fromkeys(("translate", "zoom"), _AS_IT_IS),
    **dict.fromkeys(("text-decoration", "text-decoration-line"), re.compile(r"(?!.*line-through).*")),
}
"""The values of properties with which text is visible and not struck out."""
_MOVING = re.compile("(?:margin|padding|inset)(?:-.+)?|left|right|top|bottom|text-indent|vertical-align|word-spacing")
_SPACING = ("white-space", "white-space-collapse")
_KEEPING = re.compile("pre|break-spaces")
"""The beginning of the values of `_SPACING` that keep line ends."""
_CUTTING = re.compile("(?:max-)?(?:height|width|block-size|inline-size)|line-height")


class Look(NamedTuple):
    """How text looks at some point; sizes and distances are in pixels, and an unknown colour is None."""

    hidden: bool = False
    invisible: bool = False
    size: float = 16.0
    opacity: float = 1.0
    moved: float = 0.0
    ink: Colour | None = None
    ground: Colour | None = None
    keeps_lines: bool = False
    """Whether a line end in the text begins a new line."""

    @property
    def is_seen(self) -> bool:
        """Whether text that looks like this is visible."""
        away = self.hidden or self.invisible or self.moved > _FURTHEST_BACK
        return (
            self.is_legible and self.opacity >= _FAINTEST and not away and not colours.are_alike(self.ink, self.ground)
        )

    @property
    def is_legible(self) -> bool:
        """Whether letters are neither too small nor too large."""
        return _SMALLEST <= self.size <= _LARGEST

    def inside(self, style: Style) -> Look:
        """How text looks in an element with this style. A declaration that hides counts even if a later one may undo
        it."""
        size = self.size
        sizes = [found for name, value in style if (found := _size(name, value, size)) is not None]
        if sizes:
            size = min(sizes) if min(sizes) < _SMALLEST else sizes[-1]
        shown = [value for name, value in style if name == "visibility" and value not in ("inherit", "unset")]
        seen = [value in ("visible", "initial") for value in shown]
        kept = [bool(_KEEPING.match(value)) for name, value in style if name in _SPACING and value != "inherit"]
        return Look(
            self.hidden or any(_may_hide(name, value) for name, value in style) or _cuts(style, size),
            not all(seen) or (self.invisible and not seen),
            size,
            min((self.opacity * _opacity(value) for name, value in style if name == "opacity"), default=self.opacity),
            self.moved + max((_moved(name, value, size) for name, value in style), default=0.0),
            colours.last((value for name, value in style if name in ("color", "text-fill-color")), self.ink),
            colours.last((value for name, value in style if name in ("background", "background-color")), self.ground),
            kept[-1] if kept else self.keeps_lines,
        )


def attribute(text: str) -> Style:
    """The declarations in a style attribute. One with a comment counts as hidden: no mail program writes comments
    there."""
    return [("display", "none")] if "/*" in text else declarations(unescaped(text))


def declarations(text: str) -> Style:
    """The declarations in a text without comments and escapes."""
    pairs = (declaration.partition(":") for declaration in _IMPORTANT.sub("", text.lower()).split(";"))
    return [
        (_PREFIX.sub("", name.strip(), count=1), " ".join(value.split()))
        for name, _, value in pairs
        if value and not value.isspace()
    ]


def unescaped(text: str) -> str:
    """CSS with its escapes decoded; an escaped character that could end a token becomes `_`."""
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    number = int(escape[1], 16) if escape[1] else ord(escape[2])
    character = chr(number) if number < 0x110000 else "_"
    return character if character.isalnum() or character == "-" else "_"


def _may_hide(name: str, value: str) -> bool:
    if name in ("color", "text-fill-color"):
        return colours.opacity(value) < _FAINTEST
    if name == "letter-spacing":
        return _moved("margin", value, 16.0) > 2
    harmless = _HARMLESS.get(name)
    return harmless is not None and harmless.fullmatch(value) is None


def _cuts(style: Style, size: float) -> bool:
    """Whether text is cut off by a box that shows hardly any of it."""
    if all(value == "visible" for name, value in style if name.startswith("overflow")):
        return False
    limits = [value for name, value in style if _CUTTING.fullmatch(name)]
    return any("(" in value for value in limits) or any(
        length < _NARROWEST for value in limits for length in _lengths(value, size) if not _is_factor(value)
    )


def _is_factor(value: str) -> bool:
    """Whether a value is a line height such as `1.5`, and not a length."""
    return re.fullmatch(r"[1-9]\d?(?:\.\d+)?", value) is not None


def _size(name: str, value: str, around: float) -> float | None:
    """The font size in pixels that a declaration sets, given the size around it; None if it sets none."""
    if name not in ("font", "font-size"):
        return None
    if "(" in value:
        return 0.0
    for word in _SLASH.sub("", value).split():
        if word in ("smaller", "larger"):
            return around * (0.83 if word == "smaller" else 1.2)
        if word in _SIZES:
            return _SIZES[word]
        number = _NUMBER.fullmatch(word)
        # In `font: 700 12px Arial`, the first number is a weight.
        if number and (name == "font-size" or number[2] or float(number[1]) < 1):
            return _pixels(number, around)
    return None


def _opacity(value: str) -> float:
    number = _NUMBER.fullmatch(value)
    if number is None:
        return 0.0 if "(" in value else 1.0
    return min(max(float(number[1]) / (100 if number[2] == "%" else 1), 0.0), 1.0)


def _moved(name: str, value: str, size: float) -> float:
    """How far a declaration moves text towards the start of the window; infinite if it may move it out of sight."""
    if not _MOVING.fullmatch(name):
        return 0.0
    lengths = _lengths(value, size)
    if "(" in value or max(lengths, default=0.0) > _FURTHEST:
        return float("inf")
    return -min(lengths, default=0.0)


def _lengths(value: str, size: float) -> list[float]:
    """The lengths in a value, in pixels; a percentage is of a box as wide as a column of text."""
    numbers = filter(None, map(_NUMBER.fullmatch, value.split()))
    return [_pixels(number, 600.0 if number[2] == "%" else size) for number in numbers]


def _pixels(number: re.Match[str], around: float) -> float:
    unit = number[2]
    each = _PIXELS[unit] if unit in _PIXELS else _OF_LETTERS[unit] * around if unit in _OF_LETTERS else _OF_WINDOW
    return float(number[1]) * each
