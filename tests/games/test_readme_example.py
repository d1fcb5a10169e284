"""The example in service/games/README.md is a complete game that implements the contract."""

from __future__ import annotations

import random
import re
import sys
from types import ModuleType

import pytest

from service.config import ROOT
from service.engine.game import Game, Illegal, Position, Unreadable
from service.engine.waiting import Waiting
from service.render.svg import svg
from service.render.text import text

README = (ROOT / "service/games/README.md").read_text()
FIELDS = {"sides", "round", "phase", "turns", "outcome"}
CONTRACT = {name for kind in (Position, Waiting) for name in vars(kind) if not name.startswith("_")} - FIELDS


@pytest.fixture(scope="module")
def example() -> ModuleType:
    (code,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    module = ModuleType("noughts_and_crosses")
    sys.modules[module.__name__] = module  # Dataclasses look up their module.
    exec(compile(code, "README.md", "exec"), vars(module))
    return module


@pytest.fixture
def game(example: ModuleType) -> Game:
    made: Game = example.NoughtsAndCrosses()
    return made


def test_the_example_overrides_at_most_eight_members(example: ModuleType) -> None:
    assert len(CONTRACT & set(vars(example.Moment))) <= 8


def test_the_example_can_be_played_to_the_end_and_started_from_any_setup(game: Game) -> None:
    for seed in range(20):
        chance, position, round_ = random.Random(seed), game.start(), 0
        while position.outcome is None:
            assert position.round > round_
            assert game.start(setup=position.setup).occupants == position.occupants
            assert text(position.view(None))
            assert svg(position.view(0)).startswith("<svg")
            (seat,) = position.turns
            move, round_ = chance.choice([*position.moves(seat)]), position.round
            position = position.play(seat, position.read(seat, f" {move.upper()}. "))
        assert sum(position.outcome.scores) == 1


def test_the_example_explains_illegal_and_unreadable_moves(game: Game) -> None:
    after = game.start().play(0, "b2")
    with pytest.raises(Illegal, match=r"b2 can't be played\. Empty points: a1, b1"):
        after.play(1, "b2")
    with pytest.raises(Unreadable, match="Write for example a1"):
        after.read(1, "centre please")
    assert [choice.cells for choice in after.draft(1, "").choices][:1] == [("a1",)]


def test_replay_and_perft_follow_from_its_moves(game: Game) -> None:
    start, log = game.start(), [(0, "b2"), (1, "a1"), (0, "c3")]
    played = start
    for seat, move in log:
        played = played.play(seat, move)
    again = game.replay(start, log)
    assert (again.occupants, again.turns, again.round) == (played.occupants, (1,), 4)
    assert [game.perft(start, depth) for depth in range(4)] == [1, 9, 9 * 8, 9 * 8 * 7]
