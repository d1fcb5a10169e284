"""Matches between bots, for tables of strength; these take longer than the tests."""
