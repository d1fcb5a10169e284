"""Ratings: what a finished match changes, leader boards, and everything computed again."""
