"""Standard output and standard error of a run, which continues even if nobody reads them or the disk is full."""

from __future__ import annotations

import os
import sys


def say(text: str) -> None:
    """Prints a text, if it can be written."""
    try:
        print(text, flush=True)
    except OSError:
        drop_unwritten()


def drop_unwritten() -> None:
    """Discards output that couldn't be written. Otherwise each later flush would try again, such as the one at every
    fork."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None: it was closed from the beginning.
        try:
            stream.flush()
        except OSError:
            number, kept = stream.fileno(), os.dup(stream.fileno())
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), number)
            stream.flush()
            os.dup2(kept, number)
            os.close(kept)
