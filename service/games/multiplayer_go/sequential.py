"""Multiplayer Go with moves in turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from service.engine.game import Choice, Draft, Illegal, Position, Seat
from service.engine.options import OptionError
from service.engine.scene import Scene
from service.engine.stone_games.scoring import end_of_play
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import Chain, Suicide, place, placeable, without
from service.games.multiplayer_go.order import PAST_OPENING, Turn
from service.games.multiplayer_go.prisoners import Capture, Sharing
from service.games.multiplayer_go.report import Report
from service.games.multiplayer_go.rules import Opening, Rules
from service.games.multiplayer_go.table import TablePosition
from service.games.multiplayer_go.words import whose


class Sequential(TablePosition):
    """A moment of play in which it is one seat's turn."""

    passed: frozenset[Seat] = frozenset()
    """The seats still taking part that have passed since the last stone was placed."""
    vacated: frozenset[int] = frozenset()
    """The points where stones were ever captured; only a stone placed there can repeat a position."""

    def __init__(self, rules: Rules, opening: Opening, turn: Turn, report: Report) -> None:
        self.turn = turn
        self.report = report
        super().__init__(rules, opening, 1)

    @property
    def awaited(self) -> tuple[Seat, ...]:
        return (self.turn.seat,)

    @property
    def turn_number(self) -> int:
        return self.turn.round

    @classmethod
    def start(cls, rules: Rules, text: str) -> Sequential:
        """The first position, from a setup; raises OptionError."""
        given, opening = Opening.read(rules, text)
        round_ = given.round or (PAST_OPENING if text else 1)
        first = Turn(round_, given.turn or 0)
        if given.moved is not None:
            if given.moved != 1 or not rules.order.doubles(first):
                raise OptionError("setup: moved can only be 1, of a seat that places two stones in round 1.")
            first = first._replace(second=True)
        turn, skipped = rules.order.first(first, opening.seated)
        return cls(rules, opening, turn, Report(skipped=skipped))

    # ---- play

    def moves(self, seat: Seat) -> Iterable[str]:
        """Every legal point, then `pass`."""
        if seat not in self.turns:
            return
        names = self.board.names
        for point in placeable(self.cells, self.board.neighbours, seat + 1, self.vacated, self._fresh):
            yield names[point]
        yield "pass"

    def _fresh(self, point: int, taken: Sequence[Chain]) -> bool:
        """Whether the board is new after the seat to move plays `point` and captures these chains."""
        table = self.rules.keys
        return not self.past.has(without(self.code ^ table[point][self.turn.seat + 1], table, taken))

    def advance(self, seat: Seat, move: str) -> Position:
        """Play a point, perhaps with `take …`, `pass`, or a preference; raises MoveError."""
        if move == "pass":
            return self._passed(seat)
        if move.startswith("prefer "):
            return self.preferring(seat, move)
        name, wanted = self.wish(seat, move)
        return self._placed(seat, self.point(name, move), wanted)

    def _placed(self, seat: Seat, point: int, wanted: tuple[Seat, ...]) -> Position:
        rules, cells = self.rules, self.cells.copy()
        try:
            taken = place(cells, self.board.neighbours, point, seat + 1)
        except Suicide:
            raise self.refused(point, "would leave your chain without a liberty (suicide)") from None
        code = self.code ^ rules.keys[point][seat + 1]
        tally, vacated = self.tally, self.vacated
        captures: tuple[Capture, ...] = ()
        if taken:
            code = without(code, rules.keys, taken)
            vacated = vacated.union(*(chain.points for chain in taken))
        if point in self.vacated and self.past.has(code):
            raise self.refused(point, "would repeat an earlier position (superko)")
        if taken or wanted:
            self._refuse_absent(point, taken, wanted)
            captures = rules.captures(taken, cells, {seat: point}, self.wishes({seat: wanted}))
            tally = tally.plus(captures)
        turn, skipped = rules.order.after(self.turn, self.seated)
        return self.replaced(
            cells=cells,
            code=code,
            past=self.past.plus(code),
            tally=tally,
            vacated=vacated,
            round=self.round + 1,
            turn=turn,
            passed=frozenset(),
            report=Report({seat: point}, captures=captures, skipped=skipped),
        )

    def _refuse_absent(self, point: int, taken: Sequence[Chain], wanted: tuple[Seat, ...]) -> None:
        """Raises Illegal if a wanted colour isn't captured."""
        fallen = {chain.colour - 1 for chain in taken}
        name = self.board.names[point]
        for colour in wanted:
            if colour not in fallen:
                raise Illegal(f"{name} captures no {self.sides[colour]} stones: write {name} without that colour.")

    def _passed(self, seat: Seat) -> Position:
        turn, skipped = self.rules.order.after(self.turn, self.seated)
        report = Report(passed=(seat,), skipped=skipped)
        passed = self.passed | {seat}
        return self.replaced(round=self.round + 1, turn=turn, passed=passed, report=report)._ended()

    def _ended(self) -> Position:
        """Play ends when all remaining seats have passed since the last stone; a skipped turn isn't a pass."""
        return end_of_play(self, self.ended) if self.passed.issuperset(self.seated) else self

    # ---- leaving, resuming

    def without(self, seat: Seat, reason: str, after: int) -> Sequential:
        seated = tuple(one for one in self.seated if one != seat)
        turn, skipped = (self.turn, ()) if self.turn.seat != seat else self.rules.order.after(self.turn, seated)
        passed, report = self.passed - {seat}, Report(left=((seat, reason),), skipped=skipped)
        return self.replaced(seated=seated, turn=turn, round=after + 1, passed=passed, report=report)

    def forfeit(self, seat: Seat, reason: str) -> Position:
        after = self.departed(seat, reason, self.round)
        return after._ended() if isinstance(after, Sequential) else after

    def resumed(self, after: int) -> Sequential:
        """It is already the turn of the seat after the last one that passed, which moves next."""
        return self.replaced(round=after + 1, passed=frozenset(), ended=True, report=Report())

    # ---- what is shown

    @property
    def facts(self) -> Mapping[str, object]:
        """As in all four games, and `table_round`: the `round` of a setup, in which each player moves once."""
        return {**super().facts, "table_round": self.turn.round}

    @property
    def setup(self) -> str:
        return self.setup_with(self.turn.seat, self.turn.round, 1 if self.turn.second else None)

    def view(self, seat: Seat | None) -> Scene:
        """As in all four games, with a note if a seat makes its second move in a row."""
        scene = super().view(seat)
        if not self.turn.second:
            return scene
        note = f"{whose(self.turns, self.sides)} moves twice in this round, because no corner is left."
        return scene._replace(notes=(*scene.notes, note))

    def draft(self, seat: Seat, text: str) -> Draft:
        """Each click is a whole order; if the stone captures, the colours to take may follow.

        The others' preferences are left out, so that nobody can find them out by trying a capture.
        """
        known = self.replaced(preferences={seat: self.preferences.get(seat, ())})
        draft = StonePosition.draft(known, seat, text)
        return draft._replace(choices=tuple(self._takings(seat, draft.text))) if draft.complete else draft

    def _takings(self, seat: Seat, move: str) -> Iterable[Choice]:
        """The colours that may be named next, if the seat still has stones to choose and several colours fell."""
        name, _, wanted = move.partition(" take ")
        point = self.board.index.get(name)
        if point is None or self.rules.alliances == "off" or self.rules.sharing is not Sharing.COOPERATIVE:
            return
        after = self.play(seat, move)
        captures = after.report.captures if isinstance(after, Sequential) else ()
        shares = [len(colours) for capture in captures for one, colours in capture.picks if one == seat]
        fallen = sorted({colour for capture in captures for colour in capture.haul.colours} - {seat})
        if len(fallen) > 1 and len(wanted.split()) < max(shares, default=0):
            for colour in fallen:
                side = self.sides[colour]
                order = f"{move} {side}" if wanted else f"{move} take {side}"
                yield Choice(order, side if wanted else f"take {side}", (), f"take {side}")
