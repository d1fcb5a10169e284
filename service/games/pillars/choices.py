"""What a player may click: the square a piece is on, the square it goes to, and what it becomes there."""

from __future__ import annotations

from collections.abc import Mapping

from service.engine.game import Choice
from service.games.pillars.board import SQUARE_NAMES, Square
from service.games.pillars.pieces import KIND, MORPH, SWORD, name
from service.games.pillars.state import Move


def choices(board: bytes, written: Mapping[str, Move]) -> tuple[Choice, ...]:
    """Each move by its two clicks; moves that differ only in what the piece becomes share them and have different
    labels."""
    return tuple(
        Choice(text, text, (SQUARE_NAMES[move[0]], SQUARE_NAMES[move[1]]), _label(board, text, move))
        for text, move in written.items()
    )


def choices_from(board: bytes, written: Mapping[str, Move], start: Square) -> tuple[Choice, ...]:
    """The moves of the piece on `start`, which the player has clicked."""
    return tuple(
        Choice(text, text, (SQUARE_NAMES[move[1]],), _label(board, text, move))
        for text, move in written.items()
        if move[0] == start
    )


def transformations(board: bytes, written: Mapping[str, Move], chosen: str) -> tuple[Choice, ...]:
    """What the piece may become instead, if the move `chosen` leaves it as it is."""
    return tuple(
        Choice(text, text.removeprefix(chosen), (), _label(board, text, move))
        for text, move in written.items()
        if text.startswith(f"{chosen}=")
    )


def _label(board: bytes, text: str, move: Move) -> str:
    start, end, then = move
    piece = board[start]
    if then == piece:
        return f"stay a {name(piece)}" if piece & MORPH and board[end] else text
    if piece & KIND == SWORD and text.endswith("=ME"):
        return "promote to a Medusa"
    return f"become a {name(then)}" if then & MORPH else f"become a {name(then)} and stop morphing"
