"""The search's board follows the same rules as the engine."""

from __future__ import annotations

import pytest

from service.bots.compiler import Ints, zeros
from service.bots.pillars.board import (
    COUNTS,
    GAZE,
    GAZERS,
    HASH,
    KINGS,
    MEDUSAS,
    MOVE,
    PIECES,
    PLY,
    QUIET,
    RIGHTS,
    SCORE,
    SIDE,
    hash_of,
    in_check,
    inner_move,
    loaded,
    make,
    outer_move,
    unmake,
)
from service.bots.pillars.moves import generate, generate_loud, legal_moves, perft
from service.bots.pillars.search import has_move
from service.bots.pillars.tables import CELLS, INSIDE
from service.bots.pillars.worth import is_dead
from service.games import GAMES
from service.games.pillars.attacks import stones
from service.games.pillars.pieces import KIND, MEDUSA
from service.games.pillars.position import PillarsPosition
from tests.bots.pillars.playing import SETUPS, started, walk

MOVES, HISTORY, LEVELS = zeros(1 << 16), zeros(128 << 8), zeros(20)


def content(board: Ints) -> list[object]:
    """Everything on a board, regardless of the order of its lists."""
    lists = [
        sorted(board[first + 128 * side : first + 128 * side + board[count + side]])
        for first, count in ((PIECES, COUNTS), (MEDUSAS, GAZERS))
        for side in (0, 1)
    ]
    numbers = [board[place] for place in (SIDE, RIGHTS, QUIET, HASH, SCORE, KINGS, KINGS + 1)]
    gazes = [board[GAZE + 200 * side + cell] for side in (0, 1) for cell in INSIDE]
    return [*board[:CELLS], *gazes, *lists, *numbers]


@pytest.mark.parametrize(("depth", "count"), [(1, 43), (2, 1841), (3, 87158)])
def test_perft(depth: int, count: int) -> None:
    assert perft(loaded(started().state), MOVES, HISTORY, LEVELS, depth) == count


@pytest.mark.parametrize("setup", SETUPS[1:])
def test_perft_of_unusual_positions(setup: str) -> None:
    position = started(setup)
    assert perft(loaded(position.state), MOVES, HISTORY, LEVELS, 2) == GAMES["pillars"].perft(position, 2)


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("seed", range(4))
def test_moves_and_boards_agree_with_the_engine(seed: int, setup: str) -> None:
    board = loaded(started(setup).state)
    for position in walk(seed, 100, setup):
        if position.history.last is not None:
            make(board, inner_move(position.history.last.move))
            board[PLY] = 0
        assert content(board) == content(loaded(position.state)), position.setup
        legal = sorted(position.written.values())
        count = legal_moves(board, MOVES, HISTORY)
        assert sorted(outer_move(int(move)) for move in MOVES[:count]) == legal, position.setup
        assert content(board) == content(loaded(position.state)), "Moves that were tried out are unmade."
        assert in_check(board) == position.check
        assert bool(has_move(board, MOVES, 0, HISTORY)) == bool(legal)
        assert bool(is_dead(board)) == (position.outcome is not None and position.outcome.reason == "dead position")


@pytest.mark.parametrize(
    "setup",
    [
        "w10/11/11/11/11/4k6/11/T~4K5/11/11/11 w - 0 1",
        "w~10/11/11/11/11/4k6/11/T~4K5/11/11/11 w - 0 1",
        "11/11/11/4k6/11/11/t~10/5K5/11/11/W10 b - 0 1",
    ],
)
def test_a_morph_becomes_no_sword_on_its_last_rank(setup: str) -> None:
    position = started(setup)
    count = legal_moves(loaded(position.state), MOVES, HISTORY)
    assert sorted(outer_move(int(move)) for move in MOVES[:count]) == sorted(position.written.values())


@pytest.mark.parametrize("setup", SETUPS)
def test_loud_moves_are_captures_and_promotions(setup: str) -> None:
    for position in walk(7, 60, setup):
        board = loaded(position.state)
        every = {int(move) for move in MOVES[: generate(board, MOVES, 0, HISTORY)]}
        loud = {int(move) for move in MOVES[: generate_loud(board, MOVES, 0, -1)]}
        assert loud == {move for move in every if is_loud(position, move & MOVE)}


def is_loud(position: PillarsPosition, move: int) -> bool:
    start, end, then = outer_move(move)
    piece, taken = position.state.board[start], position.state.board[end]
    return bool(taken and not taken & position.state.side) or (not taken and piece != then)


def test_petrified_pieces_agree_with_the_engine() -> None:
    for position in walk(3, 80, SETUPS[1]):
        board = loaded(position.state)
        found = [
            square
            for square, piece in enumerate(position.state.board)
            if piece and piece & KIND != MEDUSA and board[GAZE + 200 * (piece >> 6) + INSIDE[square]]
        ]
        assert found == stones(position.state.board)


def test_unmake_restores_the_board() -> None:
    for position in walk(5, 60, SETUPS[2]):
        board = loaded(position.state)
        before = content(board)
        for move in position.written.values():
            make(board, inner_move(move))
            unmake(board)
        assert content(board) == before


def test_the_hash_depends_on_side_and_castling_rights() -> None:
    board = started().state.board
    codes = {hash_of(board, side, rights) for side in (0, 1) for rights in range(16)}
    assert len(codes) == 32
