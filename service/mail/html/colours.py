"""Colours in the styles of HTML emails, insofar as they hide text. Syntax: CSS Color Level 4."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterable
from typing import TypeAlias

Colour: TypeAlias = tuple[float, float, float] | str
"""Red, green and blue from 0 to 1, or the name of a colour."""

_UNLIKE = 0.1
"""The least difference in red, green or blue by which two colours can be told apart."""
_HEX = re.compile("#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
_WRITTEN = re.compile(rf"{_HEX.pattern}(?!\S)|(?:rgb|hsl)a?\([^()]*\)|\b(?:white|black)\b")
_PARTS = re.compile(r"[\s,/]+")
_PART = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|deg)?")
_NAMED = {"white": (1.0, 1.0, 1.0), "black": (0.0, 0.0, 0.0)}
_KEPT = frozenset(("transparent", "none", "inherit", "unset", "currentcolor"))


def opacity(value: str) -> float:
    """A colour's opacity, from 0 to 1; 0 if only a browser can compute it."""
    if value == "transparent":
        return 0.0
    if "(" not in value and not value.startswith("#"):
        return 1.0
    parts = _parts(value)
    return parts[3] if parts else 0.0


def last(values: Iterable[str], around: Colour | None) -> Colour | None:
    """The colour that the last of these values sets, inside the colour `around`; None if it's unknown."""
    for value in values:
        written = _WRITTEN.search(value)
        if "url" in value or "gradient" in value:
            around = None
        elif value not in _KEPT and opacity(colour := written[0] if written else value) > 0:
            around = _colour(colour)
    return around


def are_alike(one: Colour | None, other: Colour | None) -> bool:
    """Whether text in one colour on the other is invisible."""
    if one is None or other is None or isinstance(one, str) or isinstance(other, str):
        return one is not None and one == other
    return all(abs(a - b) < _UNLIKE for a, b in zip(one, other, strict=True))


def _colour(value: str) -> Colour | None:
    if parts := _parts(value):
        return parts[:3]
    return _NAMED.get(value, value if value.isalpha() else None)


def _parts(value: str) -> tuple[float, float, float, float] | tuple[()]:
    """Red, green, blue and opacity from 0 to 1; empty for a colour that isn't written in numbers."""
    if found := _HEX.fullmatch(value):
        digits = found[1] if len(found[1]) > 4 else "".join(digit * 2 for digit in found[1])
        red, green, blue, alpha = (int(f"{digits}ff"[place : place + 2], 16) / 255 for place in (0, 2, 4, 6))
        return red, green, blue, alpha
    function = _FUNCTION.fullmatch(value)
    parts = [_PART.fullmatch(part) for part in _PARTS.split(function[2].strip())] if function else []
    numbers = [float(part[1]) / (100 if part[2] == "%" else 1) for part in parts if part]
    if function is None or len(numbers) != len(parts) or not 3 <= len(numbers) <= 4:
        return ()
    first, second, third, alpha = (*numbers, 1.0)[:4]
    if function[1] == "hsl":
        return *colorsys.hls_to_rgb(first / 360, third, second), alpha
    red, green, blue = (
        number / (1 if part and part[2] else 255) for number, part in zip((first, second, third), parts, strict=False)
    )
    return red, green, blue, alpha
