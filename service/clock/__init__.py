"""Clocks: how much time a seat has, and when it runs out. The current time is always passed in."""
