"""Records: a match as plain lines, `red: c7`, or just `c7` where one seat may move (engine/README.md, "Records")."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from service.engine.game import (
    LATE,
    LEAVES,
    SUBSTITUTE,
    Ambiguous,
    Log,
    MoveError,
    OutOfTurn,
    Position,
    Seat,
    Unreadable,
)
from service.engine.scene import STONES

_COMMENT = re.compile(r"(^|(?<=\s))#.*")


class Step(NamedTuple):
    """One judged move of a record. `ply` counts moves from 1, `line` all lines from 1."""

    ply: int
    line: int
    seat: Seat
    move: str
    position: Position
    """After the move."""


class RecordError(ValueError):
    """A line that can't be played. `ply` is the number the move would have had."""

    def __init__(self, ply: int, line: int, error: MoveError) -> None:
        super().__init__(str(error))
        self.ply = ply
        self.line = line
        self.code = error.code

    @property
    def report(self) -> dict[str, object]:
        """The error as the command line prints it."""
        return {"ply": self.ply, "line": self.line, "error": self.code, "message": str(self)}


def all_lines(text: str) -> list[str]:
    """All lines of a text as editors count them: form feeds and Unicode separators don't end a line."""
    return [line.removesuffix("\n") for line in io.StringIO(text, newline=None)]


def lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines with a move, without comments, each with its number. A `#` inside a word doesn't begin a comment."""
    for number, line in enumerate(all_lines(text), start=1):
        said = (_COMMENT.sub("", line) if "#" in line else line).strip()
        if said:
            yield number, said


def steps(start: Position, text: str) -> Iterator[Step]:
    """The moves of a record one after another, each judged; raises RecordError at the first that can't be played."""
    return judged(start, lines(text))


def judged(start: Position, orders: Iterable[tuple[int, str]]) -> Iterator[Step]:
    """The `steps` of orders, each given with its line number."""
    position = start
    for ply, (number, said) in enumerate(orders, start=1):
        try:
            seat, order = whose(position, said)
            # A record may have `timeout`, `late` and `substitute`, which players can't order.
            move = order if order in (*LEAVES, LATE, SUBSTITUTE) else position.read(seat, order)
            position = position.play(seat, move)
        except MoveError as error:
            raise RecordError(ply, number, error) from None
        yield Step(ply, number, seat, move, position)


def whose(position: Position, said: str) -> tuple[Seat, str]:
    """The seat that a line is for, and its order; raises MoveError if the seat isn't clear."""
    name, colon, order = said.partition(":")
    side = name.strip().lower()
    if colon and side in position.sides:
        return position.sides.index(side), order.strip()
    if colon and side in STONES:
        raise Unreadable(f"Nobody plays {side.capitalize()} here; the sides are {' '.join(position.sides)}.")
    if len(position.turns) == 1:
        return position.turns[0], said
    read = position.read(next(iter(position.turns), 0), said)  # Any seat will do: nonsense is unreadable for all.
    if not position.turns:
        raise OutOfTurn("The match is over.")
    refusals = [refused for seat in position.public_turns if (refused := _refused(position, seat, read))]
    if len(refusals) == len(position.public_turns):
        raise refusals[0]
    candidates = tuple(f"{position.sides[seat]}: {said}" for seat in position.public_turns)
    raise Ambiguous(f"Several sides may move here. Say which one does: {' or '.join(candidates)}.", candidates)


def _refused(position: Position, seat: Seat, move: str) -> MoveError | None:
    """Why this canonical move can't be played; None if it can."""
    try:
        position.play(seat, move)
    except MoveError as error:
        return error
    return None


def write(start: Position, log: Log) -> str:
    """The record of a log, one `side: move` a line, which `steps` reads back."""
    return "".join(f"{start.sides[seat]}: {move}\n" for seat, move in log)


def snapshot(ply: int, position: Position) -> dict[str, object]:
    """A position as the public may see it, ready for JSON."""
    outcome = position.outcome
    return {
        "ply": ply,
        "round": position.round,
        "phase": position.phase,
        "turns": [position.sides[seat] for seat in position.public_turns],
        "board": dict(position.occupants),
        "facts": dict(position.facts),
        "setup": position.setup,
        "outcome": outcome
        and {
            "scores": {side: str(score) for side, score in zip(position.sides, outcome.scores, strict=True)},
            "reason": outcome.reason,
        },
    }


def listing(position: Position) -> Iterator[str]:
    """The legal moves, one a line, each after its side if several seats may move."""
    several = len(position.turns) > 1
    for seat in position.turns:
        for move in position.moves(seat):
            yield f"{position.sides[seat]}: {move}" if several else move
