"""Pillars of Medusa: an alpha-beta search with integers only, so that it finds the same move on every machine."""
