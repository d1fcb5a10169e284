"""What becomes of chains whose fate is open, when short searches play on.

One side must take what it can, and so never passes while it has a move that makes sense; the other, whose stones are in
question, may pass. What it does not keep is dead. The searches get just the points with which every point matters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from service.bots.stones.settling import SURE, dead, evening, ownership
from service.bots.stones.think import Searched, playable, searched, shares
from service.bots.thought import View, seed_of
from service.engine.game import Position, Seat
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import chain
from service.games.reversal import ReversalPosition
from service.games.surround import SurroundPosition

SHORT, LONG = 60, 400
"""Simulations a move: the many where a move of an opponent has as many, and else the few."""
FAR = 64
"""Points by which an allowance is tried at once, at most."""
MOST_UNSETTLED = 60
"""Empty cells that nobody owns for sure, at most, where it is played out which stones are dead."""
OPEN = 0.02
"""The share of playouts in which a chain dies or lives against the others, from which on its fate is open. Playouts
rarely see that a corner dies only if stones are thrown in."""


def proposed(
    position: StonePosition, owners: Mapping[str, tuple[float, ...]], budget: int, seed: int
) -> frozenset[int]:
    """The stones to call dead. Of two seats' chains, those of which `owners` isn't sure are played out, unless most of
    the board is open: nobody could say then, and to play it out would take minutes.

    `budget` is that of a move of an opponent.
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
            found |= lost(start, seat, played_on(start, seed, sims, stubborn=1 - seat))
    return guess - open_ | found & open_


def played_on(start: StonePosition, seed: int, budget: int, stubborn: Seat | None = None) -> StonePosition:
    """The board when nobody wants to go on; a `stubborn` seat passes only if no stone makes sense."""
    position: Position = start
    last, log = start, list[tuple[int, str]]()
    allowance: tuple[float, ...] = evening(start, ownership(start, seed))
    for ply in range(3 * len(start.cells)):
        if not isinstance(position, StonePosition):
            break
        last, seat = position, position.turns[0]
        view = View.of(position, seat, tuple(log[-4:]))._replace(allowance=allowance)
        found, allowance = closely(view, budget, seed_of(seed, ply, seat))
        move = best(found, stubborn=seat == stubborn)
        position = position.play(seat, move)
        log.append((seat, move))
    return last


def closely(view: View, budget: int, seed: int) -> tuple[Searched, tuple[float, ...]]:
    """A search in which its seat only just wins, so that every point matters, and the allowance that makes it so.

    Sketches look for that allowance, from the one of the view on. To ask a search how many points it expects would not
    do: once nothing can be won or lost any more, it takes every move to be as good as the best.
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
    """The highest number for which something holds that holds for all lower ones. Near 0 it is found in few steps."""
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
    """The best move of a search; a stubborn seat passes only if no stone can be placed that makes sense."""
    moves = [move for move, _, _ in found.moves if playable(found.position, found.seat, move)]
    if stubborn and moves[0] == "pass":
        return next((move for move in moves[1:] if move in found.position.board.index), "pass")
    return moves[0]


def lost(start: StonePosition, seat: Seat, last: StonePosition) -> set[int]:
    """The stones of the chains of `seat` most of whose points are not its own in the end."""
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
