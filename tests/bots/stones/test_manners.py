"""Passing, dead stones, alliances, resigning: what a bot does apart from searching."""

from __future__ import annotations

import pytest

from service.bots.roster import OPPONENTS
from service.bots.stones import playing_on, settling
from service.bots.stones.alliances import liked, winning, wished
from service.bots.stones.kernel.chains import PASSES
from service.bots.stones.loading import graph_of, load
from service.bots.stones.manners import choosing, mannered, somebody_passed
from service.bots.stones.opponents import order
from service.bots.stones.think import Searched, searched, think
from service.bots.thought import Thought, View
from service.engine.game import Position
from service.engine.stone_games.scoring import Scoring
from service.engine.stone_games.stone_position import StonePosition
from service.games import GAMES
from service.games.multiplayer_go.count import Area, Count
from service.games.multiplayer_go.prisoners import Tally
from service.games.multiplayer_go.table import TablePosition
from tests.cases import cases

DIVIDED = "black: c1 c2 c3 c4 c5 c6 c7 b2 b4 a3; white: d1 d2 d3 d4 d5 d6 d7 f2 f4 e3 f6"
"""On 7x7, Black has the left side and White the right side, both with eyes."""
STRAY = f"{DIVIDED} b6"
"""The same with a dead white stone on the left."""


def go(setup: str, *moves: str, komi: str = "0.5") -> Position:
    position: Position = GAMES["go"].start(2, 0, size="7", komi=komi, setup=setup)
    for move in moves:
        position = position.play(position.turns[0], move)
    return position


def never(view: View, budget: int, seed: int) -> Thought:
    raise AssertionError("This must not need a search.")


def ordered(position: Position, seat: int) -> str:
    return mannered(never, View.of(position, seat), 50, 1).move


def test_only_the_dead_stone_is_found() -> None:
    position = go(STRAY)
    assert isinstance(position, StonePosition)
    assert [position.board.names[point] for point in settling.dead(position, settling.ownership(position, 1))] == ["b6"]


def test_a_bot_that_is_winning_answers_a_pass_with_a_pass() -> None:
    assert ordered(go(f"{STRAY}; turn: black", "pass", komi="0.5"), 1) == "pass"


def test_a_pass_in_the_opening_is_not_answered_with_a_pass() -> None:
    """White is ahead by komi, whatever happens to the two stones."""

    def search(view: View, budget: int, seed: int) -> Thought:
        return Thought("d4", 0.9)

    position = go("black: c3; white: e5; turn: black", "pass", komi="7.5")
    assert mannered(search, View.of(position, 1), 50, 1).move == "d4"


def test_a_bot_that_is_losing_passes_too_if_no_stone_gains_anything() -> None:
    def search(view: View, budget: int, seed: int) -> Thought:
        return Thought("b1", 0.1)

    for komi in ("-40", "40"):
        position = go(f"{STRAY}; turn: white", "pass", komi=komi)
        assert mannered(search, View.of(position, 0), 50, 1).move == "pass"


def test_the_pass_of_a_player_who_has_left_is_no_pass_to_answer() -> None:
    """Otherwise the search would think that its own pass ends play."""
    position = GAMES["multigo"].start(3, size="5").play(0, "pass").play(0, "resign")
    assert isinstance(position, StonePosition)
    assert not somebody_passed(position)
    assert load(graph_of(position), position, 1)[PASSES] == 0


SPLIT = (
    "black: b1 b2 b3 b4 b5 b6 b7 c4 a5 e2; white: d1 d2 d3 d4 d5 d6 d7 f4 e4 a2; turn: white",
    "black: b1 c4 c5 c6 d5 d7 e2 e3 e4 e5 e6 e7 f3 f5 f7 g4 g5 g6 g7; white: b3 c1 c2 c3 d3; turn: black; marker: -3",
    "black: f1 f2 d3 a4 b4 c4 d4 f4 c5 e5 f5 d6 f6 d7 e7; white: e1 a2 c2 d2 e2 a3 b3 c3 e3 f3 g3 g4 a5 g5 b6 g6 b7; "
    "red: a1 b1 c1 a7 g7; turn: red; eliminated: black 2 white 1 red 12; round: 18",
    "black: d1 f1 d2 f2 g2 e3 f3 g4 g5 d6 g6 c7 f7; white: e2 e4 f4 e5 f5 f6 e7; red: b1 a2 b2 b3 c3 a4 c4 d4 b5 d5 "
    "c6 b7; prisoners: red white 1; eliminated: black 1 white 5 red 4; round: 21",
)
"""Divided boards of Go, Medusa, and Multiplayer Go with moves in turn and simultaneous moves."""


@pytest.mark.parametrize(
    ("game", "options", "setup", "moves", "seat"),
    [
        ("go", {"size": "7", "komi": "12.5"}, SPLIT[0], ["pass"], 0),
        ("medusa", {"base": "4"}, SPLIT[1], ["pass"], 1),
        ("multigo", {"size": "7"}, SPLIT[2], ["pass"], 0),
        ("multigo-parallel", {"size": "7"}, SPLIT[3], ["pass", "a1", "g7"], 1),
    ],
)
def test_a_pass_is_answered_with_a_pass_if_no_stone_gains_anything(
    game: str, options: dict[str, str], setup: str, moves: list[str], seat: int
) -> None:
    """Bots used to waste stones when losing, fill their own points when winning, and lose the marker at Medusa."""
    position: Position = GAMES[game].start(3 if "multigo" in game else 2, 0, setup=setup, **options)
    for move in moves:
        position = position.play(position.turns[0], move)
    assert order(View.of(position, seat), OPPONENTS[game][2]._replace(budget=200), 3).move == "pass"


def test_a_right_proposal_is_accepted() -> None:
    position = go(f"{STRAY}; turn: black", "pass", "pass").play(0, "dead b6")
    assert ordered(position, 1) == "accept"


def test_a_wrong_proposal_is_corrected_once_and_then_opposed_only_if_it_matters() -> None:
    close = go(f"{DIVIDED}; turn: black", "pass", "pass", komi="0.5")
    robbed = close.play(0, "dead d1 f2 f4 e3 f6")
    assert ordered(robbed, 1) == "dead none"
    again = robbed.play(1, "dead none").play(0, "dead d1 f2 f4 e3 f6")
    assert ordered(again, 1) == "resume", "White would lose a won match."
    small = close.play(0, "dead f2").play(1, "dead none").play(0, "dead f2")
    assert isinstance(small, Scoring)
    assert ordered(small, 1) == "accept", "White wins anyway."


def test_a_chain_with_a_rosette_is_never_dead() -> None:
    ring = "black: g13 g14 g15 h13 h14 h15"
    position = GAMES["rosette"].start(2, 0, setup=f"{ring}; white: g12 g16 h12 h16 f13 i13")
    assert isinstance(position, StonePosition)
    owners = settling.ownership(position, 3, 40)
    assert not settling.dead(position, owners) & {position.board.index[name] for name in ring.split()[1:]}


def test_eyes_do_not_save_a_chain_without_a_lotus() -> None:
    """Suicide is legal, so Black can fill all the eyes; White runs out of liberties first."""
    white = "a2 c1 c2 d3 e3 f3 f4 h3 h4 j4 k4 n4 o1 o4 p1 p4 q1 q2 q4 r2 r3 r4 s2 t1 t2 u1 u2"
    black = "a1 b1 d2 e1 e2 f1 f2 g1 g2 g3 h1 h2 i1 i2 i3 j1 j2 j3 k1 k2 k3 l1 l2 l3 l4 m2 m3 n1 n2 o2 p2 p3 q3"
    position = GAMES["lotus"].start(2, 0, setup=f"black: {black}; white: {white}; turn: black; marker: -3")
    assert isinstance(position, StonePosition)
    dead = settling.dead(position, settling.ownership(position, 1))
    assert {position.board.names[point] for point in dead} == {*white.split()}


def lotus(white: str, black: str, to_move: str) -> StonePosition:
    setup = f"black: {black}; white: {white}; turn: {to_move}; marker: 0"
    position = GAMES["lotus"].start(2, 0, setup=setup)
    assert isinstance(position, StonePosition)
    return position


def test_a_stone_that_can_join_a_chain_with_a_lotus_lives() -> None:
    """Black's chain needs no liberties and may fill its last one, m1; then k1 can join the other white stones at i1."""
    black = "h2 i2 j1 j2 k2 l1 l2 m2 n1 n2 o1 p1 p2"
    white = (
        "a1 b1 b2 c1 c2 d1 d2 d3 d4 e1 e2 e3 e4 f1 f2 f3 f4 g1 g2 g3 g4 h1 h3 h4 i3 i4 j3 j4 k1 k3 k4 l3 l4 m3 m4 "
        "n3 n4 o2 o3 o4 p3 p4 q1 q2 q3 q4 r1 r2 r3 r4 s1 s2 t1 t2 u1"
    )
    position = lotus(white, black, "black")
    assert settling.dead(position, settling.ownership(position, 1, 60)) == frozenset()


def test_searches_play_on_if_playouts_are_unsure() -> None:
    """Black has no lotus and fewer liberties. All its stones are lost, even if it moves first: every line was tried."""
    black = "c2 d3 d4 e3 h3 j3 j4 k3 l3 m1 m3 n1 n3 n4 o4 p1 p2 p3 p4 q3 q4 r3 r4 s2 u1 u2"
    white = (
        "a2 b1 c1 d1 d2 e1 e2 f1 f2 f3 f4 g1 g2 g3 g4 h1 h2 h4 i1 i2 i3 i4 j1 j2 k1 k2 k4 l1 l2 l4 m2 n2 o2 o3 q1 q2 "
        "r1 r2 s1 t1"
    )
    position = lotus(white, black, "black")
    owners = dict.fromkeys(position.board.names, (0.6, 0.4))
    assert settling.dead(position, owners) == frozenset()
    assert playing_on.proposed(position, owners, 60, 1) == {position.board.index[name] for name in black.split()}


def test_playing_on_is_given_up_where_the_budget_is_too_small_for_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """On 19x19 without a compiler, a bot used to play on for minutes, longer than the lease of its turn."""
    rows = "abcdefghjklmnopqrst"
    sides = (("black", "cdg"), ("white", "mps"))
    setup = "; ".join(f"{side}: {' '.join(f'{a}{n}' for a in files for n in range(1, 20))}" for side, files in sides)
    position = GAMES["go"].start(2, 0, size="19", komi="7.5", setup=f"{setup}; turn: black")
    assert isinstance(position, StonePosition)
    owners = {name: (0.95, 0.05) if rows.index(name[0]) < 9 else (0.05, 0.95) for name in position.board.names}
    owners |= {f"{file}{row}": (0.8, 0.2) for file in "cp" for row in range(1, 20)}
    spent = []
    search = searched

    def counted(view: View, budget: int, seed: int) -> Searched:
        spent.append(budget)
        return search(view, 4, seed)

    monkeypatch.setattr(playing_on, "searched", counted)
    assert playing_on.proposed(position, owners, 40, 1) == settling.dead(position, owners)
    assert 0 < sum(spent) < 40 * 200


LAST_KO = (
    "black: a5 a6 b4 b5 b6 b7 b8 c3 c4 c5 d2 d3 d4 d5 d6 d7 e1 e2 e3 e4 e5 e6 f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 g3 g4 g7 "
    "g8 g9 g10 g11 g12 g15 h6 h7 h8 h9 h10 h11 h12 h14 h15 h16 h17 i6 i8 i9 i10 i11 i12 i13 i14 i15 i16 j9 j10 j11 j12 "
    "j13 j14; white: a7 a9 a10 a11 a12 a13 a14 a15 b9 b10 b11 b12 b13 b14 b15 b16 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 "
    "c16 c17 d8 d9 d10 d11 d12 d13 d14 d15 d16 d18 e7 e8 e9 e10 e11 e12 e13 e14 e15 e16 e17 e18 e19 f11 f12 f13 f14 "
    "f15 f16 f17 f18 f19 g5 g6 g13 g14 g16 g17 g18 h4 h5 h13 i4 i5 i7 j5 j7"
)
"""Everything is settled except a ko: Black can capture a7 at a8."""


@pytest.mark.parametrize(("to_move", "komi"), [("white", "4.5"), ("white", "-20.5"), ("black", "30.5")])
def test_playing_on_takes_the_last_point_even_if_the_match_is_decided(to_move: str, komi: str) -> None:
    position = GAMES["rosette"].start(2, 0, base="5", komi=komi, setup=f"{LAST_KO}; turn: {to_move}")
    found, _ = playing_on.closely(View.of(position, position.turns[0]), 120, 1)
    assert playing_on.best(found, stubborn=False) == "a8"


@pytest.mark.parametrize(("to_move", "komi"), [("white", "-20.5"), ("black", "30.5")])
def test_a_bot_that_would_pass_too_early_plays_for_points(to_move: str, komi: str) -> None:
    """The match is decided, but the ko isn't."""

    def search(view: View, budget: int, seed: int) -> Thought:
        return Thought("pass", 0.5)

    position = GAMES["rosette"].start(2, 0, base="5", komi=komi, setup=f"{LAST_KO}; turn: {to_move}")
    assert mannered(search, View.of(position, position.turns[0]), 50, 1).move == "a8"


def test_a_pass_is_not_answered_with_a_pass_if_a_stone_gains_something() -> None:
    def search(view: View, budget: int, seed: int) -> Thought:
        return Thought("pass", 0.5)

    position = GAMES["rosette"].start(2, 0, base="5", komi="30.5", setup=f"{LAST_KO}; turn: white").play(1, "pass")
    assert mannered(search, View.of(position, 0), 50, 1).move == "a8"


def test_at_worst_a_seat_loses_all_unsure_chains() -> None:
    position = go("black: a3 b3 c3 d3 e3 f3 g3; white: a4 b4 c4 d4 e4 f4 g4; turn: white", "pass")
    assert isinstance(position, StonePosition)
    sure = {name: (1.0, 0.0) if name[1] < "4" else (0.0, 1.0) for name in position.board.names}
    risky = {name: (0.8, 0.2) if name[1] < "4" else (0.0, 1.0) for name in position.board.names}
    assert settling.at_worst(position, sure, 0) == frozenset()
    assert settling.dead(position, risky) == frozenset()
    assert len(settling.at_worst(position, risky, 0)) == 7


def test_a_hopeless_bot_resigns_after_three_turns_but_the_learner_does_not() -> None:
    def hopeless(view: View, budget: int, seed: int) -> Thought:
        return Thought("b1", 0.01)

    view = View.of(go(f"{STRAY}; turn: black"), 0)
    assert mannered(hopeless, view, 50, 1, past=[0.02, 0.02]).move == "resign"
    assert mannered(hopeless, view, 50, 1, past=[0.5, 0.02]).move == "b1"
    assert mannered(hopeless, view, 50, 1, past=[0.02, 0.02], stubborn=True).move == "b1"


FILLED = "black: c1 c2 c3 c4 c5 c6 c7 b1 b3 b4 b5 b7 a3 a5; white: d1 d2 d3 d4 d5 d6 d7 e1 e3 e4 e5 e7 f3 f5 f6 g4 g6"


def test_a_bot_passes_once_all_is_settled_and_captures_dead_stones_after_resuming() -> None:
    position = go(f"{FILLED} b6; turn: black")
    assert isinstance(position, StonePosition)
    sides = settling.ownership(position, 1)

    def search(view: View, budget: int, seed: int) -> Thought:
        return Thought("a6", 0.4, sides)

    assert mannered(search, View.of(position, 0), 50, 1).move == "pass"
    resumed = go(f"{FILLED} b6; turn: black", "pass", "pass").play(0, "resume")
    assert mannered(search, View.of(resumed, 0), 50, 1).move == "a6", "All stones count as alive now."


def counted(*territory: int) -> Count:
    areas = tuple(
        Area(tuple(range(100 * seat, 100 * seat + size)), frozenset({seat})) for seat, size in enumerate(territory)
    )
    nothing = tuple((0,) * len(territory) for _ in territory)
    return Count(areas, Tally(nothing, (0,) * len(territory)), split=False, crossman=False)


@pytest.mark.parametrize(
    ("territory", "named"),
    [
        ((10, 9, 8), [{0, 1}, {0, 1}, {0, 2}]),
        ((30, 5, 5), [{0}, {0, 1}, {0, 2}]),
        ((3, 15, 13, 11), [{0, 1, 2}, {1, 2}, {1, 2}, {1, 3}]),
    ],
)
def test_bots_name_the_smallest_alliance_that_always_wins(territory: tuple[int, ...], named: list[set[int]]) -> None:
    count = counted(*territory)
    assert [set(wished(count, range(len(territory)), seat)) for seat in range(len(territory))] == named
    assert all(winning(count, range(len(territory))))


def test_stones_of_likely_allies_are_taken_last() -> None:
    setup = "black: a1 b1 c1 d1; white: a5 b5 c5; red: e3 e4"
    position = GAMES["multigo-coop"].start(3, 0, size="5", setup=setup)
    assert isinstance(position, TablePosition)
    assert set(liked(position, 0)) == {1, 2}


@pytest.mark.parametrize(
    ("setup", "move", "said"),
    [
        ("", "c3", "c3"),
        ("white: c4", "e1", "e1"),
        ("white: c4", "c3", "c3"),
        ("white: a1", "b1", "b1 take"),
        ("black: b2; white: a1 a2; red: b1", "e5", "e5 take"),
    ],
)
def test_in_simultaneous_games_colours_are_named_only_if_a_capture_can_be_shared(
    setup: str, move: str, said: str
) -> None:
    position = GAMES["multigo-parallel-coop"].start(3, 0, size="5", setup=setup)
    assert choosing(position, 0, move).startswith(said)
    assert (" take " in choosing(position, 0, move)) is ("take" in said)


def test_a_whole_match_ends_by_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "PLAYOUTS", cases(40, full=settling.PLAYOUTS))
    three = OPPONENTS["multigo-coop"]
    position = GAMES["multigo-coop"].start(3, 0, size="4")
    for ply in range(200):
        if position.outcome is not None:
            break
        seat = position.turns[0]
        position = position.play(seat, order(View.of(position, seat), three[seat]._replace(budget=8), ply).move)
    assert position.outcome is not None
    assert position.outcome.reason == "points"


def test_think_is_only_for_play() -> None:
    with pytest.raises(AssertionError):
        think(View.of(go(STRAY, "pass", "pass"), 0), 10, 1)


def test_an_offer_made_in_the_open_is_taken_where_it_gives_no_less() -> None:
    count, active = counted(10, 9, 8), range(3)
    for offers, named in (
        ([frozenset({0, 2})], {0, 2}),
        ([frozenset({0, 1, 2}), frozenset({0, 2})], {0, 2}),
        ([frozenset({0, 1, 2})], {0, 1}),
        ([frozenset({1, 2})], {0, 1}),
    ):
        assert wished(count, active, 0, offers) == named
