"""Medusa (Christian Freeling): placement and group movement on a kagome board; captured stones change sides.

Source: the inventor's rules at MindSports. They don't forbid repetition; here a turn without a placement
may not repeat a position with the same player to move (situational superko), unless that is switched off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Self

from service.engine.board import Board
from service.engine.excerpt import told
from service.engine.game import Choice, Draft, Game, Illegal, Log, Position, Seat, Unreadable
from service.engine.options import Option, Word
from service.engine.stone_games.stone_orders import AGREEMENT, WORDS, read_order, refusal, tidy
from service.engine.stone_games.stones import Cells, Past
from service.games.kagome import Kagome, kagome
from service.games.medusa_notation import HOW, Order, parse, read_turn, write
from service.games.medusa_turn import MedusaTurn
from service.games.reversal import SIDES, Event, ReversalPosition, Rules, opening, replay

TRACK = 9


class MedusaRules(Rules):
    """The rules of a match of Medusa."""

    def __init__(self, lattice: Kagome, superko: bool) -> None:
        super().__init__("Medusa", lattice.board, lattice.rings, TRACK)
        self.kagome = lattice
        self.superko = superko


class MedusaPosition(ReversalPosition):
    """A moment of play.

    `past` has the positions since the last placement, including the current one. Older ones can't recur, because every
    placement adds a stone and stones never leave the board. It is None if there is only the current position, which
    the next turn can't repeat, since the other side is to move after it; or if repetition is allowed.
    """

    rules: MedusaRules
    past: Past | None = None

    def moves(self, seat: Seat) -> Iterable[str]:
        """Every placement, every move of one group that is a legal turn by itself, and `pass`."""
        if seat not in self.turns:
            return []
        return [*self._placements(), *(write(self.board, order) for order in self._movements(seat)), "pass"]

    def _placements(self) -> list[str]:
        return [name for name, stone in zip(self.board.names, self.cells, strict=True) if not stone]

    def _movements(self, seat: Seat) -> Iterator[Order]:
        for step in self._turn(seat, Order()).steps():
            order = Order(None, (step,))
            if self.past is None or not self._repeats(self._turn(seat, order)):
                yield order

    def _turn(self, seat: Seat, order: Order) -> MedusaTurn:
        """The turn after `order` was carried out; raises Illegal."""
        turn = MedusaTurn(self.rules.kagome, self.rules.immune, self.cells, seat + 1)
        turn.carry_out(order)
        return turn

    def _repeats(self, turn: MedusaTurn) -> bool:
        return self.past is not None and self.past.has(_code(turn.cells, 2 - turn.colour))

    def advance(self, seat: Seat, move: str) -> Position:
        point = self.board.index.get(move)
        if point is not None and not self.cells[point]:
            return self.placed(seat, point)
        if move == "pass":
            return self.passed(seat)
        if move in WORDS or move.startswith("dead "):
            raise refusal(self.board, move)
        order = parse(self.board, move)
        turn = self._turn(seat, order)
        if self._repeats(turn):
            raise Illegal(
                f"{move} would bring back an earlier position with {SIDES[1 - seat].capitalize()} to move. "
                "Place a stone, move another way, or pass."
            )
        return self.after(turn.event(move), turn.cells)

    def after(self, event: Event, cells: Cells) -> Self:
        """The next position; if no stone was placed, it extends `past`."""
        after = super().after(event, cells)
        if self.rules.superko and not event.placed:
            past = self.past or Past().plus(_code(self.cells, event.seat))
            after.past = past.plus(_code(cells, after.turns[0]))
        return after

    def read(self, seat: Seat, text: str) -> str:
        """A whole turn in one line, such as `a1 e1-c1 e3-c3`, or a word; see `read_turn`."""
        del seat
        said = tidy(text)
        if said in WORDS or said.split(" ")[0].rstrip(":") == "dead":
            return read_order(text, lambda: "a1")
        move = read_turn(self.board, said)
        if not move:
            raise Unreadable(f"{told(text)} isn't a move here. {HOW}, or pass, or resign.")
        return move

    def draft(self, seat: Seat, text: str) -> Draft:
        """A turn being built: a placement, then one group move after another.

        It can be sent after any step, unless it would repeat a position.
        """
        move = self.read(seat, text) if text.strip() else ""
        if move in WORDS or move.startswith("dead ") or seat not in self.turns:
            return super().draft(seat, move)
        order = parse(self.board, move) if move else Order()
        turn = self._turn(seat, order)
        choices = tuple(_next_steps(order, turn))
        if not move:
            return Draft("", self.view(seat), False, (*self._cells(), *choices, Choice("pass", "pass", (), "pass")))
        scene = self.after(turn.event(move), turn.cells).view(seat)
        if groups := turn.movable():
            scene = scene._replace(notes=(*scene.notes, _may_move(self.board, groups)))
        return Draft(move, scene, not self._repeats(turn), choices)

    def _cells(self) -> Iterator[Choice]:
        """A click for each placement."""
        for name in self._placements():
            yield Choice(name, name, (name,), name)


def _may_move(board: Board, groups: list[list[int]]) -> str:
    """`2 groups can still move, by one of these stones: f7 g7, or k5.`"""
    named = [" ".join(board.names[stone] for stone in stones) for stones in groups]
    if len(named) == 1:
        return f"One group can still move, by one of these stones: {named[0]}."
    return f"{len(named)} groups can still move, by one of these stones: {', '.join(named[:-1])}, or {named[-1]}."


def _next_steps(order: Order, turn: MedusaTurn) -> Iterator[Choice]:
    """The group moves that may follow, each with two clicks: the stone, and where it lands."""
    board = turn.kagome.board
    for start, goal in turn.steps():
        step = f"{board.names[start]}-{board.names[goal]}"
        text = write(board, Order(order.placed, (*order.steps, (start, goal))))
        yield Choice(text, step, (board.names[start], board.names[goal]), step)


def _code(cells: Cells, turn: Seat) -> int:
    """The board and the seat to move, as one number."""
    return int.from_bytes(bytes([*cells, turn]))


class Medusa(Game):
    name = "medusa"
    title = "Medusa"
    summary = "Place a stone, then move any of your groups; captured groups change sides."
    options = (
        Option(
            "base",
            "10",
            ("10", "8", "6", "4"),
            "Cells along each side of the board; fewer make a shorter game.",
            short="6",
        ),
        Option(
            "komi", "3", tuple(map(str, (3, 0, 1, 2, 4, 5, 6, 7, 8, 9))), "Points for White on the track at the start."
        ),
        Option(
            "repetition",
            "superko",
            ("superko", "off"),
            "superko: a turn of movement alone may not repeat a position; off: it may.",
        ),
        Option("setup", "", (), "Stones to start from, such as black: a1 a2; white: c1; turn: white.", str.strip),
    )
    words = (
        Word("a1", "Place a stone there."),
        Word("a1 e1-c1 e3-c3", "Place a stone, then move groups, each as the cell it leaves and the cell it reaches."),
        Word("e1-c1", "Move without placing."),
        Word("pass", "Neither place nor move."),
        *AGREEMENT,
    )

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return SIDES

    def sample(self) -> Position:
        black = "j11 k10 i10 k9 j9 i9 k8 b1 c2 b3 a2"
        return self.start(base="6", setup=f"black: {black}; white: i11 h11 g10 h9 i8 j7 i7 d1 e1 d3 e3 a3 c4")

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        rules = MedusaRules(kagome(int(options["base"])), options["repetition"] == "superko")
        start = opening(rules, options["setup"], int(options["komi"]))
        return MedusaPosition(rules, *start)

    def replay(self, start: Position, log: Log) -> Position:
        return replay(start, log)
