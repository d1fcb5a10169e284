"""Random play of the four games to the end: every stone is accounted for, and the scores sum to one."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from service.engine.game import Position
from service.games import GAMES
from service.games.multiplayer_go.table import TablePosition
from tests.games.multiplayer_go.playing import start

NAMES = [name for name in GAMES if name.startswith("multigo")]


def random_match(game: str, seats: int, seed: int, options: dict[str, str]) -> list[Position]:
    """A random match with preferences, players leaving, dead stones and alliances."""
    chance = random.Random(seed)
    positions = [start(game, seats, size=chance.choice(["3", "4x5", "5"]), **options)]
    while positions[-1].turns:
        now = positions[-1]
        seat = chance.choice(now.turns)
        move = chance.choice([*now.moves(seat)])
        dice = chance.random()
        if dice < 0.01:
            move = "resign"
        elif len(positions) > 300 and now.phase == "play":
            move = "pass"
        elif now.phase == "scoring" and dice < 0.4 and now.occupants:
            move = f"dead {chance.choice([*now.occupants])}"
        elif now.phase == "scoring" and len(positions) > 400:
            move = "accept"
        elif now.phase == "alliances" and dice < 0.7:
            move = f"ally {' '.join(chance.sample(now.sides, 2))}"
        elif "coop" in game and "prisoners" not in options and dice < 0.1:
            move = f"prefer {chance.choice(now.sides)}"
        try:
            positions.append(now.play(seat, move))
        except ValueError:
            continue
    return positions


def stones(position: Position) -> int:
    """The number of stones on the board, held and eliminated."""
    facts: Any = position.facts
    held: int = sum(sum(purse.values()) for purse in facts["prisoners"].values())
    gone: int = sum(facts["eliminated"].values())
    return len(position.occupants) + held + gone


def placed(position: Position) -> int:
    """How many stones the last move or turn placed."""
    if not isinstance(position, TablePosition) or position.report.void:
        return 0
    return len(position.report.placed)


@settings(max_examples=40, deadline=None)
@given(
    game=st.sampled_from(NAMES),
    seats=st.integers(2, 8),
    seed=st.integers(0, 10**6),
    crossman=st.booleans(),
)
def test_random_play(game: str, seats: int, seed: int, crossman: bool) -> None:
    options = {"prisoners": "crossman"} if crossman else {}
    positions = random_match(game, seats, seed, options)
    for before, after in pairwise(positions):
        new = stones(after) - stones(before)
        if before.phase != "play":
            assert new == 0
        elif after.phase == "play" and after.round > before.round and after.active == before.active:
            assert new == placed(after)
        facts: Any = after.facts
        assert all(holder not in purse for holder, purse in facts["prisoners"].items())
        if crossman:
            assert not facts["prisoners"]
    last = positions[-1]
    assert last.outcome is not None
    assert sum(last.outcome.scores) == 1
    assert sum(map(bool, last.outcome.scores)) >= 1
    points: Any = last.facts.get("points")
    if points and not crossman:
        assert all(int(text) >= 0 for text in points.values())
