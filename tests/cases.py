"""How many cases the tests try: enough to show the behaviour, or all with STONEPOST_CASES=full, as in `make soak`."""

from __future__ import annotations

import os

FULL = os.environ.get("STONEPOST_CASES") == "full"


def cases(usual: int, full: int) -> int:
    """How many examples to try."""
    return full if FULL else usual
