"""What the four games share: stones, prisoners, preferences, seats that have left, and the final count."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

from service.engine.game import Illegal, MoveError, Outcome, Position, Seat
from service.engine.scene import Scene
from service.engine.stone_games.setup import Setup
from service.engine.stone_games.stone_orders import refusal
from service.engine.stone_games.stone_position import Over, StonePosition, Survey
from service.engine.stone_games.stones import code_of
from service.games.multiplayer_go import prisoners, words
from service.games.multiplayer_go.alliances import Alliances, explained, rows
from service.games.multiplayer_go.count import Alliance, Count, formed, winners
from service.games.multiplayer_go.prisoners import Sharing, Wish, Wishes
from service.games.multiplayer_go.report import Report, counted, spread
from service.games.multiplayer_go.rules import Opening, Rules


class TablePosition(StonePosition):
    """A moment of play at a table of two to eight. Never changed once made; `replaced` makes the next one.

    `seated` are the seats still taking part.
    """

    preferences: Mapping[Seat, tuple[Seat, ...]] = MappingProxyType({})
    """The colours that each seat prefers to take, best first. Private."""
    ended: bool = False
    """Whether play has ended once and was resumed."""
    report = Report()

    def __init__(self, rules: Rules, opening: Opening, round_: int) -> None:
        self.rules = rules
        self.title, self.board, self.sides = rules.title, rules.board, rules.sides
        self.cells, self.code, self.past, self.tally, self.seated = opening
        self.round = round_
        self.turns = self.awaited

    @property
    @abstractmethod
    def awaited(self) -> tuple[Seat, ...]:
        """The seats that the position waits for."""

    def replaced(self, **changed: Any) -> Self:
        """The same position with these attributes changed, and those that are derived from them."""
        later = super().replaced(**changed)
        vars(later).pop("surveyed", None)
        later.turns = later.awaited
        return later

    @property
    def active(self) -> tuple[Seat, ...]:
        return self.seated

    # ---- orders other than points

    def read(self, seat: Seat, text: str) -> str:
        """A point, perhaps followed by `take …`, a word, or a preference; read liberally."""
        return words.read(text, self.sides, lambda: self.example(seat))

    def may_interrupt(self, seat: Seat, move: str) -> bool:
        """A preference is accepted at any time."""
        del seat
        return move.startswith("prefer ")

    def is_private(self, move: str) -> bool:
        return move.startswith("prefer ")

    def preferring(self, seat: Seat, move: str) -> TablePosition:
        """The same position with a new preference of `seat`; raises Illegal."""
        self._sharing()
        liked = words.seats(move.split()[1:], self.sides)
        return self.replaced(preferences={**self.preferences, seat: liked})

    def wish(self, seat: Seat, order: str) -> tuple[str, tuple[Seat, ...]]:
        """A placement as its point's name and the colours to `take`; raises Illegal without a choice of colours."""
        point, take, colours = order.partition(" take ")
        if not take:
            return point, ()
        self._sharing()
        wanted = words.seats(colours.split(), self.sides)
        if seat in wanted:
            raise Illegal(f"You can't take stones of your own colour: {self.sides[seat]} is yours. Name other colours.")
        return point, wanted

    def _sharing(self) -> None:
        if self.rules.sharing is Sharing.SOLE:
            raise Illegal("There are no colours to choose in this game: a single captor takes the whole chain.")
        if self.rules.sharing is Sharing.NOBODY:
            raise Illegal("There are no colours to choose in this match: captured stones count against their owners.")

    def wishes(self, takes: Mapping[Seat, tuple[Seat, ...]]) -> Wishes:
        """Each seat's wish: `takes` for this capture, then its preferences."""
        return {seat: Wish(takes.get(seat, ()), self.preferences.get(seat, ())) for seat in range(len(self.sides))}

    def point(self, name: str, move: str) -> int:
        """The empty point of that name; raises Illegal, or Unreadable if `move` isn't an order at all."""
        point = self.board.index.get(name)
        if point is None:
            raise self.unplayable(move)
        if self.cells[point]:
            raise self.refused(point, f"is taken by {self.sides[self.cells[point] - 1].capitalize()}")
        return point

    def unplayable(self, move: str) -> MoveError:
        """Why `move`, which isn't a point of this board, can't be played before play has ended."""
        if move == "alone" or move.startswith("ally "):
            if self.rules.alliances == "off":
                return Illegal("There are no alliances in this match. Play a point, or pass.")
            return Illegal("Play hasn't ended yet: alliances are declared after it. Play a point, or pass.")
        return refusal(self.board, move.partition(" take ")[0])

    # ---- the end

    def succeeded(self, seat: Seat) -> Self:
        """The former player's preference is dropped."""
        return self.replaced(preferences={one: liked for one, liked in self.preferences.items() if one != seat})

    @abstractmethod
    def without(self, seat: Seat, reason: str, after: int) -> TablePosition:
        """This position, in a round later than `after`, without `seat`; at least two seats stay."""

    def departed(self, seat: Seat, reason: str, after: int) -> Position:
        """If one seat remains, it wins; otherwise the match goes on without `seat`."""
        left = tuple(one for one in self.seated if one != seat)
        if len(left) == 1:
            return Over(self, Outcome.shared(len(self.sides), left, reason), after + 1)
        return self.without(seat, reason, after)

    def lifted(self, dead: frozenset[int]) -> TablePosition:
        """The dead stones of each area go to the living colours around it, regardless of preferences.

        A proposal is public and must not reveal preferences.
        """
        return self._lifted(dead, {})

    def _lifted(self, dead: frozenset[int], wishes: Wishes) -> TablePosition:
        if not dead:
            return self
        hauls = prisoners.by_area(dead, self.cells, self.board.neighbours)
        taken = self.rules.divided(hauls, wishes)
        cells = [0 if point in dead else stone for point, stone in enumerate(self.cells)]
        code, report = code_of(cells, self.rules.keys), Report(captures=taken, agreed=True)
        return self.replaced(cells=cells, code=code, tally=self.tally.plus(taken), report=report)

    def settled(self, dead: frozenset[int], after: int) -> Position:
        """The alliance round if the match has one, else the count."""
        counted = self._lifted(dead, self.wishes({}))
        if self.rules.alliances != "off":
            return Alliances(counted, after + 1)
        return counted.decided({}, after)

    def decided(self, declared: Mapping[Seat, Alliance], after: int) -> Position:
        """The end of the match, in a round later than `after`, with the alliances that the seats declared."""
        count, alliances = self.rules.count(self.cells, self.tally), formed(declared)
        sides = [*alliances, *(frozenset({seat}) for seat in self.seated)]
        won = winners({side: count.points(side) for side in sides}, count.total)
        survey = self.surveyed._replace(winners=tuple(sorted(won)))
        notes = tuple(explained(declared, alliances, count, self.sides))
        if self.rules.alliances == "off":
            notes = (*self.report.divisions(self.board, self.sides), self.result(survey))
        return Over(self, Outcome.shared(len(self.sides), won, "points"), after + 1, survey, notes)

    def foretold(self, survey: Survey) -> str:
        """If alliances follow, who would be ahead, since the count alone doesn't decide the match."""
        if self.rules.alliances == "off":
            return super().foretold(survey)
        ahead = words.whose(survey.winners, self.sides)
        if len(survey.winners) > 1:
            return f"With this count, {ahead} would have the most points before players choose allies."
        return f"With this count, {ahead} would be ahead by {self.lead(survey)} before players choose allies."

    def survey(self) -> Survey:
        """Territory and prisoners, and the points if shared territory were counted the other way."""
        count = self.rules.count(self.cells, self.tally)
        seats = range(len(self.sides))
        points = tuple(Fraction(count.points({seat})) for seat in seats)
        best = max(points[seat] for seat in self.seated)
        return Survey(
            count.owners,
            points,
            tuple(seat for seat in self.seated if points[seat] == best),
            {"territory": {side: count.territory({seat}) for seat, side in enumerate(self.sides)}},
            (self._other_column(count),),
        )

    @cached_property
    def surveyed(self) -> Survey:
        """The survey, with the table of all coalitions if the match has an alliance round."""
        survey = self.survey()
        if self.rules.alliances == "off":
            return survey
        count = self.rules.count(self.cells, self.tally)
        coalitions = [*count.coalitions(self.seated)]
        listed = [
            {
                "members": [self.sides[seat] for seat in each.members],
                "points": str(each.points),
                "qualifies": each.qualifies,
            }
            for each in coalitions
        ]
        more = {**survey.more, "total": count.total, "coalitions": listed}
        return survey._replace(more=more, rows=(*survey.rows, *rows(coalitions, count.total, self.sides)))

    def _other_column(self, count: Count) -> tuple[str, str]:
        """The label and the points if shared territory were counted the other way."""
        other = count._replace(split=not count.split)
        points = ", ".join(f"{side.capitalize()} {other.points({seat})}" for seat, side in enumerate(self.sides))
        return f"If shared territory were {'split' if other.split else 'neutral'}", points

    # ---- what is shown

    @property
    def facts(self) -> Mapping[str, object]:
        return {
            "captured": self._named(self.report.fallen),
            "prisoners": self._prisoners(),
            "eliminated": self._eliminated(),
        }

    def _named(self, counts: Mapping[Seat, int]) -> dict[str, int]:
        return {self.sides[colour]: counts[colour] for colour in sorted(counts) if counts[colour]}

    def _prisoners(self) -> dict[str, dict[str, int]]:
        held = {side: self._named(dict(enumerate(self.tally.held[seat]))) for seat, side in enumerate(self.sides)}
        return {side: purse for side, purse in held.items() if purse}

    def _eliminated(self) -> dict[str, int]:
        return self._named(dict(enumerate(self.tally.eliminated)))

    def setup_with(self, turn: Seat | None, round_: int, moved: int | None = None) -> str:
        """The setup of this position, with the given turn, round and number of moves made."""
        left = tuple(seat for seat in range(len(self.sides)) if seat not in self.seated)
        return Setup(
            self.cells,
            turn=turn,
            prisoners=self._prisoners(),
            eliminated=self._eliminated(),
            round=round_,
            moved=moved,
            left=left,
        ).text(self.board, self.sides)

    def view(self, seat: Seat | None) -> Scene:
        """The same for everybody, except that a seat sees its own preference."""
        return self.scene(self.report.marks, (*self._panel(seat),), (*self.report.notes(self.board, self.sides),))

    def _panel(self, seat: Seat | None) -> Iterator[tuple[str, str]]:
        held = [
            f"{side.capitalize()}: {counted(spread(dict(enumerate(self.tally.held[holder]))), self.sides)}"
            for holder, side in enumerate(self.sides)
            if any(self.tally.held[holder])
        ]
        if held:
            yield "Prisoners", "; ".join(held)
        if any(self.tally.eliminated):
            label = "Lost" if self.rules.sharing is Sharing.NOBODY else "Eliminated"
            yield label, counted(spread(dict(enumerate(self.tally.eliminated))), self.sides)
        liked = self.preferences.get(seat) if seat is not None else None
        if liked:
            yield "You prefer", ", ".join(self.sides[colour] for colour in liked)
