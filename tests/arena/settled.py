"""Which stones are dead at the end of matches: does our guess agree with the result if play goes on?

Matches are played by quick searches with the manners of our bots, until both pass or everything seems clear. A match
counts as finished only if the same stones then die no matter who moves next, in several searches that play on. Until
then, each side places another stone where it is worth most, and play goes on.

The truth about the stones of one side is found by playing on with thorough searches in which every point matters. Play
is resumed for that, so every stone left at the end is alive. The other side must capture what it can, so it never
passes while it has a sensible move; the side itself may pass. Stones that it can't keep are dead. Neither this nor the
test whether a match is finished uses our guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from random import Random
from time import process_time

from service.bots.compiler import COMPILED
from service.bots.roster import for_counting
from service.bots.stones.manners import mannered
from service.bots.stones.playing_on import best, closely, lost, played_on, proposed
from service.bots.stones.settling import evening, ownership
from service.bots.stones.think import think
from service.bots.thought import View, seed_of
from service.engine.stone_games.stone_position import StonePosition
from tests.arena.match import Pairing, Result
from tests.arena.mine import begun
from tests.arena.stones import BOARDS, yardstick

QUICK, THOROUGH = 60, 400
"""Simulations per move in the match, and in playing on."""
OPENING = 6
"""The number of random first moves, so that matches differ."""
JUDGES = 3
"""How many searches with different seeds must find the same stones dead, with each side moving first."""
ENDS = 12
"""How often a match may seem to be finished before it is given up."""


@dataclass(frozen=True)
class Settled(Pairing):
    """Matches of quick searches against themselves, whose dead stones are guessed and then found by playing on."""

    def played(self, matches: int, seed: int) -> Result:
        agreed, cpu, number, done = 0, 0.0, seed, 0
        budget = for_counting(self.game, len(begun(self.game, dict(self.options)).cells), COMPILED)
        while done < matches:
            finished = self.finished(number)
            if finished is not None:
                ended, dead_stones = finished
                time = process_time()
                guess = proposed(ended, ownership(ended, number), budget, number)
                cpu += process_time() - time
                agreed += guess == dead_stones
                done += 1
            number += 1
        given_up = number - seed - matches
        name = f"{self.name}, {given_up} unfinished" if given_up else self.name
        return Result(name, agreed, matches, seed, cpu / matches)

    def finished(self, seed: int) -> tuple[StonePosition, set[int]] | None:
        """The end of a match whose first moves are random, and the dead stones; None if it is given up."""
        dice, position = Random(seed), begun(self.game, dict(self.options))
        for _ in range(OPENING):
            move = dice.choice([move for move in position.moves(position.turns[0]) if move != "pass"])
            following = position.play(position.turns[0], move)
            assert isinstance(following, StonePosition)
            position = following
        for again in range(ENDS):
            position = self.ended(position, seed_of(seed, again, 2))
            found = self.truth(position, seed)
            if found is not None:
                return position, found
            position = forced(position, seed_of(seed, again, 3))
        return None

    def truth(self, position: StonePosition, seed: int) -> set[int] | None:
        """The dead stones; None if they depend on who moves first or on the seed of the search."""
        asked = product(range(JUDGES), (True, False))
        each = (truth(self.game, dict(self.options), position, seed + number, first) for number, first in asked)
        dead_stones = next(each)
        return dead_stones if all(other == dead_stones for other in each) else None

    def ended(self, position: StonePosition, seed: int) -> StonePosition:
        """The position in which both pass, or everything is clear, after our bots have played on quickly."""
        log = list[tuple[int, str]]()
        for ply in range(400):
            seat = position.turns[0]
            view = View.of(position, seat, tuple(log[-4:]))
            move = mannered(think, view, QUICK, seed_of(seed, ply, seat), stubborn=True).move
            following = position.play(seat, move)
            if not isinstance(following, StonePosition):
                break
            position = following
            log.append((seat, move))
        return position


def forced(position: StonePosition, seed: int) -> StonePosition:
    """The position after another stone of each side, the best sensible one if there is any."""
    allowance: tuple[float, ...] = evening(position, ownership(position, seed))
    for ply in range(2):
        view = View.of(position, position.turns[0])._replace(allowance=allowance)
        found, allowance = closely(view, THOROUGH, seed_of(seed, ply, view.seat))
        following = position.play(found.seat, best(found, stubborn=True))
        if not isinstance(following, StonePosition):
            break
        position = following
    return position


def truth(game: str, options: dict[str, str], ended: StonePosition, seed: int, owner_first: bool = True) -> set[int]:
    """The stones of chains that their owners can't keep, with the owners or the others moving first."""
    found: set[int] = set()
    for seat in range(len(ended.sides)):
        start = moved_by(game, options, ended, seat if owner_first else 1 - seat)
        last = played_on(start, seed, THOROUGH, stubborn=1 - seat, most=3 * len(start.cells))
        found |= lost(start, seat, last) if last else set()
    return found


def moved_by(game: str, options: dict[str, str], ended: StonePosition, seat: int) -> StonePosition:
    """The same board with this seat to move, resumed, so that all stones left at the end are alive."""
    start = begun(game, {**options, "setup": re.sub(r"turn: \w+", f"turn: {ended.sides[seat]}", ended.setup)})
    resumed = start.resumed(start.round)
    assert isinstance(resumed, StonePosition)
    return resumed


PAIRINGS = tuple(
    Settled(f"{game}: the dead stones as played out", game, yardstick, yardstick, 2, options)
    for game, _, options in BOARDS
    if game in ("rosette", "lotus", "medusa")
)
