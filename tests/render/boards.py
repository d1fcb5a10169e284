"""Sample boards and scenes: one for each way to draw a board."""

from __future__ import annotations

import re
from html import unescape
from math import sqrt
from typing import NamedTuple

from service.engine.board import Area, Board, Point
from service.engine.scene import STONES, Piece, Scene

COLOURS = tuple(STONES)


class Target(NamedTuple):
    """The place and the description of a cell of a board on a page."""

    x: int
    y: int
    says: str


def targets(page: str) -> dict[str, Target]:
    """The cells of the first board in `page`, by name, as the page's script reads them."""
    board = re.sub(r"</svg>.*", "", page[page.index("data-from=") :], flags=re.DOTALL)
    told = dict(re.findall(r'data-(from|steps|places)="([^"]*)"', board))
    (left, top), (across, down) = (map(int, told[pair].split(",")) for pair in ("from", "steps"))
    words = re.findall(r'data-says="([^"]*)" data-on="([^"]*)"', board)
    says = {name: unescape(said) for said, cells in words for name in cells.split(" ")}
    found: dict[str, Target] = {}
    column, row = -1, 0
    for cell in told["places"].split(" "):
        name, x, y = f"{cell},,".split(",")[:3]
        column, row = int(x or column + 1), int(y or row)
        found[name] = Target(left + column * across, top + row * down, says.pop(name))
    assert not says
    return found


def square(size: int) -> Board:
    """Crossing lines, as for Go."""
    letters = "abcdefghjklmnopqrstuvwxyz"
    cells = [(x, y) for y in range(size) for x in range(size)]
    number = {cell: index for index, cell in enumerate(cells)}
    near = [[(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)] for x, y in cells]
    last = size - 1
    sides = [(letters[x], (float(x), y)) for x in range(size) for y in (-1.0, size + 0.0)]
    sides += [(str(size - y), (x, float(y))) for y in range(size) for x in (-1.0, size + 0.0)]
    return Board(
        f"square {size}",
        "points",
        tuple(f"{letters[x]}{size - y}" for x, y in cells),
        tuple(tuple(number[cell] for cell in cells if cell in number) for cells in near),
        tuple((float(x), float(y)) for x, y in cells),
        lines=tuple(((0.0, float(y)), (float(last), float(y))) for y in range(size))
        + tuple(((float(x), 0.0), (float(x), float(last))) for x in range(size)),
        labels=tuple(sides),
        text_at=tuple((y + 1, 4 + 2 * x) for x, y in cells),
        text_labels=tuple((row, 4 + 2 * x, letters[x]) for x in range(size) for row in (0, size + 1))
        + tuple((y + 1, 0, f"{size - y:>2}") for y in range(size))
        + tuple((y + 1, 2 * size + 5, f"{size - y}") for y in range(size)),
    )


def chess(size: int) -> Board:
    """Squares in two tints."""
    cells = [(x, y) for y in range(size) for x in range(size)]
    around = [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]
    letters = "abcdefghijk"
    return Board(
        f"chess {size}",
        "cells",
        tuple(f"{letters[x]}{size - y}" for x, y in cells),
        tuple(() for _ in cells),
        tuple((float(x), float(y)) for x, y in cells),
        outlines=tuple(tuple((x + dx, y + dy) for dx, dy in around) for x, y in cells),
        tints=tuple((x + y + size) % 2 for x, y in cells),
        labels=tuple((letters[x], (float(x), y)) for x in range(size) for y in (-0.85, size - 0.15))
        + tuple((str(size - y), (x, float(y))) for y in range(size) for x in (-0.85, size - 0.15)),
        text_at=tuple((y + 1, 5 + 3 * x) for x, y in cells),
        text_labels=tuple((row, 5 + 3 * x, letters[x]) for x in range(size) for row in (0, size + 1))
        + tuple((y + 1, 0, f"{size - y:>2}") for y in range(size)),
    )


def _corners(x: float, y: float, turn: int = 0, radius: float = 1.0) -> tuple[Point, ...]:
    """The six corners of a hexagon, with a corner to the right (turn 0) or on top (turn 1)."""
    h = sqrt(3) / 2
    flat = [(1.0, 0.0), (0.5, h), (-0.5, h), (-1.0, 0.0), (-0.5, -h), (0.5, -h)]
    return tuple((x + radius * (b if turn else a), y + radius * (a if turn else b)) for a, b in flat)


def graph(base: int) -> Board:
    """The corners of a hexagon of hexagons."""
    h = sqrt(3) / 2
    centres = [
        (1.5 * q, 2 * h * (r + q / 2))
        for q in range(1 - base, base)
        for r in range(max(-base + 1, -base + 1 - q), min(base - 1, base - 1 - q) + 1)
    ]
    rounded = [[(round(x, 6), round(y, 6)) for x, y in _corners(*centre)] for centre in centres]
    at = sorted({corner for corners in rounded for corner in corners})
    edges = {
        tuple(sorted((one, two)))
        for corners in rounded
        for one, two in zip(corners, corners[1:] + corners[:1], strict=True)
    }
    columns = {x: index for index, x in enumerate(sorted({x for x, _ in at}))}
    rows = {y: index for index, y in enumerate(sorted({y for _, y in at}))}
    return Board(
        f"graph {base}",
        "points",
        tuple(f"{'abcdefghijklmnopqrstuvwxyzABCD'[columns[x]]}{len(rows) - rows[y]}" for x, y in at),
        tuple(() for _ in at),
        tuple(at),
        lines=tuple((one, two) for one, two in edges),
        labels=tuple((str(len(rows) - row), (min(columns) - 1.2, y)) for y, row in rows.items()),
        text_at=tuple((rows[y], 4 + 2 * columns[x]) for x, y in at),
    )


def cells(base: int) -> Board:
    """Hexagonal cells with dark holes."""
    places = [(c, r) for c in range(1, 2 * base) for r in range(1, 2 * base) if abs(c - r) < base]
    spot = {(c, r): ((r - c) * sqrt(3) / 2, -(c + r) / 2) for c, r in places}
    open_ = [place for place in places if place[0] % 2 or place[1] % 2]
    radius = 1 / sqrt(3)
    return Board(
        f"cells {base}",
        "cells",
        tuple(f"{'abcdefghijklmnopqrs'[c - 1]}{r}" for c, r in open_),
        tuple(() for _ in open_),
        tuple(spot[place] for place in open_),
        outlines=tuple(_corners(*spot[place], 0, radius) for place in open_),
        areas=tuple(Area("hole", _corners(*spot[place], 0, radius)) for place in places if place not in open_),
        text_at=tuple((2 * (2 * base - 1) - c - r, 2 * (r - c + base)) for c, r in open_),
    )


def sample(board: Board, stride: int = 3, sides: int = 2) -> Scene:
    """A scene with stones in this many colours and every mark that stones can have."""
    count = len(board.names)
    pieces = {
        cell: Piece(cell * 7 // 5 % sides, STONES[COLOURS[cell * 7 // 5 % sides]])
        for cell in range(count)
        if cell % stride
    }
    marks = {1: ("last",), 2: ("reversed",), 4: ("dead",), 5: ("ghost",), 0: ("captured",), 3: ("origin",)}
    owners = {cell: cell % sides for cell in range(count // 2, count // 2 + 12)}
    return Scene(board, pieces, COLOURS[:sides], marks, owners, title="A sample")


def full(board: Board) -> Scene:
    """A stone on every cell, irregularly black or white, and a last move."""
    pieces = [Piece(0, "X"), Piece(1, "O")]
    on = {cell: pieces[cell * cell % 7 % 2] for cell in range(len(board.names))}
    return Scene(board, on, COLOURS[:2], {40: ("last",)}, title="A full board")
