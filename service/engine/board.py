"""Boards as data: cells, which cells are neighbours, and where to draw them."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

Point: TypeAlias = tuple[float, float]
"""x to the right, y downwards; the distance of neighbouring cells is 1."""


class Area(NamedTuple):
    """A shaded polygon that isn't a cell: a `hole`, the inside of a `flower` (rosette or lotus), a `star` point."""

    kind: Literal["hole", "flower", "star"]
    corners: tuple[Point, ...]


class Board:
    """The cells of a board, numbered 0 … n-1; all else is listed by that number. A board equals only itself.

    On `points` boards pieces stand where `lines` meet; on `cells` boards they stand inside `outlines`, and
    `tints` (0, 1, 2) shade those. `name` is unique to the geometry and serves as a cache key. `material` is
    what the board looks made of in pictures; stones of more than two colours show up well only on wood.

    `labels` are coordinates in the picture, each with the point of its middle. `text_at` has the row and column of
    each cell's character in the text board; columns of one row differ by at least 2. `text_labels` are the
    coordinates and lines of the text board, never next to a cell: row, column of the first character, and text.
    """

    def __init__(
        self,
        name: str,
        style: Literal["points", "cells"],
        names: tuple[str, ...],
        neighbours: tuple[tuple[int, ...], ...],
        at: tuple[Point, ...],
        lines: tuple[tuple[Point, Point], ...] = (),
        outlines: tuple[tuple[Point, ...], ...] = (),
        tints: tuple[int, ...] = (),
        areas: tuple[Area, ...] = (),
        labels: tuple[tuple[str, Point], ...] = (),
        text_at: tuple[tuple[int, int], ...] = (),
        text_labels: tuple[tuple[int, int, str], ...] = (),
        material: Literal["wood", "slate", "paper"] = "wood",
    ) -> None:
        self.name = name
        self.style = style
        self.names = names
        self.neighbours = neighbours
        self.at = at
        self.lines = lines
        self.outlines = outlines
        self.tints = tints
        self.areas = areas
        self.labels = labels
        self.text_at = text_at
        self.text_labels = text_labels
        self.material = material

    @cached_property
    def index(self) -> dict[str, int]:
        """Cell name to number."""
        return {name: number for number, name in enumerate(self.names)}
