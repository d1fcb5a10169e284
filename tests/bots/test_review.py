"""What a review says about a move that is as good as the best one."""

from __future__ import annotations

import pytest

from service.bots import review
from service.bots.thought import Thought, View
from service.games import GAMES


@pytest.mark.parametrize(
    ("black", "played", "best", "same"),
    [
        ("c5 d5 g5 h5", "c5-e5 g5-i5", "g5-i5 c5-e5", True),
        ("c5 d5 g5 h5", "a3 c5-e5 g5-i5", "a3 g5-i5 c5-e5", True),
        ("c5 d5 g5 h5", "c5-e5", "g5-i5 c5-e5", False),
        ("c5 d5 g5 h5", "c5-e5", "d5-b5", False),
    ],
)
def test_groups_that_move_in_another_order_make_the_same_move(
    monkeypatch: pytest.MonkeyPatch, black: str, played: str, best: str, same: bool
) -> None:
    monkeypatch.setattr(review, "think", lambda *_: Thought(best, lines=((best, "b1"), ("pass",))))
    position = GAMES["medusa"].start(base="6", setup=f"black: {black}; white: a1")
    thought = review.judged(View.of(position, 0), played, 1, 1)
    assert (thought.move == played) is same
    assert thought.lines == ((thought.move, "b1"), ("pass",))
