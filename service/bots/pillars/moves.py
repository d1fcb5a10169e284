"""The moves of a position, each with its sort key."""

from __future__ import annotations

from service.bots.compiler import Ints, compiled
from service.bots.pillars.board import (
    COUNTS,
    GAZE,
    KINGS,
    MOVE,
    PIECES,
    RIGHTS,
    SIDE,
    SIGHT,
    in_check,
    is_attacked,
    is_exposed,
    make,
    unmake,
)
from service.bots.pillars.tables import (
    ATTACKS,
    BY_DIAGONAL,
    BY_LEAP,
    BY_MEDUSA,
    BY_ROW,
    BY_SWORD,
    CASTLING,
    CELLS,
    FIRST_WAY,
    LAST_WAY,
    LEAPER,
    LEAPS,
    LEAPS_FROM,
    NEAR,
    ON_LINE,
    RANK,
    REACH,
    STEPS,
    WALL,
    WAYS,
    WIDTH,
    WORTH,
)
from service.games.pillars.board import SIZE
from service.games.pillars.pieces import BLACK, KING, MEDUSA, MORPH, SWORD, WHITE

ORDER = 23
"""The first bit of a move's sort key."""
CAPTURE = 1 << 24
"""Promotions and captures that lose nothing are sorted above this; losing captures are below quiet moves."""
PROMOTION = CAPTURE + (1 << 13)
QUIET_BASE = 1 << 12


@compiled
def generate(board: Ints, moves: Ints, end: int, history: Ints) -> int:
    """Writes the moves of the side to move from `end` on, even if they expose the King; returns the new end.

    `history` has a sort key for quiet moves, at `piece << 8 | cell`.
    """
    side = board[SIDE]
    enemy = BLACK >> side
    gaze = GAZE + 200 * side
    first = PIECES + 128 * side
    for start in board[first : first + board[COUNTS + side]]:
        piece = board[start]
        kind = piece & 15
        if board[gaze + start] and kind != MEDUSA:
            continue
        if kind == SWORD:
            end = _sword_moves(board, moves, end, history, start)
            continue
        base = QUIET_BASE << ORDER | piece << 16 | start
        past = piece << 8
        if LEAPER[kind]:
            for to in LEAPS_FROM[8 * start : 8 * start + 8]:
                taken = board[to]
                if not taken:
                    moves[end] = (history[past + to] << ORDER) + (base | to << 8)
                    end += 1
                elif taken & enemy:
                    end = _captures(board, moves, end, start, to)
        far = REACH[kind]
        for near in NEAR[8 * start + FIRST_WAY[kind] : 8 * start + LAST_WAY[kind]]:
            to = near
            taken = board[to]
            if not taken:
                step = to - start
                last = start + step * far
                while not taken:
                    moves[end] = (history[past + to] << ORDER) + (base | to << 8)
                    end += 1
                    if to == last:
                        break
                    to += step
                    taken = board[to]
            if taken & enemy:
                end = _captures(board, moves, end, start, to)
    if board[RIGHTS]:
        end = _castling(board, moves, end, WHITE << side)
    return end


@compiled
def generate_loud(board: Ints, moves: Ints, end: int, least: int) -> int:
    """Like `generate`, but only captures and promotions, with few of the captures that win no more than `least`."""
    side = board[SIDE]
    enemy = BLACK >> side
    gaze = GAZE + 200 * side
    ahead = -WIDTH if side else WIDTH
    first = PIECES + 128 * side
    for start in board[first : first + board[COUNTS + side]]:
        piece = board[start]
        kind = piece & 15
        if kind == SWORD:
            to = start + ahead
            if (board[to - 1] | board[to + 1]) & enemy and not board[gaze + start]:
                if board[to - 1] & enemy:
                    end = _captures(board, moves, end, start, to - 1)
                if board[to + 1] & enemy:
                    end = _captures(board, moves, end, start, to + 1)
            if not board[to] and board[to + ahead] == WALL and not board[gaze + start]:
                moves[end] = PROMOTION << ORDER | (WHITE << side | MEDUSA) << 16 | to << 8 | start
                end += 1
            continue
        if board[gaze + start] and kind != MEDUSA:
            continue
        low = -1 if piece & MORPH else least
        if LEAPER[kind]:
            for to in LEAPS_FROM[8 * start : 8 * start + 8]:
                if board[to] & enemy and WORTH[board[to] & 31] > low:
                    end = _captures(board, moves, end, start, to)
        far = REACH[kind]
        for near in NEAR[8 * start + FIRST_WAY[kind] : 8 * start + LAST_WAY[kind]]:
            taken = board[near]
            if not taken:
                to, step = near, near - start
                while not taken:
                    to += step
                    taken = board[to]
                if taken & enemy and WORTH[taken & 31] > low and (far == SIZE or abs(to - start) <= abs(step) * far):
                    end = _captures(board, moves, end, start, to)
            elif taken & enemy and WORTH[taken & 31] > low:
                end = _captures(board, moves, end, start, near)
    return end


@compiled
def _sword_moves(board: Ints, moves: Ints, end: int, history: Ints, start: int) -> int:
    piece = board[start]
    side = piece >> 6
    enemy = BLACK >> side
    ahead = -WIDTH if side else WIDTH
    to = start + ahead
    if board[to - 1] & enemy:
        end = _captures(board, moves, end, start, to - 1)
    if board[to + 1] & enemy:
        end = _captures(board, moves, end, start, to + 1)
    if board[to]:
        return end
    if board[to + ahead] == WALL:
        moves[end] = PROMOTION << ORDER | (WHITE << side | MEDUSA) << 16 | to << 8 | start
        return end + 1
    moves[end] = (history[piece << 8 | to] + QUIET_BASE) << ORDER | piece << 16 | to << 8 | start
    end += 1
    to += ahead
    if board[to] == 0 and (10 - RANK[start] if side else RANK[start]) < 3:
        moves[end] = (history[piece << 8 | to] + QUIET_BASE) << ORDER | piece << 16 | to << 8 | start
        end += 1
    return end


@compiled
def _captures(board: Ints, moves: Ints, end: int, start: int, to: int) -> int:
    """Writes the one or two moves with which the piece on `start` captures the one on `to`; returns the new end."""
    piece, taken = board[start], board[to]
    side = piece >> 6
    last = RANK[to] == (0 if side else 10)
    stays = WHITE << side | MEDUSA if last and piece & 15 == SWORD else piece
    lost, won = WORTH[piece & 31], WORTH[taken & 31]
    order = CAPTURE + (won << 3) + 2000 - lost
    if lost > won + 50 and is_guarded(board, to, side):
        order = won
    gain = WORTH[stays & 31]
    moves[end] = (order + gain - lost) << ORDER | stays << 16 | to << 8 | start
    end += 1
    if piece & MORPH and (piece ^ taken) & 31:
        turned = WHITE << side | (taken & 31 ^ MORPH)
        if turned != stays and not (last and turned & 15 == SWORD):
            moves[end] = (order + max(0, WORTH[turned & 31] - lost + 400)) << ORDER | turned << 16 | to << 8 | start
            end += 1
    return end


@compiled
def is_guarded(board: Ints, cell: int, side: int) -> bool:
    """Whether a Sword of the opponent of `side` that isn't stone guards a cell."""
    gaze = GAZE + 200 * (1 - side)
    behind = cell + (-WIDTH if side else WIDTH)
    sword = (BLACK >> side) | SWORD
    return (board[behind - 1] & ~MORPH == sword and board[gaze + behind - 1] == 0) or (
        board[behind + 1] & ~MORPH == sword and board[gaze + behind + 1] == 0
    )


@compiled
def _castling(board: Ints, moves: Ints, end: int, mine: int) -> int:
    side = board[SIDE]
    checked = -1
    for way in range(8 * side, 8 * side + 8, 4):
        if not board[RIGHTS] & CASTLING[way]:
            continue
        king, tower, step = CASTLING[way + 1], CASTLING[way + 2], CASTLING[way + 3]
        cell = king + step
        while board[cell] == 0:
            cell += step
        if cell != tower:
            continue
        if checked < 0:
            checked = int(in_check(board))
        if checked:
            continue
        cell = king + step
        while cell != tower + step and not is_attacked(board, cell, 1 - side):
            cell += step
        if cell == tower + step:
            moves[end] = (QUIET_BASE + 1000) << ORDER | (mine | KING) << 16 | tower << 8 | king
            end += 1
    return end


@compiled
def keep_checks(board: Ints, moves: Ints, start: int, end: int) -> int:
    """Removes all moves from `start` on whose piece doesn't attack the King; returns the new end."""
    side = board[SIDE]
    king = board[KINGS + 1 - side]
    for cell in range(SIGHT, SIGHT + CELLS):
        board[cell] = 0
    for way in range(8):
        step = STEPS[way]
        cell = king + step
        distance = 1
        while board[cell] == 0:
            board[SIGHT + cell] = (BY_ROW if way < 4 else BY_DIAGONAL) | (BY_MEDUSA if distance < 4 else 0)
            cell += step
            distance += 1
        cell = king + LEAPS[way]
        if board[cell] == 0:
            board[SIGHT + cell] = BY_LEAP
    behind = king + (WIDTH if side else -WIDTH)
    board[SIGHT + behind - 1] |= BY_SWORD << side
    board[SIGHT + behind + 1] |= BY_SWORD << side
    kept = start
    for index in range(start, end):
        move = moves[index]
        if board[SIGHT + (move >> 8 & 255)] & ATTACKS[side << 4 | move >> 16 & 15]:
            moves[kept] = move
            kept += 1
    return kept


@compiled
def needs_trial(board: Ints, move: int) -> bool:
    """Whether a move of a side that isn't in check may leave its own King attacked."""
    start = move & 255
    kind = board[start] & 15
    return kind >= KING or WAYS[CELLS + start - board[KINGS + board[SIDE]]] & ON_LINE != 0


@compiled
def is_legal(board: Ints, move: int) -> bool:
    """Whether a move doesn't leave its own King attacked."""
    make(board, move)
    safe = not is_exposed(board)
    unmake(board)
    return safe


@compiled
def legal_moves(board: Ints, moves: Ints, history: Ints) -> int:
    """Writes the legal moves at the beginning of `moves`, without sort keys; returns their number."""
    end = generate(board, moves, 0, history)
    count = 0
    for index in range(end):
        move = moves[index] & MOVE
        if is_legal(board, move):
            moves[count] = move
            count += 1
    return count


@compiled
def perft(board: Ints, moves: Ints, history: Ints, levels: Ints, depth: int) -> int:
    """The number of lines of `depth` legal moves; `levels` has room for two numbers per move."""
    leaves = 0
    levels[0], levels[1] = 0, generate(board, moves, 0, history)
    level = 0
    while level >= 0:
        if levels[2 * level] == levels[2 * level + 1]:
            level -= 1
            if level >= 0:
                unmake(board)
            continue
        move = moves[levels[2 * level]] & MOVE
        levels[2 * level] += 1
        if level + 1 == depth:
            leaves += is_legal(board, move)
            continue
        make(board, move)
        if is_exposed(board):
            unmake(board)
            continue
        level += 1
        levels[2 * level] = levels[2 * level - 1]
        levels[2 * level + 1] = generate(board, moves, levels[2 * level], history)
    return leaves
