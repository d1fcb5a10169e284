"""The legal moves in a state.

Only a Medusa's own moves, and moves that make or remove a Medusa, change which pieces are stone; they are tried
out where it matters. All other moves are judged by the checks and pins around the King.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from service.games.pillars.attacks import Guard, gazed_squares, is_attacked, look_around
from service.games.pillars.board import AROUND, LEAPS_FROM, RAYS, SIZE, SQUARES, Ray, Square
from service.games.pillars.pieces import (
    BLACK,
    DIAGONAL,
    KIND,
    KINDS,
    KING,
    LEAPING,
    MEDUSA,
    MEDUSA_REACH,
    MORPH,
    STRAIGHT,
    SWORD,
    WHITE,
    Piece,
)
from service.games.pillars.state import CASTLES, Castle, Move, State


def _lines(straight: bool, diagonal: bool, reach: int = SIZE) -> tuple[tuple[Ray, ...], ...]:
    """From each square, the lines to slide along, at most `reach` squares long."""
    some = slice(0 if straight else 4, 8 if diagonal else 4)
    return tuple(tuple(ray[:reach] for ray in rays[some] if ray) for rays in RAYS)


_LINES = {(straight, diagonal): _lines(straight, diagonal) for straight in (False, True) for diagonal in (False, True)}
_SLIDES = {kind: _LINES[kind in STRAIGHT, kind in DIAGONAL] for kind in KINDS}
_SLIDES[MEDUSA] = _lines(True, True, MEDUSA_REACH)
_LEAPS = {kind: LEAPS_FROM if kind in LEAPING else ((),) * len(SQUARES) for kind in KINDS}
_FORWARD = {WHITE: 0, BLACK: 2}
_FORWARD_DIAGONALS = {WHITE: (4, 7), BLACK: (5, 6)}
"""Indices of `board.DIRECTIONS`."""
_HOME = {WHITE: SQUARES[: 3 * SIZE], BLACK: SQUARES[-3 * SIZE :]}
"""The squares where a Sword hasn't reached its side's fourth rank and may go two squares."""
_ADVANCES = {
    side: tuple(rays[ahead][: 2 if square in _HOME[side] else 1] for square, rays in enumerate(RAYS))
    for side, ahead in _FORWARD.items()
}
_SWORD_CAPTURES = {
    side: tuple(tuple(rays[way][0] for way in ways if rays[way]) for rays in RAYS)
    for side, ways in _FORWARD_DIAGONALS.items()
}
_LAST_RANK = {WHITE: frozenset(SQUARES[-SIZE:]), BLACK: frozenset(SQUARES[:SIZE])}
_NEXT_TO_LAST = {WHITE: frozenset(SQUARES[-2 * SIZE : -SIZE]), BLACK: frozenset(SQUARES[SIZE : 2 * SIZE])}


def in_check(state: State) -> bool:
    """Whether the King of the side to move is attacked."""
    return is_attacked(state.board, state.king, state.other)


def legal_moves(state: State) -> list[Move]:
    """Every legal move of the side to move, ordered by its starting square; the King's moves are last."""
    board, mine, king = list(state.board), state.side, state.king
    guard = look_around(board, king, state.other)
    gazed = gazed_squares(state.board, mine)
    moves: list[Move] = []
    for square in compress(SQUARES, board):
        piece = board[square]
        kind = piece & KIND
        if not piece & mine or kind == KING or (square in gazed and kind != MEDUSA):
            continue
        targets = _sword_targets(board, square, mine) if kind == SWORD else _targets(board, square, kind, mine)
        if not targets:
            continue
        if piece & MORPH or kind == MEDUSA or (kind == SWORD and square in _NEXT_TO_LAST[mine]):
            moves += _changing_moves(board, square, targets, guard, king)
            continue
        for line in guard.bounds(square):
            targets = [target for target in targets if target in line]
        for target in targets:
            moves.append((square, target, piece))
    if king not in gazed:
        moves += _king_moves(board, king, mine)
    if state.rights and not guard.checks:
        moves += _castling(state)
    return moves


def pseudo_targets(board: Sequence[Piece], square: Square) -> list[Square]:
    """Where the piece on `square` could go if it weren't stone and its King couldn't be in check; without castling."""
    piece = board[square]
    kind, side = piece & KIND, piece & (WHITE | BLACK)
    if kind == SWORD:
        return _sword_targets(board, square, side)
    if kind == KING:
        return [target for target in AROUND[square] if not board[target] & side]
    return _targets(board, square, kind, side)


def _targets(board: Sequence[Piece], square: Square, kind: int, mine: int) -> list[Square]:
    targets = []
    for target in _LEAPS[kind][square]:
        taken = board[target]
        if not taken & mine:
            targets.append(target)
    for ray in _SLIDES[kind][square]:
        for target in ray:
            taken = board[target]
            if not taken:
                targets.append(target)
                continue
            if not taken & mine:
                targets.append(target)
            break
    return targets


def _sword_targets(board: Sequence[Piece], square: Square, mine: int) -> list[Square]:
    targets = []
    for target in _SWORD_CAPTURES[mine][square]:
        taken = board[target]
        if taken and not taken & mine:
            targets.append(target)
    for target in _ADVANCES[mine][square]:
        if board[target]:
            break
        targets.append(target)
    return targets


def _changing_moves(
    board: list[Piece], square: Square, targets: list[Square], guard: Guard, king: Square
) -> list[Move]:
    """The legal moves of a piece that may become another, or that petrifies others."""
    piece = board[square]
    moves = [(square, target, then) for target in targets for then in becomes(piece, board[target], target)]
    if guard.wary or guard.checks or square in guard.pins:
        return [move for move in moves if _is_safe(board, king, move)]
    return moves


def _king_moves(board: list[Piece], king: Square, mine: int) -> list[Move]:
    moves = [(king, target, mine | KING) for target in AROUND[king] if not board[target] & mine]
    return [move for move in moves if _is_safe(board, move[1], move)]


def _castling(state: State) -> Iterator[Move]:
    """The castling moves of a King who isn't in check."""
    for way in CASTLES[state.side]:
        if state.rights & way.right and _is_open(state, way):
            yield way.king, way.tower, state.side | KING


def _is_open(state: State, way: Castle) -> bool:
    """Whether the squares between King and Tower are empty, and none on his path, the Tower's included, is attacked."""
    if any(state.board[way.between]):
        return False
    return not any(is_attacked(state.board, square, state.other) for square in way.path)


def _is_safe(board: list[Piece], king: Square, move: Move) -> bool:
    """Whether the King, who is on `king` after the move, isn't attacked then. Leaves `board` unchanged."""
    start, end, then = move
    moved, taken = board[start], board[end]
    board[start], board[end] = 0, then
    safe = not is_attacked(board, king, WHITE if moved & BLACK else BLACK)
    board[start], board[end] = moved, taken
    return safe


def becomes(piece: Piece, taken: Piece, target: Square) -> tuple[Piece, ...]:
    """What `piece` may be once it has moved to `target` and captured `taken`; staying what it is comes first.

    A Sword on its last rank becomes a plain Medusa. A Morph may become what it captures: still a Morph, or the plain
    piece if it captured a Morph. Capturing a Morph of its own kind doesn't change it.
    """
    side = piece & (WHITE | BLACK)
    promoted = piece & KIND == SWORD and target in _LAST_RANK[side]
    stays = side | MEDUSA if promoted else piece
    if not piece & MORPH or not taken or taken & (KIND | MORPH) == piece & (KIND | MORPH):
        return (stays,)
    turned = side | (taken & (KIND | MORPH)) ^ MORPH
    if turned == stays or (turned & KIND == SWORD and target in _LAST_RANK[side]):
        return (stays,)
    return (stays, turned)
