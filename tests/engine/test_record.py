"""Records: lines, comments and sides (engine/README.md, "Records")."""

from __future__ import annotations

import pytest

from service.engine.game import Ambiguous, Illegal, MoveError, OutOfTurn, Unreadable
from service.engine.record import RecordError, lines, steps, whose, write
from service.games import GAMES

RECORD = """# A short match
a1          # the corner
white: b2

Black:pass#
  # nothing here
S-G9#
"""


def test_lines_are_given_without_comments() -> None:
    assert [*lines(RECORD)] == [(2, "a1"), (3, "white: b2"), (5, "Black:pass#"), (7, "S-G9#")]


def test_lines_are_counted_as_editors_do() -> None:
    """Some characters that Unicode calls separators don't end a line or a comment."""
    text = "# one\u2028a2\r\n\x0ca1 # two\x85b1\x1cb2\rwhite: c3\n"
    assert [*lines(text)] == [(2, "a1"), (3, "white: c3")]


def test_steps_number_moves_and_lines() -> None:
    found = [*steps(GAMES["go"].start(size="5"), "\n# hm\na1\nwhite: b2 # so\n")]
    assert [(step.ply, step.line, step.seat, step.move) for step in found] == [(1, 3, 0, "a1"), (2, 4, 1, "b2")]


def test_an_error_has_the_ply_and_the_line() -> None:
    with pytest.raises(RecordError) as caught:
        [*steps(GAMES["go"].start(size="5"), "a1\n\na1\n")]
    told = "a1 is taken by Black. Legal next to it: b1, a2."
    assert caught.value.report == {"ply": 2, "line": 3, "error": "illegal", "message": told}


def test_a_written_record_can_be_read_back() -> None:
    start = GAMES["go"].start(size="5")
    log = [(0, "a1"), (1, "b2"), (0, "resign")]
    assert write(start, log) == "black: a1\nwhite: b2\nblack: resign\n"
    assert [(step.seat, step.move) for step in steps(start, write(start, log))] == log


@pytest.mark.parametrize(
    ("moves", "said", "expected"),
    [
        ("", "a1", (0, "a1")),
        ("", "WHITE : a1", (1, "a1")),
        ("", "dead: a1", (0, "dead: a1")),
        ("pass\npass\nblack: accept", "accept", (1, "accept")),
        ("pass\npass", "white:accept", (1, "accept")),
        ("pass\npass", "accept", Ambiguous),
        ("pass\npass", "hello", Unreadable),
        ("pass\npass", "dead a1", Illegal),
        ("", "purple: a1", Unreadable),
        ("resign", "a1", OutOfTurn),
        ("resign", "hello", Unreadable),
    ],
)
def test_a_line_of_a_record_names_its_seat(moves: str, said: str, expected: tuple[int, str] | type[MoveError]) -> None:
    position = GAMES["go"].start(size="5")
    for step in steps(position, moves):
        position = step.position
    if isinstance(expected, tuple):
        assert whose(position, said) == expected
        return
    with pytest.raises(expected):
        whose(position, said)
