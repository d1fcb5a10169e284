"""How a player sees a board: from the other side, and with or without coordinates."""

from __future__ import annotations

from copy import copy
from functools import lru_cache
from typing import Any, NamedTuple

from service.engine.board import Board, Point
from service.engine.scene import Scene


class Sight(NamedTuple):
    """`turned`: by half a turn, as the opponent sees it. Without `coordinates`, the board is larger."""

    turned: bool = False
    coordinates: bool = True


def seen(scene: Scene, sight: Sight) -> Scene:
    """The scene as it is drawn for `sight`. Its text board doesn't change."""
    return scene if sight == Sight() else scene._replace(board=_seen(scene.board, sight))


@lru_cache(maxsize=128)
def _seen(board: Board, sight: Sight) -> Board:
    """The one board for this geometry and sight, so that drawings cached for it are reused."""
    there = _turned(board) if sight.turned else board
    return there if sight.coordinates else _like(there, name=f"{there.name}, bare", labels=())


def _turned(board: Board) -> Board:
    return _like(
        board,
        name=f"{board.name}, turned",
        at=tuple(map(_opposite, board.at)),
        lines=tuple((_opposite(one), _opposite(other)) for one, other in board.lines),
        outlines=tuple(tuple(map(_opposite, corners)) for corners in board.outlines),
        areas=tuple(area._replace(corners=tuple(map(_opposite, area.corners))) for area in board.areas),
        labels=tuple((label, _opposite(at)) for label, at in board.labels),
    )


def _like(board: Board, **others: Any) -> Board:
    """The same board with these attributes changed."""
    like = copy(board)
    vars(like).update(others)
    return like


def _opposite(point: Point) -> Point:
    return -point[0], -point[1]
