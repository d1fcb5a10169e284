"""Ratings, draws and standings: arithmetic on the results of matches, without games, rows or time of its own."""
