"""`python -m tests.bench [PART …]` runs the named parts, or all; `BENCH_JSON=FILE` also writes the figures as JSON."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

from tests.bench.measure import Figure

PARTS = (
    "kernel",
    "go",
    "playouts",
    "players",
    "kagome",
    "pillars",
    "loading",
    "pictures",
    "pages",
    "ratings",
    "worlds",
    "reading",
    "post",
    "recovery",
    "orders",
    "clients",
    "writers",
    "thinking",
    "crowd",
    "company",
    "hundred_bots",
)
"""The modules of this package with a function `figures()`, in the order they run."""


def main(wanted: list[str]) -> None:
    found: list[Figure] = []
    for part in wanted or PARTS:
        try:
            module = importlib.import_module(f"tests.bench.{part}")
        except ImportError as missing:
            print(f"{part} is skipped: {missing}. The peers are in the `bench` group of pyproject.toml.")
            continue
        for figure in module.figures():
            print(figure.line, flush=True)
            found.append(figure)
    if path := os.environ.get("BENCH_JSON"):
        Path(path).write_text(json.dumps([figure.data for figure in found], indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
