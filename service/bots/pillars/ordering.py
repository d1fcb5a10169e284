"""The order in which moves are searched, and the table and statistics that decide it."""

from __future__ import annotations

from service.bots.compiler import Ints, compiled, highest
from service.bots.pillars.board import (
    MOVE,
)
from service.bots.pillars.moves import CAPTURE, ORDER

MATE = 30000
"""The value of mate now; each ply before it reduces the value by one."""
NEAR_MATE = MATE - 500


@compiled
def remember(keys: Ints, notes: Ints, code: int, move: int, depth: int, kind: int, value: int, ply: int) -> None:
    """Stores a node in the table. Plies to mate are counted from the node, not from the root."""
    if value >= NEAR_MATE:
        value += ply
    elif value <= -NEAR_MATE:
        value -= ply
    slot = code & (len(keys) - 1)
    keys[slot] = code
    notes[slot] = (value + 32768) << 33 | kind << 31 | depth << 23 | move


@compiled
def sort_known(moves: Ints, start: int, end: int, known: int, first: int, second: int) -> None:
    """Moves the table's move and the killer moves forward."""
    for index in range(start, end):
        move = moves[index] & MOVE
        if move not in (known, first, second):
            continue
        if move == known:
            moves[index] = 1 << 26 << ORDER | move
        elif moves[index] >> ORDER < CAPTURE:
            moves[index] = CAPTURE - (1 if move == first else 2) << ORDER | move


@compiled
def pick(moves: Ints, index: int, end: int) -> int:
    """Swaps the move with the highest sort key to `index`, and returns it."""
    place = highest(moves, index, end)
    best = moves[place]
    moves[place] = moves[index]
    moves[index] = best
    return best


@compiled
def note_quiet(board: Ints, history: Ints, killers: Ints, move: int, depth: int, ply: int) -> None:
    """Remembers a quiet move that caused a cutoff."""
    if killers[2 * ply] != move:
        killers[2 * ply + 1] = killers[2 * ply]
        killers[2 * ply] = move
    place = board[move & 255] << 8 | move >> 8 & 255
    history[place] = min(history[place] + depth * depth, 1 << 20)
