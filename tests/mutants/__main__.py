"""`python -m tests.mutants` changes the code in one random place at a time, and counts the changes that tests notice.

First the whole suite runs once and records which test executes which line (about twenty minutes on two cores; `--map`
keeps or reuses the result; it holds until a file of the service changes). Then each mutant is tried in a copy of the
repository by tests that execute its line: those of the file that mirrors it, then the quickest of each file, and so on
for `--most` seconds. A change inside a function takes seconds; one that runs on import takes a new pytest. Other tests,
or tests of whole deployments, might still notice a mutant that survives; a person has to judge whether it makes a
difference.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from queue import SimpleQueue

from service.config import ROOT
from tests.mutants.by_line import look
from tests.mutants.draw import ROOMS, Mutant, draw, shown
from tests.mutants.trial import Copy, Map

MEMORY = 8 << 30
"""Bytes of memory that a process may use: a mutant may allocate more and more."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=ROOMS, help="files or directories to change (a few of service/)")
    parser.add_argument("--sample", type=int, default=300, help="how many mutants to draw (300)")
    parser.add_argument("--seed", type=int, default=1, help="the random seed (1)")
    parser.add_argument("--map", type=Path, default=ROOT / ".mutants", help="folder of the recorded lines (.mutants)")
    parser.add_argument("--most", type=float, default=300.0, help="seconds' worth of tests for each mutant (300)")
    parser.add_argument("--workers", type=int, default=2, help="how many mutants to try at a time (2)")
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    if not chosen.map.exists():
        look(chosen.map)
    drawn = draw(chosen.sample, chosen.seed, chosen.rooms)
    noticed = attempt(drawn, Map(chosen.map, chosen.most), chosen.workers)
    print(f"{noticed} of {len(drawn)} noticed, seed {chosen.seed}")
    return 0


def attempt(mutants: list[Mutant], known: Map, workers: int) -> int:
    """Tries mutants, prints the result of each, and counts those noticed.

    A mutant doesn't count if the test that noticed it also fails in a copy without mutants.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened, ThreadPoolExecutor(workers) as pool:
        copies = SimpleQueue[Copy]()
        for copy in pool.map(Copy, (Path(folder) / str(number) for number in range(workers))):
            copies.put(opened.enter_context(closing(copy)))

        def noticed_by(mutant: Mutant) -> str:
            plan, copy = known.plan(mutant), copies.get()
            try:
                return copy.noticed_by(mutant, plan)
            finally:
                copies.put(copy)

        noticed = []
        for mutant, test in zip(mutants, pool.map(noticed_by, mutants), strict=True):
            print(f"{'noticed ' if test else 'survived'} {shown(mutant)}", *([f"    {test}"] if test else []), sep="\n")
            sys.stdout.flush()
            noticed += [test] if test else []
        used = sorted({test for test in noticed if test.startswith("tests/")})
        unsound = copies.get().failing(used) if used else []
    for test in unsound:
        print(f"fails without a mutant too: {test}")
    return sum(test not in unsound for test in noticed)


if __name__ == "__main__":
    sys.exit(main())
