"""What importing all games costs compared with bare Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from tests.bench.measure import Figure

PROBE = """
import time
begun = time.process_time()
{work}
took = time.process_time() - begun
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(took, peak.split()[1])
"""

LIBRARY = "import abc, collections, copy, enum, fractions, functools, random, re, types, typing"
"""The modules of the standard library that the games need: the peer."""

EVERY = "from service.games import GAMES; [*GAMES.values()]"
STARTED = "from service.games import GAMES; [game.start() for game in GAMES.values()]"


def probe(work: str) -> tuple[float, float]:
    """Milliseconds and megabytes of a fresh process with compiled modules, each the least of 15 runs."""
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found = []
    for _ in range(15):
        done = subprocess.run(
            [sys.executable, "-c", PROBE.format(work=work)], capture_output=True, check=True, env=compiled
        )
        took, kilobytes = map(float, done.stdout.split())
        found.append((took * 1000, kilobytes / 1024))
    return min(took for took, _ in found), min(size for _, size in found)


def figures() -> Iterator[Figure]:
    bare, library, every, started = probe("pass"), probe(LIBRARY), probe(EVERY), probe(STARTED)
    what = "time to import every game over the time for the standard library's modules that they need"
    yield Figure("import-over-library", (every[0] - bare[0]) / (library[0] - bare[0]), None, what)
    yield Figure("import-ms", every[0] - bare[0], 40, "ms to import every game, over bare Python")
    yield Figure("import-mb", every[1] - bare[1], 10, "MB of memory to import every game, over bare Python")
    yield Figure("start-all-ms", started[0] - bare[0], None, "ms to import and start every game, including its board")
