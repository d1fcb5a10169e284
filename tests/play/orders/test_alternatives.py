"""A number before a move: it has to be that of the next move, or of the turn as chess counts."""

from __future__ import annotations

import pytest

from service.engine.game import OutOfTurn, Position, Unreadable
from service.engine.rewound import Again
from service.games import GAMES
from service.play.orders import alternatives
from tests.play.conftest import Town, plain
from tests.play.timekeeping.test_clocks import begin, log


def after(game: str, moves: int) -> Position:
    """A small match in which everybody has played some move this many times."""
    size = {"pillars": {}, "lotus": {}, "medusa": {}, "rosette": {"base": "5"}}.get(game, {"size": "5"})
    position = GAMES[game].start(2, 0, **size)
    for _ in range(moves):
        seat = position.turns[0]
        position = position.play(seat, next(iter(position.moves(seat))))
    return position


@pytest.mark.parametrize("game", GAMES)
def test_the_number_of_the_move_or_turn_may_come_before_a_move(game: str) -> None:
    position = after(game, 4)
    seat = position.turns[0]
    move = next(iter(position.moves(seat)))
    for number in {position.round, 3}:
        text = f"{number}. {move}"
        assert alternatives.is_readable(position, seat, text)
        assert position.read(seat, alternatives.unnumbered(text, position)) == move
        assert alternatives.choose(position, seat, text) == move
    for number in (0, 2, 6, 12):
        with pytest.raises(OutOfTurn, match=f"^You wrote {number} before your move, but this is "):
            alternatives.unnumbered(f"{number}. {move}", position)


@pytest.mark.parametrize("game", ["go", "pillars"])
def test_a_takeback_does_not_change_how_players_count_turns(game: str) -> None:
    position = Again.of(after(game, 4), 2)
    assert (position.round, position.turn_number) == (7, 3)


def test_an_offer_of_a_draw_does_not_change_how_chess_counts() -> None:
    position = after("pillars", 4).play(0, "draw").play(1, "decline")
    assert (position.round, position.turn_number) == (7, 3)


@pytest.mark.parametrize(
    "text", ["12. resign", "12. pass", "12. accept", "12. draw", "1.5", "12.", "2026. e5", "12 e5"]
)
def test_a_number_before_anything_else_is_not_taken_away(text: str) -> None:
    assert alternatives.unnumbered(text, after("go", 4)) == text
    with pytest.raises(Unreadable):
        alternatives.choose(after("go", 4), 0, text)


def test_a_number_before_a_move_by_email(town: Town) -> None:
    _, _, match = begin(town, "3d/move", "go", size="9")
    turn = next(mail for mail in town.post() if "your move 1 (" in mail["Subject"])
    town.reply(turn, "12. e5\nA quiet start.")
    (refusal,) = town.post()
    told = " ".join(plain(refusal).split())
    assert told.startswith("You wrote 12 before your move, but this is move 1, in round 1. Nothing was played.")
    for text, why in (
        ("preview 1. e5", "after e5. This is a preview"),
        ("preview 12. e5", "You wrote 12 before your move"),
    ):
        (answer,) = town.write("ada@example.org", text)
        assert why in " ".join(plain(answer).split())
    town.reply(turn, "1. e5 or d4")
    assert log(town, match) == [(0, "e5")]


def test_the_number_in_an_email_counts_although_a_draw_was_offered_since() -> None:
    position = after("pillars", 4).play(0, "draw").play(1, "decline")
    assert alternatives.unnumbered("5. E4", position) == alternatives.unnumbered("3. E4", position) == "E4"


@pytest.mark.parametrize("text", ["9... P-D5", "9. ... P-D5", "9 ) P-D5"])
def test_dots_after_a_number_do_not_hide_it(text: str) -> None:
    with pytest.raises(OutOfTurn, match="You wrote 9 before your move"):
        alternatives.unnumbered(text, after("pillars", 4))
