"""Pillars of Medusa (Gary K. Gifford, 1997 and 2003): chess on 11 by 11 squares, with petrification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from service.engine.game import Game, Log, Position
from service.engine.options import Option, Word
from service.games.pillars.position import PillarsPosition, first_position, perft, replayed
from service.games.pillars.state import read_fen, write_fen

if TYPE_CHECKING:
    from service.engine.record_formats import Format


def _read_setup(text: str) -> str:
    return write_fen(read_fen(text))


class PillarsOfMedusa(Game):
    name = "pillars"
    title = "Pillars of Medusa"
    summary = "Chess on 121 squares. A Medusa turns pieces next to her to stone, and a Morph becomes what it captures."
    options = (
        Option(
            "setup",
            "",
            summary="A position in FEN to start from, such as k10/11/1K9/11/11/11/11/11/11/11/2T8 w - 0 1.",
            read=_read_setup,
        ),
    )
    words = (
        Word("e3e5", "Move from one square to the other. This is enough for any move but a transformation."),
        Word("ME-C5", "The piece's letters and where it goes. A Sword has no letters: D2-D4, or just D4."),
        Word("HBxC4", "x captures. If two pieces of a kind can go there, add the file or the square."),
        Word("(A)xB7=(H)", "The Morph, its letters in brackets, takes and becomes a Morph Horse."),
        Word("(A)xI6=S", "It becomes a plain Serpent and is no longer a Morph. Without =, it stays what it is."),
        Word("A10-A11=ME", "Promote; =ME may be left out."),
        Word("O-O-A", "Castle on the A-side; O-O-K on the K-side."),
        Word("draw", "Offer a draw, or accept the one that is offered."),
    )

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return ("white", "black")

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        return first_position(options["setup"])

    def replay(self, start: Position, log: Log) -> Position:
        return replayed(start, log) if log else start  # Where the game is over, there are no moves.

    def perft(self, position: Position, depth: int) -> int:
        if not isinstance(position, PillarsPosition):  # The game is over.
            return super().perft(position, depth)
        return perft(position.history, depth)

    def formats(self, seats: int) -> tuple[Format, ...]:
        del seats
        from service.games.pillars.sheet import ScoreSheet

        return (ScoreSheet(self),)
