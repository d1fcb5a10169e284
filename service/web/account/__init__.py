"""Signing in and account settings."""
