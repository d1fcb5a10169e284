"""What an order would do, as its owner may see it: nothing that others have hidden."""

from __future__ import annotations

import pytest

from service.engine.game import Position
from service.games import GAMES
from service.play.orders.preview import Preview, example, foreseen


def seen(position: Position, text: str) -> Preview:
    seat = position.turns[0]
    return foreseen(position, seat, position.draft(seat, text))


def played(position: Position, moves: str) -> Position:
    for move in moves.split(", "):
        position = position.play(position.turns[0], move)
    return position


def test_a_preview_of_a_capture_shows_the_numbers_it_changes_and_who_moves_next() -> None:
    position = GAMES["rosette"].start(base="5", setup="black: f12 f14; white: f13")
    preview = seen(position, "e13")
    assert preview.told == ("Black played e13 and captured 1 stone: f13.",)
    assert preview.changed == (("Prisoners", "Black 0, White 0", "Black 1, White 0"),)
    assert preview.following == ("White",)


def test_dead_stones_change_the_points() -> None:
    counting = played(GAMES["go"].start(size="9"), "c3, g7, pass, pass")
    preview = seen(counting, "dead g7")
    assert ("Points", "Black 1, White 8.5", "Black 81, White 7.5") in preview.changed
    assert preview.following is None, "Both are asked, and either may answer first."


def test_a_preview_says_who_wins_by_accepting_and_by_how_much() -> None:
    counting = played(GAMES["go"].start(size="9"), "c3, g7, pass, pass, accept")
    assert "White finished ahead by 7.5 points." in seen(counting, "accept").told
    assert "White finished ahead by 7.5 points." in played(counting, "accept").view(None).notes


def test_numbers_that_count_every_move_are_left_out() -> None:
    preview = seen(GAMES["pillars"].start(), "I2-I4")
    assert preview.changed == ()


@pytest.mark.parametrize(("moves", "order"), [("", "resign"), ("pass, pass, accept", "accept")])
def test_after_an_order_that_ends_the_match_nobody_moves_next(moves: str, order: str) -> None:
    start = GAMES["go"].start(size="9")
    assert seen(played(start, moves) if moves else start, order).following == ()


def test_a_preview_of_no_order_is_empty() -> None:
    preview = seen(GAMES["go"].start(size="9"), "")
    assert (preview.told, preview.changed, preview.following) == ((), (), None)


def test_a_preview_shows_the_last_to_choose_nothing_of_the_other_choices() -> None:
    start = GAMES["multigo-parallel"].start(3, size="5")
    for choices in ("b2, c3", "d4, pass"):
        last = played(start, choices)
        assert seen(last, "b2") == foreseen(start, 2, start.draft(2, "b2"))
        assert example(last, 2) is None


@pytest.mark.parametrize("game", GAMES)
def test_the_example_of_a_conditional_move_is_legal_when_it_is_played(game: str) -> None:
    start = GAMES[game].start()
    found = example(start, 1)
    if len(start.public_turns) > 1:
        assert found is None
    else:
        assert found is not None
        start.play(0, found[0]).play(1, found[1])
