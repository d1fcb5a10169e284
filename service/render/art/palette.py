"""The colours of boards and stones. Pages, files and emails all use these.

A board is made of wood, slate or paper. A player chooses a board theme, which says what the boards look like, and a
stone set; each has colours for light and for dark pages.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple, TypeAlias, get_args

Theme: TypeAlias = Literal["light", "dark"]
BoardTheme: TypeAlias = Literal["classic", "print", "chalk"]
StoneSet: TypeAlias = Literal["classic", "distinct"]

BOARD_THEMES: tuple[BoardTheme, ...] = get_args(BoardTheme)
STONE_SETS: tuple[StoneSet, ...] = get_args(StoneSet)


class Design(NamedTuple):
    """A player's choice of how boards look. `classic` boards are of wood, slate and paper."""

    boards: BoardTheme = "classic"
    stones: StoneSet = "classic"


CLASSIC = Design()


class Surface(NamedTuple):
    """The colours of a board. Stones are on `field`, `tint0` … `tint2` and `flower`, labels on `plate`."""

    plate: str
    edge: str
    field: str
    line: str
    label: str
    tint0: str
    tint1: str
    tint2: str
    hole: str
    flower: str
    ink: str
    accent: str


SURFACES: dict[str, dict[Theme, Surface]] = {
    "wood": {
        "light": Surface(
            plate="#dcb680",
            edge="#a87f4c",
            field="#dcb680",
            line="#5e4526",
            label="#5b4324",
            tint0="#e2c08d",
            tint1="#c99f66",
            tint2="#d5ae77",
            hole="#8a6438",
            flower="#cfa66c",
            ink="#1f1a14",
            accent="#b3131a",
        ),
        "dark": Surface(
            plate="#8f6841",
            edge="#543a20",
            field="#8f6841",
            line="#38240f",
            label="#fdf3df",
            tint0="#977149",
            tint1="#85603a",
            tint2="#8e6741",
            hole="#7a5632",
            flower="#88633c",
            ink="#14100a",
            accent="#ffd0c4",
        ),
    },
    "slate": {
        "light": Surface(
            plate="#535d64",
            edge="#343c42",
            field="#8d969b",
            line="#4c565d",
            label="#e6eaec",
            tint0="#8d969b",
            tint1="#7d878d",
            tint2="#858e94",
            hole="#656e75",
            flower="#7c868c",
            ink="#15181a",
            accent="#640809",
        ),
        "dark": Surface(
            plate="#3a4349",
            edge="#22282c",
            field="#818b91",
            line="#424b52",
            label="#d9dee1",
            tint0="#818b91",
            tint1="#737d84",
            tint2="#7a848a",
            hole="#666f75",
            flower="#727c83",
            ink="#15181a",
            accent="#5a0708",
        ),
    },
    "paper": {
        "light": Surface(
            plate="#f1e7d0",
            edge="#c3b28c",
            field="#f1e7d0",
            line="#6a6054",
            label="#665c4e",
            tint0="#f5ecd9",
            tint1="#cdb98f",
            tint2="#e2d3b3",
            hole="#857b6c",
            flower="#e6dbc2",
            ink="#1f1c1a",
            accent="#c4161c",
        ),
        "dark": Surface(
            plate="#b3a891",
            edge="#6f6653",
            field="#b3a891",
            line="#453d30",
            label="#352e23",
            tint0="#b3a891",
            tint1="#8b7f68",
            tint2="#9f947d",
            hole="#746a55",
            flower="#a2977f",
            ink="#17130e",
            accent="#6a090d",
        ),
    },
    "chalk": {
        "light": Surface(
            plate="#414b52",
            edge="#272e33",
            field="#414b52",
            line="#a3adb3",
            label="#d5dbde",
            tint0="#5d6870",
            tint1="#47515a",
            tint2="#525d65",
            hole="#8b959c",
            flower="#4f5a62",
            ink="#f4f2ea",
            accent="#ffb5aa",
        ),
        "dark": Surface(
            plate="#333b41",
            edge="#191e21",
            field="#333b41",
            line="#97a2a8",
            label="#ccd3d6",
            tint0="#545f67",
            tint1="#3e4850",
            tint2="#49545c",
            hole="#858f96",
            flower="#454f57",
            ink="#f4f2ea",
            accent="#ffb5aa",
        ),
    },
}

_MADE_OF: dict[BoardTheme, dict[str, str]] = {
    "classic": {"wood": "wood", "slate": "slate", "paper": "paper"},
    "print": dict.fromkeys(("wood", "slate", "paper"), "paper"),
    "chalk": dict.fromkeys(("wood", "slate", "paper"), "chalk"),
}
MATERIALS = ("wood", "slate", "paper")
"""What boards are made of; see `Board.material`."""


def surface(material: str, design: Design = CLASSIC, theme: Theme = "light") -> Surface:
    """The colours of boards of this material."""
    return SURFACES[_MADE_OF[design.boards][material]][theme]


DOT = SURFACES["paper"]["light"].accent
"""The colour of the last move's dot, the same in every theme because the dot is on a white halo."""


class Stone(NamedTuple):
    """A colour of stones or pieces: its fill, its rims on bright and on dark ground, and its hatching."""

    fill: str
    rim: str
    light_rim: str
    hatch: str


STONES: dict[StoneSet, dict[str, Stone]] = {
    "classic": {
        "black": Stone("#211e1c", "#0f0e0d", "#c9d0d4", "#f7f4ec"),
        "white": Stone("#fdfcf8", "#3b3631", "#fdfcf8", "#211e1c"),
        "red": Stone("#ad2111", "#3d0903", "#ffb0a6", "#ffffff"),
        "blue": Stone("#133580", "#081530", "#a5caf7", "#ffffff"),
        "green": Stone("#40775c", "#10271b", "#a3e3b2", "#ffffff"),
        "yellow": Stone("#fbda26", "#4a3a04", "#fff0b8", "#3a2e05"),
        "purple": Stone("#9c5bc7", "#2e1342", "#dcb9f4", "#ffffff"),
        "orange": Stone("#df7621", "#4a2204", "#ffd2a6", "#3f2004"),
    },
    "distinct": {
        "black": Stone("#15130f", "#000000", "#ffffff", "#ffffff"),
        "white": Stone("#ffffff", "#1f1c1a", "#ffffff", "#15130f"),
        "red": Stone("#991809", "#2e0300", "#ffb0a6", "#ffffff"),
        "blue": Stone("#3966d9", "#0a1838", "#c9dafd", "#ffffff"),
        "green": Stone("#00bd97", "#00382d", "#a6f5e3", "#00291f"),
        "yellow": Stone("#ffd637", "#4a3a04", "#fff0b8", "#3a2e05"),
        "purple": Stone("#530066", "#1d0026", "#ecc4fb", "#ffffff"),
        "orange": Stone("#d96708", "#3f1e02", "#ffd2a6", "#2a1401"),
    },
}
"""The colours of stones by name; their hatching is the same on every ground."""

PETRIFIED = {
    "white-stone": Stone("#dcd8ce", "#4b463d", "#4b463d", "#6f6a61"),
    "black-stone": Stone("#4a463f", "#2b2824", "#2b2824", "#b5afa3"),
}
"""Pieces turned to stone, in a slab of `SLAB`."""

SLAB = ("#a39d90", "#6b655a")
"""The slab around petrified pieces, and its edge."""


def stones(design: Design = CLASSIC) -> dict[str, Stone]:
    """All stones and pieces of a design, by colour."""
    return STONES[design.stones] | PETRIFIED


@lru_cache(maxsize=256)
def rim(colour: str, material: str, design: Design = CLASSIC, theme: Theme = "light") -> str:
    """The rim of a stone on a board of this material: the light one if the dark one can't be seen on every ground."""
    stone = stones(design)[colour]
    under = grounds(material, design, theme)
    seen = all(max(contrast(stone.fill, ground), contrast(stone.rim, ground)) >= SEEN for ground in under)
    return stone.rim if seen or colour in PETRIFIED else stone.light_rim


SEEN = 3
"""The least contrast of anything that must be visible (WCAG 2.2, 1.4.11)."""


def grounds(material: str, design: Design, theme: Theme) -> tuple[str, ...]:
    """The grounds that stones may be on. Boards with tinted cells, of slate and paper, are for Black and White only."""
    its = surface(material, design, theme)
    tinted = () if material == "wood" else (its.tint0, its.tint1, its.tint2, its.flower)
    return (its.field, *tinted)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2 between two colours, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(code: str) -> float:
    parts = [int(code[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


DESIGNS = tuple(Design(*choice) for choice in product(BOARD_THEMES, STONE_SETS))
