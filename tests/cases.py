"""How many cases the tests try: as many as show the thing, or with STONEPOST_CASES=full, as for `make soak`, all."""

from __future__ import annotations

import os

FULL = os.environ.get("STONEPOST_CASES") == "full"


def cases(usual: int, full: int) -> int:
    """How many examples of something to try."""
    return full if FULL else usual
