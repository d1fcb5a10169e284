"""Turns of Medusa as people type them, and in canonical form."""

from __future__ import annotations

import re

import pytest

from service.engine.game import Illegal, MoveError, Unreadable
from service.games.kagome import kagome
from service.games.medusa_notation import parse, read_turn, write


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("a1", "a1"),
        ("A1 e1-c1 e3-c3", "a1 e1-c1 e3-c3"),
        ("a1, E1 - C1; then e3 to c3.", "a1 e1-c1 e3-c3"),
        ("place a1 and move ec1, ec3", "a1 e1-c1 e3-c3"),
        ("qs15", "q15-s15"),
        ("q15s15", "q15-s15"),
        ("q15→s15", "q15-s15"),
        ("q15 \N{EN DASH} s15", "q15-s15"),
        ("q15 -> s15", "q15-s15"),
        ("a01", "a1"),
        ("Q-15 to s 15", "q15-s15"),
        ("", ""),
    ],
)
def test_reading_is_liberal(text: str, order: str) -> None:
    board = kagome(10).board
    assert read_turn(board, text) == order
    assert not order or write(board, parse(board, order)) == order


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zz99", "'zz99' is neither a cell nor a move on this board. Letters go from a to s, numbers from 1 to 19."),
        ("a1 QS99", "'qs99' is neither a cell nor a move on this board. The numbers after q go from 8 to 19."),
        ("qz15", "'qz15' is neither a cell nor a move on this board. Letters go from a to s, numbers from 1 to 19."),
    ],
)
def test_the_error_quotes_a_short_move_as_it_was_written(text: str, message: str) -> None:
    with pytest.raises(Unreadable, match=re.escape(message)):
        read_turn(kagome(10).board, text)


@pytest.mark.parametrize("text", ["hello", "a1-", "a1 b", "a100", "1a", "abc5", "a1-b1-c1"])
def test_nonsense_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable, match=r"is neither a cell nor a move\. Write a placement, then group moves, as in"):
        read_turn(kagome(10).board, text)


@pytest.mark.parametrize("text", ["z" * 41, f"zz{'0' * 38}9"])
def test_the_error_quotes_up_to_40_characters_of_nonsense(text: str) -> None:
    with pytest.raises(Unreadable, match=f"^'{text[:40]}' is neither a cell nor a move"):
        read_turn(kagome(10).board, text)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("b2", Illegal, "b2 is a dark hole, not a cell."),
        ("a1 c1-d12", Illegal, "d12 is a dark hole, not a cell."),
        ("s1", Illegal, "There's no cell s1 on this board. The numbers after s go from 10 to 19."),
        ("j20", Illegal, "There's no cell j20 on this board. The numbers after j go from 1 to 19."),
        ("a0", Illegal, "There's no cell a0 on this board. The numbers after a go from 1 to 10."),
        ("c5-e5 a1", Illegal, "a1: a turn places its stone before any group moves. Write a1 first."),
        ("e1 c1", Illegal, "e1 c1: a turn places one stone at most. To move a stone, write e1-c1."),
        ("", Unreadable, "'' isn't a cell."),
        ("A1", Unreadable, "'A1' isn't a cell."),
        ("a1  e1-c1", Unreadable, "'' isn't a cell."),
        ("a01", Unreadable, "'a01' isn't a cell."),
        ("ec1", Unreadable, "'ec1' isn't a cell."),
    ],
)
def test_the_error_says_what_is_wrong(text: str, error: type[MoveError], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        parse(kagome(10).board, text)
