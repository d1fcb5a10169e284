"""The two weak bots against which all others are measured."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from service.bots.pillars.tables import WORTH
from service.bots.thought import Thought, View
from service.engine.game import Position, Seat
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import Cells, Neighbours, Suicide, chain, place
from service.games.pillars.pieces import SIDES
from service.games.pillars.position import PillarsPosition


def pebble(view: View, budget: int, seed: int) -> Thought:
    """Plays at random, but agrees to end the match: passes after a pass and accepts proposals."""
    del budget
    moves = list(view.position.moves(view.seat))
    agreed = agreeable(view, moves)
    if agreed:
        return Thought(agreed)
    return Thought(Random(seed).choice([move for move in moves if move not in ("pass", "resume")] or moves))  # noqa: S311


def agreeable(view: View, moves: list[str]) -> str:
    """The move that agrees to end the match; "" if nobody has offered that."""
    for word in ("accept", "alone"):
        if word in moves:
            return word
    last = view.log[-1][1] if view.log else ""
    return "pass" if last == "pass" and "pass" in moves else ""


def greedy(view: View, budget: int, seed: int) -> Thought:
    """Looks one ply deep, and chooses at random between equal moves.

    With stones, it captures most, then saves most, then has most liberties; in chess, it wins the most material.
    """
    del budget
    position, seat = view.position, view.seat
    moves = list(position.moves(seat))
    agreed = agreeable(view, moves)
    if agreed:
        return Thought(agreed)
    tried = [move for move in moves if move not in ("pass", "resume")]
    worth = pieces_worth if isinstance(position, PillarsPosition) else stones_worth
    scored = [(worth(position, position.play(seat, move), seat, move), move) for move in tried]
    best = max((score for score, _ in scored), default=())
    return Thought(Random(seed).choice([move for score, move in scored if score == best] or moves))  # noqa: S311


def pieces_worth(before: Position, after: Position, seat: Seat, move: str) -> tuple[int, ...]:
    """Whether the move mates, and the material advantage of `seat` after it."""
    del before, move
    assert isinstance(after, PillarsPosition)
    won = after.outcome is not None and after.outcome.scores[seat] == 1
    signed = ((WORTH[piece & 31], piece) for piece in after.state.board if piece)
    return (int(won), sum(int(worth) if piece & SIDES[seat] else -int(worth) for worth, piece in signed))


def stones_worth(before: Position, after: Position, seat: Seat, move: str) -> tuple[int, ...]:
    """Enemy stones captured or reversed, own stones saved from atari, and liberties of the chain played."""
    assert isinstance(before, StonePosition), "Only positions of stones are counted here."
    neighbours, point = before.board.neighbours, before.board.index[move.split()[-1].rpartition("-")[2]]
    cells = after.cells if isinstance(after, StonePosition) else before.cells
    if cells == before.cells:
        cells = _alone(before.cells, neighbours, point, seat)
    captured = _enemies(before.cells, seat) - _enemies(cells, seat)
    if cells[point] != seat + 1:
        return (captured, -1, 0)
    stones = chain(cells, neighbours, point)
    own = [one for one in stones if before.cells[one] == seat + 1]
    room = _liberties(cells, neighbours, point)
    saved = sum(_liberties(before.cells, neighbours, one) == 1 for one in own) if room > 1 else 0
    return (captured, saved, room)


def _alone(cells: Cells, neighbours: Neighbours, point: int, seat: Seat) -> Cells:
    """The board after a simultaneous round in which nobody else places a stone."""
    trial = cells.copy()
    with suppress(Suicide):
        place(trial, neighbours, point, seat + 1)
    return trial


def _enemies(cells: Cells, seat: Seat) -> int:
    return sum(1 for stone in cells if stone not in (0, seat + 1))


def _liberties(cells: Cells, neighbours: Neighbours, point: int) -> int:
    return len({near for one in chain(cells, neighbours, point) for near in neighbours[one] if not cells[near]})
