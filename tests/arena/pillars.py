"""Pillars of Medusa: each opponent against the next weaker one, mates to find, and thoughts that must not differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from service.bots.pillars.opponents import learner, order, strong
from service.bots.roster import OPPONENTS
from service.bots.thought import Opponent, Thought, View
from service.bots.yardsticks import greedy, pebble
from tests.arena.match import Pairing, Player, Questions
from tests.bots.pillars.playing import DATA, SETUPS, started, walk
from tests.bots.pillars.thoughts import THOUGHTS, thoughts


def ours(opponent: Opponent) -> Player:
    def player(view: View, seed: int, past: Sequence[float]) -> Thought:
        return order(view, opponent, seed, past)

    return player


def yardstick(bot: Callable[[View, int, int], Thought]) -> Player:
    def player(view: View, seed: int, past: Sequence[float]) -> Thought:
        del past
        return bot(view, 0, seed)

    return player


def solves(number: int) -> bool:
    """Whether the strongest opponent finds a mate that a brute-force search found."""
    mate = json.loads((DATA / "pillars-mates.json").read_text())[number]
    position = started(mate["setup"])
    return strong(View.of(position, position.seat), STRONGEST.budget, 1).move in mate["moves"]


def thinks_the_same(number: int) -> bool:
    """Whether the thought is the same as with the compiled search."""
    return [*thoughts([number])] == [THOUGHTS.read_text().splitlines()[number]]


def is_legal(number: int) -> bool:
    """Whether the search's move in a position of a random match is legal."""
    walked = walk(5000 + number, 3 + number % 80, SETUPS[number % len(SETUPS)])
    position = [at for at in walked if at.outcome is None][-1]
    return (strong, learner)[number % 2](View.of(position, position.seat), 300, number).move in position.written


LEARNER, CLUB, STRONGEST = OPPONENTS["pillars"]
PAIRINGS: tuple[Pairing | Questions, ...] = (
    Pairing("pillars: Chalk (1) - pebble", "pillars", ours(LEARNER), yardstick(pebble)),
    Pairing("pillars: Chalk (1) - greedy", "pillars", ours(LEARNER), yardstick(greedy)),
    Pairing("pillars: Marble (2) - greedy", "pillars", ours(CLUB), yardstick(greedy)),
    Pairing("pillars: Marble (2) - Chalk (1)", "pillars", ours(CLUB), ours(LEARNER)),
    Pairing("pillars: Obsidian (3) - Marble (2)", "pillars", ours(STRONGEST), ours(CLUB)),
    Questions("pillars: mates in two and three, Obsidian (3)", 50, solves),
    Questions("pillars: same thought as compiled", 1000, thinks_the_same),
    Questions("pillars: legal moves", 1000, is_legal),
)
