"""What importing all games costs over a bare Python."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from tests.bench.measure import Figure

PROBE = """
import sys, time
begun = time.perf_counter()
{work}
took = time.perf_counter() - begun
import resource
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def probe(work: str) -> tuple[float, float]:
    """Milliseconds and megabytes of a fresh process, the least of several."""
    found = []
    for _ in range(7):
        done = subprocess.run([sys.executable, "-c", PROBE.format(work=work)], capture_output=True, check=True)
        took, kilobytes = map(float, done.stdout.split())
        found.append((took * 1000, kilobytes / 1024))
    return min(took for took, _ in found), min(size for _, size in found)


def figures() -> Iterator[Figure]:
    bare, ours = probe("pass"), probe("import service.games")
    yield Figure("import-ms", ours[0] - bare[0], 40, "ms to import all games")
    yield Figure("import-mb", ours[1] - bare[1], 10, "MB of memory to import all games, over bare Python")
