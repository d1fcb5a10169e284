"""Matches between bots, and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from time import process_time
from typing import NamedTuple, TypeAlias

from service.bots.thought import Thought, View, seed_of
from service.engine.game import Position
from service.engine.stone_games.stone_position import StonePosition
from service.games import GAMES

Player: TypeAlias = Callable[[View, int, Sequence[float]], Thought]
"""`player(view, seed, past)`: what to order; `past` are the values of its own earlier turns."""

LONGEST = 1000
"""The number of orders after which the board is counted as it is."""


class Result(NamedTuple):
    """A line of the table: the first player's share of the win over some matches."""

    name: str
    points: float
    matches: int
    seed: int
    cpu: float
    """CPU seconds per move of the first player, on average."""

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % confidence interval."""
        share, z2 = self.points / self.matches, 1.96**2
        middle = (share + z2 / (2 * self.matches)) / (1 + z2 / self.matches)
        spread = sqrt(share * (1 - share) / self.matches + z2 / (4 * self.matches**2)) * 1.96 / (1 + z2 / self.matches)
        return middle - spread, middle + spread

    @property
    def line(self) -> str:
        low, high = self.interval
        share = self.points / self.matches
        return (
            f"{self.name:<52} {self.points:g}/{self.matches} = {share:.2f} [{low:.2f}, {high:.2f}]"
            f"  {self.cpu:.3f} CPU s a move  seed {self.seed}"
        )


@dataclass
class Table:
    """A match being played."""

    position: Position
    log: list[tuple[int, str]] = field(default_factory=list)
    past: dict[int, list[float]] = field(default_factory=dict)
    cpu: float = 0.0
    moves: int = 0


@dataclass(frozen=True)
class Pairing:
    """A player against copies of another one; it plays each seat in turn."""

    name: str
    game: str
    player: Player
    other: Player
    seats: int = 2
    options: Mapping[str, str] = field(default_factory=dict)

    def played(self, matches: int, seed: int) -> Result:
        points = cpu = 0.0
        moves = 0
        for number in range(matches):
            seat = number % self.seats
            table = Table(GAMES[self.game].start(self.seats, 0, **self.options))
            scores = self.match(table, seat, seed + number)
            points += scores[seat]
            cpu, moves = cpu + table.cpu, moves + table.moves
        return Result(self.name, points, matches, seed, cpu / max(1, moves))

    def match(self, table: Table, ours: int, seed: int) -> Sequence[float]:
        """Plays one match; returns the scores of all seats."""
        sealed: list[tuple[int, str]] = []
        for ply in range(LONGEST):
            if table.position.outcome is not None:
                return [float(score) for score in table.position.outcome.scores]
            seat = table.position.turns[0]
            player = self.player if seat == ours else self.other
            view = View.of(table.position, seat, tuple(table.log[-4:]))
            begun = process_time()
            thought = player(view, seed_of(seed, ply, seat), table.past.setdefault(seat, []))
            if seat == ours:
                table.cpu += process_time() - begun
                table.moves += 1
            table.past[seat].append(thought.value)
            table.position = table.position.play(seat, thought.move)
            sealed.append((seat, thought.move))
            if len(table.position.public_turns) < 2 or len(sealed) == len(table.position.active):
                table.log += sealed
                sealed = []
        assert isinstance(table.position, StonePosition)
        winners = table.position.survey().winners
        return [(each in winners) / len(winners) for each in range(self.seats)]


@dataclass(frozen=True)
class Questions:
    """`count` positions, each with a right answer; `matches` is ignored."""

    name: str
    count: int
    right: Callable[[int], bool]

    def played(self, matches: int, seed: int) -> Result:
        del matches
        begun = process_time()
        points = sum(self.right(number) for number in range(self.count))
        return Result(self.name, points, self.count, seed, (process_time() - begun) / self.count)
