"""A position as one flat list of integers, on which moves are made and unmade.

A move is one integer, `start | end << 8 | piece << 16`, where the piece is the one then on the end cell. Castling is a
move of the King onto his own Tower. The functions are plain enough for a compiler: integers, lists, loops.
"""

from __future__ import annotations

from service.bots.compiler import Ints, compiled, ints
from service.bots.pillars.tables import (
    ATTACKS,
    CELLS,
    INSIDE,
    KEPT,
    KEYS,
    LEAPER,
    LEAPS_FROM,
    NEAR,
    ON_LINE,
    OUTSIDE,
    RIGHT_KEYS,
    SIDE_KEY,
    STEPS,
    VALUES,
    WALL,
    WAYS,
)
from service.games.pillars.pieces import BLACK, KING, MEDUSA, SWORD, WHITE
from service.games.pillars.state import Move, State

GAZE = 200
"""From here on, for White and (200 further) for Black: the number of enemy Medusas next to each cell."""
PLACE = 600
"""For each cell, the index of its piece in the list of its side."""
PIECES = 800
"""White's list of the cells of its pieces; Black's is 128 further."""
MEDUSAS = 1056
"""White's list of the cells of its Medusas; Black's is 128 further."""
SIDE, RIGHTS, QUIET, HASH, SCORE, PLY = 1312, 1313, 1314, 1315, 1316, 1317
"""Side to move (0 White, 1 Black), castling rights, quiet half-moves, Zobrist hash, worth for White, depth."""
KINGS, COUNTS, GAZERS = 1318, 1320, 1322
"""For each side: the King's cell, the number of pieces, the number of Medusas."""
UNDO = 1330
"""Eight numbers for each move made: move, piece, piece taken and its index, rights, quiet, hash, worth."""
MOST_PLIES = 160
SIGHT = UNDO + 8 * MOST_PLIES
"""From here on, for each cell: the ways in which a piece on it would attack the King of the latest `keep_checks`."""
LENGTH = SIGHT + CELLS
MOVE = (1 << 23) - 1
"""The bits of a move; the bits above them are its sort key."""


def loaded(state: State) -> Ints:
    """The engine's state in the form for the search."""
    board = ints([WALL] * CELLS + [0] * (LENGTH - CELLS))
    side = int(state.side == BLACK)
    board[SIDE], board[RIGHTS], board[QUIET] = side, state.rights, state.quiet
    for square, piece in enumerate(state.board):
        cell = INSIDE[square]
        board[cell] = piece
        if piece:
            add_piece(board, cell, piece)
    board[HASH] = hash_of(state.board, side, state.rights)
    return board


def hash_of(squares: bytes, side: int, rights: int) -> int:
    """The Zobrist hash of a state: pieces, side to move (0 White, 1 Black) and castling rights."""
    found = int(RIGHT_KEYS[rights]) ^ (SIDE_KEY if side else 0)
    for square, piece in enumerate(squares):
        if piece:
            found ^= int(KEYS[INSIDE[square] << 7 | piece])
    return found


@compiled
def add_piece(board: Ints, cell: int, piece: int) -> None:
    """Adds a piece to the lists and sums."""
    side = piece >> 6
    count = board[COUNTS + side]
    board[PIECES + 128 * side + count] = cell
    board[PLACE + cell] = count
    board[COUNTS + side] = count + 1
    board[SCORE] += VALUES[cell << 7 | piece]
    if piece & 15 == KING:
        board[KINGS + side] = cell
    if piece & 15 == MEDUSA:
        add_gazer(board, cell, side)


def inner_move(move: Move) -> int:
    """A move of the engine in the form for the search."""
    return INSIDE[move[0]] | INSIDE[move[1]] << 8 | move[2] << 16


def outer_move(move: int) -> Move:
    """A move of the search in the form for the engine."""
    return OUTSIDE[move & 255], OUTSIDE[move >> 8 & 255], move >> 16 & 127


@compiled
def add_gazer(board: Ints, cell: int, side: int) -> None:
    """Adds a Medusa of `side`: the other side's pieces next to her are stone."""
    count = board[GAZERS + side]
    board[MEDUSAS + 128 * side + count] = cell
    board[GAZERS + side] = count + 1
    gaze = GAZE + 200 * (1 - side) + cell
    for step in STEPS:
        board[gaze + step] += 1


@compiled
def drop_gazer(board: Ints, cell: int, side: int) -> None:
    """Removes a Medusa of `side`."""
    count = board[GAZERS + side] - 1
    board[GAZERS + side] = count
    found = MEDUSAS + 128 * side
    last = board[found + count]
    while board[found] != cell:
        found += 1
    board[found] = last
    gaze = GAZE + 200 * (1 - side) + cell
    for step in STEPS:
        board[gaze + step] -= 1


@compiled
def make(board: Ints, move: int) -> None:
    """Makes a move that is legal, except that it may leave its own King attacked."""
    start, end, then = move & 255, move >> 8 & 255, move >> 16 & 127
    side = board[SIDE]
    piece, taken = board[start], board[end]
    undo = UNDO + 8 * board[PLY]
    code = board[HASH]
    score = board[SCORE]
    rights = board[RIGHTS]
    board[undo] = move
    board[undo + 1] = piece
    board[undo + 2] = taken
    board[undo + 4] = rights
    board[undo + 5] = board[QUIET]
    board[undo + 6] = code
    board[undo + 7] = score
    place = board[PLACE + start]
    board[start] = 0
    board[QUIET] += 1
    if taken:
        board[QUIET] = 0
        code ^= KEYS[end << 7 | taken]
        score -= VALUES[end << 7 | taken]
        other = board[PLACE + end]
        board[undo + 3] = other
        if taken >> 6 == side:
            board[start] = taken
            board[QUIET] = board[undo + 5] + 1
            code ^= KEYS[start << 7 | taken]
            score += VALUES[start << 7 | taken]
            board[PIECES + 128 * side + other] = start
            board[PLACE + start] = other
        else:
            count = board[COUNTS + 1 - side] - 1
            board[COUNTS + 1 - side] = count
            pieces = PIECES + 128 * (1 - side)
            last = board[pieces + count]
            board[pieces + other] = last
            board[PLACE + last] = other
            if taken & 15 == MEDUSA:
                drop_gazer(board, end, 1 - side)
    if piece & 15 == SWORD:
        board[QUIET] = 0
    elif piece & 15 == KING:
        board[KINGS + side] = end
    board[end] = then
    board[PIECES + 128 * side + place] = end
    board[PLACE + end] = place
    if piece & 15 == MEDUSA:
        drop_gazer(board, start, side)
    if then & 15 == MEDUSA:
        add_gazer(board, end, side)
    if rights:
        kept = rights & KEPT[start] & KEPT[end]
        board[RIGHTS] = kept
        code ^= RIGHT_KEYS[rights] ^ RIGHT_KEYS[kept]
    board[HASH] = code ^ KEYS[start << 7 | piece] ^ KEYS[end << 7 | then] ^ SIDE_KEY
    board[SCORE] = score - VALUES[start << 7 | piece] + VALUES[end << 7 | then]
    board[SIDE] = 1 - side
    board[PLY] += 1


@compiled
def unmake(board: Ints) -> None:
    """Unmakes the last move."""
    ply = board[PLY] - 1
    undo = UNDO + 8 * ply
    board[PLY] = ply
    side = 1 - board[SIDE]
    board[SIDE] = side
    board[RIGHTS] = board[undo + 4]
    board[QUIET] = board[undo + 5]
    board[HASH] = board[undo + 6]
    board[SCORE] = board[undo + 7]
    move, piece, taken = board[undo], board[undo + 1], board[undo + 2]
    if move == 0:
        return
    start, end, then = move & 255, move >> 8 & 255, move >> 16 & 127
    place = board[PLACE + end]
    if then & 15 == MEDUSA:
        drop_gazer(board, end, side)
    if piece & 15 == MEDUSA:
        add_gazer(board, start, side)
    elif piece & 15 == KING:
        board[KINGS + side] = start
    board[start] = piece
    board[end] = taken
    board[PIECES + 128 * side + place] = start
    board[PLACE + start] = place
    if taken:
        other = board[undo + 3]
        board[PLACE + end] = other
        if taken >> 6 == side:
            board[PIECES + 128 * side + other] = end
        else:
            pieces = PIECES + 128 * (1 - side)
            count = board[COUNTS + 1 - side]
            last = board[pieces + other]
            if other < count:
                board[pieces + count] = last
                board[PLACE + last] = count
            board[pieces + other] = end
            board[COUNTS + 1 - side] = count + 1
            if taken & 15 == MEDUSA:
                add_gazer(board, end, 1 - side)


@compiled
def make_null(board: Ints) -> None:
    """Makes a null move: only the side to move changes."""
    undo = UNDO + 8 * board[PLY]
    board[undo] = 0
    board[undo + 4] = board[RIGHTS]
    board[undo + 5] = board[QUIET]
    board[undo + 6] = board[HASH]
    board[undo + 7] = board[SCORE]
    board[HASH] ^= SIDE_KEY
    board[SIDE] = 1 - board[SIDE]
    board[QUIET] += 1
    board[PLY] += 1


@compiled
def is_attacked(board: Ints, cell: int, side: int) -> bool:
    """Whether a piece of `side` attacks a cell; stone pieces don't."""
    mine = WHITE << side
    gaze = GAZE + 200 * side
    attacks = side << 4
    for first in NEAR[8 * cell : 8 * cell + 8]:
        near = first
        piece = board[near]
        if not piece:
            step = near - cell
            while not piece:
                near += step
                piece = board[near]
        if (
            piece & mine
            and ATTACKS[attacks | piece & 15] & WAYS[CELLS + near - cell]
            and (piece & 15 == MEDUSA or board[gaze + near] == 0)
        ):
            return True
    for near in LEAPS_FROM[8 * cell : 8 * cell + 8]:
        if board[near] & mine and LEAPER[board[near] & 15] and board[gaze + near] == 0:
            return True
    return False


@compiled
def in_check(board: Ints) -> bool:
    """Whether the King of the side to move is attacked."""
    side = board[SIDE]
    return is_attacked(board, board[KINGS + side], 1 - side)


@compiled
def is_checked(board: Ints) -> bool:
    """A faster `in_check`: after a legal move, only a piece that moved, was uncovered or was freed can give check."""
    if board[PLY] == 0:
        return in_check(board)
    undo = UNDO + 8 * board[PLY] - 8
    side = board[SIDE]
    king = board[KINGS + side]
    move = board[undo]
    end = move >> 8 & 255
    if (
        ATTACKS[16 - (side << 4) | board[end] & 15] & WAYS[CELLS + end - king]
        or WAYS[CELLS + (move & 255) - king] & ON_LINE
        or (board[undo + 2] and (board[undo + 2] & 15 == MEDUSA or board[undo + 2] >> 6 != side))
    ):
        return is_attacked(board, king, 1 - side)
    return False


@compiled
def is_exposed(board: Ints) -> bool:
    """Whether the side that moved last left its King attacked."""
    side = board[SIDE]
    return is_attacked(board, board[KINGS + 1 - side], side)
