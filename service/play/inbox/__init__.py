"""Incoming email."""
