"""Lotus: the worked cases, the rulings, and random matches compared with a slow reference."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest

from service.engine.game import Ambiguous, Illegal, Outcome, Position, Unreadable
from service.engine.options import OptionError
from service.engine.record import steps
from service.games.kensington import kensington
from service.games.lotus import Lotus
from tests.games.reversal_reference import Stones, dead, settle

BLACK, WHITE = 0, 1
DATA = Path(__file__).parent.parent / "data" / "games"


def start(**options: str) -> Position:
    return Lotus().start(2, 0, **options)


def play(position: Position, *orders: str) -> Position:
    """Plays orders as people type them, each by the first seat of `turns`."""
    for order in orders:
        seat = position.turns[0]
        position = position.play(seat, position.read(seat, order))
    return position


def stones(position: Position) -> str:
    return "; ".join(part for part in position.setup.split("; ") if part.startswith(("black", "white")))


def test_start() -> None:
    position = start()
    assert (position.turns, position.setup) == ((BLACK,), "turn: black; marker: -3")
    assert list(position.moves(BLACK))[-1] == "pass"
    assert len(list(position.moves(BLACK))) == 73
    assert list(position.moves(WHITE)) == []


L1 = "black: s1 s2 t2; white: q2 q3 r3 t1 u2"


@pytest.mark.parametrize(
    ("case", "setup", "order", "after", "captured"),
    [
        ("L1, Black: second reversal", L1, "u1", "white: q2 q3 r3 s1 s2 t1 t2 u1 u2", {"white": 1, "black": 5}),
        ("L1, White: regular capture", f"{L1}; turn: white", "u1", "white: q2 q3 r3 s1 s2 t1 t2 u1 u2", {"black": 3}),
        ("L3", "black: s1 t1 r3 q3 t2; white: u1 s2", "u2", "black: q3 r3 s1 s2 t1 t2 u1 u2", {"white": 2}),
        ("L4: suicide", "black: s1 t1 u2; turn: white", "u1", "black: s1 t1 u1 u2", {"white": 1}),
    ],
)
def test_worked_cases(case: str, setup: str, order: str, after: str, captured: dict[str, int]) -> None:
    """Case L1 is the inventor's "black capturing the white stone at the top". Ruling L-c: enemies first, then own."""
    position = play(start(setup=setup), order)
    assert stones(position) == after, case
    assert position.facts == {"marker": -3, "captured": captured}


def test_a_second_reversal_marks_only_stones_that_stay_reversed() -> None:
    """u2 was reversed twice, so it is unchanged; Black placed u1, which is White's now."""
    scene = play(start(setup=L1), "u1").view(None)
    marked = {scene.board.names[point]: kinds for point, kinds in scene.marks.items()}
    assert marked == {"s1": ("reversed",), "s2": ("reversed",), "t2": ("reversed",), "u1": ("last", "reversed")}
    assert scene.notes == (
        "Black played u1.",
        "1 stone turned from white to black: u2.",
        "5 stones turned from black to white: s1 s2 t2 u1 u2.",
    )


class TestImmunity:
    """Ruling L-b: a lotus counts if it is complete when the group's last liberty is gone."""

    NORTH = "o2 o3 q2 q3 s1 s2"

    def test_a_lotus_lives_without_liberties(self) -> None:
        setup = f"black: {self.NORTH}; white: m2 m3 n2 n3 p2 p3 r2 r3 t1 t2 u1; turn: white"
        after = play(start(setup=setup), "u2")
        assert stones(after).startswith(f"black: {self.NORTH};")
        assert after.facts["captured"] == {}

    def test_a_stone_that_completes_a_lotus_saves_its_group(self) -> None:
        setup = "black: o2 o3 q2 q3 s1; white: m2 m3 n2 n3 p2 p3 r2 r3 t1 t2 u1 u2"
        after = play(start(setup=setup), "s2")
        assert stones(after).startswith(f"black: {self.NORTH};")
        taken = play(start(setup=f"{setup}; turn: white"), "s2")
        assert "black" not in stones(taken)

    def test_a_lotus_formed_by_the_first_reversal_prevents_the_second(self) -> None:
        """Black's s1 captures s2; the united ten stones have no liberty, but the lotus o2 o3 q2 q3 s1 s2."""
        setup = "black: o2 o3 q2 q3 t1 t2 u1 u2; white: s2 m2 m3 n2 n3 p2 p3 r2 r3"
        after = play(start(setup=setup), "s1")
        assert stones(after) == "black: o2 o3 q2 q3 s1 s2 t1 t2 u1 u2; white: m2 m3 n2 n3 p2 p3 r2 r3"
        assert after.facts["captured"] == {"white": 1}


class TestMarkerAndEnd:
    def test_only_a_pass_moves_the_marker(self) -> None:
        assert play(start(), "a1", "pass").facts["marker"] == -4
        assert play(start(), "pass", "a1").facts["marker"] == -2

    @pytest.mark.parametrize(("turn", "marker"), [("black", 7), ("white", -7)])
    def test_the_marker_stops_at_the_end_of_the_track(self, turn: str, marker: int) -> None:
        assert play(start(setup=f"turn: {turn}; marker: {marker}"), "pass").facts["marker"] == marker

    def test_count(self) -> None:
        """Black has the bottom, White one stone above; no other point is surrounded by only one side."""
        setup = "black: d2 d3 c1 c2; white: u1; marker: 1"
        done = play(start(setup=setup), "pass", "pass", "accept", "accept")
        assert done.facts["territory"] == {"black": 8, "white": 1}
        assert done.facts["points"] == {"black": "9", "white": "1"}
        assert done.outcome is not None
        assert done.outcome.scores == (Fraction(1), Fraction(0))

    def test_dead_stones_are_reversed(self) -> None:
        position = play(start(setup="black: d2 d3 c1 c2; white: u1 a1"), "pass", "pass")
        done = play(position, "dead a1", "accept")
        assert done.occupants["a1"] == "black"

    def test_a_lotus_cannot_be_dead(self) -> None:
        position = play(start(setup="black: o2 o3 q2 q3 s1 s2"), "pass", "pass")
        with pytest.raises(Illegal):
            play(position, "dead s1")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("s1", Illegal, "s1 is taken by Black. Empty next to it: q2, s2, t1, u1."),
        ("a3", Illegal, "There's no point a3 on this board."),
        ("a1 b1", Ambiguous, "Only one point can be played at a time: a1 or b1?"),
        ("lotus", Unreadable, "'lotus' isn't a move here."),
    ],
)
def test_refusals(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        play(start(setup="black: s1"), text)


@pytest.mark.parametrize("options", [{"komi": "8"}, {"komi": "-1"}, {"setup": "marker: 8"}, {"setup": "black: a3"}])
def test_bad_options(options: dict[str, str]) -> None:
    with pytest.raises(OptionError):
        start(**options)


@pytest.mark.parametrize("komi", range(8))
def test_komi(komi: int) -> None:
    """Ruling L-a."""
    assert start(komi=str(komi)).facts["marker"] == -komi


@pytest.mark.parametrize("seed", range(8))
def test_random_matches_agree_with_the_reference(seed: int) -> None:
    """A placement takes at most two reversals, and after 72 stones only a pass is left."""
    chance = random.Random(seed)
    field = kensington()
    names = field.board.names
    rings = [frozenset(names[point] for point in ring) for ring in field.rings]
    graph = {
        name: frozenset(names[point] for point in near)
        for name, near in zip(names, field.board.neighbours, strict=True)
    }
    slow: Stones = {}
    position = start()
    while len(slow) < 72:
        seat = position.turns[0]
        name = chance.choice([move for move in position.moves(seat) if move != "pass"])
        position = position.play(seat, name)
        slow[name] = seat + 1
        assert settle(slow, graph, rings, seat + 1) <= 2
        assert not dead(slow, graph, rings, 1) + dead(slow, graph, rings, 2)
        assert position.occupants == {point: ("black", "white")[stone - 1] for point, stone in slow.items()}
    assert list(position.moves(position.turns[0])) == ["pass"]


def test_the_count_of_the_golden_match() -> None:
    *_, last = steps(start(), (DATA / "lotus.record").read_text())
    assert last.position.facts["points"] == {"black": "34", "white": "40"}
    assert last.position.outcome == Outcome.shared(2, (WHITE,), "points")
