"""Positions from logs, judged as `play` judges, and much faster: most entries only add to the next position made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from service.engine.game import Log, Position, Seat
from service.engine.stones import Suicide, Trail, place, recurs, without
from service.games.multiplayer_go.parallel import Parallel
from service.games.multiplayer_go.prisoners import Haul
from service.games.multiplayer_go.report import Report
from service.games.multiplayer_go.sequential import Sequential

Entries: TypeAlias = Sequence[tuple[Seat, str]]


def replay(start: Position, log: Log) -> Position:
    """`start` after a log; raises MoveError."""
    entries = list(log)
    position, done = start, 0
    while done < len(entries):
        if isinstance(position, Sequential):
            position, done = _placements(position, entries, done)
        elif isinstance(position, Parallel):
            position, done = _sealed(position, entries, done)
        if done < len(entries):
            position = position.play(*entries[done])
            done += 1
    return position


def _placements(position: Sequential, entries: Entries, first: int) -> tuple[Sequential, int]:
    """`position` after the legal placements from entry `first` on, and the number of the first entry that is none."""
    rules, neighbours, index = position.rules, position.board.neighbours, position.board.index
    table, after, seated = rules.keys, rules.order.after, position.seated
    cells, code = position.cells.copy(), position.code
    vacated, turn = set(position.vacated), position.turn
    trail: Trail = []
    hauls: list[Haul] = []
    caught: list[Haul] = []
    skipped: tuple[Seat, ...] = ()
    for seat, move in islice(entries, first, None):
        point = index.get(move)
        if point is None or seat != turn.seat or cells[point]:
            break
        try:
            taken = place(cells, neighbours, point, seat + 1)
        except Suicide:
            break
        code ^= table[point][seat + 1]
        if taken:
            code = without(code, table, taken)
        for _, gone in taken:
            vacated.update(gone)
        if point in vacated and recurs(code, trail, vacated, position.past):
            # The forbidden stone is on the cells already: the legal ones before it are placed once more.
            return _placements(position, entries[: first + len(trail)], first)
        caught = rules.hauls(taken, cells, {seat: point}) if taken else []
        hauls += caught
        trail.append((point, code))
        turn, skipped = after(turn, seated)
    if not trail:
        return position, first
    done = first + len(trail)
    # Nobody's preference changes while stones are placed, so that all captures may be divided together.
    captures = rules.divided(hauls, position.wishes({}))
    after_all = replace(
        position,
        cells=cells,
        code=code,
        past=position.past.along(trail),
        tally=position.tally.plus(captures),
        vacated=frozenset(vacated),
        round=position.round + len(trail),
        turn=turn,
        passed=frozenset(),
        report=Report(
            {entries[done - 1][0]: trail[-1][0]}, captures=captures[len(hauls) - len(caught) :], skipped=skipped
        ),
    )
    return after_all, done


def _sealed(position: Parallel, entries: Entries, done: int) -> tuple[Position, int]:
    """`position` after the plain moves from entry `done` on that the turn waits for, and the next entry's number."""
    index, cells, waited = position.board.index, position.cells, set(position.turns)
    sealed = dict(position.sealed)
    for seat, move in islice(entries, done, None):
        point = index.get(move)
        if seat not in waited or (move != "pass" if point is None else cells[point]):
            break
        sealed[seat] = move
        waited.remove(seat)
        done += 1
        if not waited:
            break
    return replace(position, sealed=sealed).resolved(), done
