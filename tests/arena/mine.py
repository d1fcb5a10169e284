"""`python -m tests.arena.mine GAME [--count N] [--seed N]` finds problems in matches of bots of unequal strength.

Komi or the marker is set so that the position is about even: then a move that gains some points wins, and others lose.
A position becomes a problem if one move is worth much more than any other, and if a much deeper search agrees, which
searches twice after the best move and after each of its rivals. Prints one problem per line, as JSON.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from service.bots.roster import OPPONENTS
from service.bots.stones.opponents import order
from service.bots.stones.think import lines, searched
from service.bots.thought import View, seed_of
from service.engine.game import MoveError, Position
from service.engine.stone_games.stone_position import StonePosition
from service.games import GAMES
from service.games.reversal import ReversalPosition
from service.games.surround import SurroundPosition

BOARDS: dict[str, tuple[dict[str, str], ...]] = {
    "go": ({"size": "7"}, {"size": "9"}),
    "rosette": ({"base": "5"},),
    "lotus": ({},),
    "medusa": ({"base": "4"}, {"base": "6"}),
}
GAIN = 0.3
"""How much more of the win the right move must promise than any other move."""
WINNING = 0.6
"""The least share of the win that the right move must promise."""
SKETCH, GLANCE, LOOK, CHECK = 150, 500, 200, 4000
"""The simulations for an estimate of the count, for noticing a candidate, for its rivals, and for checking each."""
RIVALS = 4
TRIED = 30
"""The fewest simulations with which the value of a move is meaningful."""
A_MATCH = 2
"""The most problems from one match."""
BUDGETS = (200, 60)
"""The two players' simulations per move; the weaker one makes mistakes to exploit."""
TASKS = ("One move is much better than all others.", "Only one move wins.")


def problems(game: str, seed: int) -> Iterator[dict[str, Any]]:
    """An endless series of problems of one game; problems from the same match have different answers."""
    while True:
        answers: list[str] = []
        for position in match(game, seed):
            problem = posed(game, position, seed) if len(answers) < A_MATCH else None
            if problem is not None and problem["moves"][0] not in answers:
                answers += problem["moves"]
                yield problem
        seed += 1


def match(game: str, seed: int) -> Iterator[StonePosition]:
    """The positions of a match in which the stronger player is to move: the weaker one may just have made a mistake.

    The first moves are random, and so are a few others.
    """
    chance = Random(seed)
    club = OPPONENTS[game][1]
    position: Position = GAMES[game].start(2, 0, **board_of(game, seed))
    log: list[tuple[int, str]] = []
    for ply in range(300):
        if not isinstance(position, StonePosition):
            return
        seat = position.turns[0]
        budget = BUDGETS[(seat + seed) % 2]
        if ply >= 8 and budget == max(BUDGETS):
            yield position
        moves = [move for move in position.moves(seat) if move != "pass"]
        if moves and (ply < 4 or chance.random() < 0.05):
            move = chance.choice(moves)
        else:
            view = View.of(position, seat, tuple(log[-4:]))
            move = order(view, club._replace(budget=budget), seed_of(seed, ply, seat)).move
        if move == "resign":
            return
        position = position.play(seat, move)
        log.append((seat, move))


def board_of(game: str, seed: int) -> dict[str, str]:
    """The options of the match with this seed."""
    boards = BOARDS[game]
    return boards[seed // 2 % len(boards)]


def posed(game: str, position: StonePosition, seed: int) -> dict[str, Any] | None:
    """The problem that a position poses, or None; only what a setup contains counts, such as the stones."""
    setup = {**board_of(game, seed), "setup": position.setup}
    even = evened(game, setup, seed)
    if even is None:
        return None
    start = begun(game, even)
    seat = start.turns[0]
    found = searched(View.of(start, seat), GLANCE, seed)
    best, visits, value = found.moves[0]
    # Moves with few visits still have their initial value.
    rivals = [each for move, many, each in found.moves[1:] if move != "pass" and many >= TRIED]
    if best == "pass" or 3 * visits < GLANCE or len(found.moves) <= RIVALS or value < WINNING - 0.15:
        return None
    if rivals and value - max(rivals) < GAIN - 0.2:
        return None
    hoped = after(start, best, LOOK, seed)
    if hoped < WINNING - 0.1:
        return None
    hurried: dict[str, float] = {}
    for move, _, _ in found.moves:
        if move not in (best, "pass"):
            hurried[move] = after(start, move, LOOK, seed)
            if hoped - hurried[move] < GAIN - 0.1:
                return None
    strongest = sorted(hurried, key=lambda move: -hurried[move])[:RIVALS]
    others: list[float] = []
    values = [after(start, best, CHECK, seed + each) for each in (1, 2)]
    for move in strongest:
        others += [after(start, move, CHECK, seed + each) for each in (1, 2)]
        if min(values) < WINNING or min(values) - max(others) < GAIN:
            return None
    deep = searched(View.of(start, seat), 2 * CHECK, seed + 3)
    if deep.moves[0][0] != best:
        return None
    side = start.sides[seat]
    return {
        "setup": even,
        "to_move": side,
        "task": f"{side.capitalize()} to move. {TASKS[max(others) < 0.5]}{margin(start)}",
        "moves": [best],
        "line": playable(start, lines(deep, best)[0]),
        "gain": round(min(values) - max(others), 2),
    }


def begun(game: str, options: Mapping[str, str]) -> StonePosition:
    start = GAMES[game].start(2, 0, **options)
    assert isinstance(start, StonePosition)
    return start


def evened(game: str, options: Mapping[str, str], seed: int) -> dict[str, str] | None:
    """The options with komi or the marker set so that both sides can expect about equal points; None if one side has
    almost everything."""
    start = begun(game, options)
    owners = searched(View.of(start, start.turns[0]), SKETCH, seed).ownership().values()
    lead = sum(each[0] - each[1] for each in owners)
    if 2 * abs(lead) > len(owners):
        return None
    if isinstance(start, SurroundPosition):
        return {**options, "komi": f"{round(lead) + 0.5:g}"}
    assert isinstance(start, ReversalPosition)
    marker = max(-start.rules.track, min(start.rules.track, round(-lead)))
    return {**options, "setup": re.sub(r"marker: -?\d+", f"marker: {marker}", options["setup"])}


def margin(start: StonePosition) -> str:
    """A sentence of the task that says who gets komi; "" if the board shows a marker instead."""
    if not isinstance(start, SurroundPosition):
        return ""
    return f" {start.sides[start.rules.komi > 0].capitalize()} gets {float(abs(start.rules.komi)):g} points of komi."


def playable(start: Position, line: Sequence[str]) -> list[str]:
    """The line up to the first move that the engine refuses because it repeats an earlier position."""
    found: list[str] = []
    for move in line:
        try:
            start = start.play(start.turns[0], move)
        except MoveError:
            break
        found.append(move)
    return found


def after(start: StonePosition, move: str, budget: int, seed: int) -> float:
    """The worth of a move for its player, by a search for the best reply; 0 if the move is illegal or ends play."""
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
