"""From a position to a move: deeper and deeper until the budget of nodes is used up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from service.bots.compiler import Ints, ints, zeros
from service.bots.pillars import moves as writing
from service.bots.pillars.board import Ints as Board
from service.bots.pillars.board import hash_of, inner_move, loaded
from service.bots.pillars.search import (
    DEEPEST,
    FRAME,
    INFINITE,
    LAST_PLY,
    MATE,
    NEAR_MATE,
    ROOM,
    search,
)
from service.games.pillars.pieces import BLACK
from service.games.pillars.position import PillarsPosition
from service.games.pillars.state import Move

LARGEST_TABLE = 1 << 20


class Found(NamedTuple):
    """What a search has found."""

    move: int
    value: int
    """Hundredths of a Sword for the side to move; `MATE` less the plies to mate."""
    line: tuple[int, ...]
    depth: int
    """Of the last iteration that was completed."""
    nodes: int

    @property
    def mate(self) -> int | None:
        """In how many moves the side to move mates, or if it is less than 0 is mated."""
        if abs(self.value) < NEAR_MATE:
            return None
        plies = MATE - abs(self.value)
        return (plies + 1) // 2 if self.value > 0 else -(plies // 2)


class Search:
    """The memory of one search: it starts empty for each move, so nothing depends on what was thought of before."""

    def __init__(self, position: PillarsPosition, budget: int) -> None:
        size = 1 << min(max(budget, 1 << 10), LARGEST_TABLE).bit_length() - 1
        self.board: Board = loaded(position.state)
        self.moves, self.stack = zeros(ROOM), zeros(FRAME * (LAST_PLY + 2))
        earlier = [hash_of(board, int(side == BLACK), rights) for board, side, rights in position.history.earlier]
        self.root = len(earlier)
        self.past = ints([*earlier, *[0] * (LAST_PLY + 2)])
        self.keys, self.notes = zeros(size), zeros(size)
        self.history, self.killers = zeros(128 << 8), zeros(2 * LAST_PLY + 4)
        self.line, self.answer = zeros(LAST_PLY * (LAST_PLY + 2)), zeros(LAST_PLY + 8)
        end = writing.generate(self.board, self.moves, 0, self.history, False)
        legal = {inner_move(move) for move in position.written.values()}
        written = sorted((int(self.moves[index]) for index in range(end)), reverse=True)
        self.legal = [move & writing.MOVE for move in written if move & writing.MOVE in legal]

    def iteration(self, chosen: list[int], depth: int, budget: int) -> Found:
        """Looks `depth` plies deep; the move is 0 if the budget does not suffice even for the first."""
        nodes = search(
            self.board,
            self.moves,
            self.stack,
            self.past,
            self.root,
            self.keys,
            self.notes,
            self.history,
            self.killers,
            self.line,
            ints(chosen),
            len(chosen),
            depth,
            -INFINITE,
            INFINITE,
            budget,
            self.answer,
        )
        line = tuple(int(move) for move in self.answer[4 : 4 + int(self.answer[3])]) if self.answer[0] else ()
        done = depth if self.answer[2] else 0
        return Found(int(self.answer[0]), int(self.answer[1]), line, done, nodes)

    def deepening(self, budget: int, deepest: int = DEEPEST) -> Iterator[Found]:
        """What each iteration finds; the last may be incomplete. Ends early once a mate is certain."""
        chosen, used = self.legal, 0
        for depth in range(1, deepest + 1):
            found = self.iteration(chosen, depth, budget - used)
            used += found.nodes
            if found.move:
                chosen = [found.move, *(move for move in chosen if move != found.move)]
                yield found._replace(nodes=used)
            if not found.depth or (found.mate and MATE - abs(found.value) <= depth):
                return


def best(position: PillarsPosition, budget: int, deepest: int = DEEPEST) -> Found:
    """The best move that `budget` nodes find."""
    search = Search(position, budget)
    found = Found(search.legal[0], 0, (search.legal[0],), 0, 0)
    for later in search.deepening(budget, deepest):
        found = later if later.depth else later._replace(depth=found.depth)
    return found


def outer(move: int) -> Move:
    """A move of the search as the engine writes it."""
    from service.bots.pillars.board import outer_move

    return outer_move(move)
