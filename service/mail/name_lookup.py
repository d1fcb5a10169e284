"""The type of DNS look-ups: a function that is passed in, so that nothing here touches the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["TXT", "A", "AAAA", "MX", "PTR"]

LookUp: TypeAlias = Callable[[str, Kind], Sequence[str]]
"""Returns the records of a name as text, an MX without its preference; empty if there are none. Raises NoAnswer."""


class NoAnswer(Exception):
    """The DNS can't be queried just now."""
