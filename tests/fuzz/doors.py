"""A door for the fuzzer: it makes random inputs, and tries them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from random import Random
from typing import Any, ClassVar
from unicodedata import category

Input = Any
"""A Python literal, so that a kept input can be read back."""


class Door(ABC):
    """One entrance. A door without `every` keeps nothing from one input to the next."""

    name: ClassVar[str]
    share: ClassVar[int]
    """How many of 1,000 inputs it gets."""
    every: ClassVar[int] = 0
    """After how many inputs it is reset to its first state; 0 for never."""

    thinking: ClassVar[float] = 0.0
    """Additional seconds that an input may take, because a bot is asked for a move."""

    def begin(self) -> None:  # noqa: B027 (most doors keep nothing)
        """Restores everything as it was before the first input."""

    @abstractmethod
    def make(self, chance: Random) -> Input:
        """Makes an input."""

    @abstractmethod
    def take(self, given: Input) -> bool:
        """Tries an input; returns whether it was accepted. Raises an error for whatever must not happen."""

    def close(self) -> None:  # noqa: B027 (nor start anything)
        """Stops what it has started."""


def check_sentence(message: str, longest: int = 600) -> None:
    """Fails unless this is a proper refusal: one line, not too long, without characters that can't be shown."""
    assert re.search(r"[.?!\u2026]$", message.rstrip()), f"no sentence: {message[-80:]!r}"
    assert len(message) < longest, f"{len(message)} characters: {message[:80]!r}"
    check_printable(message)
    assert "\n" not in message, repr(message)


def check_printable(text: str, but: str = "") -> None:
    """Fails if there are control characters or lone surrogates, except those in `but`."""
    wrong = [letter for letter in text if letter not in but and category(letter) in ("Cc", "Cs")]
    assert not wrong, f"{wrong[0]!r} in {text[:80]!r}"
