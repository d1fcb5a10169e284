"""Benchmarks: ratios against a peer, measured in one run. Not collected by pytest; `make bench` runs them."""
