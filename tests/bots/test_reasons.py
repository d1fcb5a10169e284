"""The reasons for moves that opponents to learn against give when asked."""

from __future__ import annotations

import pytest

from service.bots.reasons import Reason, explained
from service.engine.rewound import Again
from service.games import GAMES

GO = {"size": "5"}
WIDE = {"size": "9"}
RING = {"base": "5"}


@pytest.mark.parametrize(
    ("options", "move", "wanted"),
    [
        (GO | {"setup": "black: a2; white: a1; turn: black"}, "b1", Reason("captures", 1)),
        (GO | {"setup": "black: a1; white: a2 e5; turn: black"}, "b1", Reason("saves", 1)),
        (GO | {"setup": "black: c2; white: a1; turn: black"}, "b1", Reason("threatens", 1, "a1")),
        (GO | {"setup": "black: b2 d2; white: e5; turn: black"}, "c2", Reason("connects", 2)),
        (GO | {"setup": "black: e1; white: b3 d3; turn: black"}, "c3", Reason("cuts", 2)),
        (GO | {"setup": "black: e1 b3; white: a3 d3; turn: black"}, "c3", Reason("presses", 3, "d3")),
        (GO | {"setup": "black: e1 b2; white: c3; turn: black"}, "b3", Reason("presses", 3, "c3")),
        (GO | {"setup": "black: e1 b3; white: c3; turn: black"}, "c2", Reason("narrows", 1, "c3")),
        (GO | {"setup": "black: b1; white: e5; turn: black"}, "c1", Reason("extends", 4)),
        (GO | {"setup": "black: a2; white: b2 e5; turn: black"}, "a3", Reason("widens", 3)),
        (GO | {"setup": "black: a2 a3 b2 c3; white: e5; turn: black"}, "b1", Reason("eye", 0, "a1")),
        (WIDE | {"setup": "white: g5; turn: black"}, "e5", Reason("approaches", 0, "g5")),
        (WIDE | {"setup": "black: c5; white: g5; turn: black"}, "e5", Reason("approaches", 0, "g5")),
        (WIDE | {"setup": "black: c5; white: j1; turn: black"}, "e5", Reason("supports", 0, "c5")),
        (WIDE | {"setup": "white: a1; turn: black"}, "h8", Reason("first")),
        (GO, "c3", Reason("first")),
        (GO, "pass", Reason("passes")),
    ],
)
def test_reasons_for_a_stone(options: dict[str, str], move: str, wanted: Reason) -> None:
    position = GAMES["go"].start(2, 0, **options)
    assert explained(position, position.turns[0], move) == wanted


@pytest.mark.parametrize(
    ("setup", "move", "wanted"),
    [
        ("black: g13 g14 g15 h13 h14; white: a5", "h15", Reason("rings", 6)),
        ("black: g13 g14 g15 h13; white: a5", "h14", Reason("builds", 5)),
        ("white: g13 g14 g15 h13; black: a5", "h14", Reason("breaks", 4)),
    ],
)
def test_reasons_for_a_stone_of_a_ring(setup: str, move: str, wanted: Reason) -> None:
    position = GAMES["rosette"].start(2, 0, **RING, setup=setup)
    assert explained(position, 0, move) == wanted


def test_a_turn_with_several_steps_has_the_strongest_of_their_reasons() -> None:
    position = GAMES["medusa"].start(2, 0, base="4", setup="black: a1 a2; white: d5 g7; turn: black")
    assert explained(position, 0, "a4") == Reason("supports", 0, "a2")
    assert explained(position, 0, "c4") == Reason("presses", 3, "d5")
    assert explained(position, 0, "c4 a1-a3") == Reason("presses", 3, "d5")


HORSE_AND_SWORDS = "11/2W8/11/k10/11/11/7H3/11/11/6W4/10K w - 0 1"
MEDUSA = "11/11/11/k5w4/11/11/5h5/11/2M8/11/10K w - 0 1"
GAZED_AT = "11/11/11/k1A8/11/11/4mT5/11/6M4/11/7W2K w - 0 1"


@pytest.mark.parametrize(
    ("fen", "move", "wanted"),
    [
        ("k10/11/11/2K8/11/11/11/11/5T5/11/11 w - 0 1", "T-A3", Reason("check")),
        ("k10/11/11/2K8/11/11/11/11/5T1w3/11/11 w - 0 1", "TxH3", Reason("takes", 0, "Sword")),
        (HORSE_AND_SWORDS, "C10-C11=ME", Reason("becomes", 0, "Medusa")),
        (MEDUSA, "ME-E5", Reason("petrifies", 0, "Horse on F5")),
        (GAZED_AT, "MExE5", Reason("takes", 0, "Medusa")),
        (GAZED_AT, "K-K2", Reason("opens", 2)),
        (HORSE_AND_SWORDS, "H-I3", Reason("plays")),
        ("5k5/11/11/11/11/11/11/11/11/11/T4K5 w A 0 1", "O-O-A", Reason("check")),
        ("6k4/11/11/11/11/11/11/11/11/11/T4K5 w A 0 1", "O-O-A", Reason("castles")),
        ("k10/11/2t8/11/11/11/11/11/2H8/11/10K w - 0 1", "H-E4", Reason("escapes", 0, "Horse")),
        ("k10/11/11/5h5/11/11/11/11/1T9/11/10K w - 0 1", "T-F3", Reason("attacks", 0, "Horse on F8")),
        ("k10/11/2t8/11/11/11/2A8/11/7T3/11/10K w - 0 1", "T-H5", Reason("defends", 0, "Advisor on C5")),
        ("k10/11/2t8/11/11/11/2A8/11/2w3T4/11/10K w - 0 1", "T-G7", Reason("opens", 2)),
        ("k10/11/11/11/11/11/2A8/11/7T3/11/10K w - 0 1", "T-H5", Reason("covers", 0, "Advisor on C5")),
        (HORSE_AND_SWORDS, "G2-G3", Reason("advances", 0, "F4 and H4")),
        (GAZED_AT, "A-E6", Reason("hems", 2)),
        ("", "H-C3", Reason("develops", 0, "Horse")),
    ],
)
def test_reasons_for_a_piece(fen: str, move: str, wanted: Reason) -> None:
    assert explained(GAMES["pillars"].start(2, 0, setup=fen), 0, move) == wanted


def test_other_orders_and_simultaneous_moves_have_no_reasons() -> None:
    start = GAMES["go"].start(2, 0, **GO)
    assert explained(start, 1, "c3") is None
    assert explained(start, 0, "z99") is None
    assert explained(start, 0, "resign") is None
    together = GAMES["multigo-parallel"].start(3, 0, **GO)
    assert explained(together, 0, "c3") is None


def test_moves_after_a_takeback_have_reasons_too() -> None:
    start = GAMES["go"].start(2, 0, **GO, setup="black: a2; white: a1; turn: black")
    assert explained(Again.of(start, 2), 0, "b1") == Reason("captures", 1)
