"""Moves in turn: legality, the first rounds, the end of play, leaving and resuming."""

from __future__ import annotations

import pytest

from service.engine.game import Illegal, MoveError, OutOfTurn
from service.engine.options import OptionError
from service.games import GAMES
from tests.games.multiplayer_go.playing import board, notes, played, points, scores, start, waited

NO_CHOICE = "There are no colours to choose in this game: a single captor takes the whole chain."
KO = "black: a2 b1 b3; white: b2 c1 c3 d2; red: e1"


@pytest.mark.parametrize(
    ("setup", "move", "told"),
    [
        ("black: a2; red: b1; turn: white", "a1", "a1 would leave your chain without a liberty (suicide)."),
        ("black: a2; turn: white", "a2", "a2 is taken by Black."),
        ("red: a2; turn: white", "a2", "a2 is taken by Red."),
        ("black: a2; turn: white", "d1", "There's no point d1 on this board."),
        ("black: a2; turn: white", "accept", "Play hasn't ended yet, and accept is for the end."),
        ("black: a2; turn: white", "alone", "There are no alliances in this match. Play a point, or pass."),
        ("black: a2; turn: white", "prefer red", NO_CHOICE),
        ("black: a2; turn: white", "b2 take red", NO_CHOICE),
    ],
)
def test_refusals(setup: str, move: str, told: str) -> None:
    with pytest.raises(Illegal) as refused:
        played(start("multigo", 3, setup, size="3"), move)
    assert str(refused.value).startswith(told)


@pytest.mark.parametrize(
    ("move", "told"),
    [
        ("h8 take green", "Nobody plays Green here; the colours are black, white, red and blue."),
        ("h8 take red", "You can't take stones of your own colour: red is yours. Name other colours."),
        ("a1 take blue", "a1 captures no blue stones: write a1 without that colour."),
        ("ally white", "Play hasn't ended yet: alliances are declared after it. Play a point, or pass."),
    ],
)
def test_refusals_of_cooperation(move: str, told: str) -> None:
    setup = "black: g9; white: g7 h7; red: f7 f8 g6 h6 j7 j8; blue: g8; turn: red"
    with pytest.raises(Illegal) as refused:
        played(start("multigo-coop", 4, setup, size="10"), move)
    assert str(refused.value) == told


def test_a_repetition_is_refused() -> None:
    with pytest.raises(Illegal) as refused:
        played(start("multigo", 2, f"{KO}; turn: black".replace("red: e1; ", ""), size="3x5"), "c2, b2")
    assert str(refused.value) == "b2 would repeat an earlier position (superko)."


def test_out_of_turn() -> None:
    with pytest.raises(OutOfTurn, match="It isn't Red's turn: the match is waiting for Black"):
        start("multigo", 3).play(2, "c3")


def test_the_first_seats_are_skipped_in_round_three_and_everybody_sees_it() -> None:
    third = played(start("multigo", 3, size="9"), "a1, c1, e1, g1, a3, c3")
    assert waited(third) == ["white"]
    assert "Black is skipped in this round, to make up for moving first." in notes(third)
    four = played(start("multigo-coop", 4, size="9"), "a1, c1, e1, g1, a3, c3, e3, g3")
    assert waited(four) == ["red"]
    assert "Black and White are skipped in this round, to make up for moving first." in notes(four)


def test_a_double_first_move_is_two_ordinary_moves() -> None:
    begun = played(start("multigo", 5, size="9"), "a1, c1, e1, g1")
    once = played(begun, "h9")
    assert waited(once) == ["green"]
    assert notes(once) == "Green played h9. Green moves twice in this round, because no corner is left."
    assert once.setup.endswith("turn: green; round: 1; moved: 1")
    again = start("multigo", 5, once.setup, size="9")
    assert again.setup == once.setup
    assert waited(played(again, "b9")) == waited(played(once, "b9")) == ["black"]
    assert waited(played(once, "pass")) == ["black"]
    assert waited(played(begun, "pass")) == ["green"]
    assert waited(played(once, "resign")) == ["black"]


def test_the_inventors_opening_of_five() -> None:
    opening = played(start("multigo", 5), "d16, p4, q16, e4, h16, n16")
    assert board(opening) == {
        "black": ["d16"],
        "white": ["p4"],
        "red": ["q16"],
        "blue": ["e4"],
        "green": ["h16", "n16"],
    }
    assert waited(opening) == ["black"]


@pytest.mark.parametrize(
    ("seats", "setup", "first", "then"),
    [
        (3, "black: a1", "black", "white"),
        (3, "round: 3", "white", "red"),
        (3, "turn: red; round: 2", "red", "white"),
        (4, "round: 3", "red", "blue"),
        (5, "turn: green; round: 1", "green", "green"),
        (5, "turn: green", "green", "black"),
        (4, "turn: white; left: white blue", "red", "black"),
    ],
)
def test_a_setup_says_which_round_it_is(seats: int, setup: str, first: str, then: str) -> None:
    begun = start("multigo", seats, setup, size="9")
    assert waited(begun) == [first]
    assert waited(played(begun, "e5")) == [then]
    again = start("multigo", seats, begun.setup, size="9")
    assert again.setup == begun.setup
    assert again.turns == begun.turns
    assert again.active == begun.active


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        ("black: a1; moved: 1", "setup: moved can only be 1, of a seat that places two stones in round 1."),
        ("left: black white", "setup: at least two players must be left."),
        ("prisoners: black black 2", "setup: black cannot hold prisoners of its own colour."),
        ("black: a1; white: a2 b1", "setup: the chain at a1 has no liberty."),
        ("round: 0", "setup: round must be a whole number from 1 on, not '0'."),
        ("left: pink", "setup: 'pink' is not one of the sides black, white, red."),
        ("marker: 3", "setup: 'marker: 3' isn't part of a setup; the parts are black, white, red, turn, prisoners,"),
    ],
)
def test_bad_setups(setup: str, told: str) -> None:
    with pytest.raises(OptionError) as refused:
        start("multigo", 3, setup, size="5")
    assert str(refused.value).startswith(told)


def test_a_stone_starts_the_count_of_passes_again() -> None:
    now = played(start("multigo", 3, size="5"), "pass, pass, c3, pass, white: pass")
    assert now.phase == "play"
    assert played(now, "pass").phase == "scoring"


def test_play_ends_without_a_pass_by_a_seat_that_resigned() -> None:
    now = played(start("multigo", 3, size="5"), "c3, pass, pass")
    assert now.phase == "play"
    assert played(now, "black: resign").phase == "scoring"
    assert played(now, "white: resign, black: pass").phase == "scoring"
    assert played(start("multigo", 3, size="5"), "pass, white: resign, c3").phase == "play"


def test_stones_of_a_player_who_left_stay_and_can_be_captured() -> None:
    now = played(start("multigo", 3, "white: a1; black: a2; turn: black", size="5"), "white: resign")
    assert board(now) == {"black": ["a2"], "white": ["a1"]}
    assert waited(now) == ["black"]
    assert notes(now) == "White resigned; the stones stay on the board."
    now = played(now, "b1")
    assert now.facts["captured"] == {"white": 1}
    assert waited(now) == ["red"]
    with pytest.raises(OutOfTurn, match="White has left the match"):
        now.play(1, "c3")
    assert now.setup.endswith("left: white")


def test_a_player_who_left_cannot_win() -> None:
    """The points of a player who left only count for the total."""
    setup = "white: a3 b3 c3; black: a2 b2 c2; red: c4; turn: white"
    now = played(start("multigo", 3, setup, size="5x3"), "white: resign, pass, pass, accept, accept")
    assert points(now)["black"] == 3
    assert scores(now) == ["1", "0", "0"]
    late = start("multigo", 3, size="5").forfeit(1, "time")
    assert notes(late) == "White ran out of time; the stones stay on the board."
    last = late.forfeit(0, "time")
    assert last.outcome is not None
    assert (scores(last), last.outcome.reason) == (["0", "0", "1"], "time")


def test_equal_points_share_the_victory() -> None:
    now = played(start("multigo", 3, size="5"), "pass, pass, pass, black: accept, accept, accept")
    assert scores(now) == ["1/3", "1/3", "1/3"]


# ---- dead stones at a table for several


WALL = "black: c1 c2 c3 c4 c5"
DEAD = f"{WALL}; white: b3; red: e3"
SHARED = {"black": {"white": 1}, "blue": {"white": 1}}


@pytest.mark.parametrize(
    ("game", "setup", "dead", "prisoners", "eliminated"),
    [
        ("multigo", DEAD, "b3", {"black": {"white": 1}}, {}),
        ("multigo", f"{DEAD} e5", "e3", {}, {"red": 1}),
        ("multigo-coop", f"{WALL}; blue: e1; white: d3 d4 e3", "d3 e3", SHARED, {"white": 1}),
        ("multigo", f"{WALL}; blue: e1; white: d3 d4", "d3", {}, {"white": 2}),
        ("multigo", "black: a3 b3 c3 d3 e3 a5", "a5", {}, {"black": 1}),
        ("multigo", "black: c3", "c3", {}, {"black": 1}),
    ],
)
def test_dead_stones_go_to_the_colours_around_them(
    game: str, setup: str, dead: str, prisoners: dict[str, dict[str, int]], eliminated: dict[str, int]
) -> None:
    options = {"alliances": "off"} if game == "multigo-coop" else {}
    now = played(start(game, 4, setup, size="5", **options), "pass, pass, pass, pass")
    now = played(now, f"black: dead {dead}, accept, accept, accept")
    assert now.outcome is not None
    assert now.facts["prisoners"] == prisoners
    assert now.facts["eliminated"] == eliminated


@pytest.mark.parametrize(
    ("game", "setup", "dead", "told"),
    [
        ("multigo", DEAD, "b3", "b3 left the board (white 1); Black alone took white 1. Black finished ahead by 11 "),
        ("multigo", f"{DEAD} e5", "e3", "e3 left the board (red 1); Black and Red live around it together, so it's "),
        ("multigo", f"{WALL}; blue: e1; white: d3 d4", "d3", "Black and Blue live around them together, so all of "),
        ("multigo", "black: a3 b3 c3 d3 e3 a5", "a5", "nobody can take stones of their own colour, so it's "),
        (
            "multigo-coop",
            f"{WALL}; blue: e1; white: d3 d4 e3",
            "d3 e3",
            "d3 e3 d4 left the board (white 3). 3 stones for 2 captors, Black and Blue: 1 each, rest 1 for nobody. "
            "Blue chose white 1; Black chose white 1. Eliminated: white 1. Black finished ahead by ",
        ),
    ],
)
def test_the_count_says_who_got_which_dead_stones(game: str, setup: str, dead: str, told: str) -> None:
    options = {"alliances": "off"} if game == "multigo-coop" else {}
    now = played(start(game, 4, setup, size="5", **options), "pass, pass, pass, pass")
    now = played(now, f"black: dead {dead}, accept, accept, accept")
    assert told in notes(now)


def test_players_read_who_got_which_dead_stones_before_they_choose_allies() -> None:
    setup = f"{WALL}; blue: e1; white: d3 d4 e3"
    now = played(start("multigo-coop", 4, setup, size="5"), "pass, pass, pass, pass")
    now = played(now, "black: dead d3 e3, accept, accept, accept")
    assert now.phase == "alliances"
    assert "3 stones for 2 captors, Black and Blue: 1 each, rest 1 for nobody. Blue chose white 1; " in notes(now)


def test_all_must_accept_the_same_proposal() -> None:
    now = played(start("multigo", 3, DEAD, size="5"), "pass, pass, pass")
    now = played(now, "black: dead b3, white: accept")
    assert waited(now) == ["red"]
    assert "Accepted by Black and White." in notes(now)
    now = played(now, "red: dead none")
    assert waited(now) == ["black", "white"]
    now = played(now, "black: accept, white: resign")
    assert now.phase == "over", "A player who has left no longer needs to accept."
    assert now.facts["prisoners"] == {}


def test_after_resuming_the_next_seat_moves_and_the_second_end_is_counted() -> None:
    now = played(start("multigo", 3, DEAD, size="5"), "pass, pass, pass, red: resume")
    assert (now.phase, waited(now)) == ("play", ["black"])
    now = played(now, "e1, pass, pass, pass")
    assert now.phase == "over"
    assert now.facts["prisoners"] == {}


def test_a_preference_ends_no_turn_and_is_secret() -> None:
    begun = start("multigo-coop", 3, size="5")
    now = begun.play(2, "prefer black white")
    assert begun.is_private("prefer black white")
    assert (now.round, now.turns, now.setup, now.facts) == (begun.round, begun.turns, begun.setup, begun.facts)
    assert [now.view(seat).facts for seat in (None, 0, 1)] == [begun.view(seat).facts for seat in (None, 0, 1)]
    assert ("You prefer", "black, white") in now.view(2).facts
    scoring = played(now, "pass, pass, pass")
    assert scoring.is_private("prefer black")
    assert scoring.play(1, "prefer red").round == scoring.round
    with pytest.raises(MoveError):
        played(now, "resign, resign").play(0, "prefer red")


def test_colours_to_take_are_offered_if_there_is_a_choice() -> None:
    setup = "black: g9; white: g7 h7; red: f7 f8 g6 h6 j7 j8; blue: g8; turn: red"
    begun = start("multigo-coop", 4, setup, size="10")
    assert [choice.step for choice in begun.draft(2, "h8").choices] == ["take white", "take blue"]
    assert [choice.text for choice in begun.draft(2, "h8 take blue").choices] == [
        "h8 take blue white",
        "h8 take blue blue",
    ]
    assert begun.draft(2, "h8 take blue white").choices == ()
    assert begun.draft(2, "a1").choices == ()
    known = begun.play(0, "prefer blue")
    assert known.draft(2, "h8").scene == begun.draft(2, "h8").scene, "Trying a capture doesn't reveal preferences."


@pytest.mark.parametrize("game", [name for name in GAMES if name.startswith("multigo")])
def test_options(game: str) -> None:
    known = GAMES[game]
    assert known.settle(3, {})["shared-territory"] == "neutral"
    assert known.settle(3, {"size": "5 x 7"})["size"] == "5x7"
    if "coop" in game:
        assert known.settle(3, {"alliances": "off"})["shared-territory"] == "split"
        assert known.settle(3, {"alliances": "off", "shared-territory": "neutral"})["shared-territory"] == "neutral"
        assert known.settle(3, {"shared-territory": "split"})["shared-territory"] == "split"
    else:
        with pytest.raises(OptionError):
            known.settle(3, {"shared-territory": "split"})
    for seats in (1, 9):
        with pytest.raises(OptionError, match="is for 2 to 8 players"):
            known.settle(seats, {})


@pytest.mark.parametrize("name", [name for name in GAMES if name.startswith("multigo")])
def test_every_side_has_stones_in_the_sample(name: str) -> None:
    sample = GAMES[name].sample()
    assert {*sample.occupants.values()} == {*sample.sides}
