"""A position the players have gone back to by agreement (a takeback)."""

from __future__ import annotations

from abc import update_abstractmethods
from typing import Any

from service.engine.game import Game, Log, Position, Seat
from service.engine.waiting import Waiting


class Again(Position):
    """The position `first` again, in a round of its own, so that an order meant for the first time isn't accepted now.

    Only the number of the round differs. The positions that follow are `Again` too, with the same number of rounds
    added. Every other member of `Position` is that of `first`.
    """

    @classmethod
    def of(cls, first: Position, later: int, since: int = 0) -> Again:
        """`first`, `later` rounds later; accepts orders from round `since` on, by default from its own round."""
        return cls(first, later, since)

    def __init__(self, first: Position, later: int, since: int) -> None:
        self.first: Position = first.first if isinstance(first, Again) else first
        self.later: int = later + (first.later if isinstance(first, Again) else 0)
        self.sides, self.phase = first.sides, first.phase
        self.turns, self.outcome = first.turns, first.outcome
        self.round = self.first.round + self.later
        self.since = since or self.round

    def play(self, seat: Seat, move: str) -> Position:
        return Again.of(self.first.play(seat, move), self.later, self.since)

    def advance(self, seat: Seat, move: str) -> Position:
        return Again.of(self.first.advance(seat, move), self.later, self.since)

    def forfeit(self, seat: Seat, reason: str) -> Position:
        return Again.of(self.first.forfeit(seat, reason), self.later, self.since)

    def succeeded(self, seat: Seat) -> Again:
        return Again.of(self.first.succeeded(seat), self.later, self.since)

    def replayed(self, game: Game, log: Log) -> Position:
        """The position after `game.replay` of `log` from here."""
        return Again.of(game.replay(self.first, log), self.later, self.since)

    @property
    def sealed_since(self) -> int:
        return self.first.sealed_since + self.later

    @property
    def asked_since(self) -> int:
        return max(self.since, self.first.asked_since + self.later)


def _forwarded(name: str, member: object) -> object:
    """A property or method that returns what the same member of `first` does."""
    if not callable(member):
        return property(lambda self: getattr(self.first, name))

    def forward(self: Again, *arguments: Any) -> Any:
        return getattr(self.first, name)(*arguments)

    return forward


for _kind in (Waiting, Position):
    for _name, _member in vars(_kind).items():
        if not _name.startswith("_") and _name not in vars(Again):
            setattr(Again, _name, _forwarded(_name, _member))
update_abstractmethods(Again)  # type: ignore[type-abstract] # It is concrete from here on.
