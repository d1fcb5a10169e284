"""Go and Rosette compared with a literal implementation: boards as sets, every position kept, no optimisation."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.board import Board
from service.engine.game import MoveError, Position
from service.engine.grid import grid
from service.games.rosette import hexagons, rosette_board
from service.games.surround import Rules, SurroundPosition, replay

TINY = {
    "go 2x2": Rules("Go", grid(2, 2), Fraction(0)),
    "go 3x3": Rules("Go", grid(3, 3), Fraction(0)),
    "go 1x5": Rules("Go", grid(1, 5), Fraction(0)),
    "go 2x3, situational": Rules("Go", grid(2, 3), Fraction(0), situational=True),
    "rosette": Rules("Rosette", rosette_board(1), Fraction(0), situational=True, flowers=hexagons(1)),
    "rosette of seven": Rules("Rosette", rosette_board(2), Fraction(0), situational=True, flowers=hexagons(2)),
}

Stones = frozenset[tuple[int, int]]
"""Points, each with the seat whose stone is there."""


class Letter:
    """The rules, implemented literally."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.stones: Stones = frozenset()
        self.turn = 0
        self.been = {self.moment(self.stones, 0)}

    def moment(self, stones: Stones, turn: int) -> tuple[Stones, int]:
        return stones, turn if self.rules.situational else 0

    def after(self, point: int) -> Stones | None:
        """The stones after a placement, or None if it is illegal."""
        if any(point == where for where, _ in self.stones):
            return None
        stones = self.stones | {(point, self.turn)}
        stones -= dead(self.rules.board, self.rules.flowers, stones, 1 - self.turn)
        if dead(self.rules.board, self.rules.flowers, stones, self.turn):
            return None
        return None if self.moment(stones, 1 - self.turn) in self.been else stones

    def play(self, point: int | None) -> None:
        if point is not None:
            after = self.after(point)
            assert after is not None
            self.stones = after
        self.turn = 1 - self.turn
        self.been.add(self.moment(self.stones, self.turn))

    def moves(self) -> list[str]:
        names = self.rules.board.names
        return [*(names[point] for point in range(len(names)) if self.after(point) is not None), "pass"]


def dead(board: Board, flowers: tuple[tuple[int, ...], ...], stones: Stones, seat: int) -> Stones:
    """All stones of `seat` in groups without a liberty and without a flower."""
    taken = {point for point, _ in stones}
    left = {point for point, owner in stones if owner == seat}
    found: set[int] = set()
    while left:
        group: set[int] = set()
        border = {next(iter(left))}
        while border:
            group |= border
            border = {near for point in border for near in board.neighbours[point] if near in left} - group
        left -= group
        free = any(near not in taken for point in group for near in board.neighbours[point])
        if not free and not any(group.issuperset(flower) for flower in flowers):
            found |= group
    return frozenset((point, seat) for point in found)


@pytest.mark.parametrize("rules", TINY.values(), ids=TINY)
@settings(max_examples=40, deadline=None)
@given(choices=st.lists(st.integers(0, 99), max_size=60))
def test_random_play(rules: Rules, choices: list[int]) -> None:
    letter = Letter(rules)
    position: Position = rules.start("")
    log: list[tuple[int, str]] = []
    for choice in choices:
        assert isinstance(position, SurroundPosition)
        moves = [*position.moves(letter.turn)]
        assert moves == letter.moves()
        refused(position, log, letter, choice % len(rules.board.names))
        if len(moves) == 1:
            break
        move = moves[choice % (len(moves) - 1)]
        log.append((letter.turn, move))
        position = position.play(letter.turn, move)
        letter.play(rules.board.index[move])
        assert {
            (rules.board.index[name], ("black", "white").index(side)) for name, side in position.occupants.items()
        } == letter.stones
    again = replay(rules.start(""), log)
    assert [*again.moves(letter.turn)] == [*position.moves(letter.turn)]
    assert (again.setup, again.facts, again.round) == (position.setup, position.facts, position.round)


def refused(position: SurroundPosition, log: list[tuple[int, str]], letter: Letter, point: int) -> None:
    """Moves that aren't listed are refused; `replay` raises the same error as `play`."""
    if letter.after(point) is None:
        move = letter.turn, position.board.names[point]
        with pytest.raises(MoveError) as played:
            position.play(*move)
        for start, rest in ((position.rules.start(""), [*log, move]), (position, [move])):
            with pytest.raises(MoveError, match=f"^{re.escape(str(played.value))}$"):
                replay(start, rest)


@settings(max_examples=40, deadline=None)
@given(choices=st.lists(st.integers(0, 99), max_size=40))
def test_positions_after_passes_count(choices: list[int]) -> None:
    """Random play with single passes, which situational superko takes into account."""
    rules = TINY["go 2x3, situational"]
    letter = Letter(rules)
    position: Position = rules.start("")
    passed = False
    for choice in choices:
        moves = [*position.moves(letter.turn)]
        assert moves == letter.moves()
        if passed and len(moves) == 1:
            break
        move = moves[choice % (len(moves) - passed)]
        passed = move == "pass"
        position = position.play(letter.turn, move)
        letter.play(None if passed else rules.board.index[move])


@pytest.mark.parametrize(
    "log",
    [[(0, "a3")], [(1, "a1")], [(1, "a3"), (0, "a3")], [(1, "a3"), (1, "b3")], [(1, "z9")], [(1, "pass"), (1, "a3")]],
)
def test_replay_refuses_an_illegal_log(log: list[tuple[int, str]]) -> None:
    with pytest.raises(MoveError):
        replay(TINY["go 3x3"].start("black: a2 b1; white: c3; turn: white"), log)
