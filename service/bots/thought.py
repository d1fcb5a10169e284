"""What all bots share: what they see, what they answer, and how strong they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from service.engine.game import AGREEMENTS, LATE, LEAVES, SUBSTITUTE, WAIT, Position, Seat
from service.engine.rewound import Again
from service.engine.stone_games.scoring import Scoring

Entry: TypeAlias = tuple[Seat, str]
"""One move of the public log: who played, and the canonical move."""

NO_MOVES = frozenset({*LEAVES, *AGREEMENTS, SUBSTITUTE, WAIT, LATE})
"""What a log may have that is no move to explain or judge."""


class View(NamedTuple):
    """What one seat may see. Make it with `View.of`, which removes the others' secrets."""

    position: Position
    seat: Seat
    log: tuple[Entry, ...] = ()
    """The public moves so far, oldest first; a bot needs only the latest few."""
    allowance: tuple[float, ...] = ()
    """Points to add for each seat, so that the match seems close and every point matters."""

    @classmethod
    def of(cls, position: Position, seat: Seat, log: tuple[Entry, ...] = ()) -> View:
        """The view of `seat`: the position without the other seats' sealed moves and private preferences."""
        position = position.first if isinstance(position, Again) else position
        seen = position
        for other in range(len(seen.sides)):
            if other != seat and seen.outcome is None:
                seen = seen.succeeded(other)
        if seen.offer != position.offer:  # It is public, and still open.
            seen = seen.replaced(offer=position.offer)
        if isinstance(seen, Scoring):
            # `succeeded` lets a new player propose again, but here the proposals are public and still count.
            proposers = position.proposers if isinstance(position, Scoring) else seen.proposers
            seen = Scoring(seen.ended, seen.round, seen.dead, seen.accepted, proposers, seen.since)
        return cls(seen, seat, log)


class Thought(NamedTuple):
    """A move, and the bot's judgement of the position before it."""

    move: str
    value: float = 0.5
    """The share of the win that the seat expects, from 0 to 1."""
    ownership: Mapping[str, tuple[float, ...]] = MappingProxyType({})
    """For each cell name, the chance of each seat to own the cell at the end; empty in games without ownership."""
    lines: tuple[tuple[str, ...], ...] = ()
    """The moves expected from here on, by all seats in turn; the best line is first and begins with `move`."""
    shares: tuple[float, ...] = ()
    """The share of the win that each seat can expect; empty if the search didn't consider the others."""


Bot: TypeAlias = Callable[[View, int, int], Thought]
"""`bot(view, budget, seed)`: the budget is simulations or nodes, never time.

The same view, budget and seed give the same thought on every machine, with or without a compiler.
"""


class Opponent(NamedTuple):
    """One of the three named opponents of a game."""

    name: str
    level: int
    """1 to learn against, 2 for the club, 3 for the strongest."""
    budget: int
    about: str
    """One sentence about how they play."""


MASK = (1 << 64) - 1


def seed_of(match: int, ply: int, seat: Seat) -> int:
    """The seed for one turn of one seat (splitmix64), so that bots at the same table choose independently."""
    mixed = match & MASK
    for part in (ply, seat):
        mixed = (mixed + 0x9E3779B97F4A7C15 * (part + 1)) & MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        mixed ^= mixed >> 31
    return mixed
