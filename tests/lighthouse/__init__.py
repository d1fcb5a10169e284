"""Lighthouse over the pages most people come to first: `make lighthouse`."""
