"""The search's thoughts about a thousand positions, to compare machines, compilers and releases.

`python -m tests.bots.pillars.thoughts` writes the file again after a change of the search or its evaluation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from service.bots.pillars.opponents import strong
from service.bots.thought import View
from tests.bots.pillars.playing import DATA, SETUPS, walk

THOUGHTS = DATA / "pillars-thoughts.txt"
NODES = 1500


def thoughts(numbers: Iterable[int]) -> Iterator[str]:
    """A line for each position: the value and the expected line."""
    for number in numbers:
        plies = 4 + 7 * number % 90
        setup = SETUPS[number % 10] if number % 10 < len(SETUPS) else ""
        position = deque((at for at in walk(number, plies, setup) if at.outcome is None), maxlen=1)[0]
        thought = strong(View.of(position, position.seat), NODES, number)
        yield f"{thought.value} {' '.join(thought.lines[0])}"


if __name__ == "__main__":
    THOUGHTS.write_text("".join(f"{line}\n" for line in thoughts(range(1000))))
