"""Rosette (Mark Berger, 1975): Go on the vertices of a hexagon of hexagons, where a rosette makes a chain immortal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

from service.engine.board import Board, Point
from service.engine.game import Game, Log, Position
from service.engine.options import Option
from service.engine.stone_games.stone_orders import AGREEMENT, PASS, STONE
from service.games.surround import SIDES, Rules, read_komi, replay

LETTERS = "abcdefghijklmn"


class Rosette(Game):
    name = "rosette"
    title = "Rosette"
    summary = "Go with three neighbours to a point; a chain holding all six corners of a hexagon cannot be captured."
    options = (
        Option(
            "base", "7", ("7", "6", "5"), "Hexagons along each side of the board; fewer make a shorter game.", short="5"
        ),
        Option(
            "counting",
            "area",
            ("area", "territory"),
            "area counts stones and what they surround, as in China; territory counts prisoners instead, as in Japan.",
        ),
        Option("komi", "4.5", ("4.5", "5.5"), "Points White gets for moving second.", read_komi),
        Option("setup", "", (), "Stones to start from, such as black: f12 f14; white: f13; turn: white.", str.strip),
    )
    words = (STONE, PASS, *AGREEMENT)

    def sides(self, seats: int) -> tuple[str, ...]:
        del seats
        return SIDES

    def sample(self) -> Position:
        black = "e9 e10 e11 f9 f10 f11 d12 d13 c9 g14"
        return self.start(base="5", setup=f"black: {black}; white: e8 e12 f8 f12 g10 d10 h12 h13 g7 c7")

    def begin(self, seats: int, seed: int, options: Mapping[str, str]) -> Position:
        del seats, seed
        return _rules(int(options["base"]), options["counting"], options["komi"]).start(options["setup"])

    def replay(self, start: Position, log: Log) -> Position:
        return replay(start, log)


@lru_cache(maxsize=64)
def _rules(base: int, counting: str, komi: str) -> Rules:
    return Rules(
        Rosette.title,
        rosette_board(base),
        Fraction(komi),
        territory=counting == "territory",
        situational=True,
        flowers=hexagons(base),
    )


# The board is a brick wall: zigzags go from bottom to top, numbered 1 … 2n from the left (letters),
# heights go from 1 to 4n - 1 (numbers). A point joins the next zigzag to the right if zigzag + height equals n + 1
# modulo 2, else the one to the left.

HALF_ROOT_3 = 13 / 15
"""Approximately half the square root of 3; a fraction, so that all points are on whole pixels in pictures."""


@lru_cache(maxsize=8)
def rosette_board(base: int) -> Board:
    """The 6 * base**2 corners of a hexagon of hexagons with `base` hexagons along each side."""
    spots = [(zigzag, height) for zigzag in range(1, 2 * base + 1) for height in _heights(base, zigzag)]
    number = {spot: index for index, spot in enumerate(spots)}
    at = tuple(_middle(base, *spot) for spot in spots)
    neighbours = tuple(tuple(sorted(number[near] for near in _around(base, *spot) if near in number)) for spot in spots)
    return Board(
        name=f"rosette {base}",
        material="slate",
        style="points",
        names=tuple(f"{LETTERS[zigzag - 1]}{height}" for zigzag, height in spots),
        neighbours=neighbours,
        at=at,
        lines=tuple((at[one], at[two]) for one, around in enumerate(neighbours) for two in around if one < two),
        labels=tuple(_labels(base)),
        text_at=tuple(_text_at(base, *spot) for spot in spots),
        text_labels=tuple(_text_labels(base)),
    )


@lru_cache(maxsize=8)
def hexagons(base: int) -> tuple[tuple[int, ...], ...]:
    """The six points of every hexagon: a player with stones on all six has a rosette."""
    index = rosette_board(base).index
    found = []
    for zigzag in range(1, 2 * base):
        for height in _heights(base, zigzag):
            corners = [f"{LETTERS[c - 1]}{h}" for c in (zigzag, zigzag + 1) for h in range(height, height + 3)]
            if _joins_right(base, zigzag, height) and all(corner in index for corner in corners):
                found.append(tuple(index[corner] for corner in corners))
    return tuple(found)


def _heights(base: int, zigzag: int) -> range:
    from_edge = min(zigzag, 2 * base + 1 - zigzag)
    return range(base - from_edge + 1, 3 * base + from_edge)


def _joins_right(base: int, zigzag: int, height: int) -> bool:
    return (zigzag + height - base - 1) % 2 == 0


def _around(base: int, zigzag: int, height: int) -> list[tuple[int, int]]:
    aside = zigzag + 1 if _joins_right(base, zigzag, height) else zigzag - 1
    return [(zigzag, height - 1), (zigzag, height + 1), (aside, height)]


def _middle(base: int, zigzag: int, height: int) -> Point:
    shift = 0.5 * _joins_right(base, zigzag, height)
    return 1.5 * (zigzag - 1) + shift, (4 * base - 1 - height) * HALF_ROOT_3


def _text_at(base: int, zigzag: int, height: int) -> tuple[int, int]:
    return 4 * base - height, 4 * zigzag + _joins_right(base, zigzag, height)


def _labels(base: int) -> Iterator[tuple[str, Point]]:
    """Letters at both ends of every zigzag, and farther out numbers at both ends of every height."""
    for zigzag in range(1, 2 * base + 1):
        for height, out in ((_heights(base, zigzag)[0] - 1, 0.2), (_heights(base, zigzag)[-1] + 1, -0.2)):
            yield LETTERS[zigzag - 1], (1.5 * zigzag - 1.25, _middle(base, zigzag, height)[1] + out)
    for height in range(1, 4 * base):
        # Zigzags whose letters are at this height or beyond it.
        ends = [zigzag for zigzag in range(1, base + 1) if height not in _heights(base, zigzag)]
        inset = 1.5 * (len(ends) - 1) - 0.65 if ends else -1.0
        for x in (inset, 3 * base - 1 - inset):
            yield str(height), (x, _middle(base, 1, height)[1])


def _text_labels(base: int) -> Iterator[tuple[int, int, str]]:
    for zigzag in range(1, 2 * base + 1):
        for height in (_heights(base, zigzag)[0] - 1, _heights(base, zigzag)[-1] + 1):
            yield *_text_at(base, zigzag, height), LETTERS[zigzag - 1]
    for height in range(1, 4 * base):
        yield 4 * base - height, 2 - len(str(height)), str(height)
        yield 4 * base - height, 8 * base + 3, str(height)
