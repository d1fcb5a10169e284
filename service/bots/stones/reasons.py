"""The reasons for placing or moving a stone: what it does to the chains, rings and empty points around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from service.engine.game import Seat
from service.engine.stone_games.stone_position import StonePosition
from service.engine.stone_games.stones import chain
from service.games.reversal import ReversalPosition
from service.games.surround import SurroundPosition

Found: TypeAlias = tuple[str, int, str]
"""The kind of a reason, a number of stones, points or liberties, and a cell."""

KINDS = (
    "captures",
    "saves",
    "rings",
    "threatens",
    "connects",
    "cuts",
    "narrows",
    "widens",
    "eye",
    "breaks",
    "builds",
    "presses",
    "extends",
    "approaches",
    "supports",
    "first",
    "plays",
)
"""All kinds of reasons, the strongest first."""
RING = 6
HALF = 3
"""A ring with more points of one side than this is worth completing or stopping."""
NEAR = 3
"""The most steps at which another stone is near."""
ROOMY = 3
"""The number of liberties that make a chain safe for the moment."""


class Group(NamedTuple):
    """A chain and the number of its liberties."""

    points: list[int]
    room: int


def of_stones(before: StonePosition, after: StonePosition, seat: Seat, move: str) -> Found:
    """The strongest reason for a turn, among those for the placed stone and the moved ones."""
    gone = sum(1 for old, new in zip(before.cells, after.cells, strict=True) if old not in (0, seat + 1) and new != old)
    if gone:
        return "captures", gone, ""
    steps = move.partition(" take ")[0].split()
    points = (before.board.index.get(step.rpartition("-")[2]) for step in steps)
    found = [
        _of_stone(before, after, point) for point in points if point is not None and after.cells[point] == seat + 1
    ]
    return min(found, key=lambda one: KINDS.index(one[0]), default=("plays", 0, ""))


def _of_stone(before: StonePosition, after: StonePosition, point: int) -> Found:
    """The strongest reason for a stone on `point` that captured nothing."""
    colour = after.cells[point]
    own = _group(after, point)
    joined = [one for one in _around(before, point, {colour}) if after.cells[one.points[0]] == colour]
    others = _around(after, point, {*range(1, len(after.sides) + 1)} - {colour})
    names = before.board.names
    for tried in (
        _for_chains(after, own, joined),
        _against(after, others),
        _for_room(after, own, joined, others),
        _for_eye(after, point),
        _for_rings(after, point),
        _by_touch(own, joined, others, names),
        _by_distance(before, point, colour),
    ):
        if found := min(tried, key=lambda one: KINDS.index(one[0]), default=None):
            return found
    return "first", 0, ""


def _for_chains(after: StonePosition, own: Group, joined: list[Group]) -> Iterator[Found]:
    saved = sum(len(one.points) for one in joined if one.room == 1)
    if saved and own.room > 1:
        yield "saves", saved, ""
    if not after.mortal(own.points) and all(after.mortal(one.points) for one in joined):
        yield "rings", len(own.points), ""


def _against(after: StonePosition, others: list[Group]) -> Iterator[Found]:
    """What the stone does to enemy chains next to it."""
    names = after.board.names
    for kind, room in (("threatens", 1), ("narrows", 2)):
        hunted = max((one for one in others if one.room == room), key=lambda one: len(one.points), default=None)
        if hunted and after.mortal(hunted.points):
            yield kind, len(hunted.points), names[hunted.points[0]]
            return


def _for_room(after: StonePosition, own: Group, joined: list[Group], others: list[Group]) -> Iterator[Found]:
    """Chains that are connected or get more liberties, and enemy chains that are separated."""
    if len(joined) > 1:
        yield "connects", len(joined), ""
    sides = [after.cells[one.points[0]] for one in others]
    apart = max((sides.count(side) for side in sides), default=0)
    if apart > 1:
        yield "cuts", apart, ""
    if own.room >= ROOMY and any(one.room < ROOMY for one in joined):
        yield "widens", own.room, ""


def _for_eye(after: StonePosition, point: int) -> Iterator[Found]:
    cells, neighbours = after.cells, after.board.neighbours
    for near in neighbours[point]:
        if not cells[near] and all(cells[one] == cells[point] for one in neighbours[near]):
            yield "eye", 0, after.board.names[near]


def _for_rings(after: StonePosition, point: int) -> Iterator[Found]:
    """Rings that are half complete, of either side."""
    cells = after.cells
    for ring in _rings(after):
        if point not in ring:
            continue
        own = sum(cells[one] == cells[point] for one in ring)
        empty = sum(not cells[one] for one in ring)
        if own + empty == RING and own > HALF:
            yield "builds", own, ""
        if own == 1 and RING - own - empty > HALF:
            yield "breaks", RING - own - empty, ""


def _rings(position: StonePosition) -> Iterable[Iterable[int]]:
    if isinstance(position, SurroundPosition):
        return position.rules.flowers
    return position.rules.rings if isinstance(position, ReversalPosition) else ()


def _by_touch(own: Group, joined: list[Group], others: list[Group], names: tuple[str, ...]) -> Iterator[Found]:
    if others:
        pressed = min(others, key=lambda one: one.room)
        yield "presses", pressed.room, names[pressed.points[0]]
    elif joined:
        yield "extends", own.room, ""


def _by_distance(before: StonePosition, point: int, colour: int) -> Iterator[Found]:
    """The nearest stones on the board before, if they are near."""
    cells, names = before.cells, before.board.names
    seen, ring = {point}, [point]
    for _ in range(NEAR):
        ring = [
            one
            for one in dict.fromkeys(near for one in ring for near in before.board.neighbours[one])
            if one not in seen
        ]
        seen.update(ring)
        for one in ring:
            if cells[one]:
                yield ("supports" if cells[one] == colour else "approaches"), 0, names[one]
        if any(cells[one] for one in ring):
            return


def _group(position: StonePosition, point: int) -> Group:
    cells, neighbours = position.cells, position.board.neighbours
    stones = [*chain(cells, neighbours, point)]
    return Group(stones, len({near for one in stones for near in neighbours[one] if not cells[near]}))


def _around(position: StonePosition, point: int, colours: set[int]) -> list[Group]:
    """The chains of these colours next to a point, each once; its first stone is next to the point."""
    found: list[Group] = []
    for near in position.board.neighbours[point]:
        if position.cells[near] in colours and not any(near in one.points for one in found):
            found.append(_group(position, near))
    return found
