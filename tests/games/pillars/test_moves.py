"""Petrification, Swords and castling: rulings (1) to (7)."""

from __future__ import annotations

from random import Random

import pytest

from tests.games.pillars import naive
from tests.games.pillars.boards import (
    CASTLING,
    LOST,
    PILLARS,
    WON,
    at,
    ended,
    legal,
    moves,
    moves_from,
    placed,
    played,
    refusal,
    sample,
    stone,
    to_move,
)

# Petrification, rulings (1) to (7)


def test_a_stone_piece_cannot_move_or_capture_but_can_be_captured() -> None:
    """(1)"""
    position = placed("Kk1 Me5 Te3 ka11 te6", "b")
    assert stone(position) == "e6"
    assert moves_from(position, "e6") == set()
    assert refusal(position, "TxE5") == "The Tower on E6 is stone: it cannot move while the Medusa on E5 is next to it."
    assert "MExE6" in moves(played(position, "K-A10"))


def test_a_stone_piece_is_free_again_when_the_medusa_leaves() -> None:
    after = played(placed("Kk1 Me5 ka11 te6"), "ME-E4")
    assert stone(after) == ""
    assert "T-K6" in moves(after)


@pytest.mark.parametrize(("end", "turned"), [("A4", ""), ("A5", "a5"), ("A6", "a6"), ("A7", "a7"), ("A11", "")])
def test_a_piece_may_pass_a_medusa_but_is_stone_if_it_ends_next_to_her(end: str, turned: str) -> None:
    """(2) The inventor's own example: a Tower on a1, an enemy Medusa on b6."""
    assert stone(played(placed("Kk1 Ta1 kk11 mb6"), f"T-{end}")) == turned


def test_a_piece_that_ends_next_to_a_medusa_still_captures() -> None:
    """(2)"""
    after = played(placed("Kk1 Ta1 kk11 mb6 wa6"), "TxA6")
    assert after.occupants["a6"] == "T"
    assert stone(after) == "a6"


@pytest.mark.parametrize("medusas", ["Mb5 mb6", "M~b5 mb6", "M~b5 m~b6"])
def test_medusas_are_immune_to_each_other(medusas: str) -> None:
    """(3) A Morph Medusa is a Medusa in this sense."""
    position = placed(f"Kk1 Tc6 kk11 {medusas}")
    assert stone(position) == "c6"
    assert moves_from(position, "b5")


def test_a_promoted_medusa_petrifies() -> None:
    """(3) The inventor's first self-test: the Sword promotes next to the King, who is stone and mated."""
    after = played(placed("Kf1 Wa10 kb10"), "A11")
    assert stone(after) == "b10"
    assert ended(after) == ("checkmate", WON, LOST)


def test_petrifying_the_checker_answers_a_check() -> None:
    """(4) A stone piece doesn't give check."""
    position = placed("Ke1 Mc4 ka11 te6")
    assert position.facts["check"] is True
    assert moves_from(position, "c4") == {"ME-D5", "ME-E4", "ME-E2", "MExE6"}
    after = played(position, "ME-D5")
    assert stone(after) == "e6"


def test_a_medusa_may_not_free_a_piece_that_then_checks_her_king() -> None:
    """(4) The stone Tower on e6 has an open file to the King."""
    position = placed("Ke1 Md5 ka11 te6")
    assert position.facts["check"] is False
    assert moves_from(position, "d5") == {"ME-D6", "ME-D7", "ME-E5", "ME-F5", "ME-E4", "MExE6"}
    assert refusal(position, "ME-C4") == "ME-C4 would let the Tower on E6 attack your King."


def test_a_king_may_step_next_to_a_stone_piece() -> None:
    """(4)"""
    position = placed("Ke1 Me4 ka11 td3")
    assert moves_from(position, "e1") >= {"K-D1", "K-D2"}
    assert "K-D1" not in moves(placed("Ke1 Me5 ka11 td3"))


def test_only_capturing_the_medusa_saves_a_stone_king() -> None:
    """(5) The Horse can capture her; the Tower on c9, stone itself, can't."""
    saved = placed("Ka1 Md10 ke11 hc8", "b")
    assert (stone(saved), saved.facts["check"], moves(saved)) == ("e11", True, ["HxD10"])
    lost = placed("Ka1 Md10 ke11 tc9", "b")
    assert stone(lost) == "c9 e11"
    assert ended(lost) == ("checkmate", WON, LOST)


def test_a_pinned_medusa_still_petrifies() -> None:
    """(6)"""
    position = placed("Ke1 Me5 ka11 te11 hd4", "b")
    assert stone(position) == "d4"
    assert moves_from(position, "d4") == set()


def test_a_pinned_medusa_may_leave_the_line_if_she_petrifies_the_piece_that_pins_her() -> None:
    """(7) The position after the move counts."""
    position = placed("Ke1 Me5 ka11 te7")
    assert moves_from(position, "e5") == {"MExE7", "ME-E6", "ME-D6", "ME-F6", "ME-E4", "ME-E3", "ME-E2"}


# Swords and castling


@pytest.mark.parametrize(
    ("men", "square", "expected"),
    [
        ("Wd1", "d1", "D1-D2 D1-D3"),
        ("Wd2", "d2", "D2-D3 D2-D4"),
        ("Wd3", "d3", "D3-D4 D3-D5"),
        ("Wd4", "d4", "D4-D5"),
        ("Wd2 td4", "d2", "D2-D3"),
        ("Wd2 td3 hc3 Ae3", "d2", "D2xC3"),
        ("Wd10", "d10", "D10-D11=ME"),
        ("Wd10 te11", "d10", "D10-D11=ME D10xE11=ME"),
        ("Wd5 wc7", "d5", "D5-D6"),
    ],
)
def test_swords(men: str, square: str, expected: str) -> None:
    assert moves_from(placed(f"Ka1 ka8 {men}"), square) == set(expected.split())


def test_there_is_no_en_passant() -> None:
    after = played(placed("Ka1 kk11 Wd5 wc9", "b"), "C9-C7", "K-A2", "C6")
    assert moves_from(after, "d5") == {"D5-D6", "D5xC6"}
    assert moves_from(played(placed("Ka1 kk11 Wd7 wc9", "b"), "C9-C7"), "d7") == {"D7-D8"}


def test_black_swords_go_down() -> None:
    position = placed("Ka6 kk11 wd9 we8 wf2", "b")
    assert moves_from(position, "d9") == {"D9-D8", "D9-D7"}
    assert moves_from(position, "e8") == {"E8-E7"}
    assert moves_from(position, "f2") == {"F2-F1=ME"}


def test_king_and_tower_change_places_in_castling() -> None:
    position = placed(CASTLING, "w AKak 0 1")
    after = played(position, "O-O-A", "O-O-K")
    assert [after.occupants[square] for square in ("a1", "f1", "k11", "f11")] == ["K", "T", "k", "t"]
    assert after.setup.split()[2] == "-"
    assert played(position, "f1a1", "f11k11") == after
    assert played(position, "o o a", "0-0-K") == after


@pytest.mark.parametrize(
    ("men", "rights", "expected", "why"),
    [
        ("tk5", "AK", "O-O-A", "You cannot castle on the K-side while K1 is attacked."),
        ("te5", "AK", "O-O-K", "You cannot castle on the A-side while E1 is attacked."),
        ("td2", "AK", "O-O-K", "You cannot castle on the A-side while D1 is attacked."),
        ("Ab1", "AK", "O-O-K", "You cannot castle on the A-side while B1 is occupied."),
        ("hb1", "AK", "O-O-K", "You cannot castle on the A-side while B1 is occupied."),
        ("mb2", "AK", "O-O-K", "You cannot castle on the A-side while C1 is attacked."),
        ("tf8", "AK", "", "You cannot castle while your King is in check."),
        (
            "",
            "K",
            "O-O-K",
            "You can no longer castle on the A-side: the King or that Tower has moved or gone.",
        ),
    ],
)
def test_when_castling_is_forbidden(men: str, rights: str, expected: str, why: str) -> None:
    """An attack on the Tower prevents castling on its side, since the King lands there."""
    position = placed(f"Ta1 Kf1 Tk1 kf11 {men}", f"w {rights} 0 1")
    assert [move for move in moves(position) if move.startswith("O-O")] == expected.split()
    wrong = next((text for text in ("O-O-A", "O-O-K") if text not in expected), "")
    assert refusal(position, wrong) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("f1d1", "The King on F1 cannot go to D1. When castling, the King goes to A1 and the Tower to F1: O-O-A."),
        ("a1f1", "The Tower on A1 cannot go to F1. When castling, the King goes to A1 and the Tower to F1: O-O-A."),
        (
            "f1h1",
            "The King on F1 cannot go to H1. When castling, the King goes to K1 and the Tower to F1. "
            "You cannot castle on the K-side while K1 is attacked.",
        ),
        ("f1f3", "The King on F1 cannot go to F3; it can play K-F2, K-G1, K-E1, K-G2, K-E2, O-O-A."),
    ],
)
def test_the_error_for_castling_as_in_chess_says_how_to_castle(text: str, why: str) -> None:
    assert refusal(placed("Ta1 Kf1 Tk1 kf11 tk8", "w AK 0 1"), text) == why


def test_castling_written_as_a_capture_is_refused_with_what_to_write() -> None:
    position = placed("Ta1 Kf1 Tk1 kf11", "w AK 0 1")
    why = "The King on F1 can go to {}1, but there is nothing to take: write O-O-{}."
    assert refusal(position, "KxA1") == why.format("A", "A")
    assert refusal(position, "f1xk1") == why.format("K", "K")


@pytest.mark.parametrize("rights", ["-", "k"])
def test_without_castling_rights_the_error_doesnt_mention_castling(rights: str) -> None:
    assert "castling" not in refusal(placed("Kf1 Tk1 kf11 tk11", f"w {rights} 0 1"), "f1h1")


def test_a_stone_piece_does_not_prevent_castling() -> None:
    """(4) The Tower on k5 attacks nothing while the Medusa is next to it."""
    assert "O-O-K" in moves(placed("Kf1 Tk1 Mj5 ka11 tk5", "w K 0 1"))


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (["T-A2"], "Kak"),
        (["T-K2"], "Aak"),
        (["K-F2"], "ak"),
        (["K-F2", "K-F10", "K-F1", "K-F11"], "-"),
        (["A5-A6", "K-F10"], "AK"),
        (["T-A2", "T-A10", "T-A1", "T-A11"], "Kk"),
    ],
)
def test_castling_rights_after_moves(texts: list[str], left: str) -> None:
    assert played(placed(CASTLING, "w AKak 0 1"), *texts).setup.split()[2] == left


def test_capturing_a_tower_ends_castling_with_it() -> None:
    assert played(placed("Ta1 Kf1 ta11 kf11", "w Aa 0 1"), "TxA11").setup.split()[2] == "-"


def test_in_the_sample_game_the_serpent_ends_castling() -> None:
    """After 23. SxI10, castling is illegal because G11 is attacked."""
    assert "O-O-K" not in sample(45).moves(1)
    assert refusal(sample(45), "O-O-K") == "You cannot castle on the K-side while G11 is attacked."


WALKS = [
    "thavqksavht/wwwwpmpwwww/4wa~w4/5w5/11/11/11/5W5/4WA~W4/WWWWPMPWWWW/THAVQKSAVHT w AKak 0 1",
    "t4k4t/2w2m2w2/11/3s~3h3/11/1a1M1w1V3/11/3P3q3/5H~5/2W2M2W2/T4K4T w AKak 0 1",
    "11/2k2W~1W3/4W6/11/6m~4/1M3a~5/11/4S6/11/3w2w4/7K3 w - 0 1",
]


@pytest.mark.parametrize("seed", range(6))
def test_legal_moves_agree_with_the_naive_rules(seed: int) -> None:
    """Random play from positions with much castling, morphing and petrification."""
    random = Random(seed)
    position = at(WALKS[seed % len(WALKS)])
    for _ in range(25):
        if not position.turns:
            break
        assert sorted(legal(position)) == sorted(naive.legal(position.setup))
        position = position.play(to_move(position), random.choice(moves(position)))


def test_castling_in_a_record_is_replayed_as_it_was_played() -> None:
    position = placed(CASTLING, "w AKak 0 1")
    for log in ([(0, "O-O-A"), (1, "O-O-K")], [(0, "O-O-K"), (1, "O-O-A")]):
        assert PILLARS.replay(position, log) == played(position, *(move for _, move in log)) != position
