"""The pairings for games of stones: each opponent against Greedy and against the next weaker one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.bots.roster import OPPONENTS
from service.bots.stones.opponents import order
from service.bots.thought import Opponent, Thought, View
from service.bots.yardsticks import greedy
from tests.arena.match import Pairing, Player, Questions
from tests.bots.stones.thoughts import THOUGHTS, thoughts

BOARDS: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("go", 2, {"size": "9"}),
    ("rosette", 2, {"base": "5"}),
    ("lotus", 2, {}),
    ("medusa", 2, {"base": "6"}),
    ("multigo", 3, {"size": "7"}),
    ("multigo-coop", 3, {"size": "7"}),
    ("multigo-parallel", 3, {"size": "7"}),
    ("multigo-parallel-coop", 3, {"size": "7"}),
)
"""The usual small board of each game."""


def ours(opponent: Opponent) -> Player:
    def player(view: View, seed: int, past: Sequence[float]) -> Thought:
        return order(view, opponent, seed, past)

    return player


def yardstick(view: View, seed: int, past: Sequence[float]) -> Thought:
    return greedy(view, 0, seed)


def pairings() -> Iterator[Pairing]:
    for game, seats, options in BOARDS:
        learner, club, strongest = OPPONENTS[game]
        yield Pairing(f"{game}: {learner.name} (1) - greedy", game, ours(learner), yardstick, seats, options)
        yield Pairing(f"{game}: {club.name} (2) - greedy", game, ours(club), yardstick, seats, options)
        yield Pairing(f"{game}: {club.name} (2) - {learner.name} (1)", game, ours(club), ours(learner), seats, options)
        yield Pairing(
            f"{game}: {strongest.name} (3) - {club.name} (2)", game, ours(strongest), ours(club), seats, options
        )
        if seats > 2:
            yield Pairing(f"{game}: {strongest.name} (3) - greedy", game, ours(strongest), yardstick, seats, options)


def thinks_the_same(number: int) -> bool:
    """Whether the thought is reproducible, and the same as with the compiled search."""
    return [*thoughts([number])] == [*thoughts([number])] == [THOUGHTS.read_text().splitlines()[number]]


PAIRINGS: tuple[Pairing | Questions, ...] = (
    *pairings(),
    Questions("stones: same thought as compiled", 1000, thinks_the_same),
)
