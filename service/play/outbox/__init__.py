"""Composing and sending letters."""
