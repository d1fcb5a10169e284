"""What people typed, as errors quote it."""

from __future__ import annotations


def told(text: str, most: int = 60) -> str:
    """A text in quotation marks, as errors quote it: all of it, or its first words and `...`."""
    words = " ".join(text.split())
    if len(words) > most:
        words = f"{words[: most - 2].rpartition(' ')[0] or words[: most - 3]}..."
    return repr(words)
