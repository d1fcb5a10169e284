"""The Morph: rulings (8) to (13)."""

from __future__ import annotations

import pytest

from tests.games.pillars.boards import (
    moves,
    moves_from,
    placed,
    played,
    refusal,
    stone,
)


@pytest.mark.parametrize(
    ("men", "square", "expected"),
    [
        ("A~f3 hb7", "b7", "(A)xB7 (A)xB7=(H)"),
        ("A~f3 wb7", "b7", "(A)xB7 (A)xB7=(W)"),
        ("A~f3 mb7", "b7", "(A)xB7 (A)xB7=(ME)"),
        ("A~f3 ab7", "b7", "(A)xB7"),
        ("H~f3 s~e5", "e5", "(H)xE5 (H)xE5=S"),
        ("H~f3 m~e5", "e5", "(H)xE5 (H)xE5=ME"),
        ("A~f3 a~b7", "b7", "(A)xB7"),
        ("W~f3 te4", "e4", "(W)xE4 (W)xE4=(T)"),
        ("W~f3 we4", "e4", "(W)xE4"),
        ("T~e5 we11", "e11", "(T)xE11"),
        ("Tf3 te3", "e3", "TxE3"),
    ],
)
def test_what_a_morph_may_become(men: str, square: str, expected: str) -> None:
    """(8) to (10): a captured plain piece as a Morph, a captured Morph as a plain piece, never its own kind.

    Nothing becomes a Sword on its last rank, where it would have to promote.
    """
    position = placed(f"Ka1 kk11 {men}")
    assert [move for move in moves(position) if f"x{square.upper()}" in move] == expected.split()


@pytest.mark.parametrize(
    ("text", "occupant"),
    [
        ("(A)xB7", "A~"),
        ("(A)xB7=(H)", "H~"),
        ("f3b7", "A~"),
        ("f3b7=H~", "H~"),
        ("f3b7=(H)", "H~"),
        ("(a)b7=(a)", "A~"),
    ],
)
def test_a_morph_stays_what_it_is_unless_the_order_says_otherwise(text: str, occupant: str) -> None:
    assert played(placed("Ka1 kk11 A~f3 hb7"), text).occupants["b7"] == occupant


def test_an_illegal_transformation_is_refused() -> None:
    position = placed("Ka1 kk11 A~f3 hb7")
    assert refusal(position, "f3b7=H") == (
        "The Morph Advisor on F3 cannot become H there. It can play (A)xB7, (A)xB7=(H)."
    )


def test_a_piece_that_has_stopped_morphing_does_not_morph_again() -> None:
    after = played(placed("Ka1 kk11 H~f3 q~e5 tg5"), "(H)xE5=Q", "K-K10")
    assert after.occupants["e5"] == "Q"
    assert [move for move in moves(after) if "G5" in move] == ["QxG5"]


@pytest.mark.parametrize(
    ("men", "square", "expected"),
    [
        ("W~c3", "c3", "(W)-C4 (W)-C5"),
        ("W~c4", "c4", "(W)-C5"),
        ("W~c10", "c10", "(W)-C11=ME"),
        ("W~c10 td11", "c10", "(W)-C11=ME (W)xD11=ME (W)xD11=(T)"),
        ("W~c10 t~d11", "c10", "(W)-C11=ME (W)xD11=ME (W)xD11=T"),
        ("W~c10 md11", "c10", ""),
    ],
)
def test_a_morph_sword(men: str, square: str, expected: str) -> None:
    """(11) and (12). Swords never capture Medusas, because they are stone next to them."""
    assert moves_from(placed(f"Ka1 kk8 {men}"), square) == set(expected.split())


def test_petrification_is_judged_after_the_transformation() -> None:
    """(13) The Morph petrifies the King if it becomes a Medusa; as an Advisor it doesn't even give check."""
    position = placed("Ka1 A~f3 mb7 kb8")
    become, stay = played(position, "(A)xB7=(ME)"), played(position, "(A)xB7")
    assert (stone(become), become.facts["check"]) == ("b8", True)
    assert (stone(stay), stay.facts["check"]) == ("", False)


def test_a_morph_medusa_that_becomes_another_piece_frees_stone_pieces() -> None:
    """(13) The Tower on e6 would attack the King, so the Morph Medusa may capture on d6 only if she stays a Medusa."""
    position = placed("Ke1 M~d5 kk11 te6 hd6")
    assert [move for move in moves(position) if "D6" in move] == ["(ME)xD6"]
