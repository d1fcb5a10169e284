"""How conditional moves are written: `if c7 then d8 if e5 then f6; if pass then pass`.

A line is a conditional move only if all of it has this form and its conditions and replies are moves. Only the game
knows what a move is; this module knows the form.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Branch: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of a condition and its reply."""

_FORGET = re.compile(r"(?i)\s*forget\W*")
_STEP = re.compile(r"(?is)\s*,?\s*if\b\s*(.+?)(?<![\s,])[\s,]*+\bthen\b\s*(.+?)(?=\s*,?\s*\bif\b|$)")


class UnclearBranch(ValueError):
    """A branch that isn't written as one. `args[0]` is its text."""


def branches(text: str) -> tuple[Branch, ...]:
    """The branches of conditional moves; empty for `forget`. Raises UnclearBranch."""
    if _FORGET.fullmatch(text):
        return ()
    parts = [part for part in text.rstrip(" .;").split(";") if part.strip()]
    return tuple(_branch(part) for part in (*parts[:1], *map(_with_if, parts[1:])))


def _with_if(part: str) -> str:
    """A branch after a semicolon, with its `if`, which many people leave out there."""
    return part if re.match(r"\W*if\b", part, re.IGNORECASE) else f"if {part.strip()}"


def _branch(text: str) -> Branch:
    steps, at = [], 0
    while at < len(text.rstrip()):
        found = _STEP.match(text, at)
        if not found:
            raise UnclearBranch(text)
        steps.append((" ".join(found[1].split()), " ".join(found[2].split()).rstrip(" .,")))
        at = found.end()
    return tuple(steps)
