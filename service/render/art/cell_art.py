"""The drawing of one cell's look, around the origin, in a square of `BOX` units.

Stones bulge a little. In print, their colours are distinguished by the hatching of heraldry (Petra Sancta, 1638): red
is vertical, blue horizontal, green and purple diagonal, yellow dotted. Orange has an upright cross, since a diagonal
one means a dead stone; black and white have no hatching.
"""

from __future__ import annotations

from typing import Literal

from service.render.art.cell_look import Look
from service.render.art.pieces import PIECES

BOX = 20
"""The width of a drawn cell; pictures scale it to their own units."""

HATCHING = {
    "red": "M-3-6v12M3-6v12",
    "blue": "M-6-3h12M-6 3h12",
    "green": "M-6-2l8 8M-2-6l8 8",
    "purple": "M-6 2l8-8M-2 6l8-8",
    "yellow": "M-4-3.5h.1M4-3.5h.1M0 0h.1M-4 3.5h.1M4 3.5h.1",
    "orange": "M-7.2 0h14.4M0-7.2v14.4",
}
"""Lines on a stone with a radius of nine units."""

SLAB = (
    '<rect class="slab" x="-9.2" y="-9.2" width="18.4" height="18.4" rx="2"/>'
    '<path class="lit" d="M-8.4 7.4V-7.4a1 1 0 0 1 1-1H7.4"/>'
    '<path class="crack" d="M-9-3.5l2.2 1 .6 2.2 1.8.6M9 4.5l-2-1.2-.3-2.1M3-9l-.8 1.8 1 1.4"/>'
)
"""The slab around a petrified piece."""

ALARM = '<rect class="alarm accent" x="-8.6" y="-8.6" width="17.2" height="17.2" rx="2"/>'
"""The square around a king in check."""

RING = '<circle class="band ink" r="9"/><path class="knobs ink" d="M-6.4-6.4h0M6.4-6.4h0M-6.4 6.4h0M6.4 6.4h0"/>'
"""The ring around a Morph."""


FAINT = 0.4
"""The opacity of a stone that is marked dead or isn't on the board yet."""


def draw(look: Look, style: Literal["points", "cells"]) -> str:
    """The SVG of everything on a cell; "" for an empty one. Colours are by class, see `ink`."""
    return "".join(layers(look, style))


LAYERS = 4


def layers(look: Look, style: Literal["points", "cells"]) -> tuple[str, str, str, str]:
    """The LAYERS of a cell: what is under the piece, the piece, the owner of the territory, and the marks on top.

    Cells that differ in one layer may share the others, so that a few drawings make many looks.
    """
    radius = 9 if style == "points" else 8.6
    under = SLAB * look.petrified + ALARM * ("check" in look.marks)
    piece = _stone(look, radius) if look.kind == "stone" else _piece(look) if look.colour else ""
    if {"dead", "ghost"} & {*look.marks}:
        piece = f'<g opacity="{FAINT}">{piece}</g>'
    owner = _disc(look.owner, 9.2, how=' transform="scale(.4)"') if look.owner else ""
    return under, piece, owner, "".join([_mark(mark, look, radius) for mark in look.marks])


def _piece(look: Look) -> str:
    """A chess piece; a petrified one has the colours of its slab, and a Morph is smaller and inside a ring."""
    outline, details = PIECES[look.kind]
    ink = look.colour + "-stone" * look.petrified
    size = ".82" if look.morph else "1"
    ring = RING if look.morph else ""
    drawing = f'<path class="piece" d="{outline}"/><path class="detail" d="{details}"/>'
    return f'{ring}<g class="{ink}" transform="scale({size})">{drawing}</g>'


def _stone(look: Look, radius: float) -> str:
    """A stone, with a shadow unless it is faint; one that has just been reversed has a rim of its former colour."""
    if {"dead", "ghost"} & {*look.marks}:
        return _disc(look.colour, radius)
    shadow = f'<circle class="shade" cy="1" r="{radius:.3g}"/>'
    if not look.former:
        return shadow + _disc(look.colour, radius, BULGE.format(radius))
    stone = _disc(look.colour, radius - 2, BULGE.format(radius - 2))
    return f'{shadow}<circle class="{look.former}" r="{radius}"/>{stone}'


BULGE = '<circle r="{:.3g}" fill="url(#k-stone)"/>'
"""Light and shade on a stone."""


def _disc(colour: str, radius: float, bulge: str = "", how: str = "") -> str:
    hatching = f'<path d="{HATCHING[colour]}"/>' if colour in HATCHING else ""
    return f'<g class="{colour}"{how}><circle r="{radius:.3g}"/>{bulge}{hatching}</g>'


def _mark(mark: str, look: Look, radius: float) -> str:
    """What a mark draws on top of the piece; "" if nothing."""
    if mark == "last" and "captured" in look.marks and not look.colour:
        return '<circle class="mark accent" r="7"/>'
    if mark == "last" and look.kind in ("", "stone"):
        return '<circle class="halo" r="4.7"/><circle class="dot" r="3.5"/>'
    if mark == "last":
        return '<path class="mark accent" d="M-5-8.8h-3.8v3.8M5-8.8h3.8v3.8M-5 8.8h-3.8v-3.8M5 8.8h3.8v-3.8"/>'
    if mark == "origin":
        return '<circle class="mark accent" r="3.2"/>'
    if mark == "captured":
        return '<path class="mark accent" d="M-3.2-3.2l6.4 6.4M-3.2 3.2l6.4-6.4"/>'
    if mark == "dead":
        return '<path class="mark ink" d="M-5.5-5.5l11 11M-5.5 5.5l11-11"/>'
    if mark == "ghost":
        return f'<circle class="band ink" r="{radius}" stroke-dasharray="2.6 2.1"/>'
    return ""
