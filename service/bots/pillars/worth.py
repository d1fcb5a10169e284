"""The static value of a position: material and places, stone pieces, the Kings' safety."""

from __future__ import annotations

from service.bots.compiler import Ints, compiled
from service.bots.pillars.board import COUNTS, GAZERS, KINGS, MEDUSAS, PIECES, SCORE, SIDE
from service.bots.pillars.tables import APPROACH, FILE, LIGHT, NEAR, RANK, STONE, WIDTH
from service.games.pillars.pieces import BLACK, KING, WHITE

MOST = 330
"""About the most that stone pieces and safety add or subtract; they are skipped if that can't matter."""
FEW = 14
"""With so few pieces left, the Kings come out, and the weaker one is driven to the edge."""


@compiled
def evaluate(board: Ints, low: int, high: int) -> int:
    """Hundredths of a Sword for the side to move; exact only near the window from `low` to `high`."""
    score = board[SCORE]
    few = board[COUNTS] + board[COUNTS + 1] <= FEW
    rough = -score if board[SIDE] else score
    if not few and (rough + MOST < low or rough - MOST > high):
        return rough
    score += _gaze(board, 0) - _gaze(board, 1)
    score += _ending(board, score) if few else _shelter(board, 0) - _shelter(board, 1)
    return 12 - score if board[SIDE] else 12 + score


@compiled
def _gaze(board: Ints, side: int) -> int:
    """The worth of what the Medusas of `side` do: pieces turned to stone, and their distance from the other King."""
    enemy = BLACK >> side
    king = board[KINGS + 1 - side]
    total = 0
    first = MEDUSAS + 128 * side
    for cell in board[first : first + board[GAZERS + side]]:
        for near in NEAR[8 * cell : 8 * cell + 8]:
            if board[near] & enemy:
                total += STONE[board[near] & 31]
        total += APPROACH[cell << 8 | king]
    return total


@compiled
def _shelter(board: Ints, side: int) -> int:
    """The worth of the pieces in front of a King and beside him."""
    mine = WHITE << side
    king = board[KINGS + side]
    ahead = king + (-WIDTH if side else WIDTH)
    total = 0
    for cell in range(ahead - 1, ahead + 2):
        piece = board[cell]
        if piece & mine:
            total += 14
        elif piece == 0 and board[cell + ahead - king] & mine:
            total += 7
    if board[king - 1] & mine:
        total += 6
    if board[king + 1] & mine:
        total += 6
    return total


@compiled
def _ending(board: Ints, score: int) -> int:
    """With few pieces left, the weaker King should be at the edge, and the stronger one near him."""
    if -200 < score < 200:
        return 0
    strong = 0 if score > 0 else 1
    king, bare = board[KINGS + strong], board[KINGS + 1 - strong]
    apart = abs(RANK[king] - RANK[bare]) + abs(FILE[king] - FILE[bare])
    total = 12 * (abs(RANK[bare] - 5) + abs(FILE[bare] - 5)) - 6 * apart + 12 * _advanced(king, strong)
    return total if strong == 0 else -total


@compiled
def _advanced(king: int, side: int) -> int:
    """How many ranks, up to 4, a King has advanced, to cancel what the tables subtract for that."""
    return int(min(4, 10 - RANK[king] if side else RANK[king]))


@compiled
def is_dead(board: Ints) -> bool:
    """Whether nobody can be mated: only the Kings, perhaps with one Advisor or Horse, Morph or not."""
    count = board[COUNTS] + board[COUNTS + 1]
    if count > 3:
        return False
    for place in range(3):
        for side in range(2):
            if place < board[COUNTS + side]:
                kind = board[board[PIECES + 128 * side + place]] & 15
                if kind != KING and LIGHT[kind] == 0:
                    return False
    return True
