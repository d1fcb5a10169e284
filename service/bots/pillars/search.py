"""Alpha-beta with its own stack instead of recursion, which the compiler doesn't accept and which slows CPython down.

A node goes through `_ENTER` (can it be decided without searching?), `_EXPAND` (write its moves), `_NEXT` (make one)
and `_RETURN` (pass its value to the node above). Values are hundredths of a Sword for the side to move at a node.
"""

from __future__ import annotations

from service.bots.compiler import Ints, compiled
from service.bots.pillars.board import COUNTS, HASH, MOVE, QUIET, SIDE, is_checked, is_exposed, make, make_null, unmake
from service.bots.pillars.moves import CAPTURE, ORDER, generate, generate_loud, is_legal, keep_checks, needs_trial
from service.bots.pillars.ordering import MATE, NEAR_MATE, note_quiet, pick, remember, sort_known
from service.bots.pillars.tables import WORTH
from service.bots.pillars.worth import evaluate, is_dead

INFINITE = 32000

DEEPEST = 60
"""The most plies of an iteration, not counting extensions and captures."""
LAST_PLY = 120
"""The ply at which every line ends."""
ROOM = 1 << 16
"""The room for the moves of all nodes on one line."""

FRAME = 16
"""The number of integers that each node has on the stack."""
ALPHA, BETA, DEPTH, BEST, FOUND, NEXT, END, LEGAL, STAGE, CHECK, BEFORE, CODE, CUT, WORTHY, FUTILE = range(15)
"""Window; depth left; best value and move; the next move and the end of the moves; legal moves tried; stage of the
current move; whether the King is attacked; the initial alpha; hash; the reduction of the current move; static value;
whether quiet moves that don't give check are left out."""

_FULL, _SCOUT, _NULL = 0, 1, 2
"""Stages: full window; null window, perhaps with reduced depth; null move."""
_ENTER, _EXPAND, _NEXT, _RETURN = 0, 1, 2, 3

_UNKNOWN = 2
"""The value of CHECK until a capture is tried, since only then it is calculated."""
MARGIN = 200
"""How much a capture may gain in addition to the material."""

_EXACT, _LOWER, _UPPER = 0, 1, 2
"""The kinds of values in the table."""


@compiled
def is_repeated(board: Ints, past: Ints, now: int, root: int) -> bool:
    """Whether the state at `past[now]` has occurred before in this line, or twice in the match up to `root`."""
    code = past[now]
    first = max(0, now - board[QUIET])
    seen = 0
    back = now - 2
    while back >= first:
        if past[back] == code:
            seen += 1
            if back >= root or seen == 2:
                return True
        back -= 2
    return False


@compiled
def has_move(board: Ints, moves: Ints, start: int, history: Ints) -> bool:
    """Whether the side to move has a legal move."""
    end = generate(board, moves, start, history)
    for index in range(start, end):  # noqa: SIM110 # The compiler doesn't support `any`.
        if is_legal(board, moves[index] & MOVE):
            return True
    return False


@compiled
def search(
    board: Ints,
    moves: Ints,
    stack: Ints,
    past: Ints,
    root: int,
    keys: Ints,
    notes: Ints,
    history: Ints,
    killers: Ints,
    line: Ints,
    chosen: Ints,
    count: int,
    depth: int,
    alpha: int,
    beta: int,
    budget: int,
    answer: Ints,
) -> int:
    """One iteration over the root's moves `chosen[:count]`, best first; returns the number of nodes.

    `past[:root + 1]` are the hashes of the match up to now. `answer` gets the best move (0 if none was found before the
    budget ran out), its value, whether the iteration is complete, the length of the line, and the line.
    """
    nodes = 0
    ply = 0
    mode = _ENTER
    value = 0
    stack[ALPHA], stack[BETA], stack[DEPTH] = alpha, beta, depth
    stack[NEXT] = 0
    answer[0] = 0
    answer[2] = 0
    while True:
        f = ply * FRAME
        if mode == _ENTER:
            nodes += 1
            if nodes > budget:
                while ply > 0:
                    unmake(board)
                    ply -= 1
                return nodes
            line[ply * LAST_PLY + ply] = 0
            code = board[HASH]
            past[root + ply] = code
            side = board[SIDE]
            depth_left = stack[f + DEPTH]
            start = stack[f + NEXT]
            if ply > 0:
                if board[QUIET] >= 4 and is_repeated(board, past, root + ply, root):
                    value, mode = 0, _RETURN
                    continue
                if board[COUNTS] + board[COUNTS + 1] <= 3 and is_dead(board):
                    value, mode = 0, _RETURN
                    continue
            check = 0
            if depth_left > -1:
                check = int(is_checked(board))
            if board[QUIET] >= 100 and ply > 0:
                check = int(is_checked(board))
                value = ply - MATE if check and not has_move(board, moves, start, history) else 0
                mode = _RETURN
                continue
            if check and ply < 2 * depth + 6:
                depth_left += 1
            stack[f + CHECK], stack[f + CODE] = check, code
            stack[f + FOUND], stack[f + LEGAL], stack[f + FUTILE] = 0, 0, 0
            stack[f + BEFORE] = stack[f + ALPHA]
            if ply >= LAST_PLY - 1 or start > ROOM - 2500:
                value, mode = evaluate(board, -INFINITE, INFINITE), _RETURN
                continue
            if depth_left <= 0:
                worth = evaluate(board, stack[f + ALPHA], stack[f + BETA])
                if worth >= stack[f + BETA]:
                    value, mode = worth, _RETURN
                    continue
                if worth > stack[f + ALPHA]:
                    stack[f + ALPHA] = worth
                if depth_left < 0:
                    stack[f + CHECK] = _UNKNOWN
                stack[f + BEST], stack[f + WORTHY] = worth, worth
                stack[f + DEPTH] = depth_left
                stack[f + END] = generate_loud(board, moves, start, stack[f + ALPHA] - worth - MARGIN)
                mode = _NEXT
                continue
            stack[f + DEPTH] = depth_left
            stack[f + BEST] = -INFINITE
            if ply > 0:
                if stack[f + ALPHA] < ply - MATE:
                    stack[f + ALPHA] = ply - MATE
                if stack[f + BETA] > MATE - ply - 1:
                    stack[f + BETA] = MATE - ply - 1
                if stack[f + ALPHA] >= stack[f + BETA]:
                    value, mode = stack[f + ALPHA], _RETURN
                    continue
                scouting = stack[f + BETA] - stack[f + ALPHA] == 1
                slot = code & (len(keys) - 1)
                if keys[slot] == code:
                    note = notes[slot]
                    stack[f + FOUND] = note & MOVE
                    if scouting and note >> 23 & 255 >= depth_left:
                        value = (note >> 33) - 32768
                        if value >= NEAR_MATE:
                            value -= ply
                        elif value <= -NEAR_MATE:
                            value += ply
                        kind = note >> 31 & 3
                        if (
                            kind == _EXACT
                            or (kind == _LOWER and value >= stack[f + BETA])
                            or (kind == _UPPER and value <= stack[f + ALPHA])
                        ):
                            mode = _RETURN
                            continue
                worth = -INFINITE
                if not check:
                    worth = evaluate(board, stack[f + ALPHA] - 200, stack[f + BETA] + 400)
                stack[f + WORTHY] = worth
                if scouting and not check and -NEAR_MATE < stack[f + BETA] < NEAR_MATE:
                    if depth_left <= 2 and worth - 160 * depth_left >= stack[f + BETA]:
                        value, mode = worth, _RETURN
                        continue
                    given = ply > 0 and stack[f - FRAME + STAGE] == _NULL
                    if depth_left >= 3 and not given and worth >= stack[f + BETA] and board[COUNTS + side] > 6:
                        stack[f + STAGE] = _NULL
                        make_null(board)
                        below = f + FRAME
                        stack[below + ALPHA] = -stack[f + BETA]
                        stack[below + BETA] = 1 - stack[f + BETA]
                        stack[below + DEPTH] = depth_left - 3 - depth_left // 4
                        stack[below + NEXT] = start
                        ply += 1
                        continue
            mode = _EXPAND
        if mode == _EXPAND:
            start = stack[f + NEXT]
            if ply == 0:
                for index in range(count):
                    moves[index] = (count - index) << ORDER | chosen[index]
                stack[f + END] = count
            else:
                end = generate(board, moves, start, history)
                stack[f + END] = end
                sort_known(moves, start, end, stack[f + FOUND], killers[2 * ply], killers[2 * ply + 1])
            stack[f + FOUND] = 0
            mode = _NEXT
        if mode == _NEXT:
            index, end = stack[f + NEXT], stack[f + END]
            depth_left, check = stack[f + DEPTH], stack[f + CHECK]
            quiescent = depth_left <= 0
            side = board[SIDE]
            made = 0
            while index < end:
                entry = pick(moves, index, end)
                index += 1
                move = entry & MOVE
                order = entry >> ORDER
                if quiescent:
                    if order < CAPTURE:
                        break
                    gain = WORTH[board[move >> 8 & 255] & 31] + WORTH[move >> 16 & 31] - WORTH[board[move & 255] & 31]
                    if stack[f + WORTHY] + gain + MARGIN <= stack[f + ALPHA]:
                        continue
                    if check == _UNKNOWN:
                        check = int(is_checked(board))
                        stack[f + CHECK] = check
                elif (
                    depth_left <= 2
                    and order < CAPTURE - 2
                    and not check
                    and ply > 0
                    and stack[f + LEGAL]
                    and stack[f + FUTILE] == 0
                    and stack[f + WORTHY] + 180 * depth_left <= stack[f + ALPHA]
                    and -NEAR_MATE < stack[f + ALPHA] < NEAR_MATE
                ):
                    # A quiet move won't raise the value that far, unless it gives check.
                    stack[f + FUTILE] = 1
                    stack[f + BEST] = max(stack[f + BEST], stack[f + WORTHY] + 180 * depth_left)
                    index -= 1
                    end = keep_checks(board, moves, index, end)
                    stack[f + END] = end
                    continue
                trial = check == 1 or needs_trial(board, move)
                make(board, move)
                if trial and is_exposed(board):
                    unmake(board)
                    continue
                made = 1
                break
            stack[f + NEXT] = index
            if not made:
                value = stack[f + BEST]
                if not quiescent:
                    if stack[f + LEGAL] == 0:
                        value = ply - MATE if check else 0
                    else:
                        kind = _UPPER if value <= stack[f + BEFORE] else _EXACT
                        remember(keys, notes, stack[f + CODE], stack[f + FOUND], depth_left, kind, value, ply)
                mode = _RETURN
                continue
            tried = stack[f + LEGAL] + 1
            stack[f + LEGAL] = tried
            below = f + FRAME
            stack[below + NEXT] = end
            stack[below + BETA] = -stack[f + ALPHA]
            cut = 0
            if quiescent or tried == 1:
                stack[f + STAGE] = _FULL
                stack[below + ALPHA] = -stack[f + BETA]
            else:
                stack[f + STAGE] = _SCOUT
                stack[below + ALPHA] = -stack[f + ALPHA] - 1
                late = tried > 3 and not check and order < CAPTURE - 2
                if late and depth_left >= 3 and stack[f + ALPHA] < NEAR_MATE:
                    cut = 1 + (tried > 10) + (tried > 25 and depth_left > 5)
            stack[f + CUT] = cut
            stack[below + DEPTH] = depth_left - 1 - cut
            ply += 1
            mode = _ENTER
            continue
        # The node at `ply` is worth `value`.
        if ply == 0:
            break
        ply -= 1
        f = ply * FRAME
        value = -value
        stage = stack[f + STAGE]
        if stage == _NULL:
            unmake(board)
            stack[f + STAGE] = _FULL
            mode = _EXPAND
            if value >= stack[f + BETA]:
                value, mode = stack[f + BETA], _RETURN
            continue
        below = f + FRAME
        if stage == _SCOUT and value > stack[f + ALPHA] and (stack[f + CUT] or value < stack[f + BETA]):
            # Better than expected: search again at full depth, then with the full window.
            stack[below + NEXT] = stack[f + END]
            stack[below + BETA] = -stack[f + ALPHA]
            stack[below + DEPTH] = stack[f + DEPTH] - 1
            if stack[f + CUT]:
                stack[f + CUT] = 0
                stack[below + ALPHA] = -stack[f + ALPHA] - 1
            else:
                stack[f + STAGE] = _FULL
                stack[below + ALPHA] = -stack[f + BETA]
            ply += 1
            mode = _ENTER
            continue
        unmake(board)
        mode = _NEXT
        if value > stack[f + BEST]:
            stack[f + BEST] = value
            move = moves[stack[f + NEXT] - 1] & MOVE
            if value > stack[f + ALPHA]:
                stack[f + ALPHA] = value
                stack[f + FOUND] = move
                here, there = ply * LAST_PLY, (ply + 1) * LAST_PLY
                line[here + ply] = move
                index = ply + 1
                while line[there + index]:
                    line[here + index] = line[there + index]
                    index += 1
                line[here + index] = 0
                if ply == 0:
                    answer[0], answer[1], answer[3] = move, value, index
                    for index in range(answer[3]):
                        answer[4 + index] = line[index]
                if value >= stack[f + BETA]:
                    if stack[f + DEPTH] > 0:
                        remember(keys, notes, stack[f + CODE], move, stack[f + DEPTH], _LOWER, value, ply)
                        if board[move >> 8 & 255] == 0:
                            note_quiet(board, history, killers, move, stack[f + DEPTH], ply)
                    mode = _RETURN
    answer[2] = 1
    return nodes
