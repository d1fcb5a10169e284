"""Short ways to write positions and to query them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service.engine.game import Position, Seat
from service.games import GAMES

SIDES = ("black", "white", "red", "blue", "green", "yellow", "purple", "orange")
LETTERS = "KWRBGYPO"
SIDE = dict(zip(LETTERS, SIDES, strict=True))


def start(game: str, seats: int, setup: str = "", **options: str) -> Position:
    """The first position; `shared_territory="split"` sets the option `shared-territory`."""
    settled = GAMES[game].settle(seats, {name.replace("_", "-"): value for name, value in options.items()})
    return GAMES[game].begin(seats, 0, settled | {"setup": setup})


def played(position: Position, moves: str) -> Position:
    """`position` after moves such as `black: c3, white: pass`; the side may be left out if only one seat may move."""
    for order in filter(None, map(str.strip, moves.split(","))):
        side, colon, text = order.partition(":")
        seat = position.sides.index(side) if colon else position.turns[0]
        position = position.play(seat, position.read(seat, text if colon else order))
    return position


def turn(position: Position, choices: Mapping[str, str]) -> Position:
    """`position` after all choices of one simultaneous turn, by side."""
    for side, move in choices.items():
        position = position.play(position.sides.index(side), move)
    return position


def waited(position: Position) -> list[str]:
    return [position.sides[seat] for seat in position.turns]


def board(position: Position) -> dict[str, list[str]]:
    """The sorted points of each side's stones."""
    found: dict[str, list[str]] = {}
    for point, side in position.occupants.items():
        found.setdefault(side, []).append(point)
    return {side: sorted(points) for side, points in found.items()}


def setup_of(stones: Mapping[str, Iterable[str]], **parts: str) -> str:
    """`black: a1 b2; turn: white` from `{"black": [...]}` and other parts."""
    return "; ".join(
        [f"{side}: {' '.join(points)}" for side, points in stones.items()]
        + [f"{key}: {value}" for key, value in parts.items() if value]
    )


def notes(position: Position, seat: Seat | None = None) -> str:
    return " ".join(position.view(seat).notes)


def scores(position: Position) -> list[str]:
    """The scores by seat, as fraction text."""
    assert position.outcome is not None
    return [str(score) for score in position.outcome.scores]


def points(position: Position) -> dict[str, int]:
    found: Any = position.facts["points"]
    return {side: int(text) for side, text in found.items()}
