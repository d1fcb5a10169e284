"""The contract that every game implements.

A `Game` makes positions; a `Position` is one immutable moment of a match. Code that uses them never names a game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from copy import copy
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias

from service.engine.excerpt import told
from service.engine.options import Option, OptionError, Word
from service.engine.scene import Scene
from service.engine.waiting import Seat as Seat
from service.engine.waiting import Waiting

if TYPE_CHECKING:
    from service.engine.record_formats import Format

Log: TypeAlias = Iterable[tuple[Seat, str]]
"""The moves of a match so far: who played, and the canonical move."""


LEAVES = {"resign": "resignation", "timeout": "time"}
"""The moves by which a seat leaves the match, and the reasons. Only the clock plays `timeout`."""
LATE = "late"
"""What the clock plays for a seat that missed a simultaneous round."""
SUBSTITUTE = "substitute"
"""The log's entry for a seat that somebody else took over. It ends no turn, and players can't order it."""
WAIT = "wait"
"""In simultaneous rounds: "I'm here and not ready". It withdraws a sealed choice, and is private."""
AGREEMENTS = ("draw", "decline")
"""The moves that offer a draw or answer an offer. They don't change the board or end a turn."""


class MoveError(ValueError):
    """An order that can't be played. `str(error)` is one or two plain sentences for the player who sent it."""

    code: ClassVar[str] = ""


class Unreadable(MoveError):
    """The text isn't a move of this game."""

    code = "unreadable"


class Ambiguous(MoveError):
    """The text fits several moves; `candidates` are their canonical texts, and the message lists them."""

    code = "ambiguous"

    def __init__(self, message: str, candidates: tuple[str, ...]) -> None:
        super().__init__(message)
        self.candidates = candidates


class Illegal(MoveError):
    """The move was understood, but the rules forbid it here."""

    code = "illegal"


class OutOfTurn(MoveError):
    """The match isn't waiting for this seat, or is over."""

    code = "out-of-turn"


class Outcome(NamedTuple):
    """How a match ended: a score for each seat, summing to 1, and a reason such as `points` or `resignation`."""

    scores: tuple[Fraction, ...]
    reason: str

    @classmethod
    def shared(cls, seats: int, winners: Iterable[Seat], reason: str) -> Outcome:
        """One point, split evenly among `winners`."""
        won = frozenset(winners)
        return cls(tuple(Fraction(seat in won, len(won)) for seat in range(seats)), reason)


class Choice(NamedTuple):
    """One possible next step while an order is being built.

    `text` is the whole order once this is chosen, and `step` the part it adds. `cells` are the names of the cells to
    click, in order; a choice without cells is a button. `label` is the text of the button or menu entry.
    """

    text: str
    step: str
    cells: tuple[str, ...] = ()
    label: str = ""


class Draft(NamedTuple):
    """An order being built: the picture so far, whether it can be sent as it is, and what may follow."""

    text: str
    scene: Scene
    complete: bool
    choices: tuple[Choice, ...]


class Position(Waiting, ABC):
    """One immutable moment of a match.

    A plain game for two defines six members: `moves`, `advance`, `view`, `occupants`, `facts` and `setup`. It adds
    `read` and `draft` if an order has several parts, and sets `draws` if players may agree on a draw. `Waiting` has
    what only simultaneous or private games add.
    """

    sides: tuple[str, ...]
    """The lower-case names of the seats, in turn order: `black`, `white` …"""
    phase: str
    """`play`, `scoring`, `alliances` or `over`."""
    outcome: Outcome | None
    draws: bool = False
    """Whether the two players may agree on a draw: `draw` offers one or accepts it, `decline` declines it."""
    offer: Seat | None = None
    """The seat whose offer of a draw is open: until the other moves, accepts or declines, or this one changes hands."""

    @abstractmethod
    def moves(self, seat: Seat) -> Iterable[str]:
        """The canonical legal moves of `seat` that move the game on; each is accepted by `play`.

        For a compound turn, the legal single steps. Empty when the match isn't waiting for `seat`.
        """

    @abstractmethod
    def advance(self, seat: Seat, move: str) -> Position:
        """The position after a canonical move; raises MoveError.

        `play` calls it, and plays the moves of `LEAVES` and `AGREEMENTS` itself.
        """

    @abstractmethod
    def view(self, seat: Seat | None) -> Scene:
        """What `seat` may see, or the public if None. A sealed choice never shows in another seat's view."""

    @property
    @abstractmethod
    def occupants(self) -> Mapping[str, str]:
        """Cell name to occupant, as records print it: the side's name, or a FEN letter."""

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, object]:
        """The public numbers of this game (engine/README.md, "Facts"), ready for JSON."""

    @property
    @abstractmethod
    def setup(self) -> str:
        """The position as text that `Game.start(setup=…)` accepts."""

    @property
    def active(self) -> tuple[Seat, ...]:
        """The seats still taking part: all that haven't left the match."""
        return tuple(range(len(self.sides))) if self.outcome is None else ()

    def play(self, seat: Seat, move: str) -> Position:
        """The position after a canonical move of `seat`; raises MoveError."""
        if self.outcome is not None:
            raise OutOfTurn("The match is over.")
        if seat not in self.active:
            raise OutOfTurn(f"{self.sides[seat].capitalize()} has left the match.")
        if move in LEAVES:
            return self.forfeit(seat, LEAVES[move])
        if move == SUBSTITUTE:
            return self.succeeded(seat)
        if self.draws and move in AGREEMENTS:
            return self._agreed(seat, move)
        if seat not in self.turns and not self.may_interrupt(seat, move):
            waited = " and ".join(self.sides[turn].capitalize() for turn in self.public_turns)
            raise OutOfTurn(f"It isn't {self.sides[seat].capitalize()}'s turn: the match is waiting for {waited}.")
        after = self.advance(seat, move)
        return after.replaced(offer=seat) if self.offer == seat and after.outcome is None else after

    def _agreed(self, seat: Seat, move: str) -> Position:
        """The position after `draw` or `decline`, which players may order at any time."""
        other = 1 - seat
        if move == "draw" and self.offer == seat:
            until = self.sides[other].capitalize()
            raise Illegal(f"You've already offered a draw. The offer is open until {until} moves.")
        if move == "draw" and self.offer == other:
            return Ended(self, Outcome.shared(2, (0, 1), "agreement"))
        if move == "decline" and self.offer != other:
            raise Illegal(f"There's no draw offer from {self.sides[other].capitalize()} to decline.")
        offer = seat if move == "draw" else None
        return self.replaced(offer=offer, round=self.round + 1, remarks=self.remarks + 1)

    def replaced(self, **changed: Any) -> Self:
        """The same position with these attributes changed."""
        later = copy(self)
        vars(later).update(changed)
        return later

    def read(self, seat: Seat, text: str) -> str:
        """What a person typed, as one canonical move; raises Unreadable, Ambiguous or Illegal.

        Reading doesn't judge: `play` may still refuse the move. This default reads a listed move or the name of any
        cell, in upper or lower case.
        """
        word = " ".join(text.split()).rstrip(".,;!").lower()
        moves = [*self.moves(seat)]
        for known in ("resign", *moves, *self.view(None).board.names):
            if known.lower() == word:
                return known
        hint = f" Write for example {moves[0]}." if moves else ""
        raise Unreadable(f"{told(text)} isn't a move here.{hint}")

    def draft(self, seat: Seat, text: str) -> Draft:
        """The order `text` as built so far, and what may follow; raises MoveError if no order begins with this text."""
        if text.strip():
            move = self.read(seat, text)
            return Draft(move, self.play(seat, move).view(seat), True, ())
        scene = self.view(seat)
        steps = (Choice(move, move, (move,) if move in scene.board.index else (), move) for move in self.moves(seat))
        return Draft("", scene, False, tuple(steps))

    def succeeded(self, seat: Seat) -> Position:
        """The position, in the same round, after somebody else takes `seat`; its sealed choice and its offer lapse."""
        return self.replaced(offer=None) if self.offer == seat else self

    def forfeit(self, seat: Seat, reason: str) -> Position:
        """The position after `seat` resigned (`resignation`) or ran out of time (`time`).

        With two players, the other one wins; a game for more overrides this.
        """
        return Ended(self, Outcome.shared(2, (1 - seat,), reason))


class Ended(Position):
    """The board as it was when a player left it: `last`, with an outcome, a round later."""

    phase = "over"
    turns = ()

    def __init__(self, last: Position, outcome: Outcome) -> None:
        self.last = last
        self.sides = last.sides
        self.round = last.round + 1
        self.draws = last.draws
        self.outcome: Outcome = outcome

    def moves(self, seat: Seat) -> Iterable[str]:
        """No moves: the match is over."""
        del seat
        return ()

    def advance(self, seat: Seat, move: str) -> Position:
        """Never reached: `play` refuses everything once there is an outcome."""
        raise NotImplementedError  # pragma: no cover

    def read(self, seat: Seat, text: str) -> str:
        """Reads as before, so that an error can distinguish nonsense from a move that came too late."""
        return self.last.read(seat, text)

    def view(self, seat: Seat | None) -> Scene:
        """The last board without its notes, since the outcome says how the match ended."""
        return self.last.view(seat)._replace(notes=())

    @property
    def occupants(self) -> Mapping[str, str]:
        return self.last.occupants

    @property
    def facts(self) -> Mapping[str, object]:
        return self.last.facts

    @property
    def setup(self) -> str:
        return self.last.setup


class Game(ABC):
    """Rules on offer."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    """One sentence for a list of games."""
    min_seats: ClassVar[int] = 2
    max_seats: ClassVar[int] = 2
    usual_seats: ClassVar[int] = 2
    """The number of seats that a form suggests."""
    parallel: ClassVar[bool] = False
    """Whether all players choose at the same time, in rounds."""
    options: ClassVar[tuple[Option, ...]]
    words: ClassVar[tuple[Word, ...]]
    """How orders of this game are written, as shown by `help`, emails and the order box."""

    @abstractmethod
    def sides(self, seats: int) -> tuple[str, ...]:
        """The lower-case side names of a match with `seats` seats, in turn order."""

    @abstractmethod
    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        """The first position, from options already settled."""

    def settle(self, seats: int, options: Mapping[str, str]) -> dict[str, str]:
        """Every option with its canonical value, defaults filled in; raises OptionError.

        A match stores the result, so a later change of a default doesn't affect running matches.
        """
        if not self.min_seats <= seats <= self.max_seats:
            wanted = " to ".join(dict.fromkeys((str(self.min_seats), str(self.max_seats))))
            raise OptionError(f"{self.title} is for {wanted} players, not {seats}.")
        known = {option.name for option in self.options}
        for name in options:
            if name not in known:
                raise OptionError(f"{self.title} has no option {told(name)}; it has {', '.join(sorted(known))}.")
        return {option.name: option.accept(options.get(option.name, option.default)) for option in self.options}

    def start(self, seats: int = 0, seed: int = 0, **options: str) -> Position:
        """The first position of a match; `seats` 0 means the fewest. Raises OptionError."""
        seats = seats or self.min_seats
        return self.begin(seats, seed, self.settle(seats, options))

    def sample(self) -> Position:
        """The position pictured in lists of games, which shows what the game is like; by default the first one."""
        return self.start()

    def replay(self, start: Position, log: Log) -> Position:
        """The position after canonical moves that `play` has accepted before; use `record.judged` for other logs.

        A game may be faster than playing them one by one. Games of stones still judge every move, and raise MoveError.
        """
        position = start
        for seat, move in log:
            position = position.play(seat, move)
        return position

    def perft(self, position: Position, depth: int) -> int:
        """The number of ways to play `depth` listed moves; if several seats may move, only the first one does."""
        if depth == 0:
            return 1
        moves = [(seat, move) for seat in position.turns[:1] for move in position.moves(seat)]
        if depth == 1:
            return len(moves)
        return sum(self.perft(position.play(seat, move), depth - 1) for seat, move in moves)

    def formats(self, seats: int) -> tuple[Format, ...]:
        """The notations other than text and JSON that can record a match with this number of seats."""
        del seats
        return ()
