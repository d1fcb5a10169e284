"""The clock of a match, as one line of text: `byoyomi 10d 5x3d, weekends off`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from service.clock.duration import ClockError
from service.clock.hours import A_DAY, NEVER, Hours, Stretch
from service.clock.rounds import SYSTEMS, WEEKDAYS, Rounds
from service.clock.systems import Budget, System

UTC_ZONE = ZoneInfo("UTC")
DEFAULT = "7d/move"
"""A player who looks in once a week never loses on time, and the clock needs no explanation."""

EXAMPLES = (
    "3d/move",
    "fischer 10d+1d cap 14d",
    "byoyomi 10d 5x3d",
    "canadian 10d 5/7d",
    "absolute 30d",
    "rounds at 18:00 mon wed fri",
    "none",
)

LONGEST = 120
"""Characters of a clock, as it is stored."""

_WEEKEND = frozenset({5, 6})
_LAST_DAY = A_DAY
_TOO_CLOSE = A_DAY / 2
_SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)


ALL_HOURS = Hours()


class FirstTurn(NamedTuple):
    """When a first turn without a move runs out of time, and when its main time before periods or blocks does.

    Both are in the player's zone; `main` is None if the clock has neither periods nor blocks.
    """

    ends: datetime
    main: datetime | None


@dataclass(frozen=True, slots=True)
class Control:
    """The time control of a match; without a `system` there is no clock.

    `late` says what happens when a player runs out of time: they lose, or the turn passes, or it gets the same time
    again, once, before it passes. `off` in the methods is time that doesn't count, in order: outages, the player's
    vacation, pauses of the match.
    """

    system: System | None
    hours: Hours = ALL_HOURS
    vacation: bool = True
    late: Literal["lose", "pass", "extend"] = "lose"

    @classmethod
    def parse(cls, text: str) -> Control:
        """Reads a clock liberally; raises ClockError."""
        first, *clauses = (" ".join(part.split()) for part in text.lower().split(","))
        control = cls(_system(first))
        for clause in clauses:
            control = _clause(control, clause)
        if control.late == "extend" and control.prolonged(control.begin()) is None:
            raise ClockError(
                "Only a clock with a fixed time per move or round can have late extends: 3d/move, late extends."
            )
        return cls(None) if control.system is None else control

    def write(self) -> str:
        """The canonical text of this clock, which is stored and shown; `parse` reads it back."""
        if self.system is None:
            return "none"
        clauses = [self.system.write()]
        if self.hours.days_off == _WEEKEND:
            clauses.append("weekends off")
        elif self.hours.days_off:
            clauses.append(" ".join(WEEKDAYS[day] for day in sorted(self.hours.days_off)) + " off")
        if self.hours.asleep:
            clauses.append("sleep {}-{}".format(*self.hours.asleep))
        if not self.vacation:
            clauses.append("no vacation")
        if self.late == "pass":
            clauses.append("late passes")
        if self.late == "extend":
            clauses.append("late extends")
        return ", ".join(clauses)

    @property
    def by_round(self) -> bool:
        """Whether all seats share one clock, independent of their zones and vacations."""
        return getattr(self.system, "by_round", False)

    @property
    def spends_vacation(self) -> bool:
        """Whether a seat spends days of vacation before it runs out of time."""
        return self.system is not None and self.vacation and not self.by_round

    def begin(self) -> Budget:
        """The budget of every seat before its first turn."""
        return Budget() if self.system is None else self.system.begin()

    def deadline(
        self, budget: Budget, since: datetime, zone: ZoneInfo = UTC_ZONE, off: Sequence[Stretch] = ()
    ) -> datetime | None:
        """When a turn that began at `since` runs out of time, in UTC; a move received at that moment is in time."""
        lasts = self._lasts(budget, since, off)
        if lasts is None:
            return None
        end = self.hours.after(since, lasts, self._zone(zone), off)
        return None if end == NEVER else end

    def first_turn(self, began: datetime, zone: ZoneInfo) -> FirstTurn | None:
        """The calendar dates of a first turn that begins at `began`; None without a clock."""
        budget = self.begin()
        ends = self.deadline(budget, began, zone)
        main = self.deadline(Budget(budget.main), began, zone) if budget.count or budget.over else None
        return None if ends is None else FirstTurn(ends.astimezone(zone), main and main.astimezone(zone))

    def reminders(
        self, budget: Budget, since: datetime, zone: ZoneInfo = UTC_ZONE, off: Sequence[Stretch] = ()
    ) -> tuple[datetime, ...]:
        """When to remind players who haven't moved: after four fifths of the time, and a day before the deadline.

        If they are within half a day of each other, only the second; if the second is within the turn's first half day
        or earlier, only the first.
        """
        lasts, deadline = self._lasts(budget, since, off), self.deadline(budget, since, zone, off)
        if lasts is None or deadline is None:
            return ()
        late = self.hours.after(since, lasts * 4 / 5, self._zone(zone), off)
        last = deadline - _LAST_DAY
        if last < since + _TOO_CLOSE:
            return (late,)
        return (last,) if abs(last - late) < _TOO_CLOSE else tuple(sorted((late, last)))

    def press(
        self,
        budget: Budget,
        since: datetime,
        at: datetime,
        zone: ZoneInfo = UTC_ZONE,
        off: Sequence[Stretch] = (),
    ) -> Budget:
        """The seat's budget for its next turn after a move received at `at`."""
        if self.system is None:
            return budget
        used, lasts = self.hours.counted(since, at, self._zone(zone), off), self._lasts(budget, since, off)
        return self.system.press(budget, used if lasts is None else min(used, lasts))

    def prolonged(self, budget: Budget) -> Budget | None:
        """The budget with the same time again once a turn's time is up; None if the turn isn't prolonged."""
        return self.system.prolonged(budget) if self.system is not None and self.late == "extend" else None

    def _lasts(self, budget: Budget, since: datetime, off: Sequence[Stretch]) -> timedelta | None:
        """How much counted time a turn that began at `since` has; None without a clock or an end."""
        if isinstance(self.system, Rounds):
            return self.system.lasts(budget, since, self.hours, off)
        return self.system.total(budget) if self.system is not None else None

    def _zone(self, zone: ZoneInfo) -> ZoneInfo:
        if isinstance(self.system, Rounds):
            return self.system.zone
        return UTC_ZONE if self.by_round else zone


def choose(text: str) -> Control:
    """Reads the clock of a new match or event; raises ClockError also if it would never run out or is too long."""
    control = Control.parse(text)
    if control.system is not None and control.deadline(control.begin(), _SOME_DAY) is None:
        raise ClockError(
            "With this clock, a turn would never end. Let more hours count, or have rounds end at one that counts."
        )
    if (length := len(control.write())) > LONGEST:
        raise ClockError(f"A clock can have up to {LONGEST} characters; this one has {length}. Leave something out.")
    return control


def _system(text: str) -> System | None:
    if text in ("none", "no clock", "unlimited"):
        return None
    for system in SYSTEMS:
        found = system.read(text)
        if found is not None:
            return found
    raise ClockError(
        f"{text[:60]!r} isn't a clock. Write one of these: {', '.join(EXAMPLES)}. "
        f"You can add more after a comma, as in {EXAMPLES[0]}, late passes."
    )


def _clause(control: Control, text: str) -> Control:
    for pattern, change in _CLAUSES:
        found = re.fullmatch(pattern, text)
        if found:
            return change(control, found)
    raise ClockError(
        f"{text[:60]!r} isn't part of a clock. "
        "You can add these, each after a comma: weekends off, sleep 23-7, no vacation, late passes, late extends."
    )


def _days_off(control: Control, found: re.Match[str]) -> Control:
    named = _WEEKEND if found[1].startswith("weekend") else frozenset(map(WEEKDAYS.index, found[1].split()))
    days = control.hours.days_off | named
    if len(days) == len(WEEKDAYS):
        raise ClockError("At least one weekday must count.")
    return replace(control, hours=replace(control.hours, days_off=days))


def _asleep(control: Control, found: re.Match[str]) -> Control:
    falls, wakes = int(found[1]), int(found[2])
    if falls == wakes or max(falls, wakes) > 23:
        raise ClockError("Write the night like sleep 23-7: two different hours from 0 to 23.")
    if control.hours.asleep not in (None, (falls, wakes)):
        raise ClockError("A clock can have only one night, for example: sleep 23-7.")
    return replace(control, hours=replace(control.hours, asleep=(falls, wakes)))


_LATE: dict[str, Literal["lose", "pass", "extend"]] = {"loses": "lose", "passes": "pass", "extends": "extend"}

_CLAUSES: tuple[tuple[str, Callable[[Control, re.Match[str]], Control]], ...] = (
    (rf"(weekends?|(?:{'|'.join(WEEKDAYS)})(?: (?:{'|'.join(WEEKDAYS)}))*) off", _days_off),
    (r"(?:sleep|nights?) (\d{1,2})\s*-\s*(\d{1,2})", _asleep),
    (r"(no )?vacation", lambda control, found: replace(control, vacation=not found[1])),
    (r"late (loses|passes|extends)", lambda control, found: replace(control, late=_LATE[found[1]])),
)
