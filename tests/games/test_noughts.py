"""The example of service/games/README.md is a complete game that implements the contract."""

from __future__ import annotations

import random

import pytest

from service.config import ROOT
from service.engine.game import Illegal, Position, Unreadable
from service.engine.waiting import Waiting
from service.render.svg import svg
from service.render.text import text
from tests.games.noughts import Moment, NoughtsAndCrosses

GAME = NoughtsAndCrosses()
FIELDS = {"sides", "round", "phase", "turns", "outcome"}
CONTRACT = {name for kind in (Position, Waiting) for name in vars(kind) if not name.startswith("_")} - FIELDS


def test_the_readme_shows_the_example() -> None:
    code = (ROOT / "tests/games/noughts.py").read_text().partition('"""\n\n')[2]
    assert f"```python\n{code}```" in (ROOT / "service/games/README.md").read_text()


def test_the_example_overrides_at_most_eight_members() -> None:
    assert len(CONTRACT & set(vars(Moment))) <= 8


def test_the_example_can_be_played_to_the_end_and_started_from_any_setup() -> None:
    for seed in range(20):
        chance, position, round_ = random.Random(seed), GAME.start(), 0
        while position.outcome is None:
            assert position.round > round_
            assert GAME.start(setup=position.setup).occupants == position.occupants
            assert text(position.view(None))
            assert svg(position.view(0)).startswith("<svg")
            (seat,) = position.turns
            move, round_ = chance.choice([*position.moves(seat)]), position.round
            position = position.play(seat, position.read(seat, f" {move.upper()}. "))
        assert sum(position.outcome.scores) == 1


def test_the_example_explains_illegal_and_unreadable_moves() -> None:
    after = GAME.start().play(0, "b2")
    with pytest.raises(Illegal, match=r"b2 can't be played\. Empty points: a1, b1"):
        after.play(1, "b2")
    with pytest.raises(Unreadable, match="Write for example a1"):
        after.read(1, "centre please")
    assert [choice.cells for choice in after.draft(1, "").choices][:1] == [("a1",)]


def test_replay_and_perft_follow_from_its_moves() -> None:
    start, log = GAME.start(), [(0, "b2"), (1, "a1"), (0, "c3")]
    played = start
    for seat, move in log:
        played = played.play(seat, move)
    again = GAME.replay(start, log)
    assert (again.occupants, again.turns, again.round) == (played.occupants, (1,), 4)
    assert [GAME.perft(start, depth) for depth in range(4)] == [1, 9, 9 * 8, 9 * 8 * 7]
