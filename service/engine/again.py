"""A position the players have gone back to by agreement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from service.engine.game import Draft, Game, Log, Position, Seat
from service.engine.scene import Scene


class Again(Position):
    """The position `first` once more, in a round of its own: an order meant for its first time is not taken now.

    Only the number differs. What follows from it is `Again` too, each with as many rounds more.
    """

    def __init__(self, first: Position, later: int, since: int = 0) -> None:
        self.first: Position = first.first if isinstance(first, Again) else first
        self.later: int = later + (first.later if isinstance(first, Again) else 0)
        self.sides, self.phase = first.sides, first.phase
        self.turns, self.outcome = first.turns, first.outcome
        self.round = self.first.round + self.later
        self.since = since or self.round

    def moves(self, seat: Seat) -> Iterable[str]:
        return self.first.moves(seat)

    def play(self, seat: Seat, move: str) -> Position:
        return Again(self.first.play(seat, move), self.later, self.since)

    def advance(self, seat: Seat, move: str) -> Position:
        return Again(self.first.advance(seat, move), self.later, self.since)

    def forfeit(self, seat: Seat, reason: str) -> Position:
        return Again(self.first.forfeit(seat, reason), self.later, self.since)

    def succeeded(self, seat: Seat) -> Position:
        return Again(self.first.succeeded(seat), self.later, self.since)

    def replayed(self, game: Game, log: Log) -> Position:
        """`game.replay` from here on."""
        return Again(game.replay(self.first, log), self.later, self.since)

    def missed(self, seat: Seat) -> str | None:
        return self.first.missed(seat)

    def read(self, seat: Seat, text: str) -> str:
        return self.first.read(seat, text)

    def draft(self, seat: Seat, text: str) -> Draft:
        return self.first.draft(seat, text)

    def view(self, seat: Seat | None) -> Scene:
        return self.first.view(seat)

    def may_interrupt(self, seat: Seat, move: str) -> bool:
        return self.first.may_interrupt(seat, move)

    def is_private(self, move: str) -> bool:
        return self.first.is_private(move)

    @property
    def active(self) -> tuple[Seat, ...]:
        return self.first.active

    @property
    def public_turns(self) -> tuple[Seat, ...]:
        return self.first.public_turns

    @property
    def sealed_since(self) -> int:
        return self.first.sealed_since + self.later

    @property
    def asked_since(self) -> int:
        return max(self.since, self.first.asked_since + self.later)

    @property
    def draws(self) -> bool:
        return self.first.draws

    @property
    def offer(self) -> Seat | None:
        return self.first.offer

    @property
    def occupants(self) -> Mapping[str, str]:
        return self.first.occupants

    @property
    def facts(self) -> Mapping[str, object]:
        return self.first.facts

    @property
    def setup(self) -> str:
        return self.first.setup
