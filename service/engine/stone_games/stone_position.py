"""What all games of stones share: their pictures, the reading of orders, and the end of a match.

A game has one StonePosition for its play, with its rules in `advance` and its counting in `survey`. When play ends,
the position passes itself to `scoring.end_of_play`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from service.engine.board import Board
from service.engine.game import Choice, Draft, Ended, Illegal, Outcome, Position, Seat
from service.engine.scene import STONES, Piece, Scene
from service.engine.stone_games.stone_orders import read_order
from service.engine.stone_games.stones import Cells

Marks: TypeAlias = dict[int, tuple[str, ...]]


class Survey(NamedTuple):
    """A board counted with every stone on it alive. The `points` of each seat, komi or marker included, decide."""

    owners: Mapping[int, Seat]
    """The seat that each empty point counts for; neutral points are left out."""
    points: tuple[Fraction, ...]
    winners: tuple[Seat, ...]
    more: Mapping[str, object] = MappingProxyType({})
    """Other facts about this game's count, ready for JSON."""
    rows: tuple[tuple[str, str], ...] = ()
    """Other labels and texts for the panel beside the board."""

    def facts(self, sides: tuple[str, ...]) -> dict[str, object]:
        """`territory` and `points` as engine/README.md names them."""
        owned = list(self.owners.values())
        return {
            "territory": {side: owned.count(seat) for seat, side in enumerate(sides)},
            "points": {side: str(number) for side, number in zip(sides, self.points, strict=True)},
            **self.more,
        }

    @classmethod
    def highest(cls, owners: Mapping[int, Seat], points: Iterable[Fraction | int]) -> Survey:
        """The survey of a game in which most points win, and seats with equal points share the win."""
        counted = tuple(map(Fraction, points))
        return cls(owners, counted, tuple(seat for seat, each in enumerate(counted) if each == max(counted)))


class StonePosition(Position):
    """A moment of play in a game of stones. `cells` never changes once the position exists."""

    title: str
    board: Board
    cells: Cells
    phase = "play"
    outcome = None

    @abstractmethod
    def survey(self) -> Survey:
        """The count of this board with every stone alive."""

    @abstractmethod
    def lifted(self, dead: frozenset[int]) -> StonePosition:
        """This position, in the same round, with the `dead` stones taken or reversed, whichever the game does."""

    @abstractmethod
    def resumed(self, after: int) -> Position:
        """Play goes on in a round later than `after`; when it ends again, the board is counted immediately."""

    def mortal(self, points: list[int]) -> bool:
        """Whether a chain may be declared dead."""
        del points
        return True

    def settled(self, dead: frozenset[int], after: int) -> Position:
        """What follows, in a round later than `after`, once all agree which stones are dead: by default, the count."""
        counted = self.lifted(dead)
        survey = counted.survey()
        outcome = Outcome.shared(len(self.sides), survey.winners, "points")
        return Over(counted, outcome, after + 1, survey, (counted.result(survey),))

    def departed(self, seat: Seat, reason: str, after: int) -> Position:
        """What follows, in a round later than `after`, if `seat` leaves while the players discuss dead stones.

        With two players, the other one wins; games for more return this position without the seat.
        """
        return Over(self, Outcome.shared(2, (1 - seat,), reason), after + 1)

    def foretold(self, survey: Survey) -> str:
        """Who would win by this count, and by how much, in a sentence."""
        won = listed([self.sides[seat].capitalize() for seat in survey.winners])
        if len(survey.winners) > 1:
            return f"With this count, {won} would share the win."
        return f"With this count, {won} would win by {self.lead(survey)}."

    def result(self, survey: Survey) -> str:
        """Who won the count, and by how much, in a sentence."""
        won = listed([self.sides[seat].capitalize() for seat in survey.winners])
        if len(survey.winners) > 1:
            return f"{won} have the same number of points."
        return f"{won} finished ahead by {self.lead(survey)}."

    def lead(self, survey: Survey) -> str:
        """How far the winner is ahead of the others who still play, in points."""
        others = [survey.points[seat] for seat in self.active if seat not in survey.winners]
        lead = survey.points[survey.winners[0]] - max(others, default=Fraction(0))
        return f"{decimal(lead)} {'point' if lead == 1 else 'points'}"

    def forfeit(self, seat: Seat, reason: str) -> Position:
        """With two players, the other one wins; games for more override this."""
        return self.departed(seat, reason, self.round)

    def read(self, seat: Seat, text: str) -> str:
        """A point, a word or `dead …`, read liberally; raises Unreadable or Ambiguous."""
        return read_order(text, lambda: self.example(seat))

    def example(self, seat: Seat) -> str:
        """A move that can be typed here, for messages; out of turn, any vacant point."""
        vacant = (name for name, stone in zip(self.board.names, self.cells, strict=True) if not stone)
        names = self.moves(seat) if seat in self.turns else vacant
        return next((move for move in names if move != "pass"), "pass")

    def refused(self, point: int, why: str) -> Illegal:
        """The refusal of a stone on `point`: its name, `why`, and the legal points next to it."""
        legal, names = {*self.moves(self.turns[0])}, self.board.names
        near = [names[one] for one in self.board.neighbours[point] if names[one] in legal]
        return Illegal(f"{names[point]} {why}." + (f" Legal next to it: {', '.join(near)}." if near else ""))

    def draft(self, seat: Seat, text: str) -> Draft:
        """Each click is a whole order; see Position."""
        if text.strip():
            move = self.read(seat, text)
            return Draft(move, self.play(seat, move).view(seat), True, ())
        index = self.board.index
        steps = (Choice(move, move, (move,) if move in index else (), move) for move in self.moves(seat))
        return Draft("", self.view(seat), False, tuple(steps))

    @property
    def occupants(self) -> Mapping[str, str]:
        names, sides = self.board.names, self.sides
        return {names[point]: sides[stone - 1] for point, stone in enumerate(self.cells) if stone}

    def scene(self, marks: Marks, facts: tuple[tuple[str, str], ...], notes: tuple[str, ...]) -> Scene:
        """The stones as a picture, with the given marks and words."""
        stones = [Piece(seat, STONES[side]) for seat, side in enumerate(self.sides)]
        return Scene(
            board=self.board,
            pieces={point: stones[stone - 1] for point, stone in enumerate(self.cells) if stone},
            colours=self.sides,
            marks=marks,
            legend=tuple((STONES[side], side.capitalize()) for side in self.sides),
            facts=facts,
            notes=notes,
            title=self.title,
        )


class Over(Ended):
    """A match of stones that has ended. If it was counted, it has a `survey`, and `notes` that explain the result."""

    def __init__(
        self,
        last: StonePosition,
        outcome: Outcome,
        round_: int,
        survey: Survey | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(last, outcome)
        self.round = round_
        self.survey = survey
        self.notes = notes

    @property
    def facts(self) -> Mapping[str, object]:
        return {**self.last.facts, **(self.survey.facts(self.sides) if self.survey else {})}

    def view(self, seat: Seat | None) -> Scene:
        """The last board as everybody saw it, since what a seat had sealed had no effect; with the territory if it was
        counted."""
        del seat
        scene = super().view(None)._replace(notes=self.notes)
        return counted(scene, self.survey) if self.survey else scene


def counted(scene: Scene, survey: Survey) -> Scene:
    """`scene` with the territory marked and the points listed."""
    marks = {point: (*scene.marks.get(point, ()), "territory") for point in survey.owners}
    points = ", ".join(
        f"{side.capitalize()} {decimal(number)}" for side, number in zip(scene.colours, survey.points, strict=True)
    )
    return scene._replace(
        marks={**scene.marks, **marks},
        owners={**scene.owners, **survey.owners},
        facts=(*scene.facts, ("Points", points), *survey.rows),
    )


def decimal(number: Fraction) -> str:
    """A number of points as people write it: 7, 7.5; other fractions stay fractions."""
    return f"{float(number):g}" if number.denominator in (1, 2) else str(number)


def listed(words: list[str]) -> str:
    """`Black`, `Black and White`, `Black, White and Red`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""
