"""Why the learner moved: what its move did on the board, for those who ask."""

from __future__ import annotations

from typing import NamedTuple

from service.engine.game import MoveError, Position, Seat
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import chain
from service.games.pillars.position import PillarsPosition


class Reason(NamedTuple):
    """What speaks for a move. `kind` is `captures`, `saves`, `threatens`, `room`, `check`, `takes`, `passes` or
    `plays`; `number` says of how many stones, or liberties."""

    kind: str
    number: int = 0


def reason(before: Position, seat: Seat, move: str) -> Reason:
    """The best that a move did; raises MoveError if it cannot be played."""
    after = before.play(seat, move)
    if move == "pass":
        return Reason("passes")
    if isinstance(before, PillarsPosition) and isinstance(after, PillarsPosition):
        return Reason("check" if after.check else "takes" if "x" in move else "plays")
    if isinstance(before, StonePosition) and isinstance(after, StonePosition):
        return _of_stones(before, after, seat, move)
    return Reason("plays")


def _of_stones(before: StonePosition, after: StonePosition, seat: Seat, move: str) -> Reason:
    point = before.board.index.get(move.split()[0].rpartition("-")[2])
    gone = sum(1 for old, new in zip(before.cells, after.cells, strict=True) if old not in (0, seat + 1) and new != old)
    if gone:
        return Reason("captures", gone)
    if point is None or after.cells[point] != seat + 1:
        return Reason("plays")
    stones, room = _chain(after, point)
    saved = sum(before.cells[one] == seat + 1 and _chain(before, one)[1] == 1 for one in stones)
    if saved and room > 1:
        return Reason("saves", saved)
    near = [one for one in before.board.neighbours[point] if after.cells[one] not in (0, seat + 1)]
    hunted = max((len(found) for found, left in (_chain(after, one) for one in near) if left == 1), default=0)
    return Reason("threatens", hunted) if hunted else Reason("room", room)


def _chain(position: StonePosition, point: int) -> tuple[list[int], int]:
    """The stones of the chain at a point, and how many liberties it has."""
    cells, neighbours = position.cells, position.board.neighbours
    stones = [*chain(cells, neighbours, point)]
    return stones, len({near for one in stones for near in neighbours[one] if not cells[near]})


def explained(before: Position, seat: Seat, move: str) -> Reason | None:
    """`reason`, or None where several move at once or the move is none of play."""
    if before.phase != "play" or before.turns != (seat,) or len(before.public_turns) > 1:
        return None
    try:
        return reason(before, seat, move)
    except MoveError:
        return None
