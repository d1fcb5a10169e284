"""A position of stones as text, `black: a1 b2; white: c3; turn: white`, as options, records and tests write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from service.engine.board import Board
from service.engine.game import Seat
from service.engine.options import OptionError
from service.engine.stone_games.stone_orders import span
from service.engine.stone_games.stones import Cells, Immune, starved_among

Counts: TypeAlias = Mapping[str, int]
"""Side name to a number of stones of that colour."""


class Setup(NamedTuple):
    """The parts of a setup. `read_setup` refuses parts the game doesn't know; `text` omits parts without a value."""

    cells: Cells
    turn: Seat | None = None
    marker: int | None = None
    prisoners: Mapping[str, Counts] = MappingProxyType({})
    """Each holder's prisoners: colour to number, always above 0."""
    eliminated: Counts = MappingProxyType({})
    round: int | None = None
    moved: int | None = None
    """How many moves of a longer turn the seat to move has made already."""
    left: tuple[Seat, ...] = ()
    """The seats that have left the match; their stones stay."""

    def text(self, board: Board, sides: Sequence[str]) -> str:
        """The canonical text, from which `read_setup` makes an equal Setup."""
        parts = [
            f"{side}: {' '.join(board.names[point] for point, stone in enumerate(self.cells) if stone == colour)}"
            for colour, side in enumerate(sides, start=1)
            if colour in self.cells
        ]
        if self.turn is not None:
            parts.append(f"turn: {sides[self.turn]}")
        if self.marker is not None:
            parts.append(f"marker: {self.marker}")
        held = [
            f"{holder} {_counts_text(self.prisoners[holder], sides)}"
            for holder in sides
            if any(self.prisoners.get(holder, {}).values())
        ]
        if held:
            parts.append(f"prisoners: {', '.join(held)}")
        if any(self.eliminated.values()):
            parts.append(f"eliminated: {_counts_text(self.eliminated, sides)}")
        if self.round is not None:
            parts.append(f"round: {self.round}")
        if self.moved is not None:
            parts.append(f"moved: {self.moved}")
        if self.left:
            parts.append(f"left: {' '.join(sides[seat] for seat in self.left)}")
        return "; ".join(parts)


def read_setup(
    text: str, board: Board, sides: Sequence[str], parts: Sequence[str], immune: Immune | None = None
) -> Setup:
    """The setup that `text` describes; "" is the empty board. Raises OptionError, which says what is wrong.

    `parts` are the keys the game knows in addition to its sides: some of `turn`, `marker`, `prisoners`, `eliminated`,
    `round`, `moved`, `left`. A chain without a liberty is refused unless it is `immune`.
    """
    cells = [0] * len(board.names)
    given = _split(text, (*sides, *parts))
    if not given:
        return Setup(cells)
    for colour, side in enumerate(sides, start=1):
        for name in given.get(side, "").replace(",", " ").split():
            _put(cells, board, name, colour)
    for chain in starved_among(cells, board.neighbours, range(len(cells))):
        if immune is None or not immune(chain.points):
            raise OptionError(f"setup: the chain at {board.names[chain.points[0]]} has no liberty.")
    return Setup(
        cells,
        _optional(given, "turn", lambda value: _side(value, sides)),
        _optional(given, "marker", lambda value: _number("marker", value)),
        _holders(given.get("prisoners", ""), sides),
        _counts("eliminated", given["eliminated"].replace(",", " ").split(), sides) if "eliminated" in given else {},
        _optional(given, "round", lambda value: _number("round", value, least=1)),
        _optional(given, "moved", lambda value: _number("moved", value, least=1)),
        tuple(sorted({_side(name, sides) for name in given.get("left", "").replace(",", " ").split()})),
    )


def _split(text: str, known: Sequence[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.lower().split(";"))):
        key, colon, value = (piece.strip() for piece in part.partition(":"))
        if not colon or key not in known:
            raise OptionError(
                f"setup: {part[:40]!r} isn't part of a setup; the parts are {', '.join(known)}, each with a colon."
            )
        if key in given:
            raise OptionError(f"setup: {key} is given twice.")
        given[key] = value
    return given


def _put(cells: Cells, board: Board, name: str, colour: int) -> None:
    point = board.index.get(name)
    if point is None:
        raise OptionError(f"setup: there's no point {name[:20]!r} on this board. {span(board, name)}")
    if cells[point]:
        raise OptionError(f"setup: {name} is given twice.")
    cells[point] = colour


def _optional(given: Mapping[str, str], key: str, read: Callable[[str], int]) -> int | None:
    return read(given[key]) if key in given else None


def _side(value: str, sides: Sequence[str]) -> Seat:
    if value not in sides:
        raise OptionError(f"setup: {value[:20]!r} is not one of the sides {', '.join(sides)}.")
    return sides.index(value)


def _number(key: str, value: str, least: int | None = None) -> int:
    if not value.removeprefix("-").isdecimal() or len(value) > 6 or (least is not None and int(value) < least):
        wanted = "a whole number" if least is None else f"a whole number from {least} on"
        raise OptionError(f"setup: {key} must be {wanted}, not {value[:20]!r}.")
    return int(value)


def _holders(text: str, sides: Sequence[str]) -> dict[str, dict[str, int]]:
    """`black white 5, red black 3`: Black holds five white stones, Red three black ones."""
    held: dict[str, dict[str, int]] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        holder, *counts = entry.split()
        _side(holder, sides)
        for colour, number in _counts("prisoners", counts, sides).items():
            purse = held.setdefault(holder, {})
            purse[colour] = purse.get(colour, 0) + number
    return held


def _counts(key: str, words: list[str], sides: Sequence[str]) -> dict[str, int]:
    if len(words) % 2 or not words:
        raise OptionError(f"setup: {key} must be pairs of a colour and a number, not {' '.join(words)[:40]!r}.")
    counts: dict[str, int] = {}
    for colour, number in zip(words[::2], words[1::2], strict=True):
        name = sides[_side(colour, sides)]
        counts[name] = counts.get(name, 0) + _number(key, number, least=1)
    return counts


def _counts_text(counts: Counts, sides: Sequence[str]) -> str:
    return " ".join(f"{side} {counts[side]}" for side in sides if counts.get(side))
