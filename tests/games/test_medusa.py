"""Matches of Medusa: turns, marker, repetition, agreement and count. Single turns are in test_medusa_turn."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest

from service.engine.game import Illegal, Outcome, OutOfTurn, Position, Unreadable
from service.engine.options import OptionError
from service.engine.record import steps
from service.games.medusa import Medusa

BLACK, WHITE = 0, 1
DATA = Path(__file__).parent.parent / "data" / "games"


def start(**options: str) -> Position:
    return Medusa().start(2, 0, **options)


def play(position: Position, *orders: str) -> Position:
    """Plays orders as people type them, each by the first seat of `turns`."""
    for order in orders:
        seat = position.turns[0]
        position = position.play(seat, position.read(seat, order))
    return position


def stones(position: Position) -> str:
    """`black: …; white: …`, the stones in the setup."""
    return "; ".join(part for part in position.setup.split("; ") if part.startswith(("black", "white")))


def marks(position: Position, kind: str) -> set[str]:
    scene = position.view(None)
    return {scene.board.names[cell] for cell, kinds in scene.marks.items() if kind in kinds}


class TestTurn:
    def test_black_moves_first_and_the_marker_is_three_points_towards_white(self) -> None:
        """Ruling M-l."""
        position = start()
        assert (position.turns, position.phase, position.outcome) == ((BLACK,), "play", None)
        assert position.facts == {"marker": -3, "captured": {}}
        assert start(komi="0").facts["marker"] == 0
        assert position.setup == "turn: black; marker: -3"

    def test_a_whole_turn_is_one_order(self) -> None:
        """Case M2."""
        before = start(setup="black: b1 c2 b3 a2; white: d1 e1 d3 e3 a3 c4; turn: white")
        after = play(before, "A1, ec1 then e3-c3")
        assert stones(after) == "white: a1 a2 a3 b1 b3 c1 c2 c3 c4 d1 d3"
        assert after.facts == {"marker": -3, "captured": {"white": 1, "black": 5}}
        assert (after.turns, after.round) == ((BLACK,), 2)
        assert marks(after, "last") == {"a1", "c1", "c3"}
        assert marks(after, "origin") == {"e1", "e3"}
        assert marks(after, "reversed") == {"a2", "b1", "b3", "c2"}
        assert after.view(None).notes == (
            "White played a1 e1-c1 e3-c3.",
            "1 stone turned from white to black: a1.",
            "5 stones turned from black to white: a1 a2 b1 b3 c2.",
        )

    def test_suicide_is_legal(self) -> None:
        after = play(start(setup="black: a2 b1; turn: white"), "a1")
        assert stones(after) == "black: a1 a2 b1"
        assert after.facts == {"marker": -3, "captured": {"white": 1}}

    @pytest.mark.parametrize(
        ("order", "marker"),
        [("a1", -3), ("a1 c5-e5", -3), ("c5-e5", -2), ("pass", -2)],
    )
    def test_only_a_turn_without_a_placement_moves_the_marker(self, order: str, marker: int) -> None:
        """Ruling M-g: a complete pass moves it, too."""
        after = play(start(setup="black: c5 d5"), order)
        assert after.facts["marker"] == marker

    @pytest.mark.parametrize(("turn", "marker"), [("black", 9), ("white", -9)])
    def test_the_marker_stops_at_the_end_of_the_track(self, turn: str, marker: int) -> None:
        """Ruling M-h."""
        at_the_end = play(start(setup=f"turn: {turn}; marker: {marker}"), "pass")
        assert at_the_end.facts["marker"] == marker

    def test_the_stone_just_placed_may_move(self) -> None:
        """Ruling M-f."""
        assert stones(play(start(setup="black: c5"), "d5 d5-b5")) == "black: b5 c5"

    def test_out_of_turn_and_after_the_end(self) -> None:
        with pytest.raises(OutOfTurn):
            start().play(WHITE, "a1")
        resigned = start().play(BLACK, "resign")
        assert resigned.outcome is not None
        assert resigned.outcome.scores == (Fraction(0), Fraction(1))
        with pytest.raises(OutOfTurn):
            resigned.play(WHITE, "a1")


class TestReading:
    @pytest.mark.parametrize(
        ("text", "move"),
        [
            ("Pass.", "pass"),
            ("RESIGN", "resign"),
            ("my move is A1", "a1"),
            ("play a1", "a1"),
            ("a1 move e1 to c1", "a1 e1-c1"),
            ("qs15", "q15-s15"),
            ("Dead: c3, f7", "dead c3 f7"),
        ],
    )
    def test_reading_is_liberal(self, text: str, move: str) -> None:
        assert start().read(BLACK, text) == move

    @pytest.mark.parametrize("text", ["", "   ", "hello", "a1 b", "dead", "1", "a1-b1-c1", "*"])
    def test_nonsense_is_unreadable(self, text: str) -> None:
        with pytest.raises(Unreadable):
            start().read(BLACK, text)

    @pytest.mark.parametrize("text", ["accept", "resume", "dead a1", "dead none"])
    def test_words_of_the_agreement_are_refused_during_play(self, text: str) -> None:
        with pytest.raises(Illegal, match="Play hasn't ended yet"):
            start().play(BLACK, text)


class TestRepetition:
    """Ruling M-i: situational superko over whole turns; complete passes are always legal."""

    SETUP = "black: c5 d5; white: m9 n9"

    def test_a_turn_without_a_placement_may_not_repeat_a_position(self) -> None:
        position = play(start(setup=self.SETUP), "c5-e5", "m9-o9", "e5-c5")
        with pytest.raises(Illegal, match="o9-m9 would bring back an earlier position with Black to move"):
            play(position, "o9-m9")
        assert "o9-m9" not in position.moves(WHITE)
        assert "n9-p9" in position.moves(WHITE)

    def test_the_same_board_with_the_other_side_to_move_is_another_position(self) -> None:
        position = play(start(setup=self.SETUP), "c5-e5", "pass")
        assert "e5-c5" in position.moves(BLACK)

    def test_positions_after_passes_count(self) -> None:
        """Only White's pass has left Black to move with a stone on e5 and White's on m9 and n9."""
        position = play(start(setup=self.SETUP), "c5-e5", "pass", "e5-c5", "m9-o9", "c5-e5")
        with pytest.raises(Illegal, match="bring back"):
            play(position, "o9-m9")

    def test_a_complete_pass_is_always_legal(self) -> None:
        position = play(start(setup=self.SETUP), "c5-e5", "pass", "e5-c5")
        assert play(position, "pass").setup.startswith(self.SETUP)

    def test_a_turn_with_a_placement_is_never_a_repetition(self) -> None:
        position = play(start(setup=self.SETUP), "c5-e5", "m9-o9", "e5-c5", "a1 o9-m9")
        assert stones(position) == "black: c5 d5; white: a1 m9 n9"

    def test_repetition_is_allowed_if_switched_off(self) -> None:
        position = play(start(setup=self.SETUP, repetition="off"), *["c5-e5", "m9-o9", "e5-c5", "o9-m9"] * 3)
        assert stones(position) == self.SETUP

    def test_a_draft_that_would_repeat_a_position_must_go_on(self) -> None:
        position = play(start(setup="black: c5 d5; white: m9 n9 a1 b1"), "c5-e5", "m9-o9", "e5-c5")
        draft = position.draft(WHITE, "o9-m9")
        assert not draft.complete
        assert "o9-m9 a1-c1" in {choice.text for choice in draft.choices}
        assert position.draft(WHITE, "o9-m9 a1-c1").complete


class TestMoves:
    def test_moves_are_all_cells_then_pass(self) -> None:
        moves = list(start().moves(BLACK))
        assert len(moves) == 211
        assert moves[-1] == "pass"
        assert list(start().moves(WHITE)) == []

    def test_moves_of_one_group(self) -> None:
        moves = set(start(setup="black: c5 d5; white: e5 f5").moves(BLACK))
        assert {move for move in moves if "-" in move} == {"d5-b5"}
        assert not moves & {"c5", "d5", "e5", "f5"}

    @pytest.mark.parametrize("seed", range(4))
    def test_random_matches_keep_the_contract(self, seed: int) -> None:
        """Every listed move is readable, stones never leave the board, and setups start the same position."""
        chance = random.Random(seed)
        position = start(base="4")
        for _ in range(60):
            if position.phase != "play":
                break
            seat = position.turns[0]
            moves = list(position.moves(seat))
            assert all(position.read(seat, move) == move for move in moves)
            after = position.play(seat, chance.choice(moves))
            if after.phase == "play":
                assert len(after.occupants) - len(position.occupants) in (0, 1)
                again = start(base="4", setup=after.setup)
                assert (again.setup, again.occupants) == (after.setup, after.occupants)
            position = after


class TestDraft:
    def test_click_by_click(self) -> None:
        position = start(setup="black: b1 c2 b3 a2; white: d1 e1 d3 e3 a3 c4; turn: white")
        empty = position.draft(WHITE, "")
        assert not empty.complete
        by_step = {choice.step: choice for choice in empty.choices}
        assert by_step["a1"].cells == ("a1",)
        assert by_step["e1-c1"].cells == ("e1", "c1")
        assert by_step["pass"].cells == ()
        placed = position.draft(WHITE, "a1")
        assert placed.complete
        assert {choice.text for choice in placed.choices} == {
            "a1 d1-f1",
            "a1 e1-c1",
            "a1 d3-f3",
            "a1 e3-c3",
        }
        third = position.draft(WHITE, "a1 ec1")
        assert third.text == "a1 e1-c1"
        assert {choice.step for choice in third.choices} == {"d3-f3", "e3-c3"}
        assert third.scene.pieces[third.scene.board.index["a1"]].side == BLACK

    def test_pass_is_a_whole_turn(self) -> None:
        draft = start().draft(BLACK, "pass")
        assert (draft.text, draft.complete, draft.choices) == ("pass", True, ())

    def test_drafts_that_are_refused(self) -> None:
        with pytest.raises(Illegal, match=re.escape("c5 is taken by Black.")):
            start(setup="black: c5").draft(BLACK, "c5")
        with pytest.raises(OutOfTurn):
            start().draft(WHITE, "a1")
        assert start().draft(WHITE, "").choices == ()


ROSETTE = "a1 a2 b1 b3 c2 c3"


class TestEnd:
    def test_two_complete_passes_end_play(self) -> None:
        position = play(start(), "pass", "pass")
        assert position.phase == "scoring"
        assert position.facts["marker"] == -3
        assert play(start(setup="black: c5 d5"), "c5-e5", "pass").phase == "play"

    def test_count(self) -> None:
        """Ruling M-k: stones, cells that only one side surrounds, and the marker; holes aren't cells.

        Black's wall of six cuts off the seven cells of rows 1 and 2; the rest of the board touches White, too.
        """
        wall = "a3 b3 c3 d3 e3 f3"
        position = play(start(base="4", setup=f"black: {wall}; white: d7; marker: 2"), "pass", "pass")
        done = play(position, "accept", "accept")
        assert done.phase == "over"
        assert done.facts["territory"] == {"black": 13, "white": 1}
        assert done.facts["points"] == {"black": "15", "white": "1"}
        assert done.outcome is not None
        assert (done.outcome.scores, done.outcome.reason) == ((Fraction(1), Fraction(0)), "points")

    def test_a_tie_is_a_draw(self) -> None:
        """Ruling M-m."""
        done = play(start(setup="black: a1; white: s19; marker: 0"), "pass", "pass", "accept", "accept")
        assert done.outcome is not None
        assert done.outcome.scores == (Fraction(1, 2), Fraction(1, 2))

    def test_dead_stones_are_reversed(self) -> None:
        """Ruling M-j."""
        position = play(start(base="4", setup="black: a3 b3 c3 d3 e3 f3; white: a1 d7"), "pass", "pass")
        counted = play(position, "dead a1", "accept")
        assert counted.occupants["a1"] == "black"
        assert counted.facts["territory"] == {"black": 13, "white": 1}

    def test_a_group_with_a_rosette_cannot_be_dead(self) -> None:
        position = play(start(setup=f"white: {ROSETTE}"), "pass", "pass")
        with pytest.raises(Illegal):
            play(position, "dead a1")

    def test_play_can_be_resumed_once(self) -> None:
        position = play(start(setup="black: c5 d5"), "pass", "pass", "resume")
        assert (position.phase, position.turns) == ("play", (BLACK,))
        again = play(position, "c5-e5", "pass", "pass")
        assert again.phase == "over"
        assert again.facts["marker"] == -2


class TestOptions:
    @pytest.mark.parametrize(("base", "cells"), [("10", 210), ("8", 132), ("6", 72), ("4", 30)])
    def test_boards(self, base: str, cells: int) -> None:
        assert len(start(base=base).view(None).board.names) == cells

    @pytest.mark.parametrize(
        "options",
        [
            {"base": "5"},
            {"komi": "x"},
            {"komi": "10"},
            {"repetition": "on"},
            {"setup": "black: b2"},
            {"setup": "red: a1"},
            {"setup": "marker: 10"},
            {"setup": "marker: -10"},
            {"setup": "black: a1; white: a2 b1"},
        ],
    )
    def test_bad_values(self, options: dict[str, str]) -> None:
        with pytest.raises(OptionError):
            start(**options)

    def test_a_setup_may_have_a_rosette_without_liberties(self) -> None:
        setup = f"black: {ROSETTE}; white: a3 b4 c4 d4 d3 c1 d5"
        with pytest.raises(OptionError):
            start(setup=setup)
        around = "a3 c4 d3 c1"
        position = start(setup=f"black: {ROSETTE}; white: {around}; turn: white")
        assert len(position.occupants) == 10


def test_any_text_is_read_or_refused() -> None:
    chance = random.Random(5)
    position = start(setup="black: c5 d5; white: e5 f5")
    for _ in range(500):
        text = "".join(chance.choice("acde0159- ,>qs") for _ in range(chance.randrange(12)))
        with suppress(Unreadable, Illegal):
            position.play(BLACK, position.read(BLACK, text))


def test_the_count_of_the_golden_match() -> None:
    """Two dead white stones are reversed: three points for Black, one of them the cell between."""
    *_, last = steps(start(), (DATA / "medusa.record").read_text())
    assert last.position.facts["territory"] == {"black": 81, "white": 105}
    assert last.position.facts["points"] == {"black": "85", "white": "105"}
    assert last.position.outcome == Outcome.shared(2, (WHITE,), "points")


def test_the_draft_says_which_groups_can_still_move() -> None:
    position = start(setup="black: a1 a2 c1 m9 n9; white: s19")
    assert position.draft(BLACK, "s15").scene.notes[-1] == (
        "2 groups can still move, by one of these stones: a1, or m9 n9."
    )
    assert position.draft(BLACK, "s15 m9-o9").scene.notes[-1].startswith("One group can still move, by one of")


def test_komi_is_from_0_to_9_and_3_by_default() -> None:
    (komi,) = [option for option in Medusa.options if option.name == "komi"]
    assert (komi.default, sorted(komi.choices)) == ("3", [*"0123456789"])
