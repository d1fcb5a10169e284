"""Positions of Pillars of Medusa for tests, and short ways to query them."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from service.engine.game import Illegal, Position
from service.games import GAMES

PILLARS = GAMES["pillars"]
RECORD = Path(__file__).parents[2] / "data" / "games" / "pillars.record"
TOKENS = [line for line in RECORD.read_text().splitlines() if not line.startswith("#")]
"""The sample game as the inventor's page prints it."""
WON, HALF, LOST = Fraction(1), Fraction(1, 2), Fraction(0)
CASTLING = "Ta1 Wa5 Kf1 Wf5 Wk5 Tk1 ta11 wa7 kf11 wf7 wk7 tk11"
"""A position in which both sides may castle on both sides."""


def at(fen: str) -> Position:
    return PILLARS.start(setup=fen)


def placed(men: str, rest: str = "w - 0 1") -> Position:
    """`Ke1 A~f3 ka11` as a position; upper case is White, and `rest` is the FEN after the pieces."""
    squares = {square: man for man, square in re.findall(r"([A-Za-z]~?)([a-k][0-9]+)", men)}
    rows = ["".join(squares.get(f"{file}{rank}", ".") for file in "abcdefghijk") for rank in range(11, 0, -1)]
    return at(re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(rows)) + f" {rest}")


def to_move(position: Position) -> int:
    return position.turns[0]


def played(position: Position, *texts: str) -> Position:
    for text in texts:
        seat = to_move(position)
        position = position.play(seat, position.read(seat, text))
    return position


def moves(position: Position) -> list[str]:
    return list(position.moves(to_move(position)))


def moves_from(position: Position, square: str) -> set[str]:
    """The canonical moves of the piece on `square`."""
    choices = position.draft(to_move(position), square).choices
    return {choice.text for choice in choices}


def stone(position: Position) -> str:
    squares = position.facts["stone"]
    assert isinstance(squares, list)
    return " ".join(squares)


def legal(position: Position) -> list[tuple[str, str, str]]:
    """Every legal move as from, to and the piece that is then there; castling as the King onto his own Tower."""
    seat = to_move(position)
    choices = position.draft(seat, "").choices
    moves = [(choice.cells[0], choice.cells[1], choice.text) for choice in choices]
    return [(start, end, position.play(seat, text).occupants[end]) for start, end, text in moves]


def sample(plies: int) -> Position:
    return played(PILLARS.start(), *TOKENS[:plies])


def ended(position: Position) -> tuple[str, Fraction, Fraction]:
    """The reason, and the scores of White and Black."""
    assert position.outcome is not None
    white, black = position.outcome.scores
    return position.outcome.reason, white, black


def refusal(position: Position, text: str) -> str:
    """The error for a text that is readable but illegal."""
    with pytest.raises(Illegal) as caught:
        position.read(to_move(position), text)
    return str(caught.value)
