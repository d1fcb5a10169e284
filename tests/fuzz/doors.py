"""What a door is to the fuzzer: something that makes inputs by chance, and takes them in."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from random import Random
from typing import Any, ClassVar
from unicodedata import category

Input = Any
"""A Python literal, so that a kept input can be read back."""


class Door(ABC):
    """One way in. A door without `every` keeps nothing from one input to the next."""

    name: ClassVar[str]
    share: ClassVar[int]
    """How many of 1,000 inputs it gets."""
    every: ClassVar[int] = 0
    """After how many inputs it begins again with what it had at first; 0 for never."""

    thinking: ClassVar[float] = 0.0
    """Seconds beyond what any input may take, where a bot is asked for a move."""

    def begin(self) -> None:  # noqa: B027 (most doors keep nothing)
        """Makes everything as it was before the first input."""

    @abstractmethod
    def make(self, chance: Random) -> Input:
        """An input."""

    @abstractmethod
    def take(self, given: Input) -> bool:
        """Whether it is accepted. Raises an error for whatever must not happen."""

    def close(self) -> None:  # noqa: B027 (nor start anything)
        """Ends what it has started."""


def check_sentence(message: str, longest: int = 600) -> None:
    """Fails unless it is what a refusal may say: one line, not too long, without anything that can't be shown."""
    assert re.search(r"[.?!\u2026]$", message.rstrip()), f"no sentence: {message[-80:]!r}"
    assert len(message) < longest, f"{len(message)} characters: {message[:80]!r}"
    check_printable(message)
    assert "\n" not in message, repr(message)


def check_printable(text: str, but: str = "") -> None:
    """Fails if there are control characters or halves of characters, except these."""
    wrong = [letter for letter in text if letter not in but and category(letter) in ("Cc", "Cs")]
    assert not wrong, f"{wrong[0]!r} in {text[:80]!r}"
