"""Setups: reading and writing the text of a position of stones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.grid import grid
from service.engine.options import OptionError
from service.engine.stone_games.setup import Setup, read_setup

BOARD = grid(5, 5)
SIDES = ("black", "white", "red")
PARTS = ("turn", "marker", "prisoners", "eliminated", "round")


def read(text: str) -> Setup:
    return read_setup(text, BOARD, SIDES, PARTS)


CANONICAL = [
    "",
    "turn: red",
    "black: a1 c5; red: b2",
    "white: e5; marker: -3; round: 4",
    "prisoners: black white 2, red black 1 white 4; eliminated: white 2",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_texts_survive_a_round_trip(text: str) -> None:
    assert read(text).text(BOARD, SIDES) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Black: C5, a1 ;; RED: b2;", "black: a1 c5; red: b2"),
        ("turn: white; white: e5", "white: e5; turn: white"),
        ("prisoners: red white 1, red white 2", "prisoners: red white 3"),
        ("black:", ""),
    ],
)
def test_reading_is_liberal(text: str, canonical: str) -> None:
    assert read(text).text(BOARD, SIDES) == canonical


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("green: a1", "'green: a1' isn't part of a setup; the parts are black, white, red, turn"),
        ("a1 b2", "each with a colon"),
        ("black: a1; black: a2", "black is given twice"),
        ("black: a1 a1", "a1 is given twice"),
        ("black: f1", "no point 'f1' on this board. Letters go from a to e, numbers from 1 to 5."),
        ("black: a1; white: a2 b1", "the chain at a1 has no liberty"),
        ("turn: green", "'green' is not one of the sides"),
        ("marker: two", "marker must be a whole number"),
        ("round: 0", "round must be a whole number from 1 on"),
        ("prisoners: black", "pairs of a colour and a number"),
        ("prisoners: black white", "pairs of a colour and a number"),
        ("eliminated: white many", "eliminated must be a whole number"),
    ],
)
def test_the_error_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(OptionError) as caught:
        read(text)
    assert words in str(caught.value)


@given(st.text(max_size=40))
def test_no_text_crashes_the_parser(text: str) -> None:
    try:
        setup = read(text)
    except OptionError:
        return
    assert read(setup.text(BOARD, SIDES)) == setup
