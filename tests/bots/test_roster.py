"""The opponents of every game: three, who can think about a move of it."""

from __future__ import annotations

import pytest

from service.bots.opponents import order
from service.bots.review import can_be_judged, judged
from service.bots.roster import OPPONENTS
from service.bots.thought import View
from service.games import GAMES
from tests.games.playing import small


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_three_opponents(game: str) -> None:
    three = OPPONENTS[game]
    assert [opponent.level for opponent in three] == [1, 2, 3]
    assert three[0].budget < three[1].budget < three[2].budget
    assert all(opponent.about.endswith(".") for opponent in three)


def test_no_two_opponents_have_the_same_name() -> None:
    names = [opponent.name for three in OPPONENTS.values() for opponent in three]
    assert len({*names}) == len(names)
    assert {*OPPONENTS} == {*GAMES}


@pytest.mark.parametrize("game", GAMES)
def test_opponents_move_in_every_game_and_a_review_judges_it(game: str) -> None:
    position = small(game).start()
    seat = position.turns[0]
    view = View.of(position, seat)
    learner = OPPONENTS[game][0]._replace(budget=8)
    assert order(view, learner, 1).move in position.moves(seat)
    move = judged(view, "", 8, 1).move
    assert move in position.moves(seat)
    assert can_be_judged(position, seat, move)
