"""Every stone is visible on every board, in every theme, and colour-blind people can tell stones apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt
from typing import TypeAlias

import pytest

from service.render.art.palette import (
    DESIGNS,
    MATERIALS,
    PETRIFIED,
    SLAB,
    STONE_SETS,
    Design,
    StoneSet,
    Theme,
    contrast,
    grounds,
    rim,
    stones,
    surface,
)
from tests.render.boards import COLOURS

Vector: TypeAlias = tuple[float, float, float]

THEMES: tuple[Theme, ...] = ("light", "dark")
BOARDS = [
    pytest.param(*board, id=f"{board[0]}, {' '.join(board[1])}, {board[2]}")
    for board in product(MATERIALS, DESIGNS, THEMES)
]
TWO = ("black", "white")

EYES: dict[str, tuple[Vector, Vector, Vector]] = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""For linear RGB, severity 1: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of
Color Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (6), 2009, table 1."""

LEAST: dict[StoneSet, float] = {"classic": 18, "distinct": 20}
"""The least CIEDE2000 difference between two colours of a set, for each kind of vision; 2.3 is just noticeable.

The classic stones are also hatched, see `test_stylesheet.py`.
"""


def lying(material: str) -> tuple[str, ...]:
    """The colours of stones on boards of this material: only two if it has more than one ground."""
    return COLOURS if material == "wood" else TWO


@pytest.mark.parametrize(("material", "design", "theme"), BOARDS)
def test_every_stone_is_visible_on_every_ground(material: str, design: Design, theme: Theme) -> None:
    """By its fill or by its rim."""
    seen = {}
    for colour, ground in product(lying(material), grounds(material, design, theme)):
        inks = (stones(design)[colour].fill, rim(colour, material, design, theme))
        seen[colour, ground] = max(contrast(ink, ground) for ink in inks)
    least, (colour, ground) = min((value, pair) for pair, value in seen.items())
    print(f"{material}, {' '.join(design)}, {theme}: {least:.1f}:1 for {colour} on {ground}")
    assert least >= 3


@pytest.mark.parametrize(("design", "theme"), [*product(DESIGNS, THEMES)])
def test_holes_dont_look_like_stones(design: Design, theme: Theme) -> None:
    """The holes of Medusa, in the dark theme, too."""
    its = surface("slate", design, theme)
    assert contrast(stones(design)["black"].fill, its.hole) >= 3
    assert contrast(stones(design)["white"].fill, its.hole) >= 2.5
    assert contrast(its.hole, its.tint0) >= 1.3


@pytest.mark.parametrize(("material", "design", "theme"), BOARDS)
def test_letters_are_readable_and_marks_are_visible(material: str, design: Design, theme: Theme) -> None:
    its = surface(material, design, theme)
    assert contrast(its.label, its.plate) >= 4.5
    for ground in grounds(material, design, theme):
        assert contrast(its.accent, ground) >= 3
        assert contrast(its.ink, ground) >= 3


def test_petrified_pieces_are_visible_in_their_slab() -> None:
    assert contrast(PETRIFIED["black-stone"].fill, SLAB[0]) >= 3
    assert contrast(PETRIFIED["white-stone"].rim, SLAB[0]) >= 3


@pytest.mark.parametrize("set_", STONE_SETS)
def test_eight_colours_differ_enough_for_every_kind_of_vision(set_: StoneSet) -> None:
    fills = {colour: stones(Design(stones=set_))[colour].fill for colour in COLOURS}
    for eye in EYES:
        least, one, other = min(distances(fills, eye))
        print(f"{set_} stones, {eye}: CIEDE2000 {least:.1f} between {one} and {other}")
        assert least >= LEAST[set_]


def distances(fills: dict[str, str], eye: str) -> Iterator[tuple[float, str, str]]:
    seen = {colour: lab(through(eye, fill)) for colour, fill in fills.items()}
    for one, other in combinations(seen, 2):
        yield ciede2000(seen[one], seen[other]), one, other


def through(eye: str, code: str) -> Vector:
    """A colour as linear RGB, as seen by this kind of vision."""
    parts = [int(code[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    light = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = (sum(a * b for a, b in zip(row, light, strict=True)) for row in EYES[eye])
    return clipped(red), clipped(green), clipped(blue)


def clipped(part: float) -> float:
    return min(max(part, 0.0), 1.0)


def lab(linear: Vector) -> Vector:
    """CIELAB of linear sRGB under D65."""
    red, green, blue = linear
    x, y, z = (
        root((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047),
        root(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue),
        root((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883),
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def root(part: float) -> float:
    return part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116


def ciede2000(one: Vector, other: Vector) -> float:
    """The colour difference of CIE 142-2001, as formulated by Sharma, Wu and Dalal (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1 + (1 - sqrt(mean**7 / (mean**7 + 25**7))) / 2
    c1, c2 = hypot(a1 * stretch, b1), hypot(a2 * stretch, b2)
    h1, h2 = (degrees(atan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    dh = 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    t = 1 - 0.17 * cos(radians(hue - 30)) + 0.24 * cos(radians(2 * hue))
    t += 0.32 * cos(radians(3 * hue + 6)) - 0.20 * cos(radians(4 * hue - 63))
    sl = 1 + 0.015 * (light - 50) ** 2 / sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    rc = 2 * sqrt(chroma**7 / (chroma**7 + 25**7))
    rt = -sin(radians(60 * exp(-(((hue - 275) / 25) ** 2)))) * rc
    dl, dc, dh = (l2 - l1) / sl, (c2 - c1) / sc, dh / sh
    return sqrt(dl**2 + dc**2 + dh**2 + rt * dc * dh)


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
    ],
)
def test_differences_of_the_published_examples(one: Vector, other: Vector, difference: float) -> None:
    """Sharma, Wu and Dalal (2005), table 1."""
    assert ciede2000(one, other) == pytest.approx(difference, abs=1e-4)
