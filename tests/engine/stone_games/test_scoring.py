"""The agreement about dead stones, for two and for more (engine/README.md, "Words")."""

from __future__ import annotations

import pytest

from service.engine.game import Illegal, OutOfTurn, Position, Unreadable
from service.games import GAMES

SETUP = "black: a1 a2 e5; white: c3 e1"


def scoring(game: str = "go", seats: int = 2) -> Position:
    position = GAMES[game].start(seats, size="5", setup=SETUP)
    while position.phase == "play":
        position = position.play(position.turns[0], "pass")
    return position


def said(position: Position, text: str) -> Position:
    """`position` after lines such as `0 accept`."""
    for line in filter(None, map(str.strip, text.split(","))):
        seat, order = line.split(" ", 1)
        position = position.play(int(seat), position.read(int(seat), order))
    return position


@pytest.mark.parametrize(
    ("text", "turns", "dead"),
    [
        ("", (0, 1, 2), ""),
        ("1 accept", (0, 2), ""),
        ("1 accept, 0 dead a1", (1, 2), "a1 a2"),
        ("1 accept, 1 dead e5 c3", (0, 2), "c3 e5"),
        ("0 dead a1, 2 accept, 1 dead none", (0, 2), ""),
        ("0 dead a1, 1 dead a2", (2,), "a1 a2"),
        ("1 accept, 0 dead none", (2,), ""),
        ("0 dead a1, 1 resign", (2,), "a1 a2"),
    ],
)
def test_three_seats_agree(text: str, turns: tuple[int, ...], dead: str) -> None:
    position = said(scoring("multigo", 3), text)
    scene = position.view(None)
    marked = sorted(scene.board.names[cell] for cell, marks in scene.marks.items() if "dead" in marks)
    assert (position.phase, position.turns, " ".join(marked)) == ("scoring", turns, dead)


def test_a_proposal_that_is_made_again_clears_no_acceptance() -> None:
    position = said(scoring("multigo", 3), "0 dead a1, 1 accept")
    with pytest.raises(Illegal, match="You've already accepted exactly this proposal"):
        position.read(0, "dead a2 a1")
    assert position.draft(0, "dead a1").choices, "Other stones can still be clicked."
    assert said(position, "2 dead a1").phase != "scoring"


@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ("", 0),
        ("1 accept", 1),
        ("1 accept, 2 accept", 2),
        ("1 accept, 0 dead a1", 0),
        ("0 dead a1, 1 accept", 1),
        ("0 dead a1, 1 accept, 2 dead none, 0 accept", 1),
        ("1 accept, 2 resign", 2),
    ],
)
def test_an_answer_is_accepted_while_the_proposal_is_unchanged(text: str, rounds: int) -> None:
    position = said(scoring("multigo", 3), text)
    assert position.round - position.asked_since == rounds


@pytest.mark.parametrize(
    "text", ["0 accept, 1 accept, 2 accept", "0 dead a1, 1 accept, 2 accept", "0 accept, 1 accept, 2 resign"]
)
def test_the_board_is_counted_once_all_have_accepted(text: str) -> None:
    assert said(scoring("multigo", 3), text).phase == "over"


def test_the_example_in_a_refusal_can_be_sent_as_it_is() -> None:
    position = scoring()
    with pytest.raises(Unreadable) as refused:
        position.read(0, "no, not dead")
    example = str(refused.value).rpartition(": ")[2].rstrip(".")
    assert example.startswith("dead ")
    assert position.play(0, position.read(0, example)).phase == "scoring"


def test_a_dispute_ends_in_the_count_or_in_playing_on() -> None:
    position = scoring()
    for _ in range(10):
        position = said(position, "0 dead c3, 1 dead a1")
    for seat in (0, 1):
        with pytest.raises(Illegal, match="You've named the dead stones 10 times"):
            said(position, f"{seat} dead none")
        assert {choice.text for choice in position.draft(seat, "").choices} <= {"accept", "resume"}
    assert said(position, "0 accept").outcome is not None
    assert said(position, "0 resume").phase == "play"


def test_a_player_who_has_accepted_may_change_their_mind() -> None:
    accepted = said(scoring(), "0 accept")
    assert said(accepted, "0 resume").phase == "play"
    assert said(accepted, "0 dead c3").turns == (1,)
    with pytest.raises(OutOfTurn):
        said(accepted, "0 accept")


def test_a_chain_is_named_once_by_its_first_stone() -> None:
    assert scoring().read(0, "dead a2 e5 a1") == "dead a1 e5"


@pytest.mark.parametrize(
    ("order", "kind", "words"),
    [
        ("dead b2", Illegal, "b2 is empty"),
        ("dead z9", Illegal, "There's no point z9"),
        ("c4", Illegal, "Play has ended: accept the proposal"),
        ("pass", Illegal, "Play has ended: accept the proposal"),
        ("fine by me", Unreadable, "Say accept, resume, or the dead stones"),
    ],
)
def test_orders_that_are_refused_during_scoring(order: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        said(scoring(), f"0 {order}")


def test_clicks_mark_chains_dead_and_alive_again() -> None:
    start = scoring().draft(0, "")
    orders = {choice.cells: choice.text for choice in start.choices}
    assert orders[("a2",)] == orders[("a1",)] == "dead a1"
    more = {choice.cells: choice.text for choice in scoring().draft(0, "dead a1").choices}
    assert (more[("a2",)], more[("c3",)]) == ("dead none", "dead a1 c3")
    assert [choice.text for choice in start.choices if not choice.cells] == ["accept", "resume"]
