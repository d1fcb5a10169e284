"""How the game ends, draws by agreement, setups, drafts and pictures."""

from __future__ import annotations

import pytest

from service.engine.game import Illegal, OutOfTurn
from service.engine.options import OptionError
from service.render.text import text as text_board
from tests.games.pillars.boards import (
    CASTLING,
    HALF,
    LOST,
    PILLARS,
    WON,
    at,
    ended,
    placed,
    played,
    sample,
    stone,
)

# The end of a match


def test_checkmate_has_precedence() -> None:
    after = played(placed("Kb9 Tc1 ka11", "w - 99 80"), "T-C11")
    assert ended(after) == ("checkmate", WON, LOST)
    assert (after.turns, after.phase, list(after.moves(1))) == ((), "over", [])


def test_stalemate_is_a_draw() -> None:
    assert ended(played(placed("Kf1 Qb5 ka11"), "Q-B9")) == ("stalemate", HALF, HALF)


def test_stalemate_if_all_other_pieces_are_stone() -> None:
    position = placed("Kf1 Qb9 Mg6 ka11 th7 wh6", "b")
    assert stone(position) == "h6 h7"
    assert ended(position) == ("stalemate", HALF, HALF)


def test_threefold_repetition_ends_the_match_immediately() -> None:
    there_and_back = ["H-C3", "H-C9", "H-B1", "H-B11"]
    twice = played(PILLARS.start(), *there_and_back)
    assert twice.outcome is None
    almost = played(twice, *there_and_back[:3])
    assert almost.outcome is None
    assert ended(played(almost, "H-B11")) == ("threefold repetition", HALF, HALF)


def test_a_board_with_other_castling_rights_isnt_a_repetition() -> None:
    tour = ["T-A2", "T-A10", "T-A1", "T-A11"]
    start = placed(CASTLING, "w AKak 0 1")
    almost = played(start, *tour, *tour, "T-A2")
    assert almost.outcome is None
    assert ended(played(almost, "T-A10")) == ("threefold repetition", HALF, HALF)


def test_the_fifty_move_rule() -> None:
    assert ended(played(placed("Ka1 Te5 kk11", "w - 99 80"), "T-E6")) == ("fifty-move rule", HALF, HALF)
    for men, text in [("Te5 he6 th9", "TxE6"), ("We5 th9", "E5-E6"), ("W~e5 th9", "(W)-E6")]:
        after = played(placed(f"Ka1 kk11 {men}", "w - 99 80"), text)
        assert (after.outcome, after.setup.split()[3]) == (None, "0")


@pytest.mark.parametrize(
    ("men", "reason"),
    [
        ("", "dead position"),
        ("Ac3", "dead position"),
        ("A~c3", "dead position"),
        ("hc3", "dead position"),
        ("h~c3", "dead position"),
        ("Vc3", ""),
        ("Ac3 Hd3", ""),
        ("wc3", ""),
        ("Mc3", ""),
    ],
)
def test_dead_positions(men: str, reason: str) -> None:
    position = placed(f"Kf1 kf11 {men}")
    assert (position.outcome.reason if position.outcome else "") == reason


def test_resigning_and_running_out_of_time() -> None:
    start = PILLARS.start()
    assert ended(start.play(1, "resign")) == ("resignation", WON, LOST)
    assert ended(start.forfeit(0, "time")) == ("time", LOST, WON)
    with pytest.raises(OutOfTurn, match="The match is over"):
        start.play(1, "resign").play(0, "D2-D3")


# Draw by agreement


def test_a_draw_is_offered_and_accepted() -> None:
    start = PILLARS.start()
    offered = start.play(0, "draw")
    assert (offered.turns, offered.outcome, offered.round) == ((0,), None, start.round + 1)
    assert "White offers a draw" in offered.view(None).notes[-1]
    assert ended(offered.play(1, "draw")) == ("agreement", HALF, HALF)


def test_an_offer_is_open_until_the_opponent_moves() -> None:
    moved = played(PILLARS.start().play(0, "draw"), "D2-D3")
    assert ended(moved.play(1, "draw")) == ("agreement", HALF, HALF)
    declined = played(moved, "D10-D9")
    assert not any("draw" in note for note in declined.view(None).notes)
    assert declined.play(1, "draw").outcome is None


def test_an_open_offer_cannot_be_repeated() -> None:
    offered = PILLARS.start().play(1, "draw")
    with pytest.raises(Illegal, match="open until White moves"):
        offered.play(1, "draw")
    assert ended(offered.play(0, "draw")) == ("agreement", HALF, HALF)


# Setups


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ("11/11", "must be in 11 rows"),
        ("k10/11/11/11/11/11/11/11/11/11/11", "White must have exactly one King"),
        ("k10/11/11/11/11/11/11/11/11/11/K9", "must fill 11 squares"),
        (f"k10/11/11/11/{'9' * 5_000}/11/11/11/11/11/K10", "must fill 11 squares"),
        ("k10/11/11/11/11/11/11/11/11/11/K8X1", "isn't a piece"),
        ("k~10/11/11/11/11/11/11/11/11/11/K10", "isn't a piece"),
        ("kW9/11/11/11/11/11/11/11/11/11/K10", "can't be on its last rank"),
        ("k10/11/11/11/11/11/11/11/11/11/K10 x", "must be w or b"),
        ("k10/11/11/11/11/11/11/11/11/11/K10 w Z", "castling field"),
        ("k10/11/11/11/11/11/11/11/11/11/K10 w A", "needs the King and that Tower"),
        ("k10/11/11/11/11/11/11/11/11/11/K10 w - x", "must be a number"),
        ("k10/11/11/11/11/11/11/11/11/11/K10 w - 0 1 1", "five fields"),
        ("k10/11/11/11/11/T10/11/11/11/11/K10 w", "could take the King"),
    ],
)
def test_bad_setups(setup: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        at(setup)


def test_fields_may_be_left_out() -> None:
    assert at("k10/11/11/11/11/11/11/11/W10/11/K10").setup == "k10/11/11/11/11/11/11/11/W10/11/K10 w - 0 1"


# Drafts and pictures


def test_a_draft_from_the_first_click_to_the_transformation() -> None:
    position = placed("Ka1 kk11 A~f3 hb7")
    opening = position.draft(0, "")
    sharing = [choice for choice in opening.choices if choice.cells == ("f3", "b7")]
    assert [(choice.text, choice.label) for choice in sharing] == [
        ("(A)xB7", "stay a Morph Advisor"),
        ("(A)xB7=(H)", "become a Morph Horse"),
    ]
    clicked = position.draft(0, "f3")
    assert (clicked.text, clicked.complete) == ("f3", False)
    assert {choice.cells for choice in clicked.choices} >= {("b7",), ("g4",)}
    whole = position.draft(0, "(A)xB7")
    assert whole.complete
    assert [(choice.text, choice.step) for choice in whole.choices] == [("(A)xB7=(H)", "=(H)")]
    assert position.draft(0, "(A)xB7=(H)").scene.pieces[67].morph
    with pytest.raises(Illegal):
        position.draft(0, "f3f4")


def test_a_note_says_that_a_clicked_piece_cannot_move() -> None:
    start = at("4tkt4/4www4/11/11/11/11/11/11/11/4WWW4/4TKT4")
    clicked = start.draft(0, "f1")
    assert (clicked.complete, clicked.choices) == (False, ())
    assert clicked.scene.notes[-1] == "The King on F1 has no legal move."
    with pytest.raises(Illegal, match=r"^The King on F1 cannot go to F6; it has no legal move\.$"):
        start.draft(0, "f1 f6")


@pytest.mark.parametrize(
    ("men", "text", "label"),
    [
        ("H~f3 q~e5", "(H)xE5=Q", "become a Queen and stop morphing"),
        ("W~c10 td11", "(W)xD11=ME", "promote to a Medusa"),
        ("W~c10 td11", "(W)xD11=(T)", "become a Morph Tower"),
        ("Wc10", "C10-C11=ME", "promote to a Medusa"),
        ("Tf3", "T-F4", "T-F4"),
    ],
)
def test_labels_of_choices(men: str, text: str, label: str) -> None:
    choices = placed(f"Ka1 kk8 {men}").draft(0, "").choices
    assert [choice.label for choice in choices if choice.text == text] == [label]


def test_a_scene() -> None:
    """After 8. MExB10: five stone pieces, and the marks and notes of the last move."""
    scene = sample(15).view(None)
    names = scene.board.names
    assert [names[cell] for cell, piece in scene.pieces.items() if piece.petrified] == [
        "a9",
        "a10",
        "c10",
        "a11",
        "c11",
    ]
    assert [names[cell] for cell, piece in scene.pieces.items() if piece.morph] == ["f9"]
    assert {names[cell]: marks for cell, marks in scene.marks.items()} == {
        "d8": ("origin",),
        "b10": ("last",),
    }
    assert scene.notes == ("White played MExB10 and took a Sword.",)
    assert sample(9).view(1).notes == ("White played ME-C8+.", "Black is in check.")
    assert sample(9).view(1).marks[names.index("f11")] == ("check",)
    kinds = {piece.kind for piece in scene.pieces.values()}
    assert kinds == {
        *["sword", "tower", "horse", "advisor", "mounted-advisor", "pillar", "serpent", "queen", "king", "medusa"]
    }


def test_everybody_sees_the_same() -> None:
    assert sample(20).view(0) == sample(20).view(1) == sample(20).view(None)


def test_the_rows_of_the_text_board_have_their_number_on_both_sides() -> None:
    lines = text_board(PILLARS.start().view(None)).splitlines()
    rows = [line.split() for line in lines if line.strip()[:1].isdigit()]
    assert [(row[0], row[-1]) for row in rows] == [(str(number), str(number)) for number in range(11, 0, -1)]
    files = [line.split() for line in lines if line.split()[:1] == ["a"]]
    assert files == [list("abcdefghijk")] * 2


@pytest.mark.parametrize(("orders", "seat", "other"), [((), 0, "Black"), ((), 1, "White"), (("draw",), 0, "Black")])
def test_only_the_opponents_draw_offer_can_be_declined(orders: tuple[str, ...], seat: int, other: str) -> None:
    position = PILLARS.start()
    for order in orders:
        position = position.play(0, order)
    with pytest.raises(Illegal, match=f"There's no draw offer from {other} to decline."):
        position.play(seat, "decline")


def test_no_moves_follow_the_end_of_a_game() -> None:
    mated = PILLARS.replay(placed("Kh1 Tb5 Tc3 ka11"), [(0, "T-A3")])
    assert mated.outcome is not None
    for position in (mated, PILLARS.start().play(0, "resign")):
        assert [PILLARS.perft(position, depth) for depth in range(3)] == [1, 0, 0]
