"""Go for two on a square or rectangular board: area counting, positional superko, no suicide."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from service.engine.game import Game, Log, Option, OptionError, Position
from service.engine.grid import read_size, sized
from service.games.surround import SIDES, Rules, replay


def read_komi(text: str) -> str:
    """A whole or half number of points from -99 to 99; raises OptionError."""
    try:
        komi = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        komi = None
    if komi is None or abs(komi) > 99 or komi.denominator > 2:
        raise OptionError(f"komi must be a number of points such as 7.5 or 0, not {text[:20]!r}.")
    return f"{float(komi):g}"


class Go(Game):
    name = "go"
    title = "Go"
    summary = "The ancient game of surrounding territory, with area counting."
    options = (
        Option("size", "19", ("19", "13", "9"), "Rows and columns.", read_size),
        Option("komi", "7.5", ("7.5", "6.5", "0.5"), "Points White gets for moving second.", read_komi),
        Option("setup", "", (), "Stones to begin with.", str.strip),
    )

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return SIDES

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        return _rules(options["size"], options["komi"]).start(options["setup"])

    def replay(self, start: Position, log: Log) -> Position:
        return replay(start, log)


@lru_cache(maxsize=64)
def _rules(size: str, komi: str) -> Rules:
    return Rules(Go.title, sized(size), Fraction(komi))
