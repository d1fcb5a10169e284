"""The match page and what belongs to it."""
