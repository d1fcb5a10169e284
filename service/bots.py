"""Practice opponents. They see what a player sees and order through the same door."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from service.engine.game import Position, Seat

Bot: TypeAlias = Callable[[Position, Seat, int, str], str]
"""Chooses a canonical legal move from a position, the seat, a seed and the opponents' last move ("" if none)."""


def pebble(position: Position, seat: Seat, seed: int, last: str) -> str:
    """Plays at random, but agrees to whatever ends the game: passes after a pass, accepts what is proposed."""
    moves = list(position.moves(seat))
    for word in ("accept", "alone"):
        if word in moves:
            return word
    if last == "pass" and "pass" in moves:
        return "pass"
    return Random(seed).choice([move for move in moves if move not in ("pass", "resume")] or moves)  # noqa: S311


BOTS: dict[str, Bot] = {"pebble": pebble}
