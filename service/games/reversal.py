"""Games in which captured groups change colour and stay on the board, and a pass moves a marker on a track.

Medusa and Lotus share all of this: capture by reversal, the ring of six stones (rosette, lotus) that keeps a group
alive without liberties, the marker, and the count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import attrgetter
from typing import NamedTuple, Self

from service.engine.board import Board
from service.engine.game import Illegal, Log, Position, Seat
from service.engine.options import OptionError
from service.engine.scene import Scene, Track
from service.engine.stone_games import stone_replay
from service.engine.stone_games.scoring import end_of_play
from service.engine.stone_games.setup import Setup, read_setup
from service.engine.stone_games.stone_position import Marks, StonePosition, Survey
from service.engine.stone_games.stone_replay import Entries
from service.engine.stone_games.stones import Cells, Chain, Immune, Neighbours, besieged, flowering, starved, territory

SIDES = ("black", "white")


def place(cells: Cells, neighbours: Neighbours, point: int, colour: int, immune: Immune) -> list[Chain]:
    """Puts a stone on the empty `point` and reverses what it captures; colours are 1 and 2.

    Returns the reversed chains, in order, each with the colour it had. Enemy groups come first. They and their captors
    are then one group; if it has no liberty, it is reversed in turn: suicide if nothing was captured, else the second
    reversal. There is never a third, because each enemy group around it has a liberty of its own or a ring.
    """
    cells[point] = colour
    turned: list[Chain] = []
    alive = False
    for near in neighbours[point]:
        stone = cells[near]
        if not stone:
            alive = True
        elif stone != colour:
            # This is `besieged`, written out for speed.
            for beyond in neighbours[near]:
                if not cells[beyond]:
                    break
            else:
                points = starved(cells, neighbours, near)
                if points and not (turned and any(near in other.points for other in turned)):
                    turned.append(Chain(stone, points))
    if turned:
        turned = _reversed(cells, turned, immune)
    if not alive and (own := starved(cells, neighbours, point)):
        turned += _reversed(cells, [Chain(colour, own)], immune)
    return turned


def reverse_around(cells: Cells, neighbours: Neighbours, point: int, immune: Immune) -> list[Chain]:
    """Reverses the enemy groups next to the stone on `point` that have no liberty and are not immune."""
    return _reversed(cells, besieged(cells, neighbours, point), immune)


def _reversed(cells: Cells, starving: list[Chain], immune: Immune) -> list[Chain]:
    """Reverses those of the chains `starving` that aren't immune, and returns them."""
    doomed = [group for group in starving if not immune(group.points)]
    for colour, points in doomed:
        for point in points:
            cells[point] = 3 - colour
    return doomed


class Rules:
    """What differs between games. The marker can be up to `track` points to either side of the middle."""

    def __init__(self, title: str, board: Board, rings: tuple[frozenset[int], ...], track: int) -> None:
        self.title = title
        self.board = board
        self.rings = rings
        self.track = track
        self.immune: Immune = flowering(rings)
        """Whether a group lives without liberties."""


class Event(NamedTuple):
    """What the last turn did, for the picture and the words beside it. Marks are by point."""

    seat: Seat
    move: str
    placed: bool
    marks: Mapping[int, tuple[str, ...]]
    reversals: Sequence[Chain] = ()
    """The groups reversed, in order, with the colour they had."""
    turned: Collection[int] = ()
    """Where stones have another colour than before (a placed stone: another than its player's)."""
    earned: bool = False
    """Whether the marker moved."""

    @classmethod
    def placing(cls, seat: Seat, move: str, point: int, reversals: Sequence[Chain]) -> Event:
        """A turn that only places a stone on `point`."""
        return cls(seat, move, True, {point: ("last",)}, reversals, toggled(reversals) if reversals else ())

    @property
    def captured(self) -> dict[str, int]:
        """How many stones of each side were reversed; a stone counts each time. Sides without any are left out."""
        counts = {side: sum(len(g.points) for g in self.reversals if g.colour == c) for c, side in enumerate(SIDES, 1)}
        return {side: number for side, number in counts.items() if number}

    def told(self, names: Sequence[str]) -> Iterator[str]:
        """The turn in sentences; `names` are the names of the points."""
        did = "passed" if self.move == "pass" else f"played {self.move}"
        yield f"{SIDES[self.seat].capitalize()} {did}{' and moved the marker' if self.earned else ''}."
        for colour, groups in groupby(self.reversals, key=attrgetter("colour")):
            stones = [names[point] for group in groups for point in sorted(group.points)]
            number = "1 stone" if len(stones) == 1 else f"{len(stones)} stones"
            yield f"{number} turned from {SIDES[colour - 1]} to {SIDES[2 - colour]}: {' '.join(stones)}."


def toggled(reversals: Sequence[Chain]) -> set[int]:
    """The points that are in an odd number of the reversed groups."""
    turned: set[int] = set()
    for group in reversals:
        turned.symmetric_difference_update(group.points)
    return turned


class ReversalPosition(StonePosition):
    """A moment of play; `marker` counts points towards Black, and `ended` says whether play has ended before."""

    sides = SIDES
    active = (0, 1)
    rules: Rules

    def __init__(
        self,
        rules: Rules,
        cells: Cells,
        turn: Seat,
        marker: int,
        round_: int = 1,
        last: Event | None = None,
        ended: bool = False,
    ) -> None:
        self.rules = rules
        self.title = rules.title
        self.board = rules.board
        self.cells = cells
        self.turns = (turn,)
        self.marker = marker
        self.round = round_
        self.last = last
        self.ended = ended

    # ---- play

    def placed(self, seat: Seat, point: int) -> Self:
        """The position after a stone on `point` and nothing else; raises Illegal."""
        name = self.board.names[point]
        if self.cells[point]:
            raise Illegal(f"{name} is taken by {owner(self.cells, point)}.{empty_near(self.cells, self.board, point)}")
        cells = self.cells.copy()
        reversals = place(cells, self.board.neighbours, point, seat + 1, self.rules.immune)
        return self.after(Event.placing(seat, name, point, reversals), cells)

    def passed(self, seat: Seat) -> Position:
        """The position after a pass; a second pass in a row ends play."""
        after = self.after(Event(seat, "pass", False, {}), self.cells)
        twice = self.last is not None and self.last.move == "pass"
        return end_of_play(after, self.ended) if twice else after

    def after(self, event: Event, cells: Cells) -> Self:
        """The next position, with the other seat to move. A side that hasn't placed a stone moves the marker."""
        marker = self.marker
        if not event.placed:
            marker = self._towards(event.seat)
            event = event._replace(earned=marker != self.marker)
        return type(self)(self.rules, cells, 1 - event.seat, marker, self.round + 1, event, self.ended)

    def _towards(self, seat: Seat) -> int:
        """The marker one point further towards `seat`, but not beyond the end of the track."""
        track = self.rules.track
        return max(-track, min(track, self.marker + (1 if seat == 0 else -1)))

    # ---- the end

    def survey(self) -> Survey:
        """A side's territory is its stones and the points only it surrounds; the marker adds to its side's points."""
        owners = {point: colour - 1 for point, colour in territory(self.cells, self.board.neighbours).items()}
        counted = list(owners.values())
        held = [self.cells.count(seat + 1) + counted.count(seat) for seat in (0, 1)]
        points = (held[0] + max(0, self.marker), held[1] + max(0, -self.marker))
        return Survey.highest(owners, points)._replace(more={"territory": dict(zip(SIDES, held, strict=True))})

    def lifted(self, dead: frozenset[int]) -> Self:
        """Dead stones are reversed, not removed."""
        cells = [3 - stone if point in dead else stone for point, stone in enumerate(self.cells)]
        return self.replaced(cells=cells)

    def resumed(self, after: int) -> Position:
        return self.replaced(round=after + 1, last=None, ended=True)

    def mortal(self, points: list[int]) -> bool:
        return not self.rules.immune(points)

    # ---- what is shown

    @property
    def facts(self) -> Mapping[str, object]:
        return {"marker": self.marker, "captured": self.last.captured if self.last else {}}

    @property
    def setup(self) -> str:
        return Setup(self.cells, self.turns[0], self.marker).text(self.board, SIDES)

    def view(self, seat: Seat | None) -> Scene:
        """The same for everybody."""
        del seat
        stones = ", ".join(f"{side.capitalize()} {self.cells.count(colour)}" for colour, side in enumerate(SIDES, 1))
        told = tuple(self.last.told(self.board.names)) if self.last else ()
        scene = self.scene(self._marks(), (("Marker", self._marker_in_words()), ("Stones", stones)), told)
        return scene._replace(track=Track(self.marker, self.rules.track))

    def _marks(self) -> Marks:
        if self.last is None:
            return {}
        marks = dict(self.last.marks)
        return marks | {point: (*marks.get(point, ()), "reversed") for point in self.last.turned}

    def _marker_in_words(self) -> str:
        if not self.marker:
            return "in the middle"
        return f"{abs(self.marker)} for {'Black' if self.marker > 0 else 'White'}"


def owner(cells: Cells, point: int) -> str:
    """The owner of the stone on `point`: Black or White."""
    return SIDES[cells[point] - 1].capitalize()


def empty_near(cells: Cells, board: Board, point: int) -> str:
    """A sentence, after a space, with the empty points next to `point`; "" if there are none."""
    empty = [board.names[near] for near in board.neighbours[point] if not cells[near]]
    return f" Empty next to it: {', '.join(empty)}." if empty else ""


class Opening(NamedTuple):
    """What a match starts from."""

    cells: Cells
    turn: Seat
    marker: int


def opening(rules: Rules, setup: str, komi: int) -> Opening:
    """The start that `setup` describes: Black to move and the marker `komi` towards White unless it says otherwise.

    Raises OptionError.
    """
    given = read_setup(setup, rules.board, SIDES, ("turn", "marker"), rules.immune)
    marker = -komi if given.marker is None else given.marker
    if abs(marker) > rules.track:
        raise OptionError(f"setup: marker must be from {-rules.track} to {rules.track}, not {marker}.")
    return Opening(given.cells, given.turn or 0, marker)


def replay(start: Position, log: Log) -> Position:
    """The position after `start` and a log, judged as `play` judges but faster for placements; raises MoveError."""
    return stone_replay.replay(start, log, _run)


def _run(position: Position, entries: Entries, done: int) -> tuple[Position, int]:
    """The position after the placements from entry `done` on, and the index of the first other entry."""
    if not isinstance(position, ReversalPosition):
        return position, done
    index, neighbours, immune = position.board.index, position.board.neighbours, position.rules.immune
    cells, turn, number = position.cells.copy(), position.turns[0], 0
    reversals: list[Chain] = []
    for seat, move in islice(entries, done, None):
        point = index.get(move)
        if point is None or seat != turn or cells[point]:
            break
        reversals = place(cells, neighbours, point, seat + 1, immune)
        turn = 1 - seat
        number += 1
    if not number:
        return position, done
    seat, move = entries[done + number - 1]
    event = Event.placing(seat, move, index[move], reversals)
    return position.after(event, cells).replaced(round=position.round + number), done + number
