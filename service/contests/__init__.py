"""Ratings, draws and standings: calculations with the results of matches, without games, rows or a clock."""
