"""Go for two on any graph: placing, taking, no suicide, superko, area or territory. `go` and `rosette` are this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

from service.engine.agreement import end_of_play
from service.engine.board import Board
from service.engine.game import Illegal, Log, OptionError, Position, Seat
from service.engine.orders import refusal
from service.engine.scene import Scene
from service.engine.setup import Setup, read_setup
from service.engine.stone_position import Marks, StonePosition, Survey, decimal
from service.engine.stones import (
    Cells,
    Chain,
    Immune,
    Past,
    Suicide,
    blooms,
    code_of,
    keys,
    place,
    placeable,
    put,
    territory,
    without,
)

SIDES = ("black", "white")


@dataclass(frozen=True, eq=False)
class Rules:
    """What differs from game to game."""

    title: str
    board: Board
    komi: Fraction
    territory: bool = False
    """Count surrounded points less own stones lost (Japanese); otherwise stones and surrounded points (Chinese)."""
    situational: bool = False
    """Superko forbids a board only with the same player to move; otherwise whoever is to move."""
    flowers: tuple[tuple[int, ...], ...] = ()
    """Sets of points; a chain that holds all of one cannot be captured."""

    @cached_property
    def immune(self) -> Immune | None:
        """Whether a chain cannot be captured; None where all can."""
        return partial(blooms, flowers=self.flowers) if self.flowers else None

    @cached_property
    def keys(self) -> tuple[tuple[int, ...], ...]:
        """What each stone adds to a code."""
        return keys(len(self.board.names))

    @cached_property
    def turn_keys(self) -> tuple[int, int]:
        """What the seat to move adds to a code."""
        return (0, self.keys[-1][1]) if self.situational else (0, 0)

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
        code = code_of(setup.cells)
        past = Past().plus(code ^ self.turn_keys[turn])
        return SurroundPosition(self, setup.cells, code, past, turn, 1, (held[0], held[1]))


class Event(NamedTuple):
    """What the last turn did, for the picture and the words beside it. A pass has no `point`."""

    seat: Seat
    point: int | None
    taken: list[Chain]

    @property
    def gone(self) -> list[int]:
        """The points where stones were taken, in the order of the board."""
        return sorted(stone for chain in self.taken for stone in chain.points)


class SurroundPosition(StonePosition):
    """A moment of play. `held` are the prisoners Black and White hold; `ended` whether play had ended before."""

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
        last: Event | None = None,
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
        self.last = last
        self.ended = ended

    # ---- play

    def moves(self, seat: Seat) -> Iterable[str]:
        """Every legal point, then `pass`."""
        if seat not in self.turns:
            return
        rules, names = self.rules, self.board.names
        for point in placeable(self.cells, self.board.neighbours, seat + 1, self._new, rules.immune):
            yield names[point]
        yield "pass"

    def _new(self, point: int, taken: list[Chain]) -> bool:
        """Whether a stone that takes these chains makes a position that has not been before."""
        return not self.past.has(self._key(point, taken))

    def _key(self, point: int, taken: list[Chain]) -> int:
        table = self.rules.keys
        code = self.code ^ table[point][self.turn + 1] ^ self.rules.turn_keys[1 - self.turn]
        return without(code, table, taken) if taken else code

    def advance(self, seat: Seat, move: str) -> Position:
        """A point or `pass`; raises Illegal, or Unreadable."""
        point = self.board.index.get(move)
        if point is not None:
            return self._placed(seat, point)
        if move == "pass":
            return self._passed(seat)
        raise refusal(self.board, move)

    def _placed(self, seat: Seat, point: int) -> Position:
        rules, board = self.rules, self.board
        if self.cells[point]:
            raise Illegal(f"{board.names[point]} is taken by {SIDES[self.cells[point] - 1].capitalize()}.")
        cells = self.cells.copy()
        try:
            taken = place(cells, board.neighbours, point, seat + 1, rules.immune)
        except Suicide:
            said = f"{board.names[point]} would leave your chain without a liberty (suicide)."
            raise Illegal(said + self._nearby(point)) from None
        key = self._key(point, taken)
        if self.past.has(key):
            mover = f" with {SIDES[1 - seat].capitalize()} to move" if rules.situational else ""
            said = f"{board.names[point]} would repeat an earlier position{mover} (superko)."
            raise Illegal(said + self._nearby(point))
        held, past, last = self.held, self.past.plus(key), Event(seat, point, taken)
        if taken:
            gain = _size(taken)
            held = (held[0] + gain, held[1]) if seat == 0 else (held[0], held[1] + gain)
        code = key ^ rules.turn_keys[1 - seat]
        return SurroundPosition(rules, cells, code, past, 1 - seat, self.round + 1, held, last, self.ended)

    def _nearby(self, point: int) -> str:
        """Legal points next to a refused one, as a sentence, if there are any."""
        legal = set(self.moves(self.turn))
        near = [self.board.names[one] for one in self.board.neighbours[point] if self.board.names[one] in legal]
        return f" Legal next to it: {', '.join(near)}." if near else ""

    def _passed(self, seat: Seat) -> Position:
        twice = self.last is not None and self.last.point is None
        after = self._to_move(1 - seat, self.round + 1, Event(seat, None, []))
        return end_of_play(after, self.ended) if twice else after

    def _to_move(self, turn: Seat, round_: int, last: Event | None, ended: bool = False) -> SurroundPosition:
        """The same stones with `turn` to move; a pass, too, makes a position that may not be repeated."""
        past = self.past.plus(self.code ^ self.rules.turn_keys[turn])
        return SurroundPosition(
            self.rules, self.cells, self.code, past, turn, round_, self.held, last, self.ended or ended
        )

    # ---- the end

    def resumed(self, after: int) -> SurroundPosition:
        """The seat after the last to pass moves."""
        return self._to_move(self.turn, after + 1, None, ended=True)

    def mortal(self, points: list[int]) -> bool:
        """All but chains with a flower."""
        return self.rules.immune is None or not self.rules.immune(points)

    def lifted(self, dead: frozenset[int]) -> SurroundPosition:
        """The dead become prisoners of the other side."""
        if not dead:
            return self
        cells = [0 if point in dead else stone for point, stone in enumerate(self.cells)]
        black = sum(self.cells[point] == 1 for point in dead)
        held = (self.held[0] + len(dead) - black, self.held[1] + black)
        return SurroundPosition(
            self.rules, cells, code_of(cells), self.past, self.turn, self.round, held, self.last, self.ended
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
        captured = {SIDES[chain.colour - 1]: _size(self.last.taken) for chain in self.last.taken} if self.last else {}
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
        if self.last and self.last.point is not None:
            marks.update(dict.fromkeys(self.last.gone, ("captured",)))
            marks[self.last.point] = ("last",)
        prisoners = f"Black {self.held[0]}, White {self.held[1]}"
        facts = (("Prisoners", prisoners), ("Komi", decimal(self.rules.komi)))
        return self.scene(marks, facts, self._told())

    def _told(self) -> tuple[str, ...]:
        """The last turn in a sentence."""
        if self.last is None:
            return ()
        who = SIDES[self.last.seat].capitalize()
        if self.last.point is None:
            return (f"{who} passed.",)
        names = self.board.names
        played = f"{who} played {names[self.last.point]}"
        taken = self.last.gone
        if not taken:
            return (f"{played}.",)
        number = "1 stone" if len(taken) == 1 else f"{len(taken)} stones"
        return (f"{played} and captured {number}: {' '.join(names[stone] for stone in taken)}.",)


def replay(start: Position, log: Log) -> Position:
    """`start` after moves that were once accepted; much faster than judging each of them again."""
    entries = list(log)
    position, done = start, 0
    while done < len(entries):
        if isinstance(position, SurroundPosition):
            position, done = _run(position, entries, done)
        if done < len(entries):
            position = position.play(*entries[done])
            done += 1
    return position


def _run(position: SurroundPosition, entries: Sequence[tuple[Seat, str]], done: int) -> tuple[SurroundPosition, int]:
    """`position` after the placements from entry `done` on, and the number of the first entry that is none."""
    rules, neighbours, index = position.rules, position.board.neighbours, position.board.index
    table, immune, turn_keys = rules.keys, rules.immune, rules.turn_keys
    cells, code, turn, held, last = position.cells.copy(), position.code, position.turn, [*position.held], position.last
    been: list[int] = []
    for seat, move in islice(entries, done, None):
        point = index.get(move)
        if point is None or seat != turn or cells[point]:
            break
        taken = put(cells, neighbours, point, seat + 1, immune)
        code ^= table[point][seat + 1]
        if taken:
            code = without(code, table, taken)
            held[seat] += _size(taken)
        turn = 1 - seat
        been.append(code ^ turn_keys[turn])
        last = Event(seat, point, taken)
    past = position.past.plus_all(been)
    round_ = position.round + len(been)
    after = SurroundPosition(rules, cells, code, past, turn, round_, (held[0], held[1]), last, position.ended)
    return after, done + len(been)


def _size(chains: list[Chain]) -> int:
    return sum(len(chain.points) for chain in chains)
