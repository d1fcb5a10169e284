"""Go for two on any graph: placing, capture, no suicide, superko, area or territory. `go` and `rosette` use it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import cycle
from typing import TypeAlias

from service.engine.board import Board
from service.engine.game import Log, Position, Seat
from service.engine.options import OptionError
from service.engine.scene import Scene, passed
from service.engine.stone_games import stone_replay
from service.engine.stone_games.scoring import end_of_play
from service.engine.stone_games.setup import Setup, read_setup
from service.engine.stone_games.stone_orders import refusal
from service.engine.stone_games.stone_position import Marks, StonePosition, Survey, decimal
from service.engine.stone_games.stone_replay import Entries, Ground, run
from service.engine.stone_games.stones import (
    Cells,
    Chain,
    Immune,
    Past,
    Suicide,
    code_of,
    flowering,
    keys,
    place,
    placeable,
    territory,
    without,
)

SIDES = ("black", "white")


def read_komi(text: str) -> str:
    """A whole or half number of points from -99.5 to 99.5; raises OptionError."""
    number = re.fullmatch(r"([+-]?\d{1,2})(?:\.(\d{1,6}))?", text.strip())
    komi = Fraction(number[0]) if number else None
    if komi is None or komi.denominator > 2:
        raise OptionError(
            f"komi must be a whole or half number of points from -99.5 to 99.5, such as 7.5, not {text[:20]!r}."
        )
    return f"{float(komi):g}"


class Rules:
    """What differs between games.

    `territory`: count surrounded points less own stones lost (Japanese); otherwise stones and surrounded points
    (Chinese). `situational`: superko forbids a board only with the same player to move. `flowers` are sets of points;
    a chain with all points of one can't be captured.
    """

    def __init__(
        self,
        title: str,
        board: Board,
        komi: Fraction,
        territory: bool = False,
        situational: bool = False,
        flowers: tuple[tuple[int, ...], ...] = (),
    ) -> None:
        self.title = title
        self.board = board
        self.komi = komi
        self.territory = territory
        self.situational = situational
        self.flowers = flowers
        self.immune: Immune | None = flowering(flowers) if flowers else None
        """Whether a chain can't be captured; None if all chains can be."""

    @cached_property
    def keys(self) -> tuple[tuple[int, ...], ...]:
        """What each stone XORs into a code."""
        return keys(len(self.board.names), 2)

    @cached_property
    def turned(self) -> int:
        """What a change of the seat to move XORs into a code; 0 unless superko is situational."""
        return self.keys[-1][1] if self.situational else 0

    @cached_property
    def placed(self) -> tuple[tuple[int, ...], ...]:
        """What a turn that places a stone XORs into a code, by seat and point."""
        return tuple(tuple(row[seat + 1] ^ self.turned for row in self.keys[:-1]) for seat in (0, 1))

    def start(self, text: str) -> SurroundPosition:
        """The first position, from a setup; raises OptionError."""
        setup = read_setup(text, self.board, SIDES, ("turn", "prisoners"), self.immune)
        held = []
        for holder, colour in (("black", "white"), ("white", "black")):
            purse = setup.prisoners.get(holder, {})
            if holder in purse:
                raise OptionError(f"setup: {holder} cannot hold prisoners of its own colour.")
            held.append(purse.get(colour, 0))
        turn = setup.turn or 0
        code = code_of(setup.cells, self.keys) ^ (self.turned if turn else 0)
        return SurroundPosition(self, setup.cells, code, Past([code]), turn, 1, (held[0], held[1]))


Turn: TypeAlias = tuple[Seat, int | None, Sequence[Chain]]
"""The seat that played, its point (None for a pass), and the chains captured."""


class SurroundPosition(StonePosition):
    """A moment of play.

    `code` has the stones and, if superko is situational, the seat to move; `past` has all codes so far, including those
    after passes. `held` are the prisoners that Black and White hold, `vacated` the points where stones were ever
    captured, `last` is the previous turn, and `ended` says whether play has ended once and was resumed.
    """

    sides = SIDES
    active = (0, 1)

    def __init__(
        self,
        rules: Rules,
        cells: Cells,
        code: int,
        past: Past,
        turn: Seat,
        round_: int,
        held: tuple[int, int],
        vacated: frozenset[int] = frozenset(),
        last: Turn | None = None,
        ended: bool = False,
    ) -> None:
        self.rules = rules
        self.title = rules.title
        self.board = rules.board
        self.cells = cells
        self.code = code
        self.past = past
        self.turn = turn
        self.turns = (turn,)
        self.round = round_
        self.held = held
        self.vacated = vacated
        self.last = last
        self.ended = ended

    # ---- play

    def moves(self, seat: Seat) -> Iterable[str]:
        """Every legal point, then `pass`."""
        return self._legal if seat in self.turns else ()

    @cached_property
    def _legal(self) -> tuple[str, ...]:
        names, neighbours, immune = self.board.names, self.board.neighbours, self.rules.immune
        points = placeable(self.cells, neighbours, self.turn + 1, self.vacated, self._fresh, immune)
        return (*(names[point] for point in points), "pass")

    def _fresh(self, point: int, taken: Sequence[Chain]) -> bool:
        """Whether the position is new after the seat to move plays `point` and captures these chains."""
        rules = self.rules
        return not self.past.has(without(self.code ^ rules.placed[self.turn][point], rules.keys, taken))

    def advance(self, seat: Seat, move: str) -> Position:
        """Play a point or `pass`; raises Illegal or Unreadable."""
        point = self.board.index.get(move)
        if point is not None:
            return self._placed(seat, point)
        if move == "pass":
            return self._passed(seat)
        raise refusal(self.board, move)

    def _placed(self, seat: Seat, point: int) -> Position:
        rules = self.rules
        cells = self.cells.copy()
        if cells[point]:
            raise self.refused(point, f"is taken by {SIDES[cells[point] - 1].capitalize()}")
        try:
            taken = place(cells, self.board.neighbours, point, seat + 1, rules.immune)
        except Suicide:
            raise self.refused(point, "would leave your chain without a liberty (suicide)") from None
        code, held, vacated = self.code ^ rules.placed[seat][point], self.held, self.vacated
        if taken:
            code = without(code, rules.keys, taken)
            gain = sum(len(chain.points) for chain in taken)
            held = (held[0] + gain, held[1]) if seat == 0 else (held[0], held[1] + gain)
            vacated = vacated.union(*(chain.points for chain in taken))
        if point in self.vacated and self.past.has(code):
            mover = f" with {SIDES[1 - seat].capitalize()} to move" if rules.situational else ""
            raise self.refused(point, f"would repeat an earlier position{mover} (superko)")
        past, round_, last = self.past.plus(code), self.round + 1, (seat, point, taken)
        return SurroundPosition(rules, cells, code, past, 1 - seat, round_, held, vacated, last, self.ended)

    def _passed(self, seat: Seat) -> Position:
        after = self._handed_over(self.round + 1, (seat, None, ()), self.ended)
        twice = self.last is not None and self.last[1] is None
        return end_of_play(after, self.ended) if twice else after

    def _handed_over(self, round_: int, last: Turn, ended: bool) -> SurroundPosition:
        """The same stones with the other seat to move, which is another position that may not be repeated."""
        code = self.code ^ self.rules.turned
        past, turn = self.past.plus(code), 1 - self.turn
        return SurroundPosition(self.rules, self.cells, code, past, turn, round_, self.held, self.vacated, last, ended)

    # ---- the end

    def resumed(self, after: int) -> SurroundPosition:
        """It is already the turn of the seat after the last one that passed, which moves next."""
        return SurroundPosition(
            self.rules, self.cells, self.code, self.past, self.turn, after + 1, self.held, self.vacated, None, True
        )

    def mortal(self, points: list[int]) -> bool:
        """Whether a chain has no flower."""
        return self.rules.immune is None or not self.rules.immune(points)

    def lifted(self, dead: frozenset[int]) -> SurroundPosition:
        """The dead stones become prisoners of the other side."""
        if not dead:
            return self
        cells = [0 if point in dead else stone for point, stone in enumerate(self.cells)]
        black = sum(self.cells[point] == 1 for point in dead)
        held = (self.held[0] + len(dead) - black, self.held[1] + black)
        code, vacated = code_of(cells, self.rules.keys), self.vacated | dead
        return SurroundPosition(
            self.rules, cells, code, self.past, self.turn, self.round, held, vacated, self.last, self.ended
        )

    def survey(self) -> Survey:
        """Area: stones and surrounded points. Territory: surrounded points less own stones lost. Komi to White."""
        owned = territory(self.cells, self.board.neighbours)
        surrounded = [list(owned.values()).count(colour) for colour in (1, 2)]
        if self.rules.territory:
            points = [surrounded[seat] - self.held[1 - seat] for seat in (0, 1)]
        else:
            points = [surrounded[seat] + self.cells.count(seat + 1) for seat in (0, 1)]
        return Survey.highest(
            {point: colour - 1 for point, colour in owned.items()}, (points[0], points[1] + self.rules.komi)
        )

    # ---- what is shown

    @property
    def facts(self) -> Mapping[str, object]:
        taken = self.last[2] if self.last else []
        captured = {SIDES[taken[0].colour - 1]: sum(len(chain.points) for chain in taken)} if taken else {}
        return {"captured": captured, "prisoners": self._prisoners()}

    def _prisoners(self) -> dict[str, dict[str, int]]:
        return {side: {SIDES[1 - seat]: self.held[seat]} for seat, side in enumerate(SIDES) if self.held[seat]}

    @property
    def setup(self) -> str:
        return Setup(self.cells, self.turn, prisoners=self._prisoners()).text(self.board, SIDES)

    def view(self, seat: Seat | None) -> Scene:
        """The same for everybody."""
        del seat
        marks: Marks = {}
        if self.last and self.last[1] is not None:
            marks.update(dict.fromkeys(_gone(self.last), ("captured",)))
            marks[self.last[1]] = ("last",)
        prisoners = f"Black {self.held[0]}, White {self.held[1]}"
        facts = (("Prisoners", prisoners), ("Komi", decimal(self.rules.komi)))
        return self.scene(marks, facts, (self._told(self.last),) if self.last else ())

    def _told(self, last: Turn) -> str:
        """The last turn as a sentence."""
        who, names = SIDES[last[0]].capitalize(), self.board.names
        if last[1] is None:
            return passed(who)
        gone = _gone(last)
        if not gone:
            return f"{who} played {names[last[1]]}."
        number = "1 stone" if len(gone) == 1 else f"{len(gone)} stones"
        return f"{who} played {names[last[1]]} and captured {number}: {' '.join(names[point] for point in gone)}."


def _gone(last: Turn) -> list[int]:
    """The points where stones were captured, in the order of the board."""
    return sorted(point for chain in last[2] for point in chain.points)


def replay(start: Position, log: Log) -> Position:
    """The position after `start` and a log, judged as `play` judges but much faster; raises MoveError."""
    return stone_replay.replay(start, log, _run)


def _taken(chains: Sequence[Chain], *_: object) -> Sequence[Chain]:
    return chains


def _run(position: Position, entries: Entries, first: int) -> tuple[Position, int]:
    """The position after the legal placements from entry `first` on, and the index of the first other entry."""
    if not isinstance(position, SurroundPosition):
        return position, first
    rules, board, turn = position.rules, position.board, position.turn
    ground = Ground(
        board.index, board.neighbours, rules.placed, rules.keys, rules.immune,
        position.cells, position.code, position.past, position.vacated,
    )  # fmt: skip
    found = run(ground, entries, first, cycle((turn, 1 - turn)), _taken)
    if not found.trail:
        return position, first
    held, done = [*position.held], len(found.trail)
    for number, taken in found.captures:
        held[(turn + number) % 2] += sum(len(chain.points) for chain in taken)
    last = (turn + done - 1) % 2
    taken = next((chains for number, chains in found.captures[-1:] if number == done - 1), ())
    after = SurroundPosition(
        rules,
        found.cells,
        found.code,
        position.past.along(found.trail),
        1 - last,
        position.round + done,
        (held[0], held[1]),
        found.vacated,
        (last, found.trail[-1][0], taken),
        position.ended,
    )
    return after, first + done
