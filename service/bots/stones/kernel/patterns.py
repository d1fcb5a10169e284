"""Patterns of 3x3 points on a grid: moves that look good, judged by the eight points around them.

The shapes are those that Sylvain Gelly and others published with MoGo (INRIA report 6062, 2006): hane, cuts, and
moves at the edge. Each is a picture with the move in the middle: `X` and `O` are stones of different colours, either
of which may be to move; `x` is anything except X, `o` anything except O, `.` an empty point, `?` anything on or off the
board, and a space is off the board.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

SHAPES = (
    "XOX...???",  # hane that encloses
    "XO....?.?",  # hane that doesn't cut
    "XO?X..x.?",  # hane at the side of a pair
    "?O?X.Xxxx",  # cut threatened by a hane
    ".O.X.....",  # magari
    "XO?O.o?o?",  # cut that both sides can't protect
    "XO?O.X???",  # cut between two pairs
    "?X?O.Oooo",  # peep turned into a cut
    "OX?o.O???",  # cut inwards
    "X.?O.?   ",  # chase at the edge
    "OX?X.O   ",  # block at the edge
    "?X?x.O   ",  # connect at the edge
    "?XOx.x   ",  # sagari at the edge
)

EMPTY, OWN, OTHER, OFF = 0, 1, 2, 3
FITS = {
    ".": (EMPTY,),
    "X": (OWN,),
    "O": (OTHER,),
    "x": (EMPTY, OTHER, OFF),
    "o": (EMPTY, OWN, OFF),
    "?": (EMPTY, OWN, OTHER, OFF),
    " ": (OFF,),
}
RING = (1, 2, 5, 8, 7, 6, 3, 0)
"""The indices of a picture in the order of `AROUND` in graph.py."""


@cache
def table() -> list[int]:
    """1 for each code of a good shape. The code has two bits per point, the first of `RING` being lowest."""
    good = [0] * 4**8
    for shape in SHAPES:
        ring = [shape[place] for place in RING]
        for turned in _turned(ring):
            for points in product(*(FITS[sign] for sign in turned)):
                good[_code(points)] = 1
                good[_code(tuple((0, 2, 1, 3)[point] for point in points))] = 1
    return good


def _turned(ring: list[str]) -> Iterator[list[str]]:
    """The ring in its four rotations, each also mirrored."""
    for way in (ring, [ring[0], *reversed(ring[1:])]):
        for start in range(0, 8, 2):
            yield way[start:] + way[:start]


def _code(points: tuple[int, ...]) -> int:
    return sum(point << 2 * place for place, point in enumerate(points))
