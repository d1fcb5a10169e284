"""Mates by brute force: every move and every answer. Tests compare the search with this."""

from __future__ import annotations

from service.bots.compiler import Ints, compiled, zeros
from service.bots.pillars.board import KINGS, MOVE, PLY, SIDE, in_check, is_attacked, loaded, make, outer_move, unmake
from service.bots.pillars.moves import generate, legal_moves
from service.bots.pillars.search import has_move
from service.games.pillars.position import PillarsPosition


@compiled
def is_mating(board: Ints, moves: Ints, history: Ints, levels: Ints, plies: int) -> int:
    """Whether the side that isn't to move mates within `plies` more half-moves of both sides (an even number).

    `levels` has room for three numbers per ply. Draws by repetition and by the fifty-move rule are ignored.
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
        # The attacker tries another move after a failure, the defender after a mate.
        if won != (level % 2 == 0):
            continue
        won = -1


class Brute:
    """The memory for a search, and the search for mates."""

    def __init__(self) -> None:
        self.moves, self.history, self.levels = zeros(1 << 16), zeros(128 << 8), zeros(60)

    def mating(self, position: PillarsPosition, mate: int) -> list[str]:
        """The first moves, in canonical form, with which the side to move mates in at most `mate` moves."""
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
