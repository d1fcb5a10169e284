"""Matches between bots, for tables of strength; a longer run than the tests."""
