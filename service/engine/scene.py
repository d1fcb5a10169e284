"""A picture as data: which pieces are where, what is marked, and the words beside the board.

Games describe a `Scene`; `render` turns it into SVG, PNG and text. Neither imports the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from service.engine.board import Board

STONES = {
    "black": "X",
    "white": "O",
    "red": "R",
    "blue": "B",
    "green": "G",
    "yellow": "Y",
    "purple": "P",
    "orange": "N",
}
"""The symbol of a stone of each colour; text boards print its lower case on that side's territory."""

MARKS = ("last", "captured", "reversed", "dead", "check", "ghost", "origin", "territory")
"""The marks that a cell can have.

`last` where the last move landed · `origin` where it came from · `captured` where stones were taken ·
`reversed` a stone that has just changed colour (its former side is the other of two) · `dead` proposed as dead ·
`check` an attacked king · `ghost` the viewer's own sealed choice, not on the board yet, although its piece is in
`Scene.pieces` · `territory` counted for the side `Scene.owners[cell]`.
"""


class Piece(NamedTuple):
    """A piece on a cell. `kind` is `stone` or a chess piece's name; `symbol` is its one character in a text board.

    A `petrified` piece is turned to stone and can't move. A `morph` is drawn with the Morph's ring.
    """

    side: int
    symbol: str
    kind: str = "stone"
    petrified: bool = False
    morph: bool = False


class Track(NamedTuple):
    """A marker beside the board: `marker` points from the middle towards the first seat, or the second if negative.

    It can be up to `length` points to either side.
    """

    marker: int
    length: int


def passed(who: str) -> str:
    """The note that somebody passed, which the same news in other words replaces."""
    return f"{who} passed."


class Scene(NamedTuple):
    """One picture. Cells are indices into `board.names`.

    `colours` are the colour names of the sides (`black`, `red` …). `legend` pairs each symbol with its meaning.
    `facts` are label and text for the panel beside the board ("Prisoners", "Black 0, White 2"). `notes` are whole
    sentences for everybody who may see this scene: the last move, what it did, and what is agreed now.
    """

    board: Board
    pieces: Mapping[int, Piece]
    colours: tuple[str, ...]
    marks: Mapping[int, tuple[str, ...]] = MappingProxyType({})
    owners: Mapping[int, int] = MappingProxyType({})
    legend: tuple[tuple[str, str], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""
    track: Track | None = None
    counting: tuple[str, ...] = ()
    """The labels of facts that change with every move, so that a preview needn't mention them."""
