"""What happens to chains whose fate is open, found out by playing on with short searches.

One side must capture what it can, so it never passes while it has a sensible move; the other, whose stones are in
question, may pass. Stones that it can't keep are dead. The searches get an allowance that makes every point matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from service.bots.stones.settling import SURE, dead, evening, ownership
from service.bots.stones.think import Searched, playable, searched, shares
from service.bots.thought import View, seed_of
from service.engine.game import Seat
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import chain
from service.games.reversal import ReversalPosition
from service.games.surround import SurroundPosition

SHORT, LONG = 60, 400
"""Simulations per move: LONG if the opponent's budget is at least that, else SHORT."""
FAR = 64
"""The largest step, in points, when an allowance is tried."""
MOST_UNSETTLED = 60
"""The most empty cells without a sure owner for which dead stones are found by playing on."""
LONGEST = 50
"""For how many moves at most play goes on, if the opponent's budget for one move is SHORT or LONG; a larger or smaller
budget allows more or fewer. If that isn't enough, the playouts' verdict counts."""
OPEN = 0.02
"""A chain's fate is open if it both dies and lives in at least this share of playouts. Playouts rarely see that a
corner dies only by a throw-in."""


def proposed(
    position: StonePosition, owners: Mapping[str, tuple[float, ...]], budget: int, seed: int
) -> frozenset[int]:
    """The stones to call dead. In games for two, chains whose fate is open are played out, unless most of the board is
    open: then the result would be arbitrary and take minutes. It would also take minutes on a large board without a
    compiler, where budgets are small and few moves are played on.

    `budget` is the opponent's budget for a move.
    """
    guess = dead(position, owners)
    names = position.board.names
    unsettled = sum(not stone and max(owners[names[point]]) < SURE for point, stone in enumerate(position.cells))
    if not isinstance(position, SurroundPosition | ReversalPosition) or unsettled > MOST_UNSETTLED:
        return guess
    seats, sims = range(len(position.sides)), LONG if budget >= LONG else SHORT
    doomed = dead(position, owners, dict.fromkeys(seats, 1 - OPEN))
    open_ = dead(position, owners, dict.fromkeys(seats, OPEN)) - doomed
    if not open_:
        return guess
    start = position.resumed(position.round)
    assert isinstance(start, StonePosition)
    found: set[int] = set()
    for seat in seats:
        if any(position.cells[point] == seat + 1 for point in open_):
            last = played_on(start, seed, sims, stubborn=1 - seat, most=LONGEST * budget // sims)
            if last is None:
                return guess
            found |= lost(start, seat, last)
    return guess - open_ | found & open_


def played_on(start: StonePosition, seed: int, budget: int, stubborn: Seat, most: int) -> StonePosition | None:
    """The board at the end of play, or None if that takes more than `most` moves. The `stubborn` seat passes only if
    it has no sensible placement."""
    last, log = start, list[tuple[int, str]]()
    allowance: tuple[float, ...] = evening(start, ownership(start, seed))
    for ply in range(most):
        seat = last.turns[0]
        view = View.of(last, seat, tuple(log[-4:]))._replace(allowance=allowance)
        found, allowance = closely(view, budget, seed_of(seed, ply, seat))
        move = best(found, stubborn=seat == stubborn)
        following = last.play(seat, move)
        if not isinstance(following, StonePosition):
            return last
        last = following
        log.append((seat, move))
    return None


def closely(view: View, budget: int, seed: int) -> tuple[Searched, tuple[float, ...]]:
    """A search in which its seat only just wins, so that every point matters, and the allowance for that.

    Short searches look for this allowance, starting from the view's. One search couldn't estimate the points instead:
    once the match is decided, all moves look equally good to it.
    """
    harder = 1 if view.seat == 0 else -1
    _, given = view.allowance or (0.0, 0.0)

    def handicapped(points: int) -> View:
        return view._replace(allowance=(0.0, given + harder * points))

    def wins(points: int) -> bool:
        return shares(searched(handicapped(points), budget // 3, seed))[view.seat] > 0.5

    close = handicapped(furthest(wins))
    return searched(close, budget, seed), close.allowance


def furthest(holds: Callable[[int], bool]) -> int:
    """The highest number for which `holds` is true, if it is true for all lower ones. Fast near 0."""
    found, step = 0, 1
    if holds(0):
        while step < FAR and holds(found + step):
            found, step = found + step, 2 * step
    else:
        while step < FAR and not holds(found - step):
            found, step = found - step, 2 * step
        found -= step
    while step > 1:
        step //= 2
        found += step if holds(found + step) else 0
    return found


def best(found: Searched, stubborn: bool) -> str:
    """The best move of a search; a stubborn seat passes only if it has no sensible placement."""
    moves = [move for move, _, _ in found.moves if playable(found.position, found.seat, move)]
    if stubborn and moves[0] == "pass":
        return next((move for move in moves[1:] if move in found.position.board.index), "pass")
    return moves[0]


def lost(start: StonePosition, seat: Seat, last: StonePosition) -> set[int]:
    """The stones of those chains of `seat` most of whose points aren't its own at the end."""
    owners = last.survey().owners
    holders = [stone - 1 if stone else owners.get(point) for point, stone in enumerate(last.cells)]
    kept = {point for point, holder in enumerate(holders) if holder == seat}
    found: set[int] = set()
    for point, stone in enumerate(start.cells):
        if stone == seat + 1 and point not in found:
            points = chain(start.cells, start.board.neighbours, point)
            if 2 * len(kept.intersection(points)) < len(points):
                found.update(points)
    return found
