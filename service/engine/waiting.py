"""What only games with simultaneous rounds or private orders need to say about themselves.

Two players who move in turn need none of it: `Position` inherits these defaults, and such a game never overrides them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Seat: TypeAlias = int
"""A place at the table, 0 … n-1, in turn order."""


class Waiting:
    """Which seats the match waits for in public, what stays hidden meanwhile, and what is played for a late seat."""

    turns: tuple[Seat, ...]
    """The seats the match waits for, in order; several in simultaneous rounds; empty exactly when over."""
    round: int
    """Rises whenever the public situation changes; an order names the round it was meant for."""
    remarks: int = 0
    """How often a draw was offered or declined since the last move. That raises `round`, and the question remains."""

    def moves(self, seat: Seat) -> Iterable[str]:
        """See `Position`."""
        raise NotImplementedError  # pragma: no cover

    @property
    def public_turns(self) -> tuple[Seat, ...]:
        """`turns` as outsiders may know it: in a simultaneous round, all active seats until it resolves."""
        return self.turns

    @property
    def sealed_since(self) -> int:
        """The round in which the choices now sealed began to be made; everything chosen before it is public.

        It lags behind `round` when something public, such as a resignation, happened while others had sealed theirs.
        """
        return self.round

    @property
    def asked_since(self) -> int:
        """The first round whose orders are good now: what the match waits for has been the same since.

        It lags behind `round` where others have answered meanwhile and the question is still the same.
        """
        return self.round - self.remarks

    def may_interrupt(self, seat: Seat, move: str) -> bool:
        """Whether `seat` may send `move` although the match does not wait for it."""
        del seat, move
        return False

    def is_private(self, move: str) -> bool:
        """Whether `move`, once accepted, stays hidden from all other seats until the match is over.

        Such a move (a standing preference) changes nothing public, so it is good in any round.
        """
        del move
        return False

    def missed(self, seat: Seat) -> str | None:
        """What is played for a seat whose time is up where the match goes on with it; None if it can only leave."""
        return next((word for word in ("pass", "accept", "alone") if word in self.moves(seat)), None)
