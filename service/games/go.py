"""Go for two on a square or rectangular board: area counting, positional superko, no suicide."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from service.engine.game import Game, Log, Position
from service.engine.grid import read_size, sized
from service.engine.options import Option
from service.engine.stone_games.stone_orders import AGREEMENT, PASS, STONE
from service.games.surround import SIDES, Rules, read_komi, replay

if TYPE_CHECKING:
    from service.engine.record_formats import Format


class Go(Game):
    name = "go"
    title = "Go"
    summary = "The ancient game of surrounding territory, with area counting."
    options = (
        Option("size", "19", ("19", "13", "9"), "Rows and columns; fewer make a shorter game.", read_size, "9"),
        Option("komi", "7.5", ("7.5", "6.5", "0.5"), "Points White gets for moving second.", read_komi),
        Option("setup", "", (), "Stones to start from, such as black: d4; white: f5; turn: white.", str.strip),
    )
    words = (STONE, PASS, *AGREEMENT)

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return SIDES

    def sample(self) -> Position:
        return self.start(size="9", setup="black: c3 d4 d5 e6 c6 f7 g7; white: e4 e5 f6 g6 f3 d3 d2 h7")

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        return _rules(options["size"], options["komi"]).start(options["setup"])

    def replay(self, start: Position, log: Log) -> Position:
        return replay(start, log)

    def formats(self, seats: int) -> tuple[Format, ...]:
        del seats
        from service.games.sgf import Sgf

        return (Sgf(self, "Chinese", fallback=True),)


@lru_cache(maxsize=64)
def _rules(size: str, komi: str) -> Rules:
    return Rules(Go.title, sized(size), Fraction(komi))
