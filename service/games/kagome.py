"""The Medusa board: a hexagon of hexagons without every second cell of every second row.

What remains is the kagome lattice: each cell touches four others (three on an edge, two in a corner) and is on exactly
two straight lines; each hole has a ring of six cells around it. Source: Christian Freeling's "Medusa".
"""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin, sqrt
from typing import NamedTuple, TypeAlias

from service.engine.board import Area, Board, Point

Place: TypeAlias = tuple[int, int]
"""File and row, both from 1: the letter counts steps up and to the left of a1, the number up and to the right."""

RING: tuple[Place, ...] = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
"""The six steps to a neighbour, in order around the cell."""

HALF_WIDTH = 13 / 15
"""Approximately half the square root of 3; a fraction, so that all cells are on whole pixels in pictures."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TEXT_COLUMNS = 3
"""Text columns from one file of cells to the next, which nearly keeps the proportions of the picture."""


class Kagome(NamedTuple):
    """The board, the rings around its holes, and the straight lines that leave each cell, nearest cell first."""

    board: Board
    rings: tuple[frozenset[int], ...]
    rays: tuple[tuple[tuple[int, ...], ...], ...]


@cache
def kagome(side: int) -> Kagome:
    """The board with `side` cells, holes included, along each side: an even number; 10 gives 210 cells and 61 holes."""
    hexagon = _hexagon(side)
    holes = [place for place in hexagon if _is_hole(place)]
    places = [place for place in hexagon if not _is_hole(place)]
    number = {place: index for index, place in enumerate(places)}
    letters, numbers = _edge_labels(side)
    labels = letters + numbers
    board = Board(
        name=f"kagome-{side}",
        material="slate",
        style="cells",
        names=tuple(_name(place) for place in places),
        neighbours=tuple(tuple(number[near] for near in _around(place) if near in number) for place in places),
        at=tuple(_centre(place) for place in places),
        outlines=tuple(_outline(place) for place in places),
        areas=tuple(Area("hole", _outline(hole)) for hole in holes),
        labels=tuple((text, _centre(place)) for text, place in labels),
        text_at=tuple(_text_at(place, side) for place in places),
        text_labels=tuple((*_text_at(place, side), text) for text, place in labels),
    )
    return Kagome(
        board,
        rings=tuple(frozenset(number[near] for near in _around(hole)) for hole in holes),
        rays=tuple(tuple(ray for step in RING if (ray := _ray(place, step, number))) for place in places),
    )


def _hexagon(side: int) -> list[Place]:
    """Every place of the full hexagon, holes included, file by file."""
    span = range(1, 2 * side)
    return [(file, row) for file in span for row in span if abs(file - row) < side]


def _is_hole(place: Place) -> bool:
    return place[0] % 2 == 0 and place[1] % 2 == 0


def _around(place: Place) -> list[Place]:
    return [(place[0] + step[0], place[1] + step[1]) for step in RING]


def _ray(place: Place, step: Place, number: dict[Place, int]) -> tuple[int, ...]:
    """The cells on the way from `place` up to the first hole or the edge."""
    ray = []
    ahead = (place[0] + step[0], place[1] + step[1])
    while ahead in number:
        ray.append(number[ahead])
        ahead = (ahead[0] + step[0], ahead[1] + step[1])
    return tuple(ray)


def _name(place: Place) -> str:
    return f"{LETTERS[place[0] - 1]}{place[1]}"


def _centre(place: Place) -> Point:
    """Where to draw a place: a1 is at the bottom in the middle, its opposite corner straight above."""
    file, row = place
    return ((row - file) * HALF_WIDTH, -(file + row) / 2)


def _outline(place: Place) -> tuple[Point, ...]:
    x, y = _centre(place)
    radius = 1 / sqrt(3)
    return tuple((x + radius * cos(turn * pi / 3), y + radius * sin(turn * pi / 3)) for turn in range(6))


def _text_at(place: Place, side: int) -> tuple[int, int]:
    file, row = place
    return 4 * side - 1 - file - row, TEXT_COLUMNS * (row - file + side)


def _edge_labels(side: int) -> tuple[list[tuple[str, Place]], list[tuple[str, Place]]]:
    """Letters and numbers, each with its place just off the board.

    Every file has its letter at its lower left end and every row its number at its lower right end. They are repeated
    at the upper ends along the slanting edges; along the upright edges, letters and numbers would collide.
    """
    span = range(1, 2 * side)
    letters = [(LETTERS[file - 1], (file, max(0, file - side))) for file in span]
    letters += [(LETTERS[file - 1], (file, 2 * side)) for file in span[side - 1 :]]
    numbers = [(str(row), (max(0, row - side), row)) for row in span]
    numbers += [(str(row), (2 * side, row)) for row in span[side - 1 :]]
    return letters, numbers
