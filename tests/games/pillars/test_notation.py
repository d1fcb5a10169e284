"""Moves as text: canonical writing, liberal reading, and refusals that explain."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.game import Ambiguous, Illegal, MoveError, OutOfTurn, Unreadable
from tests.games.pillars.boards import (
    PILLARS,
    moves,
    placed,
    refusal,
    sample,
)


@pytest.mark.parametrize(
    "text",
    [
        "ME-C4",
        "me-c4",
        "ME C4",
        "mec4",
        "e2c4",
        "E2 - C4",
        "Me - c4 +",
        "ME-C4!?",
        "MEE2-C4",
        "7. ME-C4",
        "MEE-C4#.",
        "Play ME-C4",
        "I move e2c4",
        "My move is: MEc4",
    ],
)
def test_reading_is_liberal(text: str) -> None:
    assert placed("Ka1 kk11 Me2 Te9").read(0, text) == "ME-C4"


@pytest.mark.parametrize(
    ("men", "text", "canonical"),
    [
        ("Wd5 te6", "E6", "D5xE6"),
        ("Wd5 te6", "DxE6", "D5xE6"),
        ("Wd5 te6", "D5E6", "D5xE6"),
        ("Wd5 te6", "W x e6", "D5xE6"),
        ("Wd5", "d6", "D5-D6"),
        ("W~d5", "(w) d6", "(W)-D6"),
        ("Wd10", "d11", "D10-D11=ME"),
        ("Wd10", "d10d11=M", "D10-D11=ME"),
        ("Wd10", "d11=me#", "D10-D11=ME"),
        ("A~f3 mb7", "f3b7=M~", "(A)xB7=(ME)"),
        ("A~f3 wb7", "(A)B7=W~", "(A)xB7=(W)"),
        ("A~f3 w~b7", "(A)xB7=W", "(A)xB7=W"),
        ("A~f3 vb7", "f3b7=V~", "(A)xB7=(MA)"),
        ("Ac2 Wa2", "A-B3", "A-B3"),
        ("Ac2 Wa2 tb3", "AxB3", "AxB3"),
        ("Wa2 tb3", "AxB3", "A2xB3"),
    ],
)
def test_other_ways_to_write_a_move(men: str, text: str, canonical: str) -> None:
    """Also: an Advisor's canonical text has precedence over a Sword on the A-file."""
    assert placed(f"Kk1 kk11 {men}").read(0, text) == canonical


@pytest.mark.parametrize(
    ("men", "expected"),
    [
        ("Ha1 Hf3", "HA-B3"),
        ("Hc1 Hc5", "HC1-B3 HC5-B3"),
        ("Hc1 Hc5 Ha1", "HA-B3 HC1-B3 HC5-B3"),
        ("Ha1 Hd4", "HA-B3 HD-B3"),
        ("Hc1 H~c5", "H-B3 (H)-B3"),
        ("H~c1 H~a1", "(H)A-B3 (H)C-B3"),
        ("Hc1 Hc5 mc6", "H-B3"),
    ],
)
def test_the_file_or_the_square_distinguishes_pieces(men: str, expected: str) -> None:
    """Never the rank alone; only pieces that may legally go there count."""
    written = [move for move in moves(placed(f"Kk1 kk11 {men}")) if move.endswith("B3")]
    assert sorted(written) == sorted(expected.split() if expected != "HA-B3" else ["H-B3"])


def test_ambiguous_text_lists_the_candidates() -> None:
    position = placed("Kk1 kk11 Ha1 Hd4 Wa2 Wc2 tb3")
    with pytest.raises(Ambiguous) as caught:
        position.read(0, "HxB3")
    assert set(caught.value.candidates) == {"HAxB3", "HDxB3"}
    assert str(caught.value) == "HxB3 fits several moves: HAxB3, HDxB3. Send one of them."
    with pytest.raises(Ambiguous) as caught:
        position.read(0, "B3")
    assert set(caught.value.candidates) == {"A2xB3", "C2xB3"}
    with pytest.raises(Ambiguous, match=r"^H x B3 fits"):
        position.read(0, "H\rx  B3")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("L4", "L4 is not on the board: its files are A to K and its ranks 1 to 11."),
        ("ME-C12", "C12 is not on the board: its files are A to K and its ranks 1 to 11."),
        ("e5e6", "E5 is empty."),
        ("h10h8", "H10 holds Black's Sword; it is White's turn."),
        ("T-A3", "White's Towers (A1 K1) cannot go to A3."),
        ("(T)-A3", "White has no piece (T)."),
        ("HB2-C4", "B2 holds the Sword, written W, not H."),
        ("E3-E6", "The Sword on E3 cannot go to E6; it can play E3-E4, E3-E5."),
        ("T A1 x B1", "The Tower on A1 cannot go to B1; it has no legal move."),
        ("ExE5", "The Sword on E3 can go to E5, but there is nothing to take: write E3-E5."),
        ("O-O-A", "You cannot castle on the A-side while E1 is occupied."),
        ("f1k1", "You cannot castle on the K-side while G1 is occupied."),
    ],
)
def test_forbidden_moves_are_explained(text: str, sentence: str) -> None:
    assert refusal(PILLARS.start(), text) == sentence


def test_a_move_that_leaves_the_king_in_check_is_explained() -> None:
    position = sample(9)
    assert refusal(position, "H-C9") == (
        "H-C9 leaves your King in check from the Medusa on C8. Moves that end it: "
        "(A)-E10, D10-D9, ME-E10, MA-E10, Q-E10, S-E10, K-G10."
    )


def test_a_pinned_morph_that_must_transform_is_explained() -> None:
    """As a Horse on d7 it would expose the King; as a Medusa there it petrifies the Tower."""
    position = placed("Ke1 H~e5 ka11 te8 md7")
    assert [move for move in moves(position) if move.startswith("(H)")] == ["(H)xD7=(ME)"]
    assert refusal(position, "(H)xD7") == "(H)xD7 would let the Tower on E8 attack your King."


@pytest.mark.parametrize("text", ["", "hello", "()", "E", "99", "x", "=ME", "O-O", "E3-E5=", "E3-E4-E5"])
def test_other_text_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        PILLARS.start().read(0, text)


def test_the_error_for_chess_letters_lists_the_letters_of_this_game() -> None:
    with pytest.raises(Unreadable, match=r"'Nf6' is not a move.*H Horse.*a Sword needs no letter"):
        PILLARS.start().read(0, "Nf6")


@pytest.mark.parametrize("text", ["O-O", "0-0-0", "o-o-o+"])
def test_the_error_for_castling_without_a_side_names_both(text: str) -> None:
    with pytest.raises(Unreadable, match=r"does not say which side: castle with O-O-A or O-O-K\.$"):
        PILLARS.start().read(0, text)


def test_out_of_turn() -> None:
    start = PILLARS.start()
    with pytest.raises(OutOfTurn, match="It isn't Black's turn: the match is waiting for White"):
        start.play(1, start.read(1, "h10h8"))
    over = start.play(0, "resign")
    with pytest.raises(OutOfTurn, match="The match is over"):
        over.play(0, over.read(0, "E3-E5"))
    with pytest.raises(Unreadable):
        over.read(0, "hello")


def test_only_canonical_text_can_be_played() -> None:
    with pytest.raises(Illegal, match="E3-E5 is"):
        PILLARS.start().play(0, "e3e5")


SAMPLE_MIDDLE = sample(20)


@given(st.text(alphabet="abcdefghijkwmtvsp()=x-+ 1234567890~AMEOH", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    position = SAMPLE_MIDDLE
    with suppress(MoveError):
        move = position.read(0, text)
        assert move in ("draw", "resign") or move in position.moves(0)


@given(st.text())
def test_no_text_crashes_the_parser(text: str) -> None:
    for seat in (0, 1):
        with suppress(MoveError):
            PILLARS.start().read(seat, text)


@pytest.mark.parametrize("text", ["E3-E5 ??? [Dia. No. 1]", "E3-E5 [Dia.]", "1. E3 - E5! [dia. no. 2]"])
def test_a_note_about_a_diagram_is_skipped(text: str) -> None:
    assert PILLARS.start().read(0, text) == "E3-E5"


@pytest.mark.parametrize("text", ["E3-E5 [weak]", "[Dia. No. 1]", "[Dia. 1] E3-E5"])
def test_other_words_in_brackets_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        PILLARS.start().read(0, text)


def test_the_error_for_a_move_of_a_morph_sword_says_how_to_write_it() -> None:
    start = PILLARS.start(setup="11/W~10/11/11/11/k10/11/11/11/11/K10 w")
    with pytest.raises(Illegal) as refused:
        start.play(0, start.read(0, "A11"))
    assert str(refused.value) == "White has no Sword. A Morph Sword is written (W): (W)-A11=ME."
