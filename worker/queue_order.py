"""The order in which a worker looks at its queues: the most urgent first, but each gets its turn."""

from __future__ import annotations

from kombu.utils.scheduling import priority_cycle

from worker.app import QUEUES

TURNS = 4
"""One in this many tasks comes from a less urgent queue, each such queue in turn, if it has any."""


URGENCY = {name: place for place, name in enumerate(QUEUES)}


class MostlySorted(priority_cycle):
    """Queues in the order of QUEUES, except that a less urgent one comes first at every fourth look.

    Otherwise, while orders came in as fast as they're judged, letters would wait.
    """

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def consume(self, n: int) -> list[str]:
        """The names of `n` queues, in the order in which to look at them."""
        names = sorted(super().consume(n), key=lambda name: URGENCY.get(name, len(URGENCY)))
        self.looks += 1
        favoured, rest = divmod(self.looks, TURNS)
        if rest or len(names) < 2:
            return names
        first = names[-1 - favoured % (len(names) - 1)]
        return [first, *(name for name in names if name != first)]
