"""Whose turn comes next when moves are made one after another, and how the first rounds make up for it.

J. P. Neto, "Other Players": among three equal players the first is skipped in round 3, among four the first two; of
five to eight, the fifth and later ones place two stones in round 1, since no corner is left for them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from service.engine.game import Seat

PAST_OPENING = 4
"""The first round that treats all alike, however many play."""


class Turn(NamedTuple):
    """One ordinary move to be made: the round, counted from 1, the seat, and whether it is its second in a row."""

    round: int
    seat: Seat
    second: bool = False


class Order(NamedTuple):
    """The turn order of a match of `seats` seats; between `equal` players round 3 skips the first ones."""

    seats: int
    equal: bool

    def skips(self, round_: int) -> int:
        """How many seats, from the first on, are skipped in a round."""
        return self.seats - 2 if self.equal and round_ == 3 and self.seats in (3, 4) else 0

    def doubles(self, turn: Turn) -> bool:
        """Whether this move is followed by another one of the same seat."""
        return self.seats > 4 and turn.round == 1 and turn.seat >= 4 and not turn.second

    def after(self, turn: Turn, active: Collection[Seat]) -> tuple[Turn, tuple[Seat, ...]]:
        """The next turn of an active seat, and the active seats skipped on the way there."""
        round_, seat, _ = turn
        if round_ >= PAST_OPENING and seat + 1 in active:
            return Turn(round_, seat + 1), ()
        if self.doubles(turn) and seat in active:
            return turn._replace(second=True), ()
        return self.first(Turn(round_, seat + 1), active)

    def first(self, turn: Turn, active: Collection[Seat]) -> tuple[Turn, tuple[Seat, ...]]:
        """`turn`, or the next turn from it on whose seat is active and not skipped; and the active seats skipped."""
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
