"""Playouts of games with simultaneous moves."""

from __future__ import annotations

from service.bots.roster import OPPONENTS
from service.bots.stones.kernel.chains import DROPS, RANDOM, copy, fresh
from service.bots.stones.kernel.counting import count
from service.bots.stones.kernel.desk import COUNTED, PLACED_AT, laid
from service.bots.stones.kernel.playouts import drop, note_ataris, pressing
from service.bots.stones.loading import graph_of, load
from service.bots.stones.opponents import order
from service.bots.stones.rounds import charge
from service.bots.thought import View, seed_of
from service.engine.game import Position
from service.engine.stone_games.stone_position import StonePosition
from service.games import GAMES
from tests.cases import cases


def at_once(setup: str, **options: str) -> StonePosition:
    position = GAMES["multigo-parallel"].start(3, 0, size="7", setup=setup, **options)
    assert isinstance(position, StonePosition)
    return position


def counted(position: StonePosition, *drops: str) -> list[int]:
    """The points of the seats, doubled, if they place these stones and nothing happens after that."""
    graph, desk = graph_of(position), laid((), ())
    root, work = load(graph, position, 0), fresh(graph)
    copy(graph, work, root)
    for seat in range(3):
        work[DROPS + seat] = position.board.index.get(drops[seat], -1)
    drop(graph, work)
    for seat in range(3):
        desk[PLACED_AT + seat] = work[DROPS + seat]
    count(graph, work, root, desk)
    charge(work, desk, 3)
    return [int(points) for points in desk[COUNTED : COUNTED + 3]]


CORNER = "black: a4 b3; white: a2 b1; red: g1"


def test_a_wasted_stone_is_a_point_for_its_captor_only() -> None:
    quiet = counted(at_once(CORNER), "", "", "")
    black, white, red = counted(at_once(CORNER), "a1", "", "")
    # White surrounded a1 before and still does.
    assert (black, white, red) == (quiet[0], quiet[1] + 2, quiet[2])


def test_a_wasted_stone_costs_a_point_if_nobody_takes_prisoners() -> None:
    quiet = counted(at_once(CORNER, prisoners="crossman"), "", "", "")
    assert counted(at_once(CORNER, prisoners="crossman"), "a1", "", "") == [quiet[0] - 2, quiet[1], quiet[2]]


def test_a_stone_in_its_own_territory_costs_the_point_it_fills() -> None:
    assert counted(at_once(CORNER), "", "a1", "")[1] == counted(at_once(CORNER), "", "", "")[1] - 2


def test_a_stone_on_neutral_ground_scores_no_point() -> None:
    assert counted(at_once(CORNER), "", "", "e5") == counted(at_once(CORNER), "", "", "")


def test_every_atari_is_noticed_wherever_the_last_stones_are() -> None:
    """Red and Black can capture White's row at g1; White can't save it."""
    position = at_once("black: a2 b2 c2 d2 e2 f2 g2; white: a1 b1 c1 d1 e1 f1; red: a4 b4 c4 d4 e4 f4 g4")
    graph = graph_of(position)
    found = []
    for seat in range(3):
        stones = load(graph, position, seat)
        stones[RANDOM] = 5
        note_ataris(graph, stones)
        found.append({pressing(graph, stones, seat + 1) for _ in range(20)})
    g1 = position.board.index["g1"]
    assert found == [{g1, -1}, {-1}, {g1, -1}]


CONTESTED = (
    "black: b1 e1 a2 c2 d2 f2 c3 e3 c4 d4 e4; white: a4 b4 b5 c5 g5 a6 d6 e6 f6 g6 b7 c7 f7; "
    "red: d1 f1 g1 g2 f3 f4 g4 d5 f5 c6; prisoners: black white 1, white red 1; eliminated: black 1 red 2; round: 19"
)
"""Black and Red both want e2, and neither gets it if both try."""


def test_a_seat_that_met_another_on_a_point_doesnt_try_it_forever() -> None:
    position: Position = at_once(CONTESTED)
    red = OPPONENTS["multigo-parallel"][2]._replace(budget=60)

    def wants_it(position: Position, *plies: int) -> list[bool]:
        """Whether it chooses e2, with the seeds of these plies."""
        return [order(View.of(position, 2), red, seed_of(1, ply, 2)).move == "e2" for ply in plies]

    assert all(wants_it(position, *range(cases(2, full=5))))
    for move in ("e2", "pass", "e2"):
        position = position.play(position.turns[0], move)
    assert wants_it(position, 4, 0) == [True, False], "It yields every other time."
