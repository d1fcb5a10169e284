"""The problems for games of stones: each can be set up, and has one right move and a playable line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.bots.stones.think import searched
from service.bots.thought import View
from service.config import ROOT
from service.engine.game import Position
from service.engine.stone_games.stone_position import StonePosition
from service.games import GAMES

STOCK = {
    game: json.loads((ROOT / "service" / "bots" / "problems" / f"{game}.json").read_text())
    for game in ("go", "rosette", "lotus", "medusa")
}
PROBLEMS = [(game, number, one) for game, stock in STOCK.items() for number, one in enumerate(stock, 1)]


@pytest.mark.parametrize("game", STOCK)
def test_all_problems_are_different(game: str) -> None:
    assert len({one["setup"]["setup"].partition("; turn")[0] for one in STOCK[game]}) == len(STOCK[game])


@pytest.mark.parametrize(("game", "number", "problem"), PROBLEMS, ids=[f"{game} {one}" for game, one, _ in PROBLEMS])
def test_a_problem_can_be_set_up_and_its_line_played(game: str, number: int, problem: dict[str, Any]) -> None:
    assert set(problem) == {"setup", "to_move", "task", "moves", "line"}
    position: Position = GAMES[game].start(2, 0, **problem["setup"])
    assert position.sides[position.turns[0]] == problem["to_move"]
    assert problem["task"].startswith(f"{problem['to_move'].capitalize()} to move. ")
    assert problem["line"][0] == problem["moves"][0]
    assert len(problem["moves"]) == 1
    for move in problem["line"]:
        position = position.play(position.turns[0], move)


def test_a_short_search_solves_an_easy_problem() -> None:
    position = GAMES["go"].start(2, 0, **STOCK["go"][0]["setup"])
    assert isinstance(position, StonePosition)
    assert searched(View.of(position, position.turns[0]), 300, 1).moves[0][0] == STOCK["go"][0]["moves"][0]
