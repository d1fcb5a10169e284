"""Positions from logs of stone games, judged as `play` judges and much faster.

A run of placements makes only one position, at its end, instead of one for each move. The game decides what a
placement does; a run only keeps the board, its code and the captures up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from service.engine.game import Log, Position, Seat
from service.engine.stone_games.stones import (
    Cells,
    Chain,
    Immune,
    Keys,
    Neighbours,
    Past,
    Suicide,
    Trail,
    place,
    recurs,
    without,
)

Entries: TypeAlias = Sequence[tuple[Seat, str]]

Fast: TypeAlias = Callable[[Position, Entries, int], tuple[Position, int]]
"""From a position, a log and the index of its next entry: the position after as many entries as can be played in one
run, and the index of the first entry that wasn't played."""


def replay(start: Position, log: Log, fast: Fast) -> Position:
    """The position after `start` and a log; raises MoveError."""
    entries = list(log)
    position, done = start, 0
    while done < len(entries):
        position, done = fast(position, entries, done)
        if done < len(entries):
            position = position.play(*entries[done])
            done += 1
    return position


class Ground(NamedTuple):
    """What a run of placements starts from. A run doesn't change it."""

    points: dict[str, int]
    """The number of each point, by its name."""
    neighbours: Neighbours
    placed: Sequence[Sequence[int]]
    """What placing a stone XORs into the code, by seat and point."""
    keys: Keys
    immune: Immune | None
    cells: Cells
    code: int
    past: Past
    vacated: Iterable[int]


_Judged = TypeVar("_Judged")

Judge: TypeAlias = Callable[[Sequence[Chain], Cells, Seat, int], _Judged]
"""The game's view of a capture, from the chains taken, the board without them, the seat and the point played."""


class Run(NamedTuple, Generic[_Judged]):
    """A run of legal placements and the board after it."""

    trail: Trail
    cells: Cells
    code: int
    vacated: frozenset[int]
    captures: list[tuple[int, _Judged]]
    """For each placement that captured: its index in the run, from 0, and what the game's `Judge` returned."""


def run(ground: Ground, entries: Entries, first: int, seats: Iterator[Seat], judge: Judge[_Judged]) -> Run[_Judged]:
    """The legal placements from entry `first` on, each by the next of `seats`, up to the first other entry."""
    index, neighbours, placed, table, immune = ground[:5]
    cells, code, past, vacated = ground.cells.copy(), ground.code, ground.past, set(ground.vacated)
    trail: Trail = []
    captures: list[tuple[int, _Judged]] = []
    for (seat, move), turn in zip(islice(entries, first, None), seats, strict=False):
        try:
            point = index[move]
            if seat != turn or cells[point]:
                break
            taken = place(cells, neighbours, point, seat + 1, immune)
        except (KeyError, Suicide):
            break
        code ^= placed[seat][point]
        if taken:
            captures.append((len(trail), judge(taken, cells, seat, point)))
            code = without(code, table, taken)
            for _, gone in taken:
                vacated.update(gone)
        if point in vacated and recurs(code, trail, vacated, past):
            # The forbidden stone is on the board already, so start again and place only the legal ones before it.
            legal = entries[: first + len(trail)]
            return run(ground, legal, first, iter([seat for seat, _ in legal[first:]]), judge)
        trail.append((point, code))
    return Run(trail, cells, trail[-1][1] if trail else ground.code, frozenset(vacated), captures)
