"""What a position is worth without looking ahead: material and places, stones, the Kings' safety."""

from __future__ import annotations

from service.bots.compiler import Ints, compiled
from service.bots.pillars.board import COUNTS, GAZERS, KINGS, MEDUSAS, PIECES, SCORE, SIDE
from service.bots.pillars.tables import APPROACH, FILE, LIGHT, NEAR, RANK, STONE, WIDTH
from service.games.pillars.pieces import BLACK, KING, WHITE

MOST = 330
"""About the most that stones and safety add or take: beyond it they are not looked at."""
FEW = 14
"""With so few pieces left the Kings come out, and the bare one is driven to the edge."""


@compiled
def evaluate(board: Ints, low: int, high: int) -> int:
    """Hundredths of a Sword as the side to move sees it; exact only near the window from `low` to `high`."""
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
    """What the Medusas of `side` do: pieces turned to stone, and how near they are to the other King."""
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
    """What stands before a King and beside him."""
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
    """With few pieces left: the weaker King belongs to the edge, and the stronger one near him."""
    if -200 < score < 200:
        return 0
    strong = 0 if score > 0 else 1
    king, bare = board[KINGS + strong], board[KINGS + 1 - strong]
    apart = abs(RANK[king] - RANK[bare]) + abs(FILE[king] - FILE[bare])
    total = 12 * (abs(RANK[bare] - 5) + abs(FILE[bare] - 5)) - 6 * apart + 12 * _advanced(king, strong)
    return total if strong == 0 else -total


@compiled
def _advanced(king: int, side: int) -> int:
    """Takes back what the tables say of a King who leaves his first rank."""
    return int(min(4, 10 - RANK[king] if side else RANK[king]))


@compiled
def is_dead(board: Ints) -> bool:
    """Whether nobody can mate: the Kings alone, or with one Advisor or Horse, the Morph or not."""
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
