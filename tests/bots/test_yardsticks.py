"""The two weak players that all others are measured against."""

from __future__ import annotations

import pytest

from service.bots.opponents import hurried_order
from service.bots.roster import YARDSTICK
from service.bots.thought import View
from service.bots.yardsticks import greedy, pebble, stones_worth
from service.engine.game import Position
from service.games import GAMES


def at_once(setup: str) -> Position:
    return GAMES["multigo-parallel"].start(2, 0, size="5", setup=setup)


@pytest.mark.parametrize(
    ("setup", "move", "worth"),
    [
        ("black: b2 c1; white: b1", "a1", (1, 0, 2)),
        ("black: b2 c1; white: b1", "d1", (0, 0, 3)),
        ("white: a2 b1 b2 c1; black: e5", "a1", (0, -1, 0)),
        ("black: b1; white: a1 c1", "b2", (0, 1, 3)),
    ],
)
def test_where_all_play_at_once_a_stone_is_worth_what_it_would_do_alone(
    setup: str, move: str, worth: tuple[int, ...]
) -> None:
    position = at_once(setup)
    assert stones_worth(position, position.play(0, move), 0, move) == worth


def test_the_greedy_one_captures_where_all_play_at_once() -> None:
    assert greedy(View.of(at_once("black: b2 c1; white: b1"), 0), 0, 1).move == "a1"


def test_the_random_one_ends_the_game_with_the_others() -> None:
    start = GAMES["go"].start(2, 0, size="5")
    passed = start.play(0, "pass")
    assert pebble(View.of(passed, 1, ((0, "pass"),)), 0, 1).move == "pass"
    ended = passed.play(1, "pass")
    assert pebble(View.of(ended, 0, ((0, "pass"), (1, "pass"))), 0, 1).move == "accept"
    view = View.of(start, 0)
    assert hurried_order(view, YARDSTICK, 3).move == pebble(view, 0, 3).move != "pass"
