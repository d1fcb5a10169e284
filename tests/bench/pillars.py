"""Pillars of Medusa against python-chess, on 121 squares against 64."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess

from service.bots.compiler import COMPILED
from service.bots.pillars.opponents import order
from service.bots.pillars.think import Search
from service.bots.roster import OPPONENTS
from service.bots.thought import View
from service.games import GAMES
from service.games.pillars.position import History, PillarsPosition, played
from service.games.pillars.state import START, read_fen
from tests.bench.measure import Figure, seconds

PILLARS = GAMES["pillars"]
DEPTH = 3
PERFT, CHESS_PERFT = 87158, 8902
"""Leaves at that depth from the starting position."""
PLIES = 50


def walk() -> list[History]:
    """The states of a random match."""
    chance, position, found = random.Random(11), PillarsPosition(History(read_fen(START))), []
    for _ in range(PLIES):
        found.append(position.history)
        position = played(position, position.seat, chance.choice([*position.moves(position.seat)]))
    return found


def chess_walk() -> list[chess.Board]:
    """The positions of a random game of chess."""
    chance, board, found = random.Random(11), chess.Board(), []
    for _ in range(PLIES):
        found.append(board.copy())
        board.push(chance.choice([*board.legal_moves]))
    return found


def chess_perft(board: chess.Board, depth: int) -> int:
    """python-chess at its best: the last moves are counted, not played."""
    if depth == 1:
        count: int = board.legal_moves.count()
        return count
    leaves = 0
    for move in board.legal_moves:
        board.push(move)
        leaves += chess_perft(board, depth - 1)
        board.pop()
    return leaves


def figures() -> Iterator[Figure]:
    histories, boards = walk(), chess_walk()
    ours = sum(len([*PillarsPosition(history).moves(history.seat)]) for history in histories)
    theirs = sum(board.legal_moves.count() for board in boards)
    mine, other = seconds(
        lambda: [[*PillarsPosition(history).moves(history.seat)] for history in histories],
        lambda: [[*board.legal_moves] for board in boards],
    )
    yield Figure(
        "pillars-legal-move",
        (mine / ours) / (other / theirs),
        3,
        "Pillars' position, outcome and moves as text, per legal move, over python-chess's legal_moves",
    )
    mine, other = seconds(lambda: PILLARS.perft(PILLARS.start(), DEPTH), lambda: chess_perft(chess.Board(), DEPTH))
    yield Figure("pillars-perft", (mine / PERFT) / (other / CHESS_PERFT), 1, "perft(3) per leaf over python-chess")
    yield from search_figures()


def search_figures() -> Iterator[Figure]:
    """How fast the bots search, compiled if numba is installed."""
    how = "with numba" if COMPILED else "without a compiler"
    position = PillarsPosition(walk()[20])
    budget = 200_000 if COMPILED else 5_000
    search = Search(position, budget)
    search.best(budget)
    (taken,) = seconds(lambda: Search(position, budget).best(budget), rounds=5)
    yield Figure("pillars-nodes", search.nodes / taken, 400_000 if COMPILED else 20_000, f"nodes a second, {how}", ">=")
    club = OPPONENTS["pillars"][1]
    (move,) = seconds(lambda: order(View.of(position, position.seat), club, 1), rounds=5)
    yield Figure("pillars-club-move", move, 0.5, f"CPU seconds a move of {club.name}, {how}")
