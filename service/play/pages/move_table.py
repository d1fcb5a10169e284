"""The moves of a match in rows with a column for each seat, and at which of them a seat had its present player."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from service.engine.game import SUBSTITUTE
from service.play.table.log import EntryLine


@dataclass(slots=True)
class Row:
    """One turn of everybody, from the left to the right; `cells` has the entries of each seat, with moves as shown.

    `number` is the round where all choose at the same time, else the ply of the first entry.
    """

    number: int
    cells: list[list[EntryLine]]
    remarks: list[EntryLine] = field(default_factory=list)


def rows(entries: Iterable[EntryLine], seats: int, at_once: bool) -> list[Row]:
    """The entries in rows: a round each where all choose `at_once`, else as often as it goes around the table."""
    found: list[Row] = []
    last: EntryLine | None = None
    for entry in entries:
        begins = last is None or (entry.round != last.round if at_once else entry.seat <= last.seat)
        if begins:
            found.append(Row(entry.round if at_once else entry.ply, [[] for _ in range(seats)]))
        shown = entry._replace(move=entry.shown)
        found[-1].cells[entry.seat].append(shown)
        if entry.remark:
            found[-1].remarks.append(shown)
        last = entry
    return found


def seat_then(entries: Iterable[EntryLine], seat: int | None, ply: int) -> int | None:
    """The seat, if its present player had it after `ply` of the entries; else None, since what a former player had
    chosen stays private to that player."""
    taken = max((entry.ply for entry in entries if entry.seat == seat and entry.move == SUBSTITUTE), default=0)
    return seat if ply >= taken else None
