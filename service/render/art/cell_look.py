"""What one cell shows, in a form that all media share: SVG, PNG and the text board are drawn from `Look`."""

from __future__ import annotations

from typing import NamedTuple

from service.engine.scene import MARKS, Scene


class Look(NamedTuple):
    """Everything visible on one cell; equal looks are drawn alike.

    `colour` is the colour name of the piece, or "" on an empty cell. `marks` are in the order of `scene.MARKS`, without
    `territory`: `owner` is the colour that the cell counts for, or "". `former` is the earlier colour of a reversed
    stone.
    """

    colour: str = ""
    kind: str = ""
    petrified: bool = False
    morph: bool = False
    marks: tuple[str, ...] = ()
    owner: str = ""
    former: str = ""

    def words(self) -> str:
        """The look in words, for screen readers: `White, last move`, `Black Tower, petrified`, `empty`."""
        said = ["empty" if not self.colour else self.colour.capitalize()]
        if self.kind not in ("", "stone"):
            said[0] += " " + self.kind.replace("-", " ").title()
        said += ["petrified"] * self.petrified + ["Morph"] * self.morph
        said += [MARK_WORDS[mark] for mark in self.marks]
        if self.owner:
            said.append(f"{self.owner.capitalize()}'s territory")
        return ", ".join(said)


EMPTY = Look()

MARK_WORDS = {
    "last": "last move",
    "ghost": "your sealed move",
    "check": "in check",
    "dead": "dead",
    "reversed": "changed colour",
    "captured": "captured here",
    "origin": "moved from here",
}
"""The name of each mark, in pictures and in text boards."""


def look(scene: Scene, cell: int) -> Look:
    """The look of `cell`. Territory is shown only on empty cells and under dead stones."""
    piece = scene.pieces.get(cell)
    given = scene.marks.get(cell, ())
    marks = tuple(mark for mark in MARKS if mark in given and mark != "territory") if given else ()
    owner = ""
    if cell in scene.owners and (piece is None or "dead" in marks):
        owner = scene.colours[scene.owners[cell]]
    if piece is None:
        return Look(marks=marks, owner=owner)
    former = scene.colours[1 - piece.side] if "reversed" in marks else ""
    colour = scene.colours[piece.side]
    return Look(colour, piece.kind, piece.petrified, piece.morph, marks, owner, former)


def looks(scene: Scene) -> dict[Look, list[int]]:
    """Every cell of the board, grouped by look."""
    groups: dict[Look, list[int]] = {}
    marked = {*scene.marks, *scene.owners}
    for cell in sorted(marked):
        groups.setdefault(look(scene, cell), []).append(cell)
    alike: dict[tuple[int, str, bool, bool], list[int]] = {}
    for cell, piece in scene.pieces.items():
        if cell not in marked:
            alike.setdefault((piece.side, piece.kind, piece.petrified, piece.morph), []).append(cell)
    for cells in alike.values():
        groups.setdefault(look(scene, cells[0]), []).extend(cells)
    bare = [cell for cell in range(len(scene.board.names)) if cell not in scene.pieces and cell not in marked]
    groups.setdefault(EMPTY, []).extend(bare)
    return groups
