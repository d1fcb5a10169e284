"""How a turn of Medusa is written: at most one placement and then any number of group moves, `a1 e1-c1 e3-c3`."""

from __future__ import annotations

import re
from typing import NamedTuple

from service.engine.board import Board
from service.engine.game import Illegal, Unreadable
from service.engine.stone_games.stone_orders import span

LINKS = r"\s*(?:-+>?|[\u2010-\u2015\u2212]|=>|→|>|:|\bto\b)\s*"
FILLERS = r"[,;.+&/()!]|\b(?:then|and|play|place|put|move|at)\b"
SPACED = r"\b([a-z])[ -]+(?=\d)"
"""A letter separated from its number, as in `q 15`."""
WORD = r"([a-z])0*(\d{1,2})(?:-?([a-z])0*(\d{1,2}))?"
SHORT = r"([a-z])-?([a-z])0*(\d{1,2})"
NAME = r"[a-z](?:0|[1-9]\d?)"
HOW = "Write a placement, then group moves, as in: a1 e1-c1"


class Order(NamedTuple):
    """A turn as numbers of cells: where the stone is placed, if anywhere, and which stone moves where."""

    placed: int | None = None
    steps: tuple[tuple[int, int], ...] = ()


def read_turn(board: Board, text: str) -> str:
    """The canonical order that `text` means, whether its cells exist or not; "" if it has no words. Raises Unreadable.

    `q15-s15` may be written `q15s15`, `q15>s15`, `q15 to s15` or, along a row, `qs15` as on MindSports. The last form
    is read only if both cells exist, since `There's no cell q99` wouldn't quote what was written as `qs99`.
    """
    said = re.sub(FILLERS, " ", re.sub(LINKS, "-", text.lower()))
    return " ".join(_canonical(board, word) for word in re.sub(SPACED, r"\1", said).split())


def _canonical(board: Board, word: str) -> str:
    if step := re.fullmatch(WORD, word):
        return step[1] + step[2] + (f"-{step[3]}{step[4]}" if step[3] else "")
    if short := re.fullmatch(SHORT, word):
        start, goal = short[1] + short[3], short[2] + short[3]
        if absent := next((name for name in (start, goal) if name not in board.index), ""):
            raise Unreadable(f"{word[:40]!r} is neither a cell nor a move on this board. {span(board, absent)}")
        return f"{start}-{goal}"
    raise Unreadable(f"{word[:40]!r} is neither a cell nor a move. {HOW}.")


def parse(board: Board, move: str) -> Order:
    """The order of a canonical text that isn't empty.

    Raises Illegal for cells that don't exist and parts in the wrong order, Unreadable for any other text.
    """
    placed = None
    steps = []
    for word in move.split(" "):
        start, dash, goal = word.partition("-")
        cell = _cell(board, start)
        if dash:
            steps.append((cell, _cell(board, goal)))
        elif steps:
            raise Illegal(f"{word}: a turn places its stone before any group moves. Write {word} first.")
        elif placed is not None:
            first = board.names[placed]
            raise Illegal(f"{first} {word}: a turn places one stone at most. To move a stone, write {first}-{word}.")
        else:
            placed = cell
    return Order(placed, tuple(steps))


def write(board: Board, order: Order) -> str:
    """The canonical text of an order."""
    placed = [] if order.placed is None else [board.names[order.placed]]
    return " ".join(placed + [f"{board.names[start]}-{board.names[goal]}" for start, goal in order.steps])


def _cell(board: Board, name: str) -> int:
    cell = board.index.get(name)
    if cell is not None:
        return cell
    if not re.fullmatch(NAME, name):
        raise Unreadable(f"{name[:40]!r} isn't a cell. {HOW}.")
    if _is_hole(board, name):
        raise Illegal(f"{name} is a dark hole, not a cell.")
    raise Illegal(f"There's no cell {name} on this board. {span(board, name)}")


def _is_hole(board: Board, name: str) -> bool:
    """Whether `name` has an even letter and an even number, with a cell on either side in its file."""
    letter, number = name[0], int(name[1:])
    both_even = letter in "bdfhjlnpr" and number % 2 == 0
    return both_even and f"{letter}{number - 1}" in board.index and f"{letter}{number + 1}" in board.index
