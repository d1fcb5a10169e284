"""The problems for Pillars: each can be set up, and has a right move and a line that shows why.

Each problem has a `setup` (a FEN), `to_move`, a `task` (one sentence for the solver), `moves` (the right first moves in
canonical form) and a `line` (the best play of both sides, beginning with a right move).
"""

from __future__ import annotations

import json

import pytest

from service.config import ROOT
from service.games.pillars.position import played
from tests.bots.pillars.brute import Brute
from tests.bots.pillars.playing import started

PROBLEMS = json.loads((ROOT / "service" / "bots" / "problems" / "pillars.json").read_text())
MATES = {"mates in two.": 2, "mates in three.": 3}


def mate_of(problem: dict[str, str]) -> int:
    """In how many moves the side to move should mate; 0 for other tasks."""
    return MATES.get(problem["task"].partition(" ")[2], 0)


def test_there_are_thirty_different_problems() -> None:
    assert len({problem["setup"] for problem in PROBLEMS}) == len(PROBLEMS) >= 30


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem["setup"])
def test_a_problem_can_be_set_up_and_solved(problem: dict[str, str]) -> None:
    assert set(problem) == {"setup", "to_move", "task", "moves", "line"}
    position = started(problem["setup"])
    assert position.sides[position.seat] == problem["to_move"]
    assert problem["task"].startswith(problem["to_move"].capitalize())
    assert len(problem["moves"]) == 1
    assert problem["line"][0] in problem["moves"]
    for text in problem["line"]:
        position = played(position, position.seat, text)
    if mate_of(problem):
        assert len(problem["line"]) == 2 * mate_of(problem) - 1
        assert position.outcome is not None
        assert position.outcome.reason == "checkmate"


@pytest.mark.parametrize("problem", [problem for problem in PROBLEMS if mate_of(problem) == 2][::4])
def test_only_the_right_move_mates_in_time(problem: dict[str, list[str]]) -> None:
    position = started(str(problem["setup"]))
    assert Brute().mating(position, 2) == problem["moves"]
