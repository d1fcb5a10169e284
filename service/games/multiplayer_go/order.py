"""Whose turn is next when players move in turn, and how the first rounds compensate for the order.

J. P. Neto, "Other Players": of three equal players, the first is skipped in round 3, of four the first two; of
five to eight, the fifth and later players place two stones in round 1, since all corners are taken.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from service.engine.game import Seat

PAST_OPENING = 4
"""The first round that is the same for all players, however many there are."""


class Turn(NamedTuple):
    """One move: the round, counted from 1, the seat, and whether it is this seat's second move in a row."""

    round: int
    seat: Seat
    second: bool = False


class Order(NamedTuple):
    """The turn order of a match with `seats` seats; round 3 skips the first of three or four `equal` players."""

    seats: int
    equal: bool

    def skips(self, round_: int) -> int:
        """How many seats, counted from the first, are skipped in a round."""
        return self.seats - 2 if self.equal and round_ == 3 and self.seats in (3, 4) else 0

    def doubles(self, turn: Turn) -> bool:
        """Whether the same seat moves again after this move."""
        return self.seats > 4 and turn.round == 1 and turn.seat >= 4 and not turn.second

    def after(self, turn: Turn, active: Collection[Seat]) -> tuple[Turn, tuple[Seat, ...]]:
        """The next turn of an active seat, and the active seats skipped before it."""
        round_, seat, _ = turn
        if round_ >= PAST_OPENING and seat + 1 in active:
            return Turn(round_, seat + 1), ()
        if self.doubles(turn) and seat in active:
            return turn._replace(second=True), ()
        return self.first(Turn(round_, seat + 1), active)

    def first(self, turn: Turn, active: Collection[Seat]) -> tuple[Turn, tuple[Seat, ...]]:
        """The first turn from `turn` on of an active seat that isn't skipped, and the seats skipped before it."""
        round_, seat = turn.round, turn.seat
        skipped: list[Seat] = []
        while True:
            if seat == self.seats:
                round_, seat = round_ + 1, 0
            if seat in active:
                if seat >= self.skips(round_):
                    return Turn(round_, seat, turn.second and (round_, seat) == turn[:2]), tuple(skipped)
                skipped.append(seat)
            seat += 1
