"""Simultaneous moves: sealing, collisions, removal in one stage, void turns, and the end of play."""

from __future__ import annotations

import pytest

from service.engine.game import Illegal, OutOfTurn, Position, Unreadable
from tests.games.multiplayer_go.playing import board, notes, played, scores, start, turn, waited

KO = "black: a2 b1 b3; white: b2 c1 c3 d2; red: e1"


def test_a_turn_resolves_once_all_have_sealed_their_moves() -> None:
    begun = start("multigo-parallel", 3, size="5")
    sealed = played(begun, "red: c3, black: b2")
    assert sealed.round == begun.round
    assert (waited(sealed), sealed.public_turns) == (["white"], (0, 1, 2))
    assert board(sealed) == {}
    after = played(sealed, "white: pass")
    assert after.round == begun.round + 1
    assert board(after) == {"black": ["b2"], "red": ["c3"]}
    assert waited(after) == ["black", "white", "red"]


def test_a_turn_with_a_late_seat_doesnt_end_play_but_three_unchanged_turns_do() -> None:
    now = start("multigo-parallel", 3, size="5")
    assert [now.missed(seat) for seat in range(3)] == ["late"] * 3
    with pytest.raises(Unreadable):
        now.read(0, "late")
    for _ in range(2):
        now = now.play(0, "late").play(1, "pass").play(2, "pass")
        assert now.phase == "play"
        assert notes(now) == "White and Red passed. Black sent no move in time."
    assert now.play(0, "late").play(1, "late").play(2, "late").phase == "scoring"


def test_a_sealed_move_may_be_replaced() -> None:
    sealed = played(start("multigo-parallel", 3, size="5"), "black: a1, black: b2, red: pass, black: c3")
    assert board(played(sealed, "white: pass")) == {"black": ["c3"]}


def test_the_public_board_decides_what_can_be_sealed() -> None:
    begun = start("multigo-parallel", 3, "black: a2 b1; white: c3", size="3")
    with pytest.raises(Illegal, match="c3 is taken by White"):
        begun.play(0, "c3")
    assert [*begun.moves(1)] == ["a1", "c1", "b2", "c2", "a3", "b3", "pass"], "It may turn out not to be suicide."
    assert played(begun, "black: c1").play(1, "c1").round == begun.round


def test_a_sealed_stone_is_a_ghost_that_only_its_owner_sees() -> None:
    begun = start("multigo-parallel-coop", 3, size="5")
    sealed = begun.play(1, "c3")
    point = sealed.board.index["c3"]  # type: ignore[attr-defined]
    assert sealed.view(1).marks[point] == ("ghost",)
    assert sealed.view(1).pieces[point].side == 1
    assert "Sealed until all have chosen: c3. Until then you may replace it." in notes(sealed, 1)
    for seat in (None, 0, 2):
        assert sealed.view(seat).pieces == {}
        assert sealed.view(seat) == begun.view(seat)
    assert "chosen: pass" in notes(begun.play(1, "pass"), 1)


def test_a_player_who_is_late_reads_that_a_move_still_counts() -> None:
    late = start("multigo-parallel", 3, size="5").play(1, "late")
    assert notes(late, 1) == "You sent no move in time. Until all others have chosen, you may still send one."
    after = turn(late, {"white": "c3", "black": "pass", "red": "pass"})
    assert board(after) == {"white": ["c3"]}


def others_know(position: Position, seat: int) -> list[object]:
    """Everything that anybody but `seat` can see."""
    views = [position.view(viewer) for viewer in (None, *range(len(position.sides))) if viewer != seat]
    moves = [[*position.moves(other)] for other in range(len(position.sides)) if other != seat]
    return [views, moves, position.facts, position.setup, position.occupants, position.public_turns, position.round]


@pytest.mark.parametrize("game", ["multigo-parallel", "multigo-parallel-coop"])
def test_a_sealed_choice_is_secret(game: str) -> None:
    begun = start(game, 4, KO, size="5")
    for now in (begun, played(begun, "black: c2, blue: d4")):
        known = others_know(now, 1)
        choices = ["pass", "c2", "e5"] + (["e5 take red"] if "coop" in game else [])
        assert all(others_know(now.play(1, choice), 1) == known for choice in choices)
    last = played(begun, "black: c2, blue: d4, red: a5")
    for text in ("c2", "pass", "resign"):
        assert last.draft(1, text).scene == begun.draft(1, text).scene, "A draft doesn't resolve the turn."
    assert len(last.draft(1, "c2").scene.pieces) == len(begun.occupants) + 1


def test_a_draft_shows_what_its_player_alone_would_see() -> None:
    begun = played(start("multigo-parallel-coop", 3, size="5"), "white: c3, black: a1")
    for text in ("wait", "prefer red", "prefer none"):
        assert begun.draft(1, text).scene == begun.play(1, text).view(1)
    assert begun.draft(1, "wait").scene.pieces == {}
    assert ("You prefer", "red") in begun.draft(1, "prefer red").scene.facts


def test_seats_that_choose_the_same_point_place_no_stone_there() -> None:
    begun = start("multigo-parallel", 3, size="5")
    after = turn(begun, {"black": "c3", "white": "c3", "red": "a1"})
    assert board(after) == {"red": ["a1"]}
    assert notes(after) == "Black and White both chose c3, so neither stone was placed. Red played a1."
    assert board(turn(after, {"black": "c3", "white": "pass", "red": "pass"})) == {"red": ["a1"], "black": ["c3"]}
    three = turn(begun, {"black": "c3", "white": "c3", "red": "c3"})
    assert notes(three) == "Black, White and Red all chose c3, so none of these stones was placed."


def test_a_turn_that_repeats_a_position_is_void() -> None:
    """Black plays c2, and both stones fall; White fills b2 again, but that repeats a board and has no effect."""
    begun = start("multigo-parallel", 3, KO, size="3x5")
    taken = turn(begun, {"black": "c2", "white": "pass", "red": "pass"})
    assert taken.facts["captured"] == {"black": 1, "white": 1}
    again = turn(taken, {"black": "pass", "white": "b2", "red": "pass"})
    assert board(again) == board(taken)
    assert again.facts["captured"] == {}
    assert again.facts["prisoners"] == taken.facts["prisoners"]
    assert "The turn is void, because it would repeat an earlier position: White b2 had no effect." in notes(again)


def test_a_turn_that_changes_nothing_is_void() -> None:
    begun = start("multigo-parallel", 2, "black: a2 b1", size="3")
    after = turn(begun, {"black": "pass", "white": "a1"})
    assert "void" in notes(after)
    assert after.facts["prisoners"] == {}
    assert board(after) == board(begun)


@pytest.mark.parametrize(
    ("turns", "phase"),
    [
        (["pass pass pass"], "scoring"),
        (["c3 pass pass"], "play"),
        (["c3 c3 pass"], "play"),
        (["c3 c3 c3", "c3 c3 c3"], "play"),
        (["c3 c3 c3", "c3 c3 c3", "c3 c3 c3"], "scoring"),
        (["c3 c3 c3", "c3 c3 c3", "a1 pass pass", "c3 c3 c3"], "play"),
        (["c3 c3 c3", "pass pass pass"], "scoring"),
    ],
)
def test_play_ends_when_all_pass_or_the_board_stays_the_same_for_three_turns(turns: list[str], phase: str) -> None:
    now = start("multigo-parallel", 3, size="5")
    for line in turns:
        now = turn(now, dict(zip(now.sides, line.split(), strict=True)))
    assert now.phase == phase


def test_resigning_drops_the_sealed_move_and_may_resolve_the_turn() -> None:
    begun = played(start("multigo-parallel", 3, size="5"), "black: a1, white: b2")
    left = played(begun, "white: resign")
    assert (left.round, waited(left), left.public_turns) == (begun.round + 1, ["red"], (0, 2))
    assert "White resigned" in notes(left)
    assert board(played(left, "red: c3")) == {"black": ["a1"], "red": ["c3"]}
    resolved = played(begun, "red: resign")
    assert board(resolved) == {"black": ["a1"], "white": ["b2"]}
    assert "Red resigned; the stones stay on the board. Placed at the same time: Black a1, White b2." in notes(resolved)
    assert "Red resigned" not in notes(turn(resolved, {"black": "e5", "white": "pass"}))
    assert scores(played(resolved, "white: resign")) == ["1", "0", "0"]
    with pytest.raises(OutOfTurn):
        resolved.play(2, "pass")


def test_a_sealed_stone_is_not_on_the_board_of_a_match_that_has_ended() -> None:
    sealed = played(start("multigo-parallel", 2, size="5"), "black: c3")
    for ended in (played(sealed, "white: resign"), sealed.forfeit(1, "timeout"), played(sealed, "black: resign")):
        assert ended.phase == "over"
        for seat in (0, 1):
            assert ended.view(seat) == ended.view(None)
            assert ended.view(seat).pieces == {}


def test_resumed_play_begins_a_new_turn() -> None:
    now = turn(start("multigo-parallel", 3, size="5"), {"black": "pass", "white": "pass", "red": "pass"})
    now = played(now, "white: resume")
    assert (now.phase, waited(now)) == ("play", ["black", "white", "red"])
    now = turn(now, {"black": "pass", "white": "pass", "red": "pass"})
    assert now.phase == "over"


def test_a_sealed_choice_of_colours() -> None:
    setup = "black: f8 g6; white: c6 c7 d5 e5 f5 g7; red: d6 e6; blue: e7 f6 f7"
    begun = start("multigo-parallel-coop", 4, setup, size="10")
    begun = begun.play(0, "prefer red")
    after = turn(begun, {"black": "e8", "white": "d7 take blue blue", "red": "pass", "blue": "pass"})
    assert after.facts["prisoners"] == {"black": {"red": 2}, "white": {"blue": 2}}
    with pytest.raises(Illegal, match="You can't take stones of your own colour"):
        begun.play(1, "d7 take white")


def test_setups_of_simultaneous_games_have_no_turn() -> None:
    begun = start("multigo-parallel", 3, "black: a1; turn: white; round: 7; left: red", size="5")
    assert waited(begun) == ["black", "white"]
    assert begun.setup == "black: a1; round: 7; left: red"
    assert start("multigo-parallel", 3, begun.setup, size="5").setup == begun.setup
