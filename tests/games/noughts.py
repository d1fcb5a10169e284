"""Noughts and crosses: the example of a whole game for service/games/README.md."""

from collections.abc import Iterable, Mapping

from service.engine.game import Game, Illegal, Outcome, Position, Seat
from service.engine.grid import grid
from service.engine.options import Option, Word
from service.engine.scene import Piece, Scene
from service.engine.stone_games.setup import Setup, read_setup

SIDES = ("black", "white")
BOARD = grid(3, 3)
ROWS = ("a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 b2 c3", "a3 b2 c1")


class Moment(Position):
    sides = SIDES

    def __init__(self, cells: list[int], turn: Seat, round_: int = 1) -> None:
        self.cells = cells
        self.turn = turn
        self.round = round_
        self.outcome = self._ending()
        self.phase = "over" if self.outcome else "play"
        self.turns = () if self.outcome else (turn,)

    def _ending(self) -> Outcome | None:
        held = [{name for name, mark in self.occupants.items() if mark == side} for side in SIDES]
        won = [seat for seat in (0, 1) if any({*row.split()} <= held[seat] for row in ROWS)]
        return Outcome.shared(2, won or (0, 1), "row") if won or all(self.cells) else None

    def moves(self, seat: Seat) -> Iterable[str]:
        return [name for name in BOARD.names if name not in self.occupants] if seat in self.turns else []

    def advance(self, seat: Seat, move: str) -> Position:
        if move not in self.moves(seat):
            raise Illegal(f"{move} can't be played. Empty points: {', '.join(self.moves(seat))}.")
        cells = [*self.cells]
        cells[BOARD.index[move]] = seat + 1
        return Moment(cells, 1 - seat, self.round + 1)

    def view(self, seat: Seat | None) -> Scene:
        del seat  # Everybody sees the same.
        marks = {point: Piece(mark - 1, "XO"[mark - 1]) for point, mark in enumerate(self.cells) if mark}
        return Scene(BOARD, marks, SIDES)

    @property
    def occupants(self) -> Mapping[str, str]:
        return {BOARD.names[point]: SIDES[mark - 1] for point, mark in enumerate(self.cells) if mark}

    @property
    def facts(self) -> Mapping[str, object]:
        return {}

    @property
    def setup(self) -> str:
        return Setup(self.cells, self.turn).text(BOARD, SIDES)


class NoughtsAndCrosses(Game):
    name, title, summary = "noughts", "Noughts and Crosses", "Three in a row win."
    options = (Option("setup", "", (), "Marks to start from, such as black: b2; turn: white.", str.strip),)
    words = (Word("b2", "Put your mark there."),)

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return SIDES

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        given = read_setup(options["setup"], BOARD, SIDES, ("turn",), lambda _: True)
        return Moment(given.cells, given.turn or 0)

    def sample(self) -> Position:
        return self.start(setup="black: b2 c1; white: a3")
