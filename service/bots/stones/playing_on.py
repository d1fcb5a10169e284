"""What becomes of chains whose fate is open, when short searches play on.

One side must take what it can, and so never passes while it has a move that makes sense; the other, whose stones are in
question, may pass. What it does not keep is dead. The searches allow for who is ahead, so that every point matters.
"""

from __future__ import annotations

from collections.abc import Mapping

from service.bots.stones.settling import dead, evening
from service.bots.stones.think import Searched, playable, searched
from service.bots.thought import View, seed_of
from service.engine.game import Position, Seat
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import chain
from service.games.reversal import ReversalPosition
from service.games.surround import SurroundPosition

SHORT = 60
"""Simulations a move."""
OPEN, OPEN_IF_REVERSED = 0.1, 0.05
"""The share of playouts in which a chain dies or lives against the others, from which on its fate is open. Playouts are
wrong more often where captured stones change sides, for there no number of eyes is enough."""


def proposed(position: StonePosition, owners: Mapping[str, tuple[float, ...]], seed: int) -> frozenset[int]:
    """The stones to call dead. Of two seats' chains, those of which `owners` isn't sure are played out."""
    guess = dead(position, owners)
    if not isinstance(position, SurroundPosition | ReversalPosition):
        return guess
    seats, least = range(len(position.sides)), OPEN_IF_REVERSED if isinstance(position, ReversalPosition) else OPEN
    doomed = dead(position, owners, dict.fromkeys(seats, 1 - least))
    open_ = dead(position, owners, dict.fromkeys(seats, least)) - doomed
    if not open_:
        return guess
    start = position.resumed(position.round)
    assert isinstance(start, StonePosition)
    found: set[int] = set()
    for seat in seats:
        if any(position.cells[point] == seat + 1 for point in open_):
            found |= lost(start, seat, played_on(start, seat, seed, SHORT))
    return guess - open_ | found & open_


def played_on(start: StonePosition, owner: Seat, seed: int, budget: int) -> StonePosition:
    """The board when nobody wants to go on; `owner` defends what is there."""
    position: Position = start
    last, log = start, list[tuple[int, str]]()
    for ply in range(3 * len(start.cells)):
        if not isinstance(position, StonePosition):
            break
        last, seat = position, position.turns[0]
        view = View.of(position, seat, tuple(log[-4:]))
        move = best(closely(view, budget, seed_of(seed, ply, seat)), stubborn=seat != owner)
        position = position.play(seat, move)
        log.append((seat, move))
    return last


def closely(view: View, budget: int, seed: int) -> Searched:
    """A search that allows for who is ahead, at first by a sketch and then more exactly."""
    for sims in (budget // 3, budget // 3, budget):
        found = searched(view, sims, seed)
        view = view._replace(allowance=evening(found.position, found.ownership()))
    return found


def best(found: Searched, stubborn: bool) -> str:
    """The best move of a search; who is stubborn passes only where no stone can be placed that makes sense."""
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
