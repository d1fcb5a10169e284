"""`python -m tests.arena [PART …] [--matches N] [--seed N]` plays all pairings, or those with a PART in their name."""

from __future__ import annotations

import argparse
import importlib

MODULES = ("stones", "united", "settled", "pillars", "largest", "gnugo")
"""The modules of this package with a table `PAIRINGS`."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.arena")
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for name in MODULES:
        for pairing in importlib.import_module(f"tests.arena.{name}").PAIRINGS:
            if not chosen.parts or any(part in pairing.name for part in chosen.parts):
                print(pairing.played(chosen.matches, chosen.seed).line, flush=True)


if __name__ == "__main__":
    main()
