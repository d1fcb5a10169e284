"""Benchmarks: ratios to a peer, measured in the same run. Pytest doesn't collect them; `make bench` runs them."""
