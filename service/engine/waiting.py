"""The part of the contract that only games with simultaneous rounds or private orders override.

`Position` inherits these defaults, which are right for two players who move in turn.
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
    """How often a draw was offered or declined since the last move, which raises `round` but ends no turn."""
    numbered: int = 0
    """`turn_number` in a game whose state has it."""

    def moves(self, seat: Seat) -> Iterable[str]:
        """See `Position`."""
        raise NotImplementedError  # pragma: no cover

    @property
    def public_turns(self) -> tuple[Seat, ...]:
        """`turns` as the public may see it: in a simultaneous round, all active seats until it resolves."""
        return self.turns

    @property
    def sealed_since(self) -> int:
        """The round in which the first of the choices now sealed could be made; all choices from before are public.

        It lags behind `round` if something public, such as a resignation, happened after others had sealed theirs.
        """
        return self.round

    @property
    def asked_since(self) -> int:
        """The first round whose orders are still accepted, since the match has waited for the same answers ever since.

        It lags behind `round` if others have answered meanwhile and the question is still the same.
        """
        return self.round - self.remarks

    @property
    def turn_number(self) -> int:
        """The number of the turn as chess counts: it rises after the last seat's move."""
        return self.numbered or ((self.round + 1) // 2 if len(self.public_turns) == 1 else self.round)

    def may_interrupt(self, seat: Seat, move: str) -> bool:
        """Whether `seat` may send `move` although the match isn't waiting for that seat."""
        del seat, move
        return False

    def is_private(self, move: str) -> bool:
        """Whether `move`, once accepted, stays hidden from all other seats until the match is over.

        Such a move (a standing preference) changes nothing public, so it is accepted in any round.
        """
        del move
        return False

    def missed(self, seat: Seat) -> str | None:
        """The move played for a seat whose time is up and which stays in the match; None if it can only leave."""
        return next((word for word in ("pass", "accept", "alone") if word in self.moves(seat)), None)
