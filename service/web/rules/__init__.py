"""Rules pages and their diagrams."""
