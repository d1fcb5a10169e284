"""Records as files: a match in some notation, written and read back.

Each game adds the notations its players know (`Game.formats`) to text and JSON, which all games have.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from itertools import islice
from typing import ClassVar, NamedTuple

from service.engine.game import Game, Outcome, Seat, Unreadable
from service.engine.options import OptionError
from service.engine.record import RecordError, judged

MOST_MOVES = 3_000
"""The longest record that is read: several times as long as the longest game, and judged within seconds."""
LONGEST_NAME = 60
LONGEST_REASON = 40
LONGEST_REMARK = 10_000
_SCORE = re.compile(r"\d{1,3}(/[1-9]\d{0,2})?", re.ASCII)


class Entry(NamedTuple):
    """One move of a record. It was played in `round`, at `played` (aware; None if the file doesn't say)."""

    seat: Seat
    move: str
    round: int = 0
    played: datetime | None = None
    remark: str = ""


class Record(NamedTuple):
    """A match read from a file: settled `options`, a name per seat ("" if unknown), and how it ended, if it did."""

    game: str
    options: Mapping[str, str]
    names: tuple[str, ...]
    entries: tuple[Entry, ...]
    outcome: Outcome | None = None

    @property
    def log(self) -> tuple[tuple[Seat, str], ...]:
        """The moves as `Game.replay` accepts them."""
        return tuple((entry.seat, entry.move) for entry in self.entries)


class Order(NamedTuple):
    """A move as written in a file, `black: c7` or just `c7`, with the number of its line; not judged yet."""

    line: int
    said: str
    played: datetime | None = None
    remark: str = ""


class Format(ABC):
    """One notation. `read` understands what `write` returns."""

    suffix: ClassVar[str]
    media_type: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def recognises(self, text: str) -> bool:
        """Whether `text` looks like this notation and, if the notation is for several games, like this game."""

    @abstractmethod
    def write(self, record: Record) -> str:
        """The file."""

    @abstractmethod
    def read(self, text: str) -> Record:
        """The match in a file, with every move judged; raises RecordError with the line that is wrong."""


def complete(
    game: Game,
    options: Mapping[str, str],
    names: Sequence[str],
    orders: Iterable[Order],
    claimed: Outcome | None = None,
    line: int = 1,
) -> Record:
    """The record of these orders, each judged; raises RecordError, which names `line` if the options are wrong.

    `claimed` is the outcome that the file states; an outcome that the moves lead to takes precedence.
    """
    try:
        settled = game.settle(len(names), options)
        position = game.begin(len(names), 0, settled)
    except OptionError as error:
        raise wrong(line, str(error)) from None
    entries: list[Entry] = []
    # One more than allowed is judged, so that the error can name its line.
    given = [*islice(orders, MOST_MOVES + 1)]
    for step, order in zip(judged(position, ((each.line, each.said) for each in given)), given, strict=True):
        if step.ply > MOST_MOVES:
            raise RecordError(step.ply, step.line, Unreadable(f"A record has at most {MOST_MOVES:,} moves."))
        entries.append(Entry(step.seat, step.move, position.round, order.played, _remark(order.remark)))
        position = step.position
    return Record(game.name, settled, tuple(map(_name, names)), tuple(entries), position.outcome or claimed)


def outcome(sides: Sequence[str], scores: Mapping[str, str], reason: str) -> Outcome:
    """The outcome stated in a file, with each side's score as fraction text; raises ValueError."""
    if {*scores} != {*sides} or not all(_SCORE.fullmatch(score) for score in scores.values()):
        raise ValueError("scores")
    parts = tuple(Fraction(scores[side]) for side in sides)
    if sum(parts) != 1:
        raise ValueError("scores")
    return Outcome(parts, one_line(reason, LONGEST_REASON))


def instant(text: str) -> datetime | None:
    """A moment in ISO 8601 with a time zone, converted to UTC; None for anything else."""
    try:
        moment = datetime.fromisoformat(text.strip())
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def one_line(text: str, most: int) -> str:
    """`text` in one line of at most `most` characters without control characters, so that it can be shown."""
    return _printable(" ".join(text.split()))[:most].strip()


def _printable(line: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in line)


def _remark(text: str) -> str:
    """A remark that can be stored and shown: lines without control characters, cut to LONGEST_REMARK."""
    return "\n".join(_printable(line).rstrip() for line in text.splitlines())[:LONGEST_REMARK].strip()


def _name(text: str) -> str:
    """A name, or "" if it is unknown, for which PGN has a question mark."""
    name = one_line(text, LONGEST_NAME)
    return "" if name == "?" else name


def wrong(line: int, sentence: str) -> RecordError:
    """The error for a line that is wrong, but not because of a move."""
    return RecordError(0, line, Unreadable(_printable(sentence)))
