"""The kernel compared with the engine: legal moves and boards, move by move, in every game of stones."""

from __future__ import annotations

from random import Random

import pytest

from service.bots.stones.kernel.chains import (
    CELL,
    DROPS,
    HEAD,
    HELD,
    LOST,
    MARKER,
    PLACED,
    SEAT,
    SIZE,
    Stones,
    atari,
    liberties,
)
from service.bots.stones.kernel.graph import Graph
from service.bots.stones.kernel.rules import end_turn, landing, legal, place, play, spent, step, together
from service.bots.stones.loading import graph_of, load
from service.engine.game import Position
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import chain
from service.games import GAMES
from service.games.medusa import MedusaPosition
from service.games.medusa_notation import parse
from service.games.medusa_turn import MedusaTurn
from service.games.multiplayer_go.parallel import Parallel
from service.games.multiplayer_go.table import TablePosition
from service.games.reversal import ReversalPosition
from service.games.surround import SurroundPosition

SMALL = [
    ("go", 2, {"size": "5"}),
    ("go", 2, {"size": "4x7"}),
    ("rosette", 2, {"base": "5"}),
    ("lotus", 2, {}),
    ("medusa", 2, {"base": "4"}),
    ("medusa", 2, {"base": "6"}),
    ("multigo", 3, {"size": "5"}),
    ("multigo-coop", 4, {"size": "5"}),
    ("multigo-coop", 2, {"size": "4"}),
    ("multigo", 3, {"size": "5", "prisoners": "crossman"}),
    ("multigo-parallel", 3, {"size": "5"}),
    ("multigo-parallel-coop", 5, {"size": "6"}),
]
MOVES = 300
"""Random moves for each of these games; `python -m tests.bots.stones.test_kernel 100000` plays more."""


def walk(name: str, seats: int, options: dict[str, str], moves: int, seed: int) -> int:
    """Plays random matches, comparing after every move; returns the number of moves compared."""
    dice, done = Random(seed), 0
    while done < moves:
        position: Position = GAMES[name].start(seats, 0, **options)
        assert isinstance(position, StonePosition)
        stones = load(graph_of(position), position, position.turns[0])
        while isinstance(position, StonePosition) and done < moves:
            compare(position, stones)
            position, stones = after(position, stones, dice)
            done += 1
    return done


def compare(position: StonePosition, stones: Stones) -> None:
    """Compares which moves are legal."""
    graph, seat = graph_of(position), position.turns[0]
    if isinstance(position, Parallel):
        return
    board, allowed = position.board, {*position.moves(seat)}
    for point, name in enumerate(board.names):
        if not position.cells[point] and legal(graph, stones, point, seat + 1) != (name in allowed):
            assert legal(graph, stones, point, seat + 1), f"{name} is legal"
            assert repeats(position, name), f"{name} is illegal: {position.setup}"


def repeats(position: StonePosition, name: str) -> bool:
    """Whether the engine refuses the move for repeating a position."""
    try:
        position.play(position.turns[0], name)
    except ValueError as refused:
        return "superko" in str(refused)
    return False


def check_chains(graph: Graph, stones: Stones, position: StonePosition) -> None:
    cells, neighbours = position.cells, position.board.neighbours
    for point, stone in enumerate(cells):
        if stone:
            points = chain(cells, neighbours, point)
            free = {near for one in points for near in neighbours[one] if not cells[near]}
            head = stones[HEAD + point]
            assert head in points
            assert stones[SIZE + head] == len(points)
            assert liberties(graph, stones, head, 60) == min(60, len(free))
            assert atari(stones, head) == (min(free) if len(free) == 1 else -1)


def after(position: StonePosition, stones: Stones, dice: Random) -> tuple[Position, Stones]:
    """The position after a random move or round, played on both boards and compared."""
    graph, seat = graph_of(position), position.turns[0]
    stones[SEAT] = seat  # games for several have a special turn order in the first rounds
    if isinstance(position, Parallel):
        return round_of_all(position, graph, stones, dice)
    moves = [move for move in position.moves(seat) if move != "pass"]
    if not moves or dice.random() < 0.02:
        end_turn(graph, stones)
        return position.play(seat, "pass"), stones
    move = dice.choice(moves)
    if isinstance(position, MedusaPosition):
        move = more_steps(position, move, dice)
        order = parse(position.board, move)
        if order.placed is not None:
            place(graph, stones, order.placed, seat + 1)
            stones[PLACED] = 1
        for start, goal in order.steps:
            assert goal in landings(graph, stones, start)
            step(graph, stones, start, goal)
        end_turn(graph, stones)
    else:
        play(graph, stones, position.board.index[move])
    following = position.play(seat, move)
    assert isinstance(following, StonePosition)
    check(graph, stones, following, dice)
    return following, stones


def check(graph: Graph, stones: Stones, position: StonePosition, dice: Random) -> None:
    """Compares the board and the prisoners, and sometimes every chain with its liberties."""
    assert list(stones[CELL : CELL + len(position.cells)]) == position.cells
    check_prisoners(stones, position)
    if dice.random() < 0.2:
        check_chains(graph, stones, position)


def landings(graph: Graph, stones: Stones, start: int) -> set[int]:
    if spent(stones, start):
        return set()
    return {landing(graph, stones, start, way) for way in range(6)} - {-1}


def more_steps(position: MedusaPosition, move: str, dice: Random) -> str:
    """The turn, followed by random steps; compares the steps that the kernel lists."""
    seat = position.turns[0]
    while True:
        graph, order = graph_of(position), parse(position.board, move)
        turn = MedusaTurn(position.rules.kagome, position.rules.immune, position.cells, seat + 1)
        turn.carry_out(order)
        stones = load(graph, position, seat)
        if order.placed is not None:
            place(graph, stones, order.placed, seat + 1)
        for start, goal in order.steps:
            step(graph, stones, start, goal)
        steps = {*turn.steps()}
        own = [point for point, stone in enumerate(turn.cells) if stone == seat + 1]
        assert steps == {(start, goal) for start in own for goal in landings(graph, stones, start)}
        if not steps or dice.random() < 0.5:
            return move if legal_turn(position, move) else next(iter(position.moves(seat)))
        start, goal = dice.choice(sorted(steps))
        names = position.board.names
        move = f"{move} {names[start]}-{names[goal]}"


def legal_turn(position: MedusaPosition, move: str) -> bool:
    try:
        position.play(position.turns[0], move)
    except ValueError:
        return False
    return True


def round_of_all(position: Parallel, graph: Graph, stones: Stones, dice: Random) -> tuple[Position, Stones]:
    moves = {seat: dice.choice([*position.moves(seat)]) for seat in position.turns}
    for seat in range(len(position.sides)):
        stones[DROPS + seat] = position.board.index.get(moves[seat], -1)
    following: Position = position
    for seat, move in moves.items():
        following = following.play(seat, move)
    if not isinstance(following, Parallel):
        return following, stones
    if following.report.void:
        return following, load(graph, following, 0)
    together(graph, stones)
    check(graph, stones, following, dice)
    return following, stones


def check_prisoners(stones: Stones, position: StonePosition) -> None:
    if isinstance(position, SurroundPosition):
        assert list(stones[HELD : HELD + len(position.sides)]) == list(position.held)
    elif isinstance(position, ReversalPosition):
        assert stones[MARKER] == position.marker
    elif isinstance(position, TablePosition):
        assert list(stones[HELD : HELD + len(position.sides)]) == [sum(row) for row in position.tally.held]
        assert list(stones[LOST : LOST + len(position.sides)]) == [
            position.tally.lost(seat) for seat in range(len(position.sides))
        ]


@pytest.mark.parametrize(("name", "seats", "options"), SMALL)
def test_the_kernel_plays_like_the_engine(name: str, seats: int, options: dict[str, str]) -> None:
    assert walk(name, seats, options, MOVES, seed=7) == MOVES


if __name__ == "__main__":
    import sys

    for game, players, settings in SMALL:
        print(game, players, settings, walk(game, players, settings, int(sys.argv[1]), seed=11), "moves agree")
