"""Turns of Medusa: the movement rules case by case, and random turns compared with a slow reference."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from service.engine.game import Illegal
from service.engine.stone_games.stones import Immune
from service.games.kagome import kagome
from service.games.medusa import Medusa
from service.games.medusa_notation import parse, read_turn
from service.games.medusa_turn import MedusaTurn
from service.games.reversal import Rules
from tests.games.reversal_reference import Stones, dead, groups, settle

BLACK, WHITE = 1, 2
DATA = Path(__file__).parent.parent / "data" / "games"


def cells(side: int, black: str = "", white: str = "") -> list[int]:
    index = kagome(side).board.index
    board = [0] * len(index)
    for names, colour in ((black, BLACK), (white, WHITE)):
        for name in names.split():
            board[index[name]] = colour
    return board


def immune(side: int) -> Immune:
    return Rules("Medusa", kagome(side).board, kagome(side).rings, 9).immune


def carried_out(order: str, colour: int = BLACK, black: str = "", white: str = "", side: int = 10) -> MedusaTurn:
    turn = MedusaTurn(kagome(side), immune(side), cells(side, black, white), colour)
    board = kagome(side).board
    turn.carry_out(parse(board, read_turn(board, order)))
    return turn


def names(turn: MedusaTurn, colour: int) -> str:
    return " ".join(name for name, stone in zip(turn.kagome.board.names, turn.cells, strict=True) if stone == colour)


@pytest.mark.parametrize(
    ("black", "order", "left"),
    [
        ("c5 d5 f5 g5", "f5-h5 c5-e5", "d5 e5 g5 h5"),
        ("c5 d5 e5", "d5-f5", "c5 e5 f5"),
        ("c5 d5", "c5-e5", "d5 e5"),
        ("c5 d5 e5 f5", "c5-g5", "d5 e5 f5 g5"),
        ("c5", "d5 d5-b5", "b5 c5"),
        ("c5", "d5 c5-e5", "d5 e5"),
    ],
)
def test_m3_m4_legal_moves(black: str, order: str, left: str) -> None:
    assert names(carried_out(order, black=black), BLACK) == left


@pytest.mark.parametrize(
    ("black", "white", "order", "message"),
    [
        (
            "c5 d5 f5 g5",
            "",
            "c5-e5 f5-h5",
            "f5-h5: the group of f5 was joined or captured this turn by one that moved",
        ),
        ("c5 d5 e5", "", "d5-f5 f5-d5", "f5-d5: the group of f5 has already moved this turn."),
        ("c5 d5 e5 c4", "", "d5-f5 c5-c3", "c5-c3: the group of c5 has already moved this turn."),
        ("c5", "", "c5-e5", "c5-e5: c5 is a single stone, and only groups of two or more stones move."),
        (
            "c5 d5",
            "",
            "c5-b5",
            "c5-b5: nothing to jump: a stone moves over one or more stones of its own colour. c5 can",
        ),
        ("c5 d5", "", "d5-g5", "d5-g5: nothing to jump: e5 is empty. d5 can land on b5."),
        ("c5 d5", "", "c5-f5", "c5-f5: a stone lands on the first empty cell, here e5. c5 can land on e5."),
        ("c5 d5", "", "c5-c4", "c5-c4: nothing to jump"),
        ("c5 d5", "", "c5-c7", "c5-c7: nothing to jump: c6 is empty. c5 can land on e5."),
        ("c5 d5", "", "c5-d9", "c5-d9: no unbroken row of cells leads from c5 to d9. c5 can land on e5."),
        ("c5 d5", "e5", "c5-e5", "c5-e5: e5 is taken by White."),
        ("c5 d5", "e5", "c5-f5", "c5-f5: White's stone on e5 is in the way. c5 cannot move now."),
        ("c5 d5", "", "g7-g9", "g7-g9: there is no stone on g7."),
        ("c5 d5", "e5", "e5-g5", "e5-g5: the stone on e5 is White's."),
        ("c5", "c4 d5 b5", "c5", "c5 is taken by Black. Empty next to it: c6."),
        ("", "c5", "c5", "c5 is taken by White. Empty next to it: d5, c6, b5, c4."),
        ("c5 d5", "c6 c4", "c5", "c5 is taken by Black. Empty next to it: b5. To move its group, write c5-e5."),
    ],
)
def test_refusals_say_why_and_what_would_be_legal(black: str, white: str, order: str, message: str) -> None:
    with pytest.raises(Illegal, match=re.escape(message)):
        carried_out(order, black=black, white=white)


def test_a_row_does_not_continue_across_a_hole() -> None:
    """On this line, d4 is a hole, so c4 and e4 aren't neighbours."""
    with pytest.raises(Illegal, match="no unbroken row"):
        carried_out("c4-g4", black="c4 c5 e4 e5")


M1_BLACK, M1_WHITE = "r19 s18 q18 s17 r17 q17 s16", "q19 p19 o18 p17 q16 r15 q15"


def test_m1_suicide_that_completes_the_enemys_rosette() -> None:
    turn = carried_out("s19 q15-s15", WHITE, M1_BLACK, M1_WHITE)
    assert names(turn, BLACK) == "q17 q18 r17 r19 s16 s17 s18 s19"
    assert names(turn, WHITE) == "o18 p17 p19 q16 q19 r15 s15"


def test_m1_after_the_movement_the_rosette_saves_black() -> None:
    first = carried_out("q15-s15", WHITE, M1_BLACK, M1_WHITE)
    saved = carried_out("s19", BLACK, names(first, BLACK), names(first, WHITE))
    assert names(saved, BLACK) == "q17 q18 r17 r19 s16 s17 s18 s19"
    lost = carried_out("s19", WHITE, names(first, BLACK), names(first, WHITE))
    assert names(lost, BLACK) == ""
    assert len(names(lost, WHITE).split()) == 15


def test_m2_a_suicide_and_two_movements_capture_the_bottom() -> None:
    black, white = "b1 c2 b3 a2", "d1 e1 d3 e3 a3 c4"
    turn = carried_out("a1 e1-c1 e3-c3", WHITE, black, white)
    assert names(turn, BLACK) == ""
    assert names(turn, WHITE) == "a1 a2 a3 b1 b3 c1 c2 c3 c4 d1 d3"
    assert turn.event("").captured == {"black": 5, "white": 1}
    assert {turn.kagome.board.names[point] for point in turn.turned} == {"a2", "b1", "b3", "c2"}
    without = carried_out("e1-c1 e3-c3", WHITE, black, white)
    assert names(without, BLACK) == "a2 b1 b3 c2"


def test_m5_a_group_captured_by_placement_may_move() -> None:
    turn = carried_out("b1 a1-c1", black="a2", white="a1")
    assert (names(turn, BLACK), names(turn, WHITE)) == ("a2 b1 c1", "")
    assert {turn.kagome.board.names[point] for point in turn.turned} == {"c1"}


def test_a_group_captured_by_movement_may_not_move() -> None:
    """Rule: "Groups captured by movement contain at least one stone that has moved." """
    moved = carried_out("e1-b1", black="a2 c1 d1 e1", white="a1")
    assert names(moved, WHITE) == ""
    with pytest.raises(
        Illegal, match=re.escape("a1-a3: the group of a1 was joined or captured this turn by one that moved")
    ):
        carried_out("e1-b1 a1-a3", black="a2 c1 d1 e1", white="a1")


def test_a_group_joined_to_the_moved_stone_by_a_capture_may_not_move() -> None:
    """Ruling M-d: the captured stone on a1 connects a2 and a3 to the moved stone."""
    assert names(carried_out("a2-a4 e1-b1", BLACK, "a2 a3 c1 d1 e1", "a1"), WHITE) == "a1"
    with pytest.raises(Illegal, match="may not move now"):
        carried_out("e1-b1 a2-a4", BLACK, "a2 a3 c1 d1 e1", "a1")


def test_a_second_reversal_reverses_the_captors_too() -> None:
    """Ruling M-b: black a3 captures a1 a2, but the united stones have no liberty; White keeps the eye on d3."""
    black = "b1 c1 d1 e2 f3 g4 g5 f5 e5 d5 c4 b3"
    white = "a1 a2 c2 c3 e3 e4 a4 c5 e6 g6 h5 g3 e1"
    turn = carried_out("a3", BLACK, black, white, side=6)
    assert (names(turn, BLACK), len(names(turn, WHITE).split())) == ("", 26)
    assert turn.event("").captured == {"black": 15, "white": 2}
    assert {turn.kagome.board.names[point] for point in turn.turned} == {*black.split(), "a3"}


class Reference:
    """A turn in terms of names: each stone has a number, and captures are found by scanning the whole board."""

    def __init__(self, side: int, stones: Stones, mover: int) -> None:
        span = range(1, 2 * side)
        self.cells = {f"{chr(96 + c)}{r}": (c, r) for c in span for r in span if abs(c - r) < side and (c % 2 or r % 2)}
        at = {place: name for name, place in self.cells.items()}
        steps = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
        self.steps = steps
        self.at = at
        self.graph = {
            name: frozenset(at[c + x, r + y] for x, y in steps if (c + x, r + y) in at)
            for name, (c, r) in self.cells.items()
        }
        self.rings = [
            frozenset(at[c + x, r + y] for x, y in steps)
            for c in span
            for r in span
            if abs(c - r) < side and c % 2 == r % 2 == 0
        ]
        self.stones, self.mover = stones, mover
        self.who = {name: number for number, name in enumerate(sorted(stones))}
        self.barred: set[int] = set()

    def place(self, name: str) -> int:
        self.stones[name] = self.mover
        self.who[name] = len(self.who)
        return settle(self.stones, self.graph, self.rings, self.mover)

    def group(self, name: str) -> frozenset[str]:
        return next(group for group in groups(self.stones, self.graph) if name in group)

    def landings(self, name: str) -> set[str]:
        if any(self.who[stone] in self.barred for stone in self.group(name)):
            return set()
        found = set()
        for x, y in self.steps:
            (c, r), jumped = self.cells[name], 0
            while self.stones.get(self.at.get((c + x, r + y), "")) == self.mover:
                c, r, jumped = c + x, r + y, jumped + 1
            goal = self.at.get((c + x, r + y))
            if jumped and goal and goal not in self.stones:
                found.add(goal)
        return found

    def move(self, start: str, goal: str) -> None:
        self.barred |= {self.who[stone] for stone in self.group(start)}
        self.stones[goal], self.who[goal] = self.stones.pop(start), self.who.pop(start)
        settle(self.stones, self.graph, self.rings, self.mover)
        self.barred |= {self.who[stone] for stone in self.group(goal)}


@pytest.mark.parametrize("seed", range(6))
def test_random_turns_agree_with_the_reference(seed: int) -> None:
    """Movement is never suicide, and a placement takes at most two reversals."""
    chance = random.Random(seed)
    board = kagome(4).board
    stones: Stones = {}
    for ply in range(45):
        mover = BLACK + ply % 2
        turn = MedusaTurn(kagome(4), immune(4), [stones.get(name, 0) for name in board.names], mover)
        slow = Reference(4, stones, mover)
        empty = [name for name in board.names if name not in stones]
        if empty and chance.random() < 0.7:
            name = chance.choice(empty)
            turn.place(board.index[name])
            assert slow.place(name) <= 2
        for _ in range(chance.randrange(4)):
            legal = {name: slow.landings(name) for name in board.names if stones.get(name) == mover}
            pairs = {(start, goal) for start, goals in legal.items() for goal in goals}
            assert {(board.names[start], board.names[goal]) for start, goal in turn.steps()} == pairs
            if not pairs:
                break
            start, goal = chance.choice(sorted(pairs))
            turn.move(board.index[start], board.index[goal])
            slow.move(start, goal)
            assert not dead(stones, slow.graph, slow.rings, mover)
            assert turn.cells == [stones.get(name, 0) for name in board.names]
        assert turn.cells == [stones.get(name, 0) for name in board.names]


def test_the_golden_match_agrees_with_the_reference() -> None:
    """Compares the whole board after every turn of tests/data/games/medusa.record."""
    position, stones = Medusa().start(), Stones()
    for line in (DATA / "medusa.record").read_text().splitlines():
        if line.startswith("#") or position.phase != "play":
            continue
        mover = position.turns[0] + 1
        slow = Reference(10, stones, mover)
        for word in line.split():
            if "-" in word:
                start, goal = word.split("-")
                assert goal in slow.landings(start)
                slow.move(start, goal)
            elif word != "pass":
                slow.place(word)
        position = position.play(mover - 1, line)
        assert position.occupants == {name: ("black", "white")[stone - 1] for name, stone in stones.items()}
    assert position.facts["points"] == {"black": "82", "white": "107"}
