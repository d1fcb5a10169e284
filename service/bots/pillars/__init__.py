"""Pillars of Medusa: an alpha-beta search on integers alone, so that it gives the same move wherever it runs."""
