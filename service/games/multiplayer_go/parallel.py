"""Multiplayer Go with simultaneous moves: all choose in secret, then all stones are placed at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Self

from service.engine.game import LATE, WAIT, Choice, Draft, Position, Seat
from service.engine.scene import STONES, Piece, Scene
from service.engine.stone_games.scoring import end_of_play
from service.engine.stone_games.stone_orders import tidy
from service.engine.stone_games.stones import starved_among, without
from service.games.multiplayer_go.report import Report
from service.games.multiplayer_go.rules import Opening, Rules
from service.games.multiplayer_go.table import TablePosition

_NO_STONE = ("pass", LATE)

STANDSTILL = 3
"""After this many turns in a row that leave the board unchanged, play ends as if all had passed."""


class Parallel(TablePosition):
    """A turn of all active seats: some have sealed their moves; the match waits for `turns`."""

    sealed: Mapping[Seat, str] = MappingProxyType({})
    standstill: int = 0
    """How many turns in a row have left the board unchanged."""
    gone: tuple[tuple[Seat, str], ...] = ()
    """The seats that have left during this turn, with the reason."""
    opened: int = 0
    """The round in which this turn began, if it isn't `round`; else 0."""

    @property
    def awaited(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seated if seat not in self.sealed)

    @classmethod
    def start(cls, rules: Rules, text: str) -> Parallel:
        """The first position, from a setup; raises OptionError."""
        given, opening = Opening.read(rules, text)
        return cls(rules, opening, given.round or 1)

    @property
    def public_turns(self) -> tuple[Seat, ...]:
        return self.seated

    @property
    def sealed_since(self) -> int:
        return self.opened or self.round

    # ---- sealing

    def moves(self, seat: Seat) -> Iterable[str]:
        """Every empty point, then `pass`. Suicide is included, since the others' moves decide whether a stone lives."""
        return self._open() if seat in self.turns else ()

    def _open(self) -> Iterator[str]:
        yield from (name for name, stone in zip(self.board.names, self.cells, strict=True) if not stone)
        yield "pass"

    def read(self, seat: Seat, text: str) -> str:
        """As in all four games, and also `wait`."""
        return WAIT if tidy(text) == WAIT else super().read(seat, text)

    def is_private(self, move: str) -> bool:
        return move == WAIT or super().is_private(move)

    def missed(self, seat: Seat) -> str | None:
        """`late`: unlike a `pass`, nobody has chosen it."""
        return LATE if seat in self.turns else None

    def may_interrupt(self, seat: Seat, move: str) -> bool:
        """A preference is accepted at any time, and a sealed move can be replaced until the turn resolves."""
        return seat in self.sealed or super().may_interrupt(seat, move)

    def advance(self, seat: Seat, move: str) -> Position:
        """Play an empty point, perhaps with `take …`, `pass`, `late`, `wait` or a preference; raises MoveError."""
        if move.startswith("prefer "):
            return self.preferring(seat, move)
        if move == WAIT:
            return self.replaced(sealed={one: sealed for one, sealed in self.sealed.items() if one != seat})
        if move not in _NO_STONE:
            name, _ = self.wish(seat, move)
            self.point(name, move)
        return self._sealing(seat, move).resolved()

    def _sealing(self, seat: Seat, move: str) -> Parallel:
        return self.replaced(sealed={**self.sealed, seat: move})

    # ---- resolving

    def resolved(self) -> Position:
        """The next turn if all moves are sealed, else this position."""
        if self.turns:
            return self
        chosen = {seat: self.wish(seat, move) for seat, move in sorted(self.sealed.items()) if move not in _NO_STONE}
        points = {seat: self.board.index[name] for seat, (name, _) in chosen.items()}
        by_point = _by_point(points)
        placed = {seats[0]: point for point, seats in by_point.items() if len(seats) == 1}
        report = Report(
            placed=placed,
            passed=tuple(seat for seat in self.seated if self.sealed[seat] == "pass"),
            late=tuple(seat for seat in self.seated if self.sealed[seat] == LATE),
            collided={point: seats for point, seats in by_point.items() if len(seats) > 1},
            left=self.gone,
        )
        after = self._placed(report, {seat: colours for seat, (_, colours) in chosen.items()})
        # A turn in which somebody was late isn't one in which all chose to pass (rules, R6).
        if len(report.passed) == len(self.seated) or after.standstill == STANDSTILL:
            return end_of_play(after, after.ended)
        return after

    def _placed(self, report: Report, takes: Mapping[Seat, tuple[Seat, ...]]) -> Parallel:
        """All stones are placed, then all chains without liberties removed at once; void if that repeats a board."""
        table, neighbours, placed = self.rules.keys, self.board.neighbours, report.placed
        cells, code = self.cells.copy(), self.code
        for seat, point in placed.items():
            cells[point] = seat + 1
            code ^= table[point][seat + 1]
        near = (one for point in placed.values() for one in (point, *neighbours[point]))
        fallen = starved_among(cells, neighbours, near)
        code = without(code, table, fallen)
        if not placed or self.past.has(code):
            return self._next(report._replace(void=bool(placed)), self.standstill + 1)
        for chain in fallen:
            for point in chain.points:
                cells[point] = 0
        captures = self.rules.captures(fallen, cells, placed, self.wishes(takes))
        after = self._next(report._replace(captures=captures), 0)
        return after.replaced(cells=cells, code=code, past=self.past.plus(code), tally=self.tally.plus(captures))

    def _next(self, report: Report, standstill: int) -> Parallel:
        return self.replaced(sealed={}, gone=(), opened=0, round=self.round + 1, report=report, standstill=standstill)

    # ---- leaving, resuming

    def without(self, seat: Seat, reason: str, after: int) -> Parallel:
        """The sealed move of a seat that leaves is dropped."""
        seated = tuple(one for one in self.seated if one != seat)
        sealed = {one: move for one, move in self.sealed.items() if one != seat}
        gone = (*self.gone, (seat, reason))
        return self.replaced(seated=seated, sealed=sealed, gone=gone, round=after + 1, opened=self.sealed_since)

    def succeeded(self, seat: Seat) -> Self:
        """The former player's sealed move is dropped, too, so the turn waits for the seat again."""
        return super().succeeded(seat).replaced(sealed={one: move for one, move in self.sealed.items() if one != seat})

    def forfeit(self, seat: Seat, reason: str) -> Position:
        after = self.departed(seat, reason, self.round)
        return after.resolved() if isinstance(after, Parallel) else after

    def resumed(self, after: int) -> Parallel:
        """A new turn."""
        return self.replaced(sealed={}, gone=(), opened=0, standstill=0, round=after + 1, ended=True, report=Report())

    # ---- what is shown

    @property
    def setup(self) -> str:
        return self.setup_with(None, self.round)

    def view(self, seat: Seat | None) -> Scene:
        """The public board, and for a seat also its own sealed stone, as a ghost."""
        scene = super().view(seat)
        notes = (*scene.notes, *Report(left=self.gone).notes(self.board, self.sides))
        if seat is None or seat not in self.sealed:
            return scene._replace(notes=notes)
        move = self.sealed[seat]
        told = f"Sealed until all have chosen: {move}. Until then you may replace it."
        if move == LATE:
            told = "You sent no move in time. Until all others have chosen, you may still send one."
        notes = (*notes, told)
        point = self.board.index.get(move.partition(" ")[0])
        if point is None:
            return scene._replace(notes=notes)
        ghost = Piece(seat, STONES[self.sides[seat]])
        marks = {**scene.marks, point: (*scene.marks.get(point, ()), "ghost")}
        return scene._replace(pieces={**scene.pieces, point: ghost}, marks=marks, notes=notes)

    def draft(self, seat: Seat, text: str) -> Draft:
        """Each click is a whole order. A draft doesn't reveal the others' moves, even to the last seat to choose."""
        index = self.board.index
        if text.strip():
            move = self.read(seat, text)
            after = self.play(seat, move)
            if not self.is_private(move):
                after = self if move == "resign" else self._sealing(seat, move)
            return Draft(move, after.view(seat), True, ())
        steps = (Choice(move, move, (move,) if move in index else (), move) for move in self._open())
        return Draft("", self.view(seat), False, tuple(steps) if seat in self.seated else ())


def _by_point(points: Mapping[Seat, int]) -> dict[int, tuple[Seat, ...]]:
    """Each chosen point, with the seats that chose it."""
    chosen: dict[int, tuple[Seat, ...]] = {}
    for seat, point in points.items():
        chosen[point] = (*chosen.get(point, ()), seat)
    return chosen
