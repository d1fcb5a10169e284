"""The positions that the rules show: a game after some moves, as its rules page writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from service.engine.game import Position
from service.games import GAMES

MOST_MOVES = 40


def played(game: str, moves: str, seats: int, options: Mapping[str, str]) -> Position:
    """The position after `moves`, each by the seat whose turn it is; raises MoveError or OptionError."""
    seats = seats or GAMES[game].min_seats
    position = GAMES[game].begin(seats, 0, GAMES[game].settle(seats, options))
    for move in split(moves):
        if not position.turns:
            break
        seat = position.turns[0]
        position = position.play(seat, position.read(seat, move))
    return position


def split(moves: str) -> list[str]:
    """The first moves of a text that separates them by commas or line breaks."""
    return [*filter(None, map(str.strip, re.split(r"[,\n]", moves)))][:MOST_MOVES]
