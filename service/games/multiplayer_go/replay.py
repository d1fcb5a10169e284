"""Positions from logs, judged as `play` judges but much faster: one position is made for a run of many entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from service.engine.game import Log, Position, Seat
from service.engine.stone_games import stone_replay
from service.engine.stone_games.stone_replay import Entries, Ground, run
from service.engine.stone_games.stones import Cells, Chain
from service.games.multiplayer_go.order import Turn
from service.games.multiplayer_go.parallel import Parallel
from service.games.multiplayer_go.prisoners import Haul
from service.games.multiplayer_go.report import Report
from service.games.multiplayer_go.sequential import Sequential


def replay(start: Position, log: Log) -> Position:
    """The position after `start` and a log; raises MoveError."""
    return stone_replay.replay(start, log, _fast)


def _fast(position: Position, entries: Entries, done: int) -> tuple[Position, int]:
    if isinstance(position, Sequential):
        return _placements(position, entries, done)
    return _sealed(position, entries, done) if isinstance(position, Parallel) else (position, done)


def _placements(position: Sequential, entries: Entries, first: int) -> tuple[Sequential, int]:
    """The position after the legal placements from entry `first` on, and the index of the first other entry."""
    rules, board = position.rules, position.board
    ground = Ground(
        board.index, board.neighbours, rules.placed, rules.keys, None,
        position.cells, position.code, position.past, position.vacated,
    )  # fmt: skip

    after, seated = rules.order.after, position.seated
    turns: list[tuple[Turn, tuple[Seat, ...]]] = [(position.turn, ())]

    def seats() -> Iterator[Seat]:
        while True:
            yield turns[-1][0].seat
            turns.append(after(turns[-1][0], seated))

    def hauls(taken: Sequence[Chain], cells: Cells, seat: Seat, point: int) -> list[Haul]:
        return rules.hauls(taken, cells, {seat: point})

    found = run(ground, entries, first, seats(), hauls)
    length = len(found.trail)
    if not length:
        return position, first
    turn, skipped = turns[length] if length < len(turns) else after(turns[-1][0], seated)
    # Preferences don't change while stones are placed, so all captures can be divided together.
    captures = rules.divided([haul for _, caught in found.captures for haul in caught], position.wishes({}))
    number, last = found.captures[-1] if found.captures else (-1, [])
    after_all = position.replaced(
        cells=found.cells,
        code=found.code,
        past=position.past.along(found.trail),
        tally=position.tally.plus(captures),
        vacated=found.vacated,
        round=position.round + length,
        turn=turn,
        passed=frozenset(),
        report=Report(
            {entries[first + length - 1][0]: found.trail[-1][0]},
            captures=captures[len(captures) - len(last) :] if number == length - 1 else (),
            skipped=skipped,
        ),
    )
    return after_all, first + length


def _sealed(position: Parallel, entries: Entries, done: int) -> tuple[Position, int]:
    """The position after the plain moves from entry `done` on that this turn waits for, and the next entry's index."""
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
    return position.replaced(sealed=sealed).resolved(), done
