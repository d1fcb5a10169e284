"""Garbage collection in processes that stay."""

from __future__ import annotations

import gc

OFTEN = (20_000, 20, 50)
"""How many new objects there are before they are looked through. Python's own 700 cost mailed moves a twelfth of their
processor time: an order makes thousands, of which few are garbage that only the collector finds."""


def settle() -> None:
    """Called once everything that stays is loaded.

    It is exempted from garbage collection, which would take as long as some moves, and stays in memory that processes
    forked from this one share.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*OFTEN)
