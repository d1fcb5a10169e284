"""Games in which captured groups change colour and stay on the board, and passing earns a point on a track.

Medusa and Lotus share all of this: capture by reversal, the ring of six stones (rosette, lotus) that keeps a group
alive without liberties, the marker, and the count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, Self

from service.engine.agreement import end_of_play
from service.engine.board import Board
from service.engine.game import OptionError, Position, Seat
from service.engine.scene import Scene
from service.engine.setup import Setup, read_setup
from service.engine.stone_position import Marks, StonePosition, Survey
from service.engine.stones import Cells, Neighbours, besieged, blooms, starved, territory

SIDES = ("black", "white")


class Turn:
    """One turn as it unfolds, on a board of its own; colours are 1 and 2.

    `turned` holds the points whose stones show another colour than before the turn (a stone placed: than its
    player's). `reversals` lists what was reversed, group by group: the seat it belonged to and its size.
    """

    def __init__(
        self, neighbours: Neighbours, rings: Sequence[frozenset[int]], cells: Iterable[int], colour: int
    ) -> None:
        self.neighbours = neighbours
        self.rings = rings
        self.cells: Cells = list(cells)
        self.colour = colour
        self.turned: set[int] = set()
        self.reversals: list[tuple[Seat, int]] = []

    def place(self, point: int) -> None:
        """Put a stone on the empty `point` and reverse what dies of it, the stone's own group last.

        Enemy groups come first. Those captured and their captors are now one group; if that has no liberty, it is
        reversed in turn: suicide where nothing was captured, else the second reversal. There is never a third,
        for each enemy group around it has a liberty of its own or a ring.
        """
        self.cells[point] = self.colour
        self.capture_around(point)
        own = starved(self.cells, self.neighbours, point)
        if own and not blooms(own, self.rings):
            self._reverse(own)

    def capture_around(self, point: int) -> None:
        """Reverse the enemy groups next to `point` that have neither a liberty nor a ring."""
        for group in besieged(self.cells, self.neighbours, point):
            if not blooms(group.points, self.rings):
                self._reverse(group.points)

    @property
    def captured(self) -> tuple[int, int]:
        """How many stones of each seat were reversed; a stone counts each time it was."""
        black, white = (sum(size for loser, size in self.reversals if loser == seat) for seat in (0, 1))
        return black, white

    def _reverse(self, group: list[int]) -> None:
        colour = self.cells[group[0]]
        for point in group:
            self.cells[point] = 3 - colour
        self.reversals.append((colour - 1, len(group)))
        self.turned.symmetric_difference_update(group)


@dataclass(frozen=True, kw_only=True)
class ReversalPosition(StonePosition):
    """A moment of play: the board, the marker (points towards Black), and what the last turn did.

    `passes` counts complete passes in a row; `final` tells that play has ended once before.
    """

    title: str
    board: Board
    rings: tuple[frozenset[int], ...]
    track: int
    """How many points the marker can stand to either side of the middle."""
    cells: Cells
    turns: tuple[Seat, ...]
    marker: int
    round: int = 1
    passes: int = 0
    final: bool = False
    captured: tuple[int, int] = (0, 0)
    marks: Marks = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    sides = SIDES

    def earned(self, seat: Seat) -> int:
        """Where the marker stands after `seat` has refrained from placing; at the end of the track it stays."""
        return max(-self.track, min(self.track, self.marker + (1 if seat == 0 else -1)))

    def passed(self, seat: Seat) -> Self:
        """After a complete pass."""
        marker = self.earned(seat)
        return replace(
            self,
            turns=(1 - seat,),
            marker=marker,
            round=self.round + 1,
            passes=self.passes + 1,
            captured=(0, 0),
            marks={},
            notes=(f"{SIDES[seat].capitalize()} passed{self._earning(marker)}.",),
        )

    def ending(self) -> Position:
        """This position, or after two complete passes in a row what follows play."""
        return end_of_play(self, again=self.final) if self.passes == 2 else self

    def turned(self, seat: Seat, move: str, turn: Turn, marks: Mapping[int, tuple[str, ...]], marker: int) -> Self:
        """After a turn that was no complete pass."""
        changed = {point: (*marks.get(point, ()), "reversed") for point in turn.turned}
        return replace(
            self,
            cells=turn.cells,
            turns=(1 - seat,),
            marker=marker,
            round=self.round + 1,
            passes=0,
            captured=turn.captured,
            marks={**marks, **changed},
            notes=(f"{SIDES[seat].capitalize()} played {move}{self._earning(marker)}.", *_reversals(turn)),
        )

    def survey(self) -> Survey:
        """A side's stones and the points only it surrounds are its territory; the marker counts for its side."""
        owners = {point: colour - 1 for point, colour in territory(self.cells, self.board.neighbours).items()}
        counted = list(owners.values())
        held = [self.cells.count(seat + 1) + counted.count(seat) for seat in (0, 1)]
        points = (held[0] + max(0, self.marker), held[1] + max(0, -self.marker))
        return replace(Survey.highest(owners, points), more={"territory": dict(zip(SIDES, held, strict=True))})

    def lifted(self, dead: frozenset[int]) -> Self:
        """Dead stones are reversed, not removed."""
        cells = [3 - stone if point in dead else stone for point, stone in enumerate(self.cells)]
        return replace(self, cells=cells)

    def resumed(self, after: int) -> Position:
        return replace(self, round=after + 1, passes=0, final=True, marks={}, notes=("Play goes on.",))

    def mortal(self, points: list[int]) -> bool:
        return not blooms(points, self.rings)

    @property
    def facts(self) -> Mapping[str, object]:
        captured = {side: number for side, number in zip(SIDES, self.captured, strict=True) if number}
        return {"marker": self.marker, "captured": captured}

    @property
    def setup(self) -> str:
        return Setup(self.cells, self.turns[0], self.marker).text(self.board, SIDES)

    def view(self, seat: Seat | None) -> Scene:
        del seat
        stones = ", ".join(f"{side.capitalize()} {self.cells.count(colour)}" for colour, side in enumerate(SIDES, 1))
        return self.scene(self.marks, (("Marker", self._marker_in_words()), ("Stones", stones)), self.notes)

    def _marker_in_words(self) -> str:
        if not self.marker:
            return "in the middle"
        return f"{abs(self.marker)} for {'Black' if self.marker > 0 else 'White'}"

    def _earning(self, marker: int) -> str:
        return " and moved the marker" if marker != self.marker else ""


def _reversals(turn: Turn) -> Iterator[str]:
    """What changed colour, in the order in which it happened."""
    for loser, groups in groupby(turn.reversals, key=itemgetter(0)):
        number = sum(size for _, size in groups)
        yield f"{number} {SIDES[loser]} {'stone' if number == 1 else 'stones'} turned {SIDES[1 - loser]}."


class Opening(NamedTuple):
    """What a match starts from."""

    cells: Cells
    seat: Seat
    marker: int


def opening(text: str, board: Board, rings: tuple[frozenset[int], ...], komi: int, track: int) -> Opening:
    """The start that a setup describes: Black to move and the marker `komi` towards White unless it says otherwise.

    Raises OptionError.
    """
    setup = read_setup(text, board, SIDES, ("turn", "marker"), lambda points: blooms(points, rings))
    marker = -komi if setup.marker is None else setup.marker
    if abs(marker) > track:
        raise OptionError(f"setup: marker must be from {-track} to {track}, not {marker}.")
    return Opening(setup.cells, setup.turn or 0, marker)
