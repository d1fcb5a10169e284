"""Rectangular Go boards of up to 25 by 25 points: a1 at the lower left, columns a to z without i.

Go books, GTP and every Go program skip the letter i, because it is easily mistaken for j.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import cos, pi, sin

from service.engine.board import Area, Board, Point
from service.engine.options import OptionError

COLUMNS = "abcdefghjklmnopqrstuvwxyz"
LARGEST = len(COLUMNS)


def read_size(text: str) -> str:
    """`9`, `9x13` (rows x columns) or `9 X 13` as `9` or `9x13`; raises OptionError outside 1 … 25."""
    rows, by, columns = text.lower().replace(" ", "").partition("x")
    lengths = (rows, columns) if by else (rows, rows)
    if not all(length.isdecimal() and len(length) < 3 and 1 <= int(length) <= LARGEST for length in lengths):
        raise OptionError(f"size must be R or RxC (rows x columns), each from 1 to {LARGEST}, not {text[:20]!r}.")
    down, across = map(int, lengths)
    return str(down) if down == across else f"{down}x{across}"


def sized(size: str) -> Board:
    """The board of a size that `read_size` gave."""
    rows, _, columns = size.partition("x")
    return grid(int(rows), int(columns or rows))


@lru_cache(maxsize=32)
def grid(rows: int, columns: int) -> Board:
    """The board of `rows` x `columns` points, both 1 … 25; point = (rank - 1) * columns + column."""
    spots = [(row, column) for row in range(rows) for column in range(columns)]
    return Board(
        name=f"grid {rows}x{columns}",
        style="points",
        names=tuple(f"{COLUMNS[column]}{row + 1}" for row, column in spots),
        neighbours=tuple(_around(row, column, rows, columns) for row, column in spots),
        at=tuple(_middle(row, column, rows) for row, column in spots),
        lines=_lines(rows, columns),
        areas=tuple(_star(_middle(row, column, rows)) for row, column in _stars(rows, columns)),
        labels=_labels(rows, columns),
        text_at=tuple((rows - row, 4 + 2 * column) for row, column in spots),
        text_labels=_text_labels(rows, columns),
    )


def _around(row: int, column: int, rows: int, columns: int) -> tuple[int, ...]:
    beside = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return tuple(y * columns + x for y, x in beside if 0 <= y < rows and 0 <= x < columns)


def _middle(row: int, column: int, rows: int) -> Point:
    return float(column), float(rows - 1 - row)


def _lines(rows: int, columns: int) -> tuple[tuple[Point, Point], ...]:
    right, bottom = float(columns - 1), float(rows - 1)
    across = [((0.0, float(y)), (right, float(y))) for y in range(rows) if columns > 1]
    down = [((float(x), 0.0), (float(x), bottom)) for x in range(columns) if rows > 1]
    return (*across, *down)


def _stars(rows: int, columns: int) -> list[tuple[int, int]]:
    """Row and column of the handicap points, where Go boards of that size have them."""
    if min(rows, columns) < 7:
        return []
    middles = {(rows // 2, columns // 2)} if rows % 2 and columns % 2 else set()
    down, across = _star_lines(rows), _star_lines(columns)
    if middles and min(rows, columns) >= 15:
        middles |= set(product(down, [columns // 2])) | set(product([rows // 2], across))
    return sorted(middles | set(product(down, across)))


def _star_lines(length: int) -> tuple[int, int]:
    inset = 3 if length >= 13 else 2
    return inset, length - 1 - inset


def _star(middle: Point) -> Area:
    x, y = middle
    return Area("star", tuple((x + 0.11 * cos(turn * pi / 4), y + 0.11 * sin(turn * pi / 4)) for turn in range(8)))


def _labels(rows: int, columns: int) -> tuple[tuple[str, Point], ...]:
    letters = [(COLUMNS[x], (float(x), y)) for x in range(columns) for y in (-1.0, float(rows))]
    ranks = [(str(rows - y), (x, float(y))) for y in range(rows) for x in (-1.0, float(columns))]
    return (*letters, *ranks)


def _text_labels(rows: int, columns: int) -> tuple[tuple[int, int, str], ...]:
    letters = [(row, 4 + 2 * x, COLUMNS[x]) for x in range(columns) for row in (0, rows + 1)]
    left = [(rows - row, 2 - len(str(row + 1)), str(row + 1)) for row in range(rows)]
    right = [(rows - row, 4 + 2 * columns, str(row + 1)) for row in range(rows)]
    return (*letters, *left, *right)
