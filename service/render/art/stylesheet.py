"""The stylesheets of all pictures. Pictures use classes, and these sheets define their colours.

A file contains the rules for its own board. Web pages use a stylesheet with the rules for all boards.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from service.engine.scene import STONES
from service.render.art.palette import CLASSIC, DOT, MATERIALS, SLAB, Design, Theme, rim, stones, surface

FALL, BLUR, SHADE = 2, 2.5, 0x66
"""The shadow of a board: how far down it falls and how soft it is, in SVG units, and how dark it is, of 255."""

FIXED = (
    "text{font-family:system-ui,sans-serif;text-anchor:middle}",
    ".line{fill:none;stroke-width:1.1;stroke-linecap:round;stroke-linejoin:round}",
    ".plate,.edge{stroke-width:9;stroke-linejoin:round}",
    f".edge{{filter:drop-shadow(0 {FALL}px {BLUR}px #000000{SHADE:x})}}",
    ".shade{fill:#000;fill-opacity:.3}",
    "[fill]{stroke:none}",
    # The hatching on a stone.
    "circle+path{stroke:currentColor;stroke-width:1.7;stroke-linecap:round}",
    ".detail{fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round}",
    ".piece{stroke-width:2;paint-order:stroke;stroke-linejoin:round}",
    ".mark{fill:none;stroke-width:1.9}",
    ".band{fill:none;stroke-width:1.2}",
    ".knobs{stroke-width:3.2;stroke-linecap:round}",
    ".alarm{stroke-width:2.4;fill-opacity:.45}",
    ".ring{fill:none;stroke-width:2}",
    ".picked{stroke-width:3}",
    ".next{opacity:.55}",
    ".halo{fill:#fff}",
    f".dot{{fill:{DOT}}}",
    f".slab{{fill:{SLAB[0]};stroke:{SLAB[1]}}}",
    ".lit{fill:none;stroke:#fff;stroke-opacity:.45}",
    f".crack{{fill:none;stroke:{SLAB[1]};stroke-width:.8}}",
    # A piece carved in stone has light on its lower edge, or a shadow if it is raised.
    ".black-stone .piece{filter:drop-shadow(.8px .9px 0 #ffffff90)}",
    ".white-stone .piece{filter:drop-shadow(.8px .9px 0 #2b2824c0)}",
    "marker{overflow:visible}",
    "[marker-mid]{fill:none;stroke-width:1.5}",
    "[data-cell]{width:30px;height:30px;rx:15px;transform:translate(-15px,-15px);fill:none;pointer-events:all}",
    ".squares [data-cell]{rx:0}",
)
"""Rules for strokes, letters and targets. The rest of the sheet is colour.

Markers are scaled by the stroke width: 1.5 scales a drawing of 20 units to the 30 units from cell to cell.
"""


@lru_cache(maxsize=64)
def style(theme: Theme | None = None, design: Design = CLASSIC, material: str = "", scope: str = ".board") -> str:
    """The stylesheet of one theme; None means light, or dark on screens of people who prefer dark.

    Without `material`, it has rules for boards of all materials, and for the chips beside names on pages.
    """
    materials = (material,) if material else MATERIALS
    always = _fixed(scope) + _stones(design, scope) + ("" if material else _chips(design))
    if theme is None:
        night = _grounds("dark", design, materials, scope)
        day = _grounds("light", design, materials, scope)
        return f"{always}{day}@media screen and (prefers-color-scheme:dark){{{night}}}"
    return always + _grounds(theme, design, materials, scope)


@lru_cache(maxsize=8)
def _fixed(scope: str) -> str:
    return "".join(f"{scope} {selectors(rule, scope)}" for rule in FIXED)


def selectors(rule: str, scope: str) -> str:
    """The rule with the scope before each of its selectors except the first."""
    names, brace, rest = rule.partition("{")
    return f", {scope} ".join(names.split(",")) + brace + rest


def _stones(design: Design, scope: str) -> str:
    """The fills and hatching of stones and pieces, the same on all boards."""
    return "".join(
        f"{scope} .{name}{{fill:{stone.fill};color:{stone.hatch}}}" for name, stone in stones(design).items()
    )


def _chips(design: Design) -> str:
    return "".join(f".chip.{colour}{{background:{stones(design)[colour].fill}}}" for colour in STONES)


def _grounds(theme: Theme, design: Design, materials: Iterable[str], scope: str) -> str:
    return "".join(_ground(theme, design, material, f"{scope}.{material}") for material in materials)


@lru_cache(maxsize=64)
def _ground(theme: Theme, design: Design, material: str, scope: str) -> str:
    """The colours of boards of one material."""
    its = surface(material, design, theme)
    rules = [f".{name}{{fill:{getattr(its, name)}}}" for name in ("field", "tint0", "tint1", "tint2", "hole", "flower")]
    rules += [f".{name}{{fill:{getattr(its, name)};stroke:{getattr(its, name)}}}" for name in ("plate", "edge")]
    rules += [
        f".line{{stroke:{its.line}}}",
        f".star{{fill:{its.line}}}",
        f"text{{fill:{its.label}}}",
        f".ink{{stroke:{its.ink}}}",
        f".accent{{stroke:{its.accent}}}",
        f".alarm,.next{{fill:{its.accent}}}",
        f".ring{{stroke:{its.accent}}}",
    ]
    rules += ["" if design.boards == "classic" else ".sheen{display:none}"]
    rims: dict[str, list[str]] = {}
    for name in stones(design):
        rims.setdefault(rim(name, material, design, theme), []).append(name)
    rules += [",".join(f".{name}" for name in names) + f"{{stroke:{colour}}}" for colour, names in rims.items()]
    return "".join(f"{scope} {selectors(rule, scope)}" for rule in rules if rule)
