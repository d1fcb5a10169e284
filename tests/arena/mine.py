"""`python -m tests.arena.mine GAME [--count N] [--seed N]` finds problems in matches that the club's opponents play.

A position becomes a problem if one move is worth much more than any other, and a much deeper search agrees: it looks
at the position after the best move, and after each of its rivals, twice. Prints one problem a line, as JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from random import Random
from typing import Any

from service.bots.roster import OPPONENTS
from service.bots.stones.opponents import order
from service.bots.stones.think import lines, searched
from service.bots.thought import View, seed_of
from service.engine.game import Position
from service.engine.stone_position import StonePosition
from service.games import GAMES

BOARDS = {"go": {"size": "7"}, "rosette": {"base": "5"}, "lotus": {}, "medusa": {"base": "4"}}
GAIN = 0.3
"""How much more of the win the right move must promise than any other."""
GLANCE, LOOK, CHECK = 800, 200, 4000
"""Simulations to notice a candidate, to find its rivals, and to check each of them."""
RIVALS = 4
TRIED = 30
"""Simulations from which on the value of a move says something."""
A_MATCH = 4
"""Problems from one match at most."""
TASKS = ("One move is much better than all others.", "Only one move keeps the win.")


def problems(game: str, seed: int) -> Iterator[dict[str, Any]]:
    """Problems of one game, without end."""
    while True:
        found = 0
        for position in match(game, seed):
            if found < A_MATCH and (problem := posed(game, position, seed)) is not None:
                found += 1
                yield problem
        seed += 1


def match(game: str, seed: int) -> Iterator[StonePosition]:
    """The positions of a match whose first moves are drawn, up to the end of play."""
    chance = Random(seed)
    opponent = OPPONENTS[game][1]._replace(budget=150)
    position: Position = GAMES[game].start(2, 0, **BOARDS[game])
    log: list[tuple[int, str]] = []
    for ply in range(300):
        if not isinstance(position, StonePosition):
            return
        seat = position.turns[0]
        if ply >= 8:
            yield position
        moves = [move for move in position.moves(seat) if move != "pass"]
        if moves and (ply < 4 or chance.random() < 0.08):
            move = chance.choice(moves)
        else:
            move = order(View.of(position, seat, tuple(log[-4:])), opponent, seed_of(seed, ply, seat)).move
        if move == "resign":
            return
        position = position.play(seat, move)
        log.append((seat, move))


def posed(game: str, position: StonePosition, seed: int) -> dict[str, Any] | None:
    """The problem that a position poses, if it does; what cannot be written as a setup plays no part in it."""
    setup = {**BOARDS[game], "setup": position.setup}
    start = GAMES[game].start(2, 0, **setup)
    assert isinstance(start, StonePosition)
    seat = start.turns[0]
    found = searched(View.of(start, seat), GLANCE, seed)
    best, visits, value = found.moves[0]
    # What was hardly looked at still has the value it began with.
    rivals = [each for move, many, each in found.moves[1:] if move != "pass" and many >= TRIED]
    if best == "pass" or 2 * visits < GLANCE or len(found.moves) <= RIVALS or value < 0.4:
        return None
    if rivals and value - max(rivals) < GAIN - 0.15:
        return None
    hurried = {move: after(start, move, LOOK, seed) for move, _, _ in found.moves if move not in (best, "pass")}
    strongest = sorted(hurried, key=lambda move: -hurried[move])[:RIVALS]
    if after(start, best, LOOK, seed) - hurried[strongest[0]] < GAIN - 0.05:
        return None
    values = [after(start, best, CHECK, seed + each) for each in (1, 2)]
    others = [after(start, move, CHECK, seed + each) for move in strongest for each in (1, 2)]
    gain = min(values) - max(others)
    if gain < GAIN:
        return None
    deep = searched(View.of(start, seat), 2 * CHECK, seed + 3)
    if deep.moves[0][0] != best:
        return None
    side = start.sides[seat]
    return {
        "setup": setup,
        "to_move": side,
        "task": f"{side.capitalize()} to move. {TASKS[max(others) < 0.5 < min(values)]}",
        "moves": [best],
        "line": list(lines(deep, best)[0]),
        "gain": round(gain, 2),
    }


def after(start: StonePosition, move: str, budget: int, seed: int) -> float:
    """What a move is worth to its mover: the other's best reply is searched. 0 where it ends play."""
    seat = start.turns[0]
    try:
        position = start.play(seat, move)
    except ValueError:
        return 0.0
    if not isinstance(position, StonePosition) or position.turns == (seat,):
        return 0.0
    return 1 - searched(View.of(position, position.turns[0], ((seat, move),)), budget, seed).moves[0][2]


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.arena.mine")
    parser.add_argument("game", choices=BOARDS)
    parser.add_argument("--count", type=int, default=36)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for problem, _ in zip(problems(chosen.game, chosen.seed), range(chosen.count), strict=False):
        print(json.dumps(problem), flush=True)


if __name__ == "__main__":
    main()
