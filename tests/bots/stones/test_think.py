"""The search: its moves are legal and reproducible, and it sees simple tactics."""

from __future__ import annotations

from hashlib import sha256

import pytest

from service.bots.roster import OPPONENTS
from service.bots.stones.opponents import order
from service.bots.stones.think import searched, think
from service.bots.thought import View
from service.bots.yardsticks import greedy
from service.engine.game import Position
from service.engine.stone_games.stone_position import StonePosition
from service.games import GAMES
from tests.bots.stones import thoughts
from tests.bots.stones.thoughts import wandered

BOARDS = [
    ("go", 2, {"size": "5"}),
    ("rosette", 2, {"base": "5", "counting": "territory"}),
    ("lotus", 2, {}),
    ("medusa", 2, {"base": "4"}),
    ("multigo", 3, {"size": "5"}),
    ("multigo-coop", 5, {"size": "5"}),
    ("multigo-parallel", 3, {"size": "5"}),
    ("multigo-parallel-coop", 4, {"size": "5"}),
]


@pytest.mark.parametrize(("name", "seats", "options"), BOARDS)
def test_a_thought_is_legal_and_reproducible(name: str, seats: int, options: dict[str, str]) -> None:
    for seed, plies in enumerate((0, 7, 20, 45)):
        position = wandered(name, seats, options, plies, seed)
        seat = position.turns[0]
        view = View.of(position, seat)
        thought = think(view, 12, seed)
        position.play(seat, thought.move)
        assert 0 <= thought.value <= 1
        assert thought.lines[0][0] == thought.move
        assert all(sum(chances) <= 1.001 for chances in thought.ownership.values())
        again = think(view, 12, seed)
        assert (again.move, again.value, again.lines) == (thought.move, thought.value, thought.lines)


THOUGHTS = {
    "go": "ed1bf3dbc8b2",
    "rosette": "c9aed5c30520",
    "lotus": "5b743d709d74",
    "medusa": "51923c0fb831",
    "multigo": "800f9b7d4405",
    "multigo-coop": "2268e40c203b",
    "multigo-parallel": "bf4d9578877e",
    "multigo-parallel-coop": "40ecd32f8686",
}
"""Digests of the bots' thoughts in three positions of each game: the same with and without a compiler, to the last bit.

A change of how the bots think needs new digests; a change that only makes them faster doesn't.
"""


@pytest.mark.parametrize(("name", "seats", "options"), BOARDS)
def test_thoughts_are_the_same_with_and_without_a_compiler(name: str, seats: int, options: dict[str, str]) -> None:
    digest = sha256()
    for seed, plies in enumerate((3, 15, 30)):
        position = wandered(name, seats, options, plies, seed)
        thought = think(View.of(position, position.turns[0]), 15, seed)
        digest.update(repr((thought.move, thought.value, sorted(thought.ownership.items()), thought.lines)).encode())
    assert digest.hexdigest()[:12] == THOUGHTS[name]


def test_the_thousand_thoughts_are_up_to_date() -> None:
    known = thoughts.THOUGHTS.read_text().splitlines()
    numbers = (0, 321, 642, 963, 6, 7)
    assert [*thoughts.thoughts(numbers)] == [known[number] for number in numbers]
    assert len(known) == 1000


def test_the_shares_dont_favour_the_seat_to_move() -> None:
    """On a large board with few simulations; otherwise a review would call every opening move a blunder."""
    position: Position = GAMES["go"].start(2, 0)
    for move in ("d4", "d3", "q16"):
        thought = think(View.of(position, position.turns[0]), 54, 1)
        assert abs(thought.shares[0] - 0.5) < 0.1
        assert sum(thought.shares) == 1
        position = position.play(position.turns[0], move)


def test_the_search_captures_what_it_must() -> None:
    wall, chain, other = "c1 c2 c3 c4 c5 c6 c7", "d1 d2 d3 d4 d5 d6 d7", "e1 e2 e3 e4 e5 e6"
    setup = f"black: {wall} {other}; white: {chain} f1 f2 f3 f4 f5 f6; turn: black"
    view = View.of(GAMES["go"].start(2, 0, size="7", komi="5.5", setup=setup), 0)
    assert [think(view, 60, seed).move for seed in (1, 2)] == ["e7", "e7"]


def test_groups_move_in_the_search() -> None:
    setup = "black: b1 c2 b3 a2; white: d1 e1 d3 e3 a3 c4; turn: white"
    position = GAMES["medusa"].start(2, 0, base="6", setup=setup)
    turns = [move for move, _, _ in searched(View.of(position, 1), 60, 1).moves]
    assert any("-" in turn for turn in turns)
    for turn in turns:
        position.play(1, turn)


def test_bots_at_the_same_table_choose_differently() -> None:
    position = GAMES["multigo-parallel"].start(3, 0, size="7")
    chosen = {think(View.of(position, seat), 40, seed).move for seat in (0, 1, 2) for seed in (1, 2)}
    assert len(chosen) > 2, "Moves are drawn at random from those that look good."


def test_a_view_hides_the_others_sealed_moves() -> None:
    position = GAMES["multigo-parallel"].start(3, 0, size="5")
    sealed = position.play(0, "c3").play(1, "a1")
    assert think(View.of(sealed, 2), 20, 5) == think(View.of(position, 2), 20, 5)


def won(game: str, options: dict[str, str], level: int, seed: int) -> float:
    """The share of the win of an opponent that moves first against Greedy."""
    position = GAMES[game].start(2, 0, **options)
    opponent = OPPONENTS[game][level - 1]._replace(budget=40)
    for ply in range(200):
        if position.outcome is not None:
            return float(position.outcome.scores[0])
        seat = position.turns[0]
        view = View.of(position, seat)
        thought = greedy(view, 0, seed + ply) if seat else order(view, opponent, seed + ply)
        position = position.play(seat, thought.move)
    assert isinstance(position, StonePosition)
    return float(0 in position.survey().winners)


def test_a_small_budget_beats_greedy() -> None:
    assert won("go", {"size": "5"}, 2, 1) == 1
