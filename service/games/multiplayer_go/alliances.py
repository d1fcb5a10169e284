"""The alliance round: once the count is known, players may ally and share the victory, or stay alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from service.engine.game import Ambiguous, Choice, Draft, Illegal, MoveError, Outcome, Position, Seat, Unreadable
from service.engine.scene import Scene
from service.engine.stone_games.stone_orders import refusal, tidy
from service.engine.stone_games.stone_position import counted
from service.games.multiplayer_go.count import Alliance, Coalition, Count, qualifies
from service.games.multiplayer_go.prisoners import Sharing
from service.games.multiplayer_go.report import departures
from service.games.multiplayer_go.words import seats, whose

if TYPE_CHECKING:
    from service.games.multiplayer_go.table import TablePosition

SHOWN = 26
"""The most coalitions listed under one label: all that five players can form."""


class Alliances(Position):
    """Each active seat declares who it wants to share with; an alliance exists if all its members name exactly its
    members.

    Declarations are sealed until all are in, and can be replaced until then. In an `open` round they are shown
    immediately, and a player who changes one lets all others choose again. A first declaration doesn't: if each one
    asked the others again, the round would end only once all had declared twice.
    """

    phase = "alliances"
    outcome: Outcome | None = None
    declared: Mapping[Seat, Alliance] = MappingProxyType({})
    left: tuple[tuple[Seat, str], ...] = ()
    """The last seat that has left in this round, with the reason; in an open round, until somebody declares."""

    def __init__(self, table: TablePosition, round_: int) -> None:
        self.table = table
        self.sides = table.sides
        self.round = self.opened = self.since = round_
        self.open = table.rules.alliances == "open"
        self.turns = self.active

    def replaced(self, **changed: Any) -> Self:
        """The same round with these attributes changed, and `turns`."""
        later = super().replaced(**changed)
        later.turns = tuple(seat for seat in later.active if seat not in later.declared)
        return later

    @property
    def active(self) -> tuple[Seat, ...]:
        return self.table.active

    @property
    def public_turns(self) -> tuple[Seat, ...]:
        return self.turns if self.open else self.active

    @property
    def sealed_since(self) -> int:
        return self.round if self.open else self.opened

    @property
    def asked_since(self) -> int:
        """The round of the last change or departure: an order from before a first declaration still counts."""
        return self.since

    def moves(self, seat: Seat) -> Iterable[str]:
        """`alone`; any `ally …` is legal too."""
        return ("alone",) if seat in self.turns else ()

    def may_interrupt(self, seat: Seat, move: str) -> bool:
        """A declaration can be replaced until all are in."""
        return move == "alone" or move.startswith("ally ") or self.table.may_interrupt(seat, move)

    def is_private(self, move: str) -> bool:
        return self.table.is_private(move)

    # ---- declaring

    def advance(self, seat: Seat, move: str) -> Position:
        """Play `alone`, `ally …` (with or without the seat itself) or a preference; raises Illegal."""
        if self.table.may_interrupt(seat, move):
            return self.replaced(table=self.table.preferring(seat, move))
        if move != "alone" and not move.startswith("ally "):
            raise self._refused(move)
        wanted = frozenset({seat, *seats(move.split()[1:], self.sides)})
        gone = sorted(wanted.difference(self.active))
        if gone:
            raise Illegal(f"{whose(gone[:1], self.sides)} has left the match and cannot be an ally.")
        if move != "alone" and len(wanted) == 1:
            raise Illegal(f"An alliance needs somebody else: name your allies ({self._example}), or say alone.")
        return self._declared(seat, wanted)

    def _refused(self, move: str) -> MoveError:
        if move == "pass" or isinstance(refusal(self.table.board, move.partition(" take ")[0]), Illegal):
            return Illegal(f"The board has been counted. Name your allies ({self._example}), or say alone.")
        return self._unreadable(move)

    def _unreadable(self, text: str) -> Unreadable:
        said = " ".join(text.split())[:60]
        return Unreadable(f"{said!r} isn't clear. Name your allies ({self._example}), or say alone.")

    @property
    def _example(self) -> str:
        """An alliance that anybody who is still here can declare."""
        return self._order(self.active[-2:])

    def _declared(self, seat: Seat, wanted: Alliance) -> Position:
        again = self.open and self.declared.get(seat, wanted) != wanted
        after = self.replaced(declared={**({} if again else self.declared), seat: wanted})
        if self.open:
            since = self.round + 1 if again else self.since
            after = after.replaced(round=self.round + 1, since=since, left=())
        return after._resolved()

    def _resolved(self) -> Position:
        return self if self.turns else self.table.decided(self.declared, self.round)

    def succeeded(self, seat: Seat) -> Position:
        """A sealed declaration lapses; an open one remains until it is replaced."""
        declared = {one: wanted for one, wanted in self.declared.items() if self.open or one != seat}
        return self.replaced(table=self.table.succeeded(seat), declared=declared)

    def forfeit(self, seat: Seat, reason: str) -> Position:
        table = self.table.departed(seat, reason, self.round)
        if table.outcome is not None:
            return table
        declared = {one: wanted for one, wanted in self.declared.items() if one != seat}
        table, now = self.table.without(seat, reason, self.round), self.round + 1
        after = self.replaced(table=table, declared=declared, round=now, since=now, left=((seat, reason),))
        return after._resolved()

    # ---- reading and drafting

    def read(self, seat: Seat, text: str) -> str:
        """As in play; in canonical form, an alliance names only the other members, in turn order."""
        try:
            move = self.table.read(seat, text)
        except (Ambiguous, Unreadable):
            if tidy(text).startswith(("ally", "prefer")):
                raise
            raise self._unreadable(text) from None
        if not move.startswith("ally "):
            return move
        return self._order({*seats(move.split()[1:], self.sides)} - {seat}) if len(move.split()) > 2 else move

    def _order(self, allies: Iterable[Seat]) -> str:
        return f"ally {' '.join(self.sides[ally] for ally in sorted(allies))}"

    def draft(self, seat: Seat, text: str) -> Draft:
        """`alone`, or allies chosen one by one. Never reveals the others' declarations, even to the last to declare."""
        if not text.strip():
            return Draft("", self.view(seat), False, (*self._whole(seat), *self._adding(seat, ())))
        move = self.read(seat, text)
        after = self.play(seat, move)
        if move != "alone" and not move.startswith("ally "):
            return Draft(move, (after if self.is_private(move) else self).view(seat), True, ())
        allies = seats(move.split()[1:], self.sides)
        tried = self.replaced(declared={**self.declared, seat: frozenset({seat, *allies})})
        return Draft(move, tried.view(seat), True, tuple(self._adding(seat, allies)) if allies else ())

    def _whole(self, seat: Seat) -> Iterator[Choice]:
        """The orders that take one click: `alone`, and `ally all` if there are two or more other seats."""
        yield Choice("alone", "alone", (), "alone")
        others = [other for other in self.active if other != seat]
        if len(others) > 1:
            yield Choice(self._order(others), "all", (), "ally all")

    def _adding(self, seat: Seat, allies: tuple[Seat, ...]) -> Iterator[Choice]:
        for other in self.active:
            if other != seat and other not in allies:
                yield Choice(self._order({*allies, other}), self.sides[other], (), f"ally {self.sides[other]}")

    # ---- what is shown

    @property
    def occupants(self) -> Mapping[str, str]:
        return self.table.occupants

    @property
    def facts(self) -> Mapping[str, object]:
        return {**self.table.facts, **self.table.surveyed.facts(self.sides)}

    @property
    def setup(self) -> str:
        return self.table.setup

    def view(self, seat: Seat | None) -> Scene:
        """The counted board and the table of all coalitions, with the seat's own declaration and all open ones."""
        scene = self.table.view(seat)
        scene = counted(scene, self.table.surveyed)
        return scene._replace(notes=tuple(self._notes(seat)))

    def _notes(self, viewer: Seat | None) -> Iterator[str]:
        yield from self.table.report.divisions(self.table.board, self.sides)
        yield from departures(self.left, self.sides)
        yield "The board has been counted. Players may now ally and share the victory, or stay alone."
        if self.table.rules.sharing is not Sharing.NOBODY:
            yield "Stones taken from an ally don't count for the alliance."
        if self.open:
            yield "Everybody sees each declaration. If you change yours, all others can choose again."
        else:
            yield "Nobody sees the declarations until everybody has made one."
        for seat, wanted in sorted(self.declared.items()):
            if self.open:
                allies = whose(sorted(wanted - {seat}), self.sides)
                yield f"{whose([seat], self.sides)} wants to {f'ally with {allies}' if allies else 'stay alone'}."
            elif seat == viewer:
                allies = whose(sorted(wanted - {seat}), self.sides)
                said = f"to ally with {allies}" if allies else "to stay alone"
                yield f"You've declared {said}; nobody else knows, and you may change it until all have declared."


def explained(
    declared: Mapping[Seat, Alliance], alliances: Iterable[Alliance], count: Count, sides: tuple[str, ...]
) -> Iterator[str]:
    """Every declaration, and why each alliance that all its members named qualified or dissolved."""
    for seat, wanted in sorted(declared.items()):
        allies = whose(sorted(wanted - {seat}), sides)
        who = whose([seat], sides)
        yield f"{who} wanted to ally with {allies}." if allies else f"{who} wanted to stay alone."
    needed, alliances = 5 * count.total // 12 + 1, [*alliances]
    for alliance in alliances:
        points, members = count.points(alliance), whose(sorted(alliance), sides)
        if qualifies(points, count.total):
            yield f"{members} are allies: together they have {points} of {count.total} points, and {needed} are enough."
        else:
            yield f"{members} have only {points} of {count.total} points together and need {needed}: each counts alone."
    if not alliances and any(len(wanted) > 1 for wanted in declared.values()):
        yield "Allies must all choose each other and nobody else. None did, so each counts alone."
    elif not alliances and declared:
        yield "Nobody wanted an ally, so each counts alone."


def rows(coalitions: Iterable[Coalition], total: int, sides: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The table of coalitions for the panel beside the board: those that qualify come first, then by points. Of more
    than SHOWN, it has only those that qualify: all of them would fill a page of an email."""
    yield "All points", f"{total}; an alliance needs more than 5/12 of them, {5 * total // 12 + 1} or more"
    ranked = sorted(coalitions, key=lambda each: (not each.qualifies, -each.points, each.members))
    enough = [each for each in ranked if each.qualifies]
    if len(ranked) <= SHOWN:
        few = [each for each in ranked if not each.qualifies]
        parts = (("Enough together", _listed(enough, sides)), ("Not enough together", _listed(few, sides)))
        yield from ((label, listed) for label, listed in parts if listed)
        return
    more = f" and {len(enough) - SHOWN} more" if len(enough) > SHOWN else ""
    yield "Enough together", f"{_listed(enough[:SHOWN], sides)}{more}" if enough else "nobody"
    if enough and len(enough) < len(ranked):
        yield "Not enough together", "all others"


def _listed(coalitions: Iterable[Coalition], sides: tuple[str, ...]) -> str:
    """`Black + White 33, White + Red 31`."""
    named = ((" + ".join(sides[seat].capitalize() for seat in each.members), each.points) for each in coalitions)
    return ", ".join(f"{names} {points}" for names, points in named)
