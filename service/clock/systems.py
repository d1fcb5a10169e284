"""The time systems: each defines the first budget, how long it lasts, and what a move does to it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import ClassVar

from service.clock.duration import ClockError, read_amount, write_amount

NOTHING = timedelta()
MOST = 100
"""The most periods, or moves per block, that a clock may have."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The time a seat has when its turn begins: `main` is used up first.

    Then follow, in byo-yomi, `count` periods, or in Canadian time, the rest of a block, `over`, for `count` moves. With
    a fixed time for every move or round, `count` is 1 if this turn was prolonged.
    """

    main: timedelta = NOTHING
    over: timedelta = NOTHING
    count: int = 0

    def extended(self, by: timedelta) -> Budget:
        """This budget with extra time: in the current block if one is being played, else in the main time."""
        if self.over and not self.main:
            return replace(self, over=self.over + by)
        return replace(self, main=self.main + by)


class System(ABC):
    """One time system. `used` is never more than `total(budget)`: a player who uses more has run out of time."""

    kind: ClassVar[str]

    @classmethod
    @abstractmethod
    def read(cls, text: str) -> System | None:
        """The system that this lower-case text names, None if it names another kind; raises ClockError."""

    @abstractmethod
    def write(self) -> str:
        """The text that `read` reads back."""

    @abstractmethod
    def begin(self) -> Budget:
        """The budget of a seat before its first turn."""

    def total(self, budget: Budget) -> timedelta:
        """How long a turn may last."""
        return budget.main

    def prolonged(self, budget: Budget) -> Budget | None:
        """The budget with the same time again for this turn; None if turns have no fixed time, or it was prolonged."""
        del budget
        return None

    @abstractmethod
    def press(self, budget: Budget, used: timedelta) -> Budget:
        """The budget for the next turn after a move that took `used`."""


@dataclass(frozen=True, slots=True)
class Fixed(System):
    """The same time for every move. With `by_round`, all seats share one clock, without zones or vacations."""

    kind = "fixed"
    time: timedelta
    by_round: bool = False

    @classmethod
    def read(cls, text: str) -> Fixed | None:
        found = re.fullmatch(r"(.+?)\s*(?:/|per|a|each)\s*(move|turn|round)", text)
        return Fixed(read_amount(found[1]), found[2] == "round") if found else None

    def write(self) -> str:
        return f"{write_amount(self.time)}/{'round' if self.by_round else 'move'}"

    def begin(self) -> Budget:
        return Budget(self.time)

    def prolonged(self, budget: Budget) -> Budget | None:
        return None if budget.count else replace(budget, main=budget.main + self.time, count=1)

    def press(self, budget: Budget, used: timedelta) -> Budget:
        del budget, used
        return Budget(self.time)


@dataclass(frozen=True, slots=True)
class Fischer(System):
    """A bank to which every move adds time, up to a cap if there is one (Fischer, US patent 4884255)."""

    kind = "fischer"
    bank: timedelta
    increment: timedelta
    cap: timedelta | None = None

    @classmethod
    def read(cls, text: str) -> Fischer | None:
        if not text.startswith("fischer"):
            return None
        found = re.fullmatch(r"fischer\s+([^+]+)\+([^+]+?)(?:\s+cap\s+(.+))?", text)
        if not found:
            raise ClockError("Write a Fischer clock like fischer 10d+1d, or fischer 10d+1d cap 14d.")
        bank, increment = read_amount(found[1]), read_amount(found[2])
        cap = read_amount(found[3]) if found[3] else None
        if cap and cap < bank:
            raise ClockError("A Fischer clock's cap can't be less than its starting time.")
        return Fischer(bank, increment, cap)

    def write(self) -> str:
        cap = f" cap {write_amount(self.cap)}" if self.cap else ""
        return f"fischer {write_amount(self.bank)}+{write_amount(self.increment)}{cap}"

    def begin(self) -> Budget:
        return Budget(self.bank)

    def press(self, budget: Budget, used: timedelta) -> Budget:
        left = budget.main - used
        gained = left + self.increment
        # Extra time from an opponent may exceed the cap; a move doesn't take it away.
        return Budget(max(left, gained if self.cap is None else min(gained, self.cap)))


@dataclass(frozen=True, slots=True)
class Byoyomi(System):
    """Main time, then periods: a move within a period keeps it, and a period that runs out is gone."""

    kind = "byoyomi"
    main: timedelta
    periods: int
    period: timedelta

    @classmethod
    def read(cls, text: str) -> Byoyomi | None:
        if not re.match(r"byo-?yomi", text):
            return None
        found = re.fullmatch(r"byo-?yomi\s+(.+?)\s*\+?\s+(\d+)\s*x\s*(.+)", text)
        if not found:
            raise ClockError("Write byo-yomi like byoyomi 10d 5x3d: 10 days, then 5 periods of 3 days.")
        return Byoyomi(read_amount(found[1]), _count(found[2], "periods"), read_amount(found[3]))

    def write(self) -> str:
        return f"byoyomi {write_amount(self.main)} {self.periods}x{write_amount(self.period)}"

    def begin(self) -> Budget:
        return Budget(self.main, count=self.periods)

    def total(self, budget: Budget) -> timedelta:
        return budget.main + budget.count * self.period

    def press(self, budget: Budget, used: timedelta) -> Budget:
        if used <= budget.main:
            return replace(budget, main=budget.main - used)
        # A move in the last moment of a period is still within it.
        gone = -((budget.main - used) // self.period) - 1
        return Budget(count=max(1, budget.count - gone))


@dataclass(frozen=True, slots=True)
class Canadian(System):
    """Main time, then blocks: a number of moves in a fixed time, after which a new block begins.

    Where late turns pass, a new block also begins after one that has run out, or every later turn of it would have no
    time at all.
    """

    kind = "canadian"
    main: timedelta
    moves: int
    block: timedelta

    @classmethod
    def read(cls, text: str) -> Canadian | None:
        if not text.startswith("canadian"):
            return None
        found = re.fullmatch(r"canadian\s+(.+?)\s*\+?\s+(\d+)\s*/\s*(.+)", text)
        if not found:
            raise ClockError("Write Canadian time like canadian 10d 5/7d: 10 days, then 5 moves in every 7 days.")
        return Canadian(read_amount(found[1]), _count(found[2], "moves"), read_amount(found[3]))

    def write(self) -> str:
        return f"canadian {write_amount(self.main)} {self.moves}/{write_amount(self.block)}"

    def begin(self) -> Budget:
        return Budget(self.main, self.block, self.moves)

    def total(self, budget: Budget) -> timedelta:
        return budget.main + budget.over

    def press(self, budget: Budget, used: timedelta) -> Budget:
        if budget.main and used <= budget.main:
            return replace(budget, main=budget.main - used)
        if budget.count == 1 or used == self.total(budget):
            return Budget(NOTHING, self.block, self.moves)
        return Budget(NOTHING, budget.over - (used - budget.main), budget.count - 1)


@dataclass(frozen=True, slots=True)
class Absolute(System):
    """One bank for all moves of the match."""

    kind = "absolute"
    bank: timedelta

    @classmethod
    def read(cls, text: str) -> Absolute | None:
        found = re.fullmatch(r"absolute\s+(.+)", text)
        return Absolute(read_amount(found[1])) if found else None

    def write(self) -> str:
        return f"absolute {write_amount(self.bank)}"

    def begin(self) -> Budget:
        return Budget(self.bank)

    def press(self, budget: Budget, used: timedelta) -> Budget:
        return Budget(budget.main - used)


def _count(text: str, what: str) -> int:
    if len(text) > 9 or not 1 <= int(text) <= MOST:
        raise ClockError(f"Choose between 1 and {MOST} {what}, not {text[:8]}.")
    return int(text)
