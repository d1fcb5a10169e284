"""Garbage collection in long-running processes."""

from __future__ import annotations

import gc

OFTEN = (20_000, 20, 50)
"""The collector's thresholds. With Python's default of 700 new objects, it took a twelfth of the processor time of
mailed moves: an order makes thousands of objects, few of which only the collector can free."""


def settle() -> None:
    """Exempts everything loaded so far from garbage collection; called once all that stays is loaded.

    Collecting it would take as long as some moves, and would unshare the memory of forked processes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*OFTEN)
