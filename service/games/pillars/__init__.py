"""Pillars of Medusa (Gary K. Gifford, 1997 and 2003): chess on 11 by 11 squares, with petrification."""

from __future__ import annotations

from collections.abc import Mapping

from service.engine.game import Game, Log, Option, Outcome, Position, Sheet
from service.games.pillars.notation import trusted
from service.games.pillars.position import History, PillarsPosition, played
from service.games.pillars.state import START, read_fen, write_fen


def _read_setup(text: str) -> str:
    return write_fen(read_fen(text))


class PillarsOfMedusa(Game):
    name = "pillars"
    sheet = "pgn"
    title = "Pillars of Medusa"
    summary = "Chess on 121 squares: a Medusa turns to stone what stands next to her, a Morph becomes what it captures."
    options = (Option("setup", "", summary="A position in FEN to start from", read=_read_setup),)

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return PillarsPosition.sides

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        return PillarsPosition(History(read_fen(options["setup"] or START)))

    def replay(self, start: Position, log: Log) -> Position:
        """Of the pieces only those that could have been meant are looked at; no moment but the last is judged."""
        if not isinstance(start, PillarsPosition):
            return super().replay(start, log)
        history = start.history
        for seat, order in log:
            move = trusted(history.state, order)
            history = history.after(order, move) if move else played(PillarsPosition(history), seat, order).history
        return PillarsPosition(history)

    def write_sheet(self, start: Position, log: Log, headers: Mapping[str, str], outcome: Outcome | None = None) -> str:
        # Sheets are rare, and not every process that plays needs to load what writes them.
        from service.games.pillars.sheet import write_sheet

        if not isinstance(start, PillarsPosition):
            raise TypeError("The start must be a position of Pillars of Medusa.")
        return write_sheet(start, log, headers, outcome)

    def read_sheet(self, text: str) -> Sheet:
        from service.games.pillars.sheet import read_sheet

        return read_sheet(text)
