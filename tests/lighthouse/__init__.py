"""Lighthouse scores of the pages that most people see first: `make lighthouse`."""
