"""The colours of every picture: paper and ink by day, slate and chalk by night.

A picture names its inks by class; these sheets say what they look like. Standalone files carry `style()` inside,
a web page serves the same text as a stylesheet.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Theme: TypeAlias = Literal["light", "dark"]

GROUND: dict[Theme, dict[str, str]] = {
    "light": {
        "paper": "#f4efe3",
        "line": "#6a6054",
        "label": "#6f6557",
        "tint0": "#f1e8d6",
        "tint1": "#d8cab0",
        "tint2": "#e6dbc5",
        "hole": "#857b6c",
        "flower": "#e8dec9",
        "star": "#6a6054",
        "ink": "#1f1c1a",
        "accent": "#c4161c",
    },
    "dark": {
        "paper": "#4b555d",
        "line": "#a9b3b9",
        "label": "#d3d9dc",
        "tint0": "#6c7780",
        "tint1": "#4a545c",
        "tint2": "#5b6770",
        "hole": "#1d2226",
        "flower": "#616d77",
        "star": "#a9b3b9",
        "ink": "#f4f2ea",
        "accent": "#ff8f80",
    },
}
"""What lies on the table, by theme."""

STONE_INKS = {
    "black": ("#211e1c", "#0f0e0d", "#f7f4ec"),
    "white": ("#fdfcf8", "#3b3631", "#211e1c"),
    "red": ("#c8372d", "#5c1510", "#ffffff"),
    "blue": ("#2a62ad", "#122d52", "#ffffff"),
    "green": ("#3c8a4c", "#163d1f", "#ffffff"),
    "yellow": ("#f0c93a", "#6a5408", "#3a2e05"),
    "purple": ("#7b4a9c", "#371d49", "#ffffff"),
    "orange": ("#e98a35", "#6b3808", "#3f2004"),
    "white-stone": ("#d5d0c5", "#5f5a52", "#6f6a61"),
    "black-stone": ("#55514a", "#3a3732", "#b5afa3"),
}
"""Fill, rim and hatching of each colour of stone, and of petrified pieces. Fill and hatching hold by night too."""

NIGHT_RIMS = {
    "black": "#c9d0d4",
    "red": "#ffb0a6",
    "blue": "#a5caf7",
    "green": "#a3e3b2",
    "purple": "#dcb9f4",
    "orange": "#ffd2a6",
}
"""By night the ground is slate: the dark stones on it have light rims, so that each is seen at once."""

SLAB = ("#a9a397", "#79736a")
"""What petrified pieces are set in, and its edge."""


FIXED = (
    "text{font-family:system-ui,sans-serif;text-anchor:middle}",
    ".line{fill:none;stroke-width:1.2;stroke-linecap:round;stroke-linejoin:round}",
    # The hatching on a stone.
    "circle+path{stroke:currentColor;stroke-width:1.7;stroke-linecap:round}",
    ".detail{fill:none;stroke:currentColor;stroke-linecap:round;stroke-linejoin:round}",
    ".piece{stroke-width:2;paint-order:stroke;stroke-linejoin:round}",
    ".mark{fill:none;stroke-width:1.9}",
    ".band{fill:none;stroke-width:1.2}",
    ".knobs{stroke-width:3.2;stroke-linecap:round}",
    ".alarm{stroke-width:2.4;fill-opacity:.45}",
    ".halo{fill:#fff}",
    # The dot lies on its halo, white by day and by night.
    f".dot{{fill:{GROUND['light']['accent']}}}",
    f".slab{{fill:{SLAB[0]};stroke:{SLAB[1]}}}",
    f".crack{{fill:none;stroke:{SLAB[1]};stroke-width:.8}}",
    "marker{overflow:visible}",
    ".at{fill:none;stroke-width:1.5}",
    "[data-cell]{width:30px;height:30px;rx:15px;transform:translate(-15px,-15px);fill:none;pointer-events:all}",
    ".squares [data-cell]{rx:0}",
)
"""Rules for strokes, letters and targets. The rest of the sheet is colour.

Markers are drawn in units of the stroke: 1.5 takes a drawing of 20 units to the 30 from cell to cell.
"""


def style(theme: Theme | None = None, scope: str = ".board") -> str:
    """The stylesheet of one theme; with None, light on paper, and dark on the screens of those who prefer it."""
    if theme is None:
        night = _ground("dark", scope)
        return _fixed(scope) + _ground("light", scope) + f"@media screen and (prefers-color-scheme:dark){{{night}}}"
    return _fixed(scope) + _ground(theme, scope)


def _fixed(scope: str) -> str:
    """What no theme changes: strokes, letters, stones and pieces."""
    rules = [f"{scope} {rule}" for rule in FIXED]
    rules += [
        f"{scope} .{name}{{fill:{fill};stroke:{rim};color:{hatch}}}" for name, (fill, rim, hatch) in STONE_INKS.items()
    ]
    return "".join(rules)


def _ground(theme: Theme, scope: str) -> str:
    """The rules that differ between day and night."""
    inks = GROUND[theme]
    fills = ("paper", "tint0", "tint1", "tint2", "hole", "flower", "star")
    rules = [f"{scope} .{name}{{fill:{inks[name]}}}" for name in fills]
    rules.append(f"{scope} .line{{stroke:{inks['line']}}}")
    rules.append(f"{scope} text{{fill:{inks['label']}}}")
    rules.append(f"{scope} .ink{{stroke:{inks['ink']}}}")
    rules.append(f"{scope} .accent{{stroke:{inks['accent']}}}{scope} .alarm{{fill:{inks['accent']}}}")
    rules += [f"{scope} .{name}{{stroke:{rim(name, theme)}}}" for name in NIGHT_RIMS if theme == "dark"]
    return "".join(rules)


def rim(name: str, theme: Theme) -> str:
    """The colour of a stone's edge."""
    return NIGHT_RIMS.get(name, STONE_INKS[name][1]) if theme == "dark" else STONE_INKS[name][1]
