"""Clocks that people trust: how much time a seat has, and when it ends. Nothing here knows what time it is."""
