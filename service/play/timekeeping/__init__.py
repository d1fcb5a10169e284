"""Clocks, deadlines and what happens when time runs out."""
