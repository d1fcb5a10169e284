"""The Lotus board, compared with the inventor's counts."""

from __future__ import annotations

from collections import Counter
from math import dist

import pytest

from service.games.kensington import OUTSIDE, kensington
from service.games.lotus import Lotus
from service.render.text import text

BOARD = kensington().board
HEXAGONS = """
c1 c2 e2 e3 g2 g3
f1 f2 h1 h2 j1 j2
f3 f4 h3 h4 j3 j4
i2 i3 k2 k3 m2 m3
l1 l2 n1 n2 p1 p2
l3 l4 n3 n4 p3 p4
o2 o3 q2 q3 s1 s2
"""

TEXT = r"""
u                          X  -  .                          u
t                     .    |     |    .                     t
s                   /      .  -  .      \                   s
"""


def test_counts() -> None:
    """ "A point in the center has four neighbours, one on the edge has three and an inward corner again has four." """
    assert (len(BOARD.names), len(BOARD.lines)) == (72, 132)
    assert Counter(map(len, BOARD.neighbours)) == {4: 48, 3: 24}
    inner = frozenset().union(*kensington().rings)
    assert len(inner) == 42
    assert {len(BOARD.neighbours[point]) for point in inner} == {4}
    assert sum(len(near) == 4 for point, near in enumerate(BOARD.neighbours) if point not in inner) == 6


def test_hexagons_by_name() -> None:
    rings = sorted(" ".join(sorted(BOARD.names[point] for point in ring)) for ring in kensington().rings)
    assert rings == HEXAGONS.split("\n")[1:-1]
    for ring in kensington().rings:
        assert all(len(ring & set(BOARD.neighbours[point])) == 2 for point in ring)


def test_names_count_from_the_bottom_and_the_left() -> None:
    rows = Counter(name[0] for name in BOARD.names)
    assert rows == {letter: 2 if letter in "abcstu" else 4 for letter in "abcdefghijklmnopqrstu"}
    at = {name: BOARD.at[point] for point, name in enumerate(BOARD.names)}
    assert all(
        at[f"{a}1"][1] > at[f"{b}1"][1] for a, b in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True)
    )
    assert all(at[f"{row}{left}"][0] < at[f"{row}{left + 1}"][0] for row in rows for left in range(1, rows[row]))


def test_all_lines_have_length_one_and_connect_neighbours() -> None:
    assert all(dist(*line) == pytest.approx(1, abs=1e-5) for line in BOARD.lines)
    degree = Counter(end for line in BOARD.lines for end in line)
    assert [degree[point] for point in BOARD.at] == [len(near) for near in BOARD.neighbours]


def test_faces_by_euler() -> None:
    """7 hexagons, 30 squares and 24 triangles: corners minus edges plus faces, including the outside, is 2."""
    near = [set(others) for others in BOARD.neighbours]
    triangles = sum(len(near[a] & near[b]) for a in range(72) for b in near[a]) // 6
    squares = sum(
        dist(BOARD.at[a], BOARD.at[b]) == pytest.approx(2**0.5, abs=1e-5) and len(near[a] & near[b]) == 2
        for a in range(72)
        for b in range(a)
    )
    assert (triangles, squares / 2) == (24, 30)
    assert 72 - 132 + (7 + 30 + 24 + 1) == 2


def test_all_letters_in_the_picture_are_equally_far_from_the_rim() -> None:
    """Scaled towards the middle, each letter is on a line through two points that has no points beyond it."""
    assert 1.1 < OUTSIDE < 1.3
    assert Counter(letter for letter, _ in BOARD.labels) == dict.fromkeys("abcdefghijklmnopqrstu", 2)
    for _, (x, y) in BOARD.labels:
        x, y = x / OUTSIDE, y / OUTSIDE
        sides = [[(a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x) for b in BOARD.at] for a in BOARD.at]
        touching = [side for side in sides if max(side) < 1e-4]
        assert touching, "No line through it has all points on one side."
        assert sum(abs(cross) < 1e-4 for cross in touching[0]) >= 2


def test_text_board() -> None:
    shown = text(Lotus().start(setup="black: u1; white: m2").view(None))
    assert shown.startswith(TEXT.strip("\n"))


def test_text_board_leaves_room_around_points() -> None:
    taken = Counter(BOARD.text_at)
    for row, column, written in BOARD.text_labels:
        taken.update((row, column + place) for place in range(len(written)))
    assert max(taken.values()) == 1
    assert all((row, column + 1) not in taken and (row, column - 1) not in taken for row, column in BOARD.text_at)
    assert max(column for _, column in taken) < 72
