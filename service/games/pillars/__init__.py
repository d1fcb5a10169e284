"""Pillars of Medusa (Gary K. Gifford, 1997 and 2003): chess on 11 by 11 squares, with petrification.

The tables behind the rules take some milliseconds to build: the first match loads them, not the list of games.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from service.engine.game import Game, Log, Option, Position

if TYPE_CHECKING:
    from service.engine.formats import Format


def _read_setup(text: str) -> str:
    from service.games.pillars.state import read_fen, write_fen

    return write_fen(read_fen(text))


class PillarsOfMedusa(Game):
    name = "pillars"
    title = "Pillars of Medusa"
    summary = "Chess on 121 squares: a Medusa turns to stone what stands next to her, a Morph becomes what it captures."
    options = (Option("setup", "", summary="A position in FEN to start from", read=_read_setup),)

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return ("white", "black")

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        from service.games.pillars.position import first_position

        return first_position(options["setup"])

    def replay(self, start: Position, log: Log) -> Position:
        from service.games.pillars.position import replayed

        return replayed(start, log)

    def formats(self, seats: int) -> tuple[Format, ...]:
        del seats
        from service.games.pillars.sheet import ScoreSheet

        return (ScoreSheet(self),)
