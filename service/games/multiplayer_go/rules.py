"""What doesn't change during a match of multiplayer Go, and the setup that it begins from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from service.engine.board import Board
from service.engine.game import Seat
from service.engine.options import OptionError
from service.engine.stone_games.setup import Setup, read_setup
from service.engine.stone_games.stones import Cells, Chain, Past, code_of, keys
from service.games.multiplayer_go import prisoners
from service.games.multiplayer_go.count import Count, areas
from service.games.multiplayer_go.order import Order
from service.games.multiplayer_go.prisoners import Capture, Haul, Sharing, Tally, Wishes


class Rules:
    """One of the four games with its options, for as many players as there are `sides`.

    `split`: shared territory is divided; otherwise it is neutral. `alliances` is `sealed`, `open` or `off`.
    """

    def __init__(
        self,
        title: str,
        board: Board,
        sides: tuple[str, ...],
        cooperative: bool,
        sharing: Sharing,
        split: bool,
        alliances: str,
        order: Order,
    ) -> None:
        self.title = title
        self.board = board
        self.sides = sides
        self.cooperative = cooperative
        self.sharing = sharing
        self.split = split
        self.alliances = alliances
        self.order = order

    @cached_property
    def keys(self) -> tuple[tuple[int, ...], ...]:
        """What each stone XORs into the code of a board."""
        return keys(len(self.board.names), len(self.sides))

    @cached_property
    def placed(self) -> tuple[tuple[int, ...], ...]:
        """What a placed stone XORs into the code of a board, by seat and point."""
        return tuple(tuple(row[seat + 1] for row in self.keys) for seat in range(len(self.sides)))

    def captures(
        self, fallen: Sequence[Chain], cells: Cells, dropped: Mapping[Seat, int], wishes: Wishes
    ) -> tuple[Capture, ...]:
        """How the fallen chains are divided; `cells` is the board after their removal."""
        return self.divided(self.hauls(fallen, cells, dropped), wishes) if fallen else ()

    def hauls(self, fallen: Sequence[Chain], cells: Cells, dropped: Mapping[Seat, int]) -> list[Haul]:
        """The fallen chains, grouped into the hauls that are divided together."""
        if self.cooperative:
            return prisoners.by_cluster(fallen, cells, self.board.neighbours, dropped)
        return prisoners.by_chain(fallen, cells, self.board.neighbours)

    def divided(self, hauls: Iterable[Haul], wishes: Wishes) -> tuple[Capture, ...]:
        """How these hauls are divided."""
        return tuple([prisoners.divide(haul, self.sharing, wishes) for haul in hauls])

    def count(self, cells: Cells, tally: Tally) -> Count:
        """The count of a board with every stone alive."""
        found = areas(cells, self.board.neighbours)
        return Count(found, tally, self.split, self.sharing is Sharing.NOBODY)

    def tally(self, given: Setup) -> Tally:
        """The stones that have left the board, according to a setup."""
        held = tuple(
            tuple(given.prisoners.get(holder, {}).get(colour, 0) for colour in self.sides) for holder in self.sides
        )
        return Tally(held, tuple(given.eliminated.get(colour, 0) for colour in self.sides))


class Opening(NamedTuple):
    """The stones and seats that a setup describes, from which all positions of these games start."""

    cells: Cells
    code: int
    past: Past
    tally: Tally
    seated: tuple[Seat, ...]

    @classmethod
    def read(cls, rules: Rules, text: str) -> tuple[Setup, Opening]:
        """The whole setup, and the opening it describes; raises OptionError."""
        parts = ("turn", "prisoners", "eliminated", "round", "moved", "left")
        given = read_setup(text, rules.board, rules.sides, parts)
        for holder, purse in given.prisoners.items():
            if holder in purse:
                raise OptionError(f"setup: {holder} cannot hold prisoners of its own colour.")
        seated = tuple(seat for seat in range(len(rules.sides)) if seat not in given.left)
        if len(seated) < 2:
            raise OptionError("setup: at least two players must be left.")
        code = code_of(given.cells, rules.keys)
        return given, cls(given.cells, code, Past([code]), rules.tally(given), seated)
