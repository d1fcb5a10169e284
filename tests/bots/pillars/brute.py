"""Mates by brute force: every move, every answer, no judgement. What the search finds is measured against this."""

from __future__ import annotations

from service.bots.compiler import Ints, compiled, zeros
from service.bots.pillars.board import KINGS, MOVE, PLY, SIDE, in_check, is_attacked, loaded, make, outer_move, unmake
from service.bots.pillars.moves import generate, legal_moves
from service.bots.pillars.search import has_move
from service.games.pillars.position import PillarsPosition


@compiled
def is_mating(board: Ints, moves: Ints, history: Ints, levels: Ints, plies: int) -> int:
    """Whether the side that does not move mates within `plies` more of its own and the other's moves (an even number).

    `levels` has room for three numbers for each ply. Draws by repetition and by the hundred half-moves are not known.
    """
    level, won = 0, -1
    levels[0] = -1
    while True:
        here = 3 * level
        if levels[here] < 0:
            start = 0 if level == 0 else levels[here - 2]
            if level == plies:
                won = int(in_check(board)) if not has_move(board, moves, start, history) else 0
            else:
                levels[here], levels[here + 1] = start, generate(board, moves, start, history)
                levels[here + 2] = 0
                won = -1
        defending = level % 2 == 0
        if won == -1:
            made = 0
            while levels[here] < levels[here + 1] and made == 0:
                side = board[SIDE]
                make(board, moves[levels[here]] & MOVE)
                levels[here] += 1
                made = 1
                if is_attacked(board, board[KINGS + side], 1 - side) or (
                    level + 1 == plies and not defending and not in_check(board)
                ):
                    unmake(board)
                    made = 0
            if made:
                levels[here + 2] = 1
                level += 1
                levels[3 * level] = -1
                continue
            won = (1 if levels[here + 2] else int(in_check(board))) if defending else 0
        # The node at `level` is decided.
        if level == 0:
            return won
        level -= 1
        unmake(board)
        # The attacker goes on after a failure, the defender after a mate.
        if won != (level % 2 == 0):
            continue
        won = -1


class Brute:
    """Room to work in, and the question."""

    def __init__(self) -> None:
        self.moves, self.history, self.levels = zeros(1 << 16), zeros(128 << 8), zeros(60)

    def mating(self, position: PillarsPosition, mate: int) -> list[str]:
        """The moves of the side to move after which it mates in `mate` moves at most, as the record writes them."""
        board = loaded(position.state)
        written = {move: text for text, move in position.written.items()}
        legal = [int(move) for move in self.moves[: legal_moves(board, self.moves, self.history)]]
        found = []
        for move in legal:
            make(board, move)
            if is_mating(board, self.moves, self.history, self.levels, 2 * mate - 2):
                found.append(written[outer_move(move)])
            unmake(board)
        assert board[PLY] == 0
        return sorted(found)
