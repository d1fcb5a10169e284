"""The drawing of one cell's look, around the origin, in a square of 20 units.

Stones are flat discs. Their colours are told apart in print by the hatching heralds use (Petra Sancta, 1638): red
upright, blue level, green and purple aslant, yellow dotted, orange crossed; black and white need none.
"""

from __future__ import annotations

from functools import lru_cache

from service.render.look import Look
from service.render.pieces import PIECES

HATCHING = {
    "red": "M-3-6v12M3-6v12",
    "blue": "M-6-3h12M-6 3h12",
    "green": "M-6-2l8 8M-2-6l8 8",
    "purple": "M-6 2l8-8M-2 6l8-8",
    "yellow": "M-4-3.5h.1M4-3.5h.1M0 0h.1M-4 3.5h.1M4 3.5h.1",
    "orange": "M-5.5-5.5l11 11M-5.5 5.5l11-11",
}


@lru_cache(maxsize=512)
def draw(look: Look) -> str:
    """The SVG of everything on a cell; "" for an empty one. Colours are by class, see `ink`."""
    parts = []
    if look.petrified:
        parts.append('<rect class="stone" x="-9" y="-9" width="18" height="18" rx="2.5"/>')
    if "check" in look.marks:
        parts.append('<circle class="mark accent" r="9" stroke-dasharray="3 1.7"/>')
    if look.colour:
        parts.append(_faded(_piece(look), look.marks))
    if look.owner:
        parts.append(f'<g transform="scale(.42)">{_stone(look.owner)}</g>')
    parts += [_mark(mark, look) for mark in look.marks]
    return "".join(parts)


def _faded(piece: str, marks: tuple[str, ...]) -> str:
    return f'<g opacity=".45">{piece}</g>' if "dead" in marks or "ghost" in marks else piece


def _piece(look: Look) -> str:
    if look.kind == "stone":
        return _stone(look.colour, look.former)
    ring = '<circle class="mark ink" r="9" stroke-width="1"/>' if look.morph else ""
    outline, details = PIECES[look.kind]
    detail = f'<path fill="none" stroke="currentColor" d="{details}"/>' if details else ""
    return f'{ring}<g class="{look.colour}"><path d="{outline}"/>{detail}</g>'


def _stone(colour: str, former: str = "") -> str:
    rim = f'<circle class="{former}" r="9.2"/>' if former else ""
    radius = 7.3 if former else 9.2
    hatch = HATCHING.get(colour)
    lines = f'<path stroke="currentColor" stroke-width="1.7" stroke-linecap="round" d="{hatch}"/>' if hatch else ""
    return f'{rim}<g class="{colour}"><circle r="{radius}"/>{lines}</g>'


def _mark(mark: str, look: Look) -> str:
    if mark == "last" and look.kind in ("", "stone"):
        return '<circle r="3.9" fill="#fff"/><circle class="dot" r="2.8"/>'
    if mark == "last":
        return '<path class="mark accent" d="M-5.5-9h-3.5v3.5M5.5-9h3.5v3.5M-5.5 9h-3.5v-3.5M5.5 9h3.5v-3.5"/>'
    if mark == "origin":
        return '<circle class="mark accent" r="3"/>'
    if mark == "captured":
        return '<path class="mark accent" d="M-3-3l6 6M-3 3l6-6"/>'
    if mark == "dead":
        return '<path class="mark ink" d="M-6-6l12 12M-6 6l12-12"/>'
    if mark == "ghost":
        return '<circle class="mark ink" r="9" stroke-width="1" stroke-dasharray="2.6 2.1"/>'
    return ""
