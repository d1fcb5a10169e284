"""The search's thoughts about a thousand positions, to compare machines, compilers and releases.

`python -m tests.bots.stones.thoughts` writes the file again after a change of the search or its rules of thumb.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from random import Random

from service.bots.stones.think import think
from service.bots.thought import View
from service.engine.game import Position
from service.games import GAMES
from tests.bots.pillars.playing import DATA

THOUGHTS = DATA / "stones-thoughts.txt"
BOARDS: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("go", 2, {"size": "9"}),
    ("rosette", 2, {"base": "5"}),
    ("lotus", 2, {}),
    ("medusa", 2, {"base": "4"}),
    ("multigo", 3, {"size": "7"}),
    ("multigo-coop", 5, {"size": "5"}),
    ("multigo-parallel", 3, {"size": "7"}),
    ("multigo-parallel-coop", 4, {"size": "5"}),
)
SIMULATIONS = 40


def wandered(name: str, seats: int, options: dict[str, str], plies: int, seed: int) -> Position:
    """A position after random placements."""
    dice, position = Random(seed), GAMES[name].start(seats, 0, **options)
    for _ in range(plies):
        seat = position.turns[0]
        moves = [move for move in position.moves(seat) if move != "pass"]
        if not moves:
            break
        position = position.play(seat, dice.choice(moves))
    return position


def thoughts(numbers: Iterable[int]) -> Iterator[str]:
    """A line for each position: the move, its value, and a digest of the line and the ownership."""
    for number in numbers:
        name, seats, options = BOARDS[number % len(BOARDS)]
        position = wandered(name, seats, options, 3 + number % 31, number)
        thought = think(View.of(position, position.turns[0]), SIMULATIONS, number)
        rest = repr((thought.lines, sorted(thought.ownership.items())))
        yield f"{thought.move} {thought.value} {sha256(rest.encode()).hexdigest()[:8]}"


if __name__ == "__main__":
    THOUGHTS.write_text("".join(f"{line}\n" for line in thoughts(range(1000))))
