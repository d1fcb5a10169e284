"""How the DNS is asked: a function that is passed in, so that nothing here touches the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["TXT", "A", "AAAA", "MX", "PTR"]

LookUp: TypeAlias = Callable[[str, Kind], Sequence[str]]
"""The records of a name as text, none if there are none; an MX without its preference. Raises NoAnswer."""


class NoAnswer(Exception):
    """The DNS cannot be asked just now."""
