"""From a position to a move, by iterative deepening until the budget of nodes is used up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from service.bots.compiler import ints, zeros
from service.bots.pillars.board import MOVE, hash_of, inner_move, loaded, make, unmake
from service.bots.pillars.moves import generate
from service.bots.pillars.ordering import MATE, NEAR_MATE
from service.bots.pillars.search import DEEPEST, FRAME, INFINITE, LAST_PLY, ROOM, search
from service.bots.pillars.worth import evaluate
from service.games.pillars.pieces import BLACK
from service.games.pillars.position import PillarsPosition

LARGEST_TABLE = 1 << 20


class Found(NamedTuple):
    """The result of a search."""

    move: int
    value: int
    """Hundredths of a Sword for the side to move, or `MATE` less the plies to mate."""
    line: tuple[int, ...]
    depth: int
    """The depth of the last completed iteration."""
    nodes: int

    @property
    def mate(self) -> int | None:
        """In how many moves the side to move mates or, if negative, is mated; None without a mate."""
        if abs(self.value) < NEAR_MATE:
            return None
        plies = MATE - abs(self.value)
        return (plies + 1) // 2 if self.value > 0 else -(plies // 2)


class Search:
    """The memory of one search: it is empty at the start of each move, so nothing depends on earlier searches."""

    def __init__(self, position: PillarsPosition, budget: int) -> None:
        size = 1 << min(max(budget, 1 << 10), LARGEST_TABLE).bit_length() - 1
        self.board = loaded(position.state)
        self.moves, self.stack = zeros(ROOM), zeros(FRAME * (LAST_PLY + 2))
        earlier = [hash_of(board, int(side == BLACK), rights) for board, side, rights in position.history.earlier]
        self.root, self.nodes = len(earlier), 0
        self.past = ints([*earlier, *[0] * (LAST_PLY + 2)])
        self.keys, self.notes = zeros(size), zeros(size)
        self.history, self.killers = zeros(128 << 8), zeros(2 * LAST_PLY + 4)
        self.line, self.answer = zeros(LAST_PLY * (LAST_PLY + 2)), zeros(LAST_PLY + 8)
        end = generate(self.board, self.moves, 0, self.history)
        legal = {inner_move(move) for move in position.written.values()}
        written = sorted((int(self.moves[index]) for index in range(end)), reverse=True)
        self.legal = [move & MOVE for move in written if move & MOVE in legal]

    def iteration(self, chosen: list[int], depth: int, budget: int) -> Found:
        """Searches `depth` plies deep; the move is 0 if the budget isn't enough for even one."""
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
        self.nodes += nodes
        line = tuple(int(move) for move in self.answer[4 : 4 + int(self.answer[3])]) if self.answer[0] else ()
        done = depth if self.answer[2] else 0
        return Found(int(self.answer[0]), int(self.answer[1]), line, done, nodes)

    def deepening(self, budget: int, deepest: int = DEEPEST, chosen: Sequence[int] = ()) -> Iterator[Found]:
        """The result of each iteration over the moves `chosen` (or all); the last may be incomplete.

        Ends early once a mate is certain.
        """
        order, used = list(chosen or self.legal), 0
        for depth in range(1, deepest + 1):
            found = self.iteration(order, depth, budget - used)
            used += found.nodes
            if found.move:
                order = [found.move, *(move for move in order if move != found.move)]
                yield found._replace(nodes=used)
            if not found.depth or (found.mate is not None and MATE - abs(found.value) <= depth):
                return

    def best(self, budget: int, chosen: Sequence[int] = ()) -> Found:
        """The best of the moves `chosen` (or of all) found with `budget` nodes."""
        first = (chosen or self.legal)[0]
        found = Found(first, 0, (first,), 0, 0)
        for later in self.deepening(budget, chosen=chosen):
            found = later if later.depth else later._replace(depth=found.depth)
        return found

    def ranked(self, depth: int, budget: int) -> list[Found]:
        """All legal moves with their values after `depth` plies, the best first."""
        limit = budget // len(self.legal)
        found = []
        for move in self.legal:
            one = self.best_of(move, depth, limit)
            found.append(one)
        return sorted(found, key=lambda one: -one.value)

    def best_of(self, move: int, depth: int, budget: int) -> Found:
        """One move, searched up to `depth` plies or until the budget is used up; at least its static value."""
        found = Found(move, self.glance(move), (move,), 0, 1)
        for later in self.deepening(budget, depth, [move]):
            found = later
        return found

    def glance(self, move: int) -> int:
        """The static value after a move, without any answer to it."""
        make(self.board, move)
        value = -evaluate(self.board, -INFINITE, INFINITE)
        unmake(self.board)
        return int(value)
