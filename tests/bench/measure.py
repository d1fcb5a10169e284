"""How a benchmark is measured and printed."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Literal, TypeAlias

Work: TypeAlias = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the bench. `name` never changes; `what` says what was measured and compared.

    A figure without a goal is only informative: it can't be ok or short.
    """

    name: str
    value: float
    goal: float | None
    what: str
    sense: Literal["<=", ">="] = "<="

    @property
    def ok(self) -> bool | None:
        """Whether the goal is met, if there is one."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.sense == "<=" else self.value >= self.goal

    @property
    def line(self) -> str:
        """The figure as printed."""
        if self.goal is None:
            return f"{self.name:<28}  {self.value:.4g}  no goal  ({self.what})"
        verdict = "ok" if self.ok else "short"
        return f"{self.name:<28}  {self.value:.4g}  goal {self.sense} {self.goal:g}  {verdict}  ({self.what})"

    @property
    def data(self) -> dict[str, object]:
        """The figure as written to BENCH_JSON."""
        return {
            "name": self.name,
            "value": self.value,
            "goal": self.goal,
            "sense": self.sense,
            "ok": self.ok,
            "what": self.what,
        }


def seconds(*works: Work, rounds: int = 40) -> list[float]:
    """The shortest CPU time of each work, in seconds; all take turns in each round so that noise is shared."""
    best = [float("inf")] * len(works)
    gc.disable()
    for _ in range(rounds):
        for number, work in enumerate(works):
            begun = process_time()
            work()
            best[number] = min(best[number], process_time() - begun)
    gc.enable()
    return best


def ratio(ours: Work, theirs: Work, rounds: int = 40) -> float:
    """The CPU time of our work divided by that of `theirs`."""
    mine, other = seconds(ours, theirs, rounds=rounds)
    return mine / other
