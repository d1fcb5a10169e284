"""Which stones are dead at the end of matches: does our guess agree with what comes of it when play goes on?

The truth about the stones of one side is played out by searches. The other side must take what it can, and so never
passes while it has a move that makes sense; the side itself moves first and may pass. What it does not keep is dead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from time import process_time

from service.bots.stones.settling import SURE, dead, ownership
from service.bots.stones.think import playable, searched
from service.bots.thought import View, seed_of
from service.engine.game import Position, Seat
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import chain
from tests.arena.match import Pairing, Result
from tests.arena.mine import begun, evened
from tests.arena.stones import BOARDS, yardstick

QUICK, THOROUGH = 60, 400
"""Simulations a move in the match, and in playing on."""


@dataclass(frozen=True)
class Settled(Pairing):
    """Matches of quick searches against themselves, whose dead stones are guessed and then played out."""

    def played(self, matches: int, seed: int) -> Result:
        agreed, cpu = 0, 0.0
        for number in range(seed, seed + matches):
            ended = self.finished(number)
            time = process_time()
            guess = dead(ended, ownership(ended, number))
            cpu += process_time() - time
            agreed += guess == truth(self.game, dict(self.options), ended, number)
        return Result(self.name, agreed, matches, seed, cpu / matches)

    def finished(self, seed: int) -> StonePosition:
        """The end of a match whose first moves are drawn: nothing seems to be at stake any more."""
        dice, position = Random(seed), begun(self.game, dict(self.options))
        for ply in range(400):
            seat = position.turns[0]
            if ply < 6:
                move = dice.choice([move for move in position.moves(seat) if move != "pass"])
            else:
                move = best(position, seat, QUICK, seed_of(seed, ply, seat))
            following = position.play(seat, move)
            if not isinstance(following, StonePosition):
                break
            position = following
            if 2 * sum(map(bool, position.cells)) > len(position.cells):
                owners = ownership(position, seed_of(seed, ply, 2))
                if all(max(each) >= SURE for each in owners.values()):
                    break
        return position


def truth(game: str, options: dict[str, str], ended: StonePosition, seed: int) -> set[int]:
    """The stones of the chains that their owners do not keep."""
    found: set[int] = set()
    for seat, side in enumerate(ended.sides):
        setup = {**options, "setup": re.sub(r"turn: \w+", f"turn: {side}", ended.setup)}
        start = begun(game, evened(game, setup, seed) or setup)
        found |= lost(start, seat, played_on(start, seat, seed))
    return found


def played_on(start: StonePosition, owner: Seat, seed: int) -> StonePosition:
    """The board when nobody wants to go on; `owner` defends what is there, and moves first."""
    position: Position = start
    last, log = start, list[tuple[int, str]]()
    for ply in range(3 * len(start.cells)):
        if not isinstance(position, StonePosition):
            break
        last, seat = position, position.turns[0]
        move = best(position, seat, THOROUGH, seed_of(seed, ply, seat), tuple(log[-4:]), stubborn=seat != owner)
        position = position.play(seat, move)
        log.append((seat, move))
    return last


def best(
    position: StonePosition,
    seat: Seat,
    budget: int,
    seed: int,
    log: tuple[tuple[int, str], ...] = (),
    stubborn: bool = False,
) -> str:
    """The best move of a search; who is stubborn passes only where no stone can be placed that makes sense."""
    moves = [move for move, _, _ in searched(View.of(position, seat, log), budget, seed).moves]
    moves = [move for move in moves if playable(position, seat, move)]
    if stubborn and moves[0] == "pass":
        return next((move for move in moves[1:] if move in position.board.index), "pass")
    return moves[0]


def lost(start: StonePosition, seat: Seat, last: StonePosition) -> set[int]:
    """The stones of the chains of `seat` most of whose points are not its own in the end."""
    owners = last.survey().owners
    holders = [stone - 1 if stone else owners.get(point) for point, stone in enumerate(last.cells)]
    kept = {point for point, holder in enumerate(holders) if holder == seat}
    found: set[int] = set()
    for point, stone in enumerate(start.cells):
        if stone == seat + 1 and point not in found:
            points = chain(start.cells, start.board.neighbours, point)
            if 2 * len(kept.intersection(points)) < len(points):
                found.update(points)
    return found


PAIRINGS = tuple(
    Settled(f"{game}: the dead stones as played out", game, yardstick, yardstick, 2, options)
    for game, _, options in BOARDS
    if game in ("rosette", "lotus", "medusa")
)
