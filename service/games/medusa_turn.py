"""One turn of Medusa as it unfolds: the placement, then the movement of groups, with captures after every step."""

from __future__ import annotations

from collections.abc import Iterator

from service.engine.game import Illegal
from service.engine.stone_games.stones import Cells, Chain, Immune, chain
from service.games.kagome import Kagome
from service.games.medusa_notation import Order
from service.games.reversal import Event, empty_near, owner, place, reverse_around, toggled


class MedusaTurn:
    """A turn as it unfolds, on its own copy of the board; `colour` is 1 or 2.

    `spent` has the stones whose groups may no longer move this turn, each with what happened to its group. It is all
    that the movement rules need: a group may move if it has two or more stones and none of them is spent. Then all
    its stones are spent, wherever they are now, and so are those of the group that the moved stone joins.
    """

    def __init__(self, kagome: Kagome, immune: Immune, cells: Cells, colour: int) -> None:
        self.kagome = kagome
        self.neighbours = kagome.board.neighbours
        self.immune = immune
        self.cells = cells.copy()
        self.colour = colour
        self.spent: dict[int, str] = {}
        self.placed = False
        self.marks: dict[int, tuple[str, ...]] = {}
        self.reversals: list[Chain] = []
        self.turned: set[int] = set()
        """Where stones have another colour than before the turn (a placed stone: another than its player's)."""

    def carry_out(self, order: Order) -> None:
        """The whole order, judged step by step; raises Illegal."""
        if order.placed is not None:
            self.place(order.placed)
        for start, goal in order.steps:
            self.move(start, goal)

    def event(self, move: str) -> Event:
        """The event of this turn, which is written as `move`."""
        return Event(self.colour - 1, move, self.placed, self.marks, self.reversals, self.turned)

    def place(self, point: int) -> None:
        """Put a stone on `point`; raises Illegal."""
        if self.cells[point]:
            raise Illegal(
                f"{self._taken(point)}{empty_near(self.cells, self.kagome.board, point)}{self._instead(point)}"
            )
        self.placed = True
        self.marks[point] = ("last",)
        self._note(place(self.cells, self.neighbours, point, self.colour, self.immune))

    def move(self, start: int, goal: int) -> None:
        """Move the group of `start` by the stone on `start`; raises Illegal.

        Only enemy groups can be captured: the group that moved has a liberty, the cell just left.
        """
        if goal not in self.landings(start):
            names = self.kagome.board.names
            raise Illegal(f"{names[start]}-{names[goal]}: {self._why_not(start, goal)}")
        for point in chain(self.cells, self.neighbours, start):
            self.spent[point] = "has already moved this turn"
        self._carry(start, goal)
        self._note(reverse_around(self.cells, self.neighbours, goal, self.immune))
        for point in chain(self.cells, self.neighbours, goal):
            self.spent.setdefault(point, "was joined or captured this turn by one that moved, and may not move now")

    def _carry(self, start: int, goal: int) -> None:
        """Move the stone itself, with all that is recorded about it."""
        self.cells[start], self.cells[goal] = 0, self.colour
        self.spent[goal] = self.spent.pop(start)
        self.marks[start], self.marks[goal] = ("origin",), ("last",)
        if start in self.turned:
            self.turned.remove(start)
            self.turned.add(goal)

    def _note(self, reversals: list[Chain]) -> None:
        self.reversals += reversals
        self.turned ^= toggled(reversals)

    def landings(self, start: int) -> list[int]:
        """Where the stone on `start` may land: in each direction, the first empty cell beyond a row of its colour."""
        if self.cells[start] != self.colour or self._reason_spent(start):
            return []
        return [goal for ray in self.kagome.rays[start] if (goal := self._landing(ray)) is not None]

    def steps(self) -> Iterator[tuple[int, int]]:
        """All moves of one group that are legal now."""
        for start, stone in enumerate(self.cells):
            if stone == self.colour:
                for goal in self.landings(start):
                    yield start, goal

    def movable(self) -> list[list[int]]:
        """The stones with which a group can move now, group by group."""
        groups: dict[int, list[int]] = {}
        for start in dict.fromkeys(start for start, _ in self.steps()):
            groups.setdefault(min(chain(self.cells, self.neighbours, start)), []).append(start)
        return [*groups.values()]

    def _landing(self, ray: tuple[int, ...]) -> int | None:
        for jumped, point in enumerate(ray):
            if self.cells[point] != self.colour:
                return point if jumped and not self.cells[point] else None
        return None

    def _reason_spent(self, start: int) -> str:
        if not self.spent:
            return ""
        return next(
            (self.spent[point] for point in chain(self.cells, self.neighbours, start) if point in self.spent), ""
        )

    def _taken(self, point: int) -> str:
        return f"{self.kagome.board.names[point]} is taken by {owner(self.cells, point)}."

    def _instead(self, point: int) -> str:
        """How to write a move of the group, for a player who named only its stone; "" if it can't move."""
        names = self.kagome.board.names
        goals = self.landings(point)
        return f" To move its group, write {names[point]}-{names[goals[0]]}." if goals else ""

    def _why_not(self, start: int, goal: int) -> str:
        """Why the stone on `start` can't land on `goal`, as a sentence; checks the simplest reasons first."""
        names = self.kagome.board.names
        if not self.cells[start]:
            return f"there is no stone on {names[start]}."
        if self.cells[start] != self.colour:
            return f"the stone on {names[start]} is {owner(self.cells, start)}'s."
        if self.cells[goal]:
            return self._taken(goal)
        if reason := self._reason_spent(start):
            return f"the group of {names[start]} {reason}."
        if len(chain(self.cells, self.neighbours, start)) == 1:
            return f"{names[start]} is a single stone, and only groups of two or more stones move."
        return f"{self._why_no_jump(start, goal)} {self._landings_in_words(start)}"

    def _why_no_jump(self, start: int, goal: int) -> str:
        names = self.kagome.board.names
        ray = next((ray for ray in self.kagome.rays[start] if goal in ray), None)
        if ray is None:
            return f"no unbroken row of cells leads from {names[start]} to {names[goal]}."
        way = ray[: ray.index(goal)]
        barrier = next((point for point in way if self.cells[point] != self.colour), None)
        if barrier is None:
            return "nothing to jump: a stone moves over one or more stones of its own colour."
        if self.cells[barrier]:
            return f"{owner(self.cells, barrier)}'s stone on {names[barrier]} is in the way."
        if barrier == ray[0]:
            return f"nothing to jump: {names[barrier]} is empty."
        return f"a stone lands on the first empty cell, here {names[barrier]}."

    def _landings_in_words(self, start: int) -> str:
        names = self.kagome.board.names
        goals = [names[goal] for goal in self.landings(start)]
        return f"{names[start]} can land on {' or '.join(goals)}." if goals else f"{names[start]} cannot move now."
