"""Draws and resignations of the opponents at Pillars."""

from __future__ import annotations

import pytest

from service.bots.pillars.manners import courtesy
from service.bots.thought import Entry, Thought, View
from service.games.pillars.position import played
from tests.bots.pillars.playing import started

QUIET = "5k5/4t6/11/11/11/11/11/11/11/4T6/5K5 w - 44 60"
"""No capture or Sword move for 22 moves by each side."""
LOUD = "5k5/4t6/11/11/11/11/11/11/11/4T6/5K5 w - 3 60"


@pytest.mark.parametrize(
    ("values", "level", "answer"),
    [
        ([0.5, 0.49, 0.51, 0.5], 2, "draw"),
        ([0.5, 0.5], 2, ""),  # not even for long enough
        ([0.5], 1, "draw"),
        ([0.9, 0.5, 0.5, 0.5], 2, ""),
        ([0.5, 0.5, 0.5, 0.58], 2, ""),  # better now
        ([0.9, 0.43], 3, "draw"),  # worse now
        ([0.7], 1, ""),
        ([0.01, 0.01, 0.01], 3, "draw"),  # half a point is better than none
    ],
)
def test_answers_to_a_draw_offer(values: list[float], level: int, answer: str) -> None:
    position = played(started(LOUD), 1, "draw")
    assert courtesy(View.of(position, 0), Thought("T-E3", values[-1]), values[:-1], level) == answer


@pytest.mark.parametrize(
    ("values", "level", "answer"),
    [
        ([0.02, 0.02, 0.02], 2, "resign"),
        ([0.02, 0.02, 0.0], 3, "resign"),
        ([0.02, 0.02], 2, ""),
        ([0.02, 0.04, 0.02], 2, ""),
        ([0.02, 0.02, 0.2], 3, ""),
        ([0.0, 0.0, 0.0, 0.0], 1, ""),  # the learner never resigns
        ([0.5, 0.5, 0.5, 0.5], 2, ""),  # even, but not quiet
    ],
)
def test_resigning(values: list[float], level: int, answer: str) -> None:
    position = started(LOUD)
    assert courtesy(View.of(position, 0), Thought("T-E3", values[-1]), values[:-1], level) == answer


@pytest.mark.parametrize(
    ("values", "log", "answer"),
    [
        ([0.5, 0.5, 0.5, 0.5], (), "draw"),
        ([0.5, 0.5, 0.5], (), ""),
        ([0.5, 0.5, 0.5, 0.55], (), ""),
        ([0.5, 0.5, 0.5, 0.5], ((0, "draw"), (0, "T-E3"), (1, "T-E10")), ""),  # just declined
        ([0.5, 0.5, 0.5, 0.5], ((0, "draw"), *[(0, "T-E3")] * 30), "draw"),
    ],
)
def test_offering_a_draw(values: list[float], log: tuple[Entry, ...], answer: str) -> None:
    view = View.of(started(QUIET), 0, log)
    assert courtesy(view, Thought("T-E3", values[-1]), values[:-1], 2) == answer


def test_an_open_offer_is_not_repeated() -> None:
    position = played(started(QUIET), 0, "draw")
    assert courtesy(View.of(position, 0), Thought("T-E3", 0.5), [0.5] * 5, 2) == ""
