"""Go: positional superko, area counting, sizes and komi."""

from __future__ import annotations

import pytest

from service.engine.game import Illegal, Position
from service.engine.options import OptionError
from service.games import GAMES

GO = GAMES["go"]


def played(start: Position, moves: str) -> Position:
    position = start
    for move in moves.split():
        position = position.play(position.turns[0], move)
    return position


def ko() -> Position:
    """White has just captured at c2 in a ko; Black may not recapture immediately."""
    return GO.start(size="5", setup="black: b1 a2 b3 c2; white: c1 d2 c3; turn: white").play(1, "b2")


def test_a_ko_can_be_retaken_only_after_a_threat() -> None:
    taken = ko()
    assert taken.facts["captured"] == {"black": 1}
    with pytest.raises(Illegal, match=r"c2 would repeat an earlier position \(superko\)"):
        taken.play(0, "c2")
    assert played(taken, "e5 e4 c2").facts["captured"] == {"white": 1}


def test_superko_is_positional() -> None:
    """The same stones are a repetition no matter whose turn it is: on two points, the third stone would restore the
    board after the first."""
    start = GO.start(size="1x2")
    taken = played(start, "a1 b1")
    assert taken.occupants == {"b1": "white"}
    assert [*taken.moves(0)] == ["pass"]
    assert [*taken.play(0, "pass").moves(1)] == ["pass"]


def test_area_counting() -> None:
    over = played(
        GO.start(size="5x6", komi="0.5", setup="black: a3 b3 c3 d3 e3 f3; white: a4 b4 c4 d4 e4 f4"), "pass pass"
    )
    assert over.facts["territory"] == {"black": 12, "white": 6}
    assert over.facts["points"] == {"black": "18", "white": "25/2"}


def test_equal_points_share_the_match() -> None:
    over = played(GO.start(size="5", komi="0"), "pass pass accept accept")
    assert over.outcome is not None
    assert [str(score) for score in over.outcome.scores] == ["1/2", "1/2"]


def test_the_smallest_board_has_only_passes() -> None:
    assert [*GO.start(size="1").moves(0)] == ["pass"]


@pytest.mark.parametrize(
    ("option", "text", "canonical"),
    [
        ("size", "13x13", "13"),
        ("size", "9 X 7", "9x7"),
        ("komi", "7.50", "7.5"),
        ("komi", "+6.50", "6.5"),
        ("komi", "-3", "-3"),
        ("komi", "0.0", "0"),
        ("setup", "black: a1\t c1;\n turn: white", "black: a1 c1; turn: white"),
    ],
)
def test_option_values_are_read_liberally(option: str, text: str, canonical: str) -> None:
    assert GO.settle(2, {option: text})[option] == canonical


@pytest.mark.parametrize(
    ("option", "text"), [("size", "26"), ("size", "0"), ("size", "9x"), ("komi", "1/3"), ("komi", "x")]
)
def test_bad_option_values(option: str, text: str) -> None:
    with pytest.raises(OptionError):
        GO.settle(2, {option: text})
