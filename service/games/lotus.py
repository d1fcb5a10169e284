"""Lotus (Christian Freeling): Go with reversal on the 72 points of the Kensington board.

Source: the inventor's rules at MindSports. Where they say nothing, we count as in Medusa, and a lotus protects a
group if it is complete when the last liberty is gone, even if that same reversal completed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from service.engine.game import Game, Log, Position, Seat
from service.engine.options import Option
from service.engine.stone_games.stone_orders import AGREEMENT, PASS, STONE, refusal
from service.games.kensington import kensington
from service.games.reversal import SIDES, ReversalPosition, Rules, opening, replay

TRACK = 7


class LotusPosition(ReversalPosition):
    """A moment of play. Stones never leave the board, so a position can never recur."""

    def moves(self, seat: Seat) -> Iterable[str]:
        """Every empty point, suicide included, and `pass`."""
        if seat not in self.turns:
            return []
        return [name for name, stone in zip(self.board.names, self.cells, strict=True) if not stone] + ["pass"]

    def advance(self, seat: Seat, move: str) -> Position:
        point = self.board.index.get(move)
        if point is not None:
            return self.placed(seat, point)
        if move == "pass":
            return self.passed(seat)
        raise refusal(self.board, move)


class Lotus(Game):
    name = "lotus"
    title = "Lotus"
    summary = "Go with reversal on a board of hexagons, squares and triangles: captured stones change sides."
    options = (
        Option("komi", "3", ("3", "0", "1", "2", "4", "5", "6", "7"), "Points for White on the track at the start."),
        Option("setup", "", (), "Stones to start from, such as black: s1 s2; white: t1; turn: white.", str.strip),
    )
    words = (STONE, PASS, *AGREEMENT)

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return SIDES

    def sample(self) -> Position:
        black = "o2 o3 q2 q3 s1 s2 d3 e3 f2 i2 l1"
        return self.start(setup=f"black: {black}; white: m2 m3 n2 n3 p2 p3 r2 r3 t1 t2 u1 e2 g3 i3 k4 j3")

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        field = kensington()
        rules = Rules(self.title, field.board, field.rings, TRACK)
        start = opening(rules, options["setup"], int(options["komi"]))
        return LotusPosition(rules, *start)

    def replay(self, start: Position, log: Log) -> Position:
        return replay(start, log)
