"""Who gets captured stones: how single hauls are divided, and captures on boards."""

from __future__ import annotations

import pytest

from service.games.multiplayer_go.prisoners import Haul, Sharing, Wish, divide
from tests.games.multiplayer_go.playing import SIDES, notes, played, start, turn

BLACK, WHITE, RED, BLUE = range(4)
Picks = tuple[tuple[int, tuple[int, ...]], ...]


def haul(colours: tuple[int, ...], captors: tuple[int, ...], droppers: tuple[int, ...] = ()) -> Haul:
    return Haul(tuple(range(len(colours))), colours, captors, droppers)


@pytest.mark.parametrize(
    ("colours", "captors", "droppers", "numbers", "eliminated"),
    [
        ((WHITE,), (BLACK, RED), (RED,), {RED: 1}, 0),
        ((WHITE, WHITE), (BLACK, RED), (RED,), {RED: 1, BLACK: 1}, 0),
        ((WHITE, WHITE), (BLACK, RED, BLUE), (RED,), {RED: 2}, 0),
        ((WHITE,) * 5, (BLACK, RED), (), {RED: 2, BLACK: 2}, 1),
        ((WHITE,) * 5, (BLACK, RED), (BLACK, RED), {RED: 2, BLACK: 2}, 1),
        ((WHITE,) * 5, (BLACK, RED, BLUE), (BLACK, RED), {BLUE: 1, RED: 2, BLACK: 2}, 0),
        ((WHITE,) * 5, (BLACK, RED, BLUE), (BLUE,), {BLUE: 3, RED: 1, BLACK: 1}, 0),
        ((WHITE,) * 3, (), (), {}, 3),
        ((WHITE, BLACK), (WHITE,), (WHITE,), {WHITE: 1}, 1),  # Captors don't take their own colour.
    ],
)
def test_shares(
    colours: tuple[int, ...],
    captors: tuple[int, ...],
    droppers: tuple[int, ...],
    numbers: dict[int, int],
    eliminated: int,
) -> None:
    capture = divide(haul(colours, captors, droppers), Sharing.COOPERATIVE, {})
    assert {seat: len(taken) for seat, taken in capture.picks} == numbers
    assert sum(capture.eliminated.values()) == eliminated


@pytest.mark.parametrize(
    ("wishes", "picks"),
    [
        ({}, ((RED, (WHITE, WHITE, BLUE)), (BLACK, (WHITE, BLUE)))),
        ({RED: Wish(prefer=(BLUE,))}, ((RED, (BLUE, BLUE, WHITE)), (BLACK, (WHITE, WHITE)))),
        ({RED: Wish(take=(BLUE,))}, ((RED, (BLUE, WHITE, WHITE)), (BLACK, (WHITE, BLUE)))),
        ({RED: Wish(take=(WHITE, BLUE), prefer=(BLUE,))}, ((RED, (WHITE, BLUE, BLUE)), (BLACK, (WHITE, WHITE)))),
        ({RED: Wish(prefer=(RED, BLUE, WHITE))}, ((RED, (BLUE, BLUE, WHITE)), (BLACK, (WHITE, WHITE)))),
        ({BLACK: Wish(prefer=(BLUE,))}, ((RED, (WHITE, WHITE, BLUE)), (BLACK, (BLUE, WHITE)))),
    ],
)
def test_the_last_seat_chooses_first(wishes: dict[int, Wish], picks: Picks) -> None:
    """Three white and two blue stones for Black and Red, the dropper; by default, the most frequent colour left."""
    pool = haul((WHITE, WHITE, BLUE, BLUE, WHITE), (BLACK, RED), (RED,))
    assert divide(pool, Sharing.COOPERATIVE, wishes).picks == picks


def test_sharing_without_cooperation() -> None:
    alone = divide(haul((WHITE, WHITE), (BLACK,)), Sharing.SOLE, {})
    assert alone.picks == ((BLACK, (WHITE, WHITE)),)
    assert alone.eliminated == {}
    together = divide(haul((WHITE, WHITE), (BLACK, RED)), Sharing.SOLE, {})
    assert together.picks == ()
    assert together.eliminated == {WHITE: 2}
    crossman = divide(haul((WHITE, BLUE), (BLACK,)), Sharing.NOBODY, {})
    assert crossman.picks == ()
    assert crossman.eliminated == {WHITE: 1, BLUE: 1}


# With h8, Red captures two white stones and a blue one, shared with Black.
TACTICS = (
    "black: b8 c2 c9 d3 d8 e3 f2 g9; white: c8 d2 e2 g7 h7; red: f7 f8 g6 h6 j7 j8; blue: e1 g8; turn: red; round: 5"
)


@pytest.mark.parametrize(
    ("moves", "prisoners"),
    [
        ("h8", {"black": {"blue": 1}, "red": {"white": 2}}),
        ("h8 take blue", {"black": {"white": 1}, "red": {"white": 1, "blue": 1}}),
        ("black: prefer blue, h8", {"black": {"blue": 1}, "red": {"white": 2}}),
        ("red: prefer blue, h8", {"black": {"white": 1}, "red": {"white": 1, "blue": 1}}),
        ("red: prefer blue, red: prefer none, h8", {"black": {"blue": 1}, "red": {"white": 2}}),
        ("red: prefer blue, h8 take white white", {"black": {"blue": 1}, "red": {"white": 2}}),
    ],
)
def test_preferences_and_a_choice_for_this_capture(moves: str, prisoners: dict[str, dict[str, int]]) -> None:
    assert played(start("multigo-coop", 4, TACTICS, size="10"), moves).facts["prisoners"] == prisoners


@pytest.mark.parametrize(
    ("game", "move", "told"),
    [
        (
            "multigo-coop",
            "red: h8",
            "Red played h8. g7 h7 g8 left the board (white 2, blue 1). 3 stones for 2 captors, Black and Red: 1 each, "
            "rest 1, 1 for Red, who placed a stone beside them. Red chose white 2; Black chose blue 1.",
        ),
        (
            "multigo-coop",
            "red: d1",
            "Red played d1. d2 e2 left the board (white 2). 2 stones for 3 captors, Black, Red and Blue: 0 each, "
            "rest 2, 2 for Red, who placed a stone beside them. Red chose white 2.",
        ),
        (
            "multigo",
            "red: c7",
            "Red played c7. c8 left the board (white 1); Black and Red took the liberties together, so it's "
            "eliminated.",
        ),
        (
            "multigo",
            "red: h8",
            "Red played h8. g7 h7 left the board (white 2); Red and Blue took the liberties together, so all of "
            "them are eliminated. g8 left the board (blue 1); Black, White and Red took the liberties together, so "
            "it's eliminated.",
        ),
        (
            "multigo-coop",
            "red: c7",
            "Red played c7. c8 left the board (white 1). 1 stone for 2 captors, Black and Red: 0 each, "
            "rest 1, 1 for Red, who placed a stone beside it. Red chose white 1.",
        ),
    ],
)
def test_captures_are_described_so_that_they_can_be_checked(game: str, move: str, told: str) -> None:
    assert notes(played(start(game, 4, TACTICS, size="10"), move)) == told


def test_captures_in_simultaneous_games_are_described() -> None:
    setup = "black: f8 g6 j2; white: c6 c7 d5 e5 f5 g7 h2 j1; red: d6 e6; blue: e7 f6 f7"
    begun = start("multigo-parallel-coop", 4, setup, size="10")
    after = turn(begun, {"black": "e8", "white": "d7", "red": "pass", "blue": "pass"})
    assert notes(after) == (
        "Placed at the same time: Black e8, White d7. Red and Blue passed. d6 e6 f6 e7 f7 left the board (red 2, "
        "blue 3). 5 stones for 2 captors, Black and White: 2 each, rest 1, too few for Black and White, who placed "
        "a stone beside them. White chose red 1, blue 1; Black chose red 1, blue 1. Eliminated: blue 1."
    )


def test_a_captor_may_lose_a_stone_in_the_same_cluster() -> None:
    """White a1 falls with Black a2 b1; White and Red, both droppers, get one black stone each; a1 is eliminated."""
    begun = start("multigo-parallel-coop", 3, "white: a1 b2 c2 d1; black: b1", size="3x4")
    after = turn(begun, {"black": "a2", "white": "c1", "red": "a3"})
    assert after.facts["captured"] == {"black": 2, "white": 1}
    assert after.facts["prisoners"] == {"white": {"black": 1}, "red": {"black": 1}}
    assert after.facts["eliminated"] == {"white": 1}


def test_nobody_gets_prisoners_in_crossmans_counting() -> None:
    after = played(start("multigo-coop", 4, TACTICS, size="10", prisoners="crossman"), "h8")
    assert after.facts["prisoners"] == {}
    assert after.facts["eliminated"] == {"white": 2, "blue": 1}
    assert "each counts against its owner" in notes(after)


def test_where_every_stone_falls_nobody_takes_any() -> None:
    begun = start("multigo-parallel-coop", 3, "black: a1; white: a2 b2", size="3x2")
    after = turn(begun, {"black": "b1", "white": "a3", "red": "b3"})
    assert notes(after) == (
        "Placed at the same time: Black b1, White a3, Red b3. a1 b1 a2 b2 a3 b3 left the board (black 2, white 3, red "
        "1); no other stones are left, so all of them are eliminated."
    )
    assert (after.occupants, after.facts["prisoners"]) == ({}, {})
    assert after.facts["eliminated"] == {"black": 2, "white": 3, "red": 1}


@pytest.mark.parametrize("game", ["multigo-coop", "multigo-parallel-coop"])
def test_trying_to_accept_last_does_not_reveal_preferences(game: str) -> None:
    """Black and White share two dead stones, and what White prefers decides who gets which."""
    setup = "black: a1; red: c1; blue: e1; white: g1"
    scenes = []
    for liked in ("none", "blue"):
        now = turn(start(game, 4, setup, size="1x7").play(1, f"prefer {liked}"), dict.fromkeys(SIDES[:4], "pass"))
        now = played(now, "black: dead c1 e1, white: accept, red: accept")
        scenes.append(now.draft(3, "accept").scene)
        assert now.draft(3, "prefer red").scene == now.play(3, "prefer red").view(3)
        taken = "red" if liked == "none" else liked
        other = "blue" if liked == "none" else "red"
        assert now.play(3, "accept").facts["prisoners"] == {"black": {other: 1}, "white": {taken: 1}}
    assert scenes[0] == scenes[1]
