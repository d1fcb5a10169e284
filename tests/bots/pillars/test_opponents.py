"""The moves that the opponents at Pillars find and avoid, and what they think of positions."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from service.bots.pillars.board import loaded
from service.bots.pillars.opponents import learner, mate_in, order, share, strong
from service.bots.pillars.ordering import MATE
from service.bots.pillars.search import INFINITE
from service.bots.pillars.worth import evaluate
from service.bots.roster import OPPONENTS
from service.bots.thought import Bot, Thought, View
from service.bots.yardsticks import greedy, pebble
from service.games.pillars.position import PillarsPosition, played
from tests.bots.pillars.brute import Brute
from tests.bots.pillars.playing import DATA, SETUPS, match, started, walk
from tests.bots.pillars.thoughts import THOUGHTS, thoughts


class Mate(NamedTuple):
    setup: str
    mate: int
    moves: list[str]


MATES = [Mate(**mate) for mate in json.loads((DATA / "pillars-mates.json").read_text())]
"""Positions from matches between bots in which one to three moves mate in two or three, and no faster mate exists."""


def asked(position: PillarsPosition, budget: int, seed: int = 1) -> Thought:
    return strong(View.of(position, position.seat), budget, seed)


def after(position: PillarsPosition, *texts: str) -> PillarsPosition:
    for text in texts:
        position = played(position, position.seat, text)
    return position


def test_there_are_fifty_mates_to_find() -> None:
    assert len({mate.setup for mate in MATES}) == 50
    assert {mate.mate for mate in MATES} == {2, 3}


@pytest.mark.parametrize("mate", MATES[::9], ids=lambda mate: mate.setup)
def test_brute_force_confirms_the_mates(mate: Mate) -> None:
    brute, position = Brute(), started(mate.setup)
    assert brute.mating(position, 1) == []
    if mate.mate == 2:
        assert brute.mating(position, 2) == mate.moves


def can_mate(position: PillarsPosition, moves: int, seat: int) -> bool:
    """Brute force with the engine only."""
    if position.outcome is not None:
        return position.outcome.reason == "checkmate" and position.outcome.scores[seat] == 1
    if position.seat == seat:
        return moves > 0 and any(can_mate(after(position, text), moves - 1, seat) for text in position.written)
    return moves > 0 and all(can_mate(after(position, text), moves, seat) for text in position.written)


@pytest.mark.parametrize(
    "setup", ["k10/11/1K9/11/11/11/11/11/11/11/3T7 w - 0 1", "11/5k5/8K2/11/11/11/3T5M1/11/11/11/11 w - 0 1"]
)
def test_brute_force_agrees_with_the_engine(setup: str) -> None:
    position = started(setup)
    for moves in (1, 2):
        expected = [text for text in sorted(position.written) if mates_after(position, text, moves)]
        assert Brute().mating(position, moves) == expected


def mates_after(position: PillarsPosition, text: str, moves: int) -> bool:
    later = after(position, text)
    if later.outcome is not None:
        return later.outcome.reason == "checkmate"
    return can_mate(later, moves - 1, position.seat)


@pytest.mark.parametrize("number", [1, 5, 13, 21, 29, 36, 44])
def test_a_mate_is_found_with_its_line(number: int) -> None:
    """Only mates for which a small budget is enough; `make arena` tries all fifty."""
    mate = MATES[number]
    position = started(mate.setup)
    thought = asked(position, 8000)
    assert thought.move in mate.moves
    assert thought.value == 1.0
    assert mate_in(thought) == mate.mate
    assert len(thought.lines[0]) == 2 * mate.mate - 1
    end = after(position, *thought.lines[0]).outcome
    assert end is not None
    assert end.reason == "checkmate"


def test_the_search_knows_when_it_is_mated() -> None:
    thought = asked(started("k10/4T6/11/11/11/11/11/11/11/11/3TK6 b - 0 1"), 2000)
    assert (thought.move, thought.value, mate_in(thought)) == ("K-B11", 0.0, -1)


def test_the_better_side_avoids_the_third_repetition() -> None:
    position = started("4k6/11/11/11/11/4q6/11/11/11/11/K10 w - 0 1")
    position = after(position, "K-B1", "K-D11", "K-A1", "K-E11", "K-B1", "K-D11", "K-A1")
    assert after(position, "K-E11").outcome is not None
    thought = asked(position, 3000)
    assert thought.value > 0.9
    assert after(position, thought.move).outcome is None


def test_the_worse_side_chooses_the_third_repetition() -> None:
    position = started("4k6/11/11/11/11/4q6/11/11/11/11/K10 b - 0 1")
    position = after(position, "K-D11", "K-B1", "K-E11", "K-A1", "K-D11", "K-B1", "K-E11")
    thought = asked(position, 3000)
    assert (thought.move, thought.value) == ("K-A1", 0.5)
    assert after(position, thought.move).outcome is not None


def test_a_sword_moves_before_the_fifty_move_rule_applies() -> None:
    thought = asked(started("5k5/11/11/11/11/11/11/7W3/11/Q10/5K5 w - 99 80"), 3000)
    assert thought.move == "H4-H5"
    assert thought.value > 0.8


def test_mate_has_precedence_over_the_fifty_move_rule() -> None:
    thought = asked(started("k10/11/1K9/11/11/11/11/11/11/11/2T8 w - 99 80"), 500)
    assert (thought.move, thought.value) == ("T-C11", 1.0)


def test_two_kings_are_a_draw() -> None:
    thought = asked(started("5k5/11/11/11/11/11/11/11/11/5w5/5K5 w - 0 1"), 500)
    assert (thought.move, thought.value) == ("KxF2", 0.5)


def worth(setup: str) -> int:
    return int(evaluate(loaded(started(setup).state), -INFINITE, INFINITE))


def test_petrified_enemies_raise_the_value() -> None:
    beside = worth("5k5/11/11/3q1h5/4M6/11/11/11/11/11/4K6 w - 0 1")
    aside = worth("5k5/11/11/3q1h5/11/4M6/11/11/11/11/4K6 w - 0 1")
    assert beside > aside + 150


def test_a_morph_becomes_the_best_piece_it_can_capture() -> None:
    thought = asked(started("2k7s/11/11/11/11/11/11/3A~7/11/1w9/5K5 w - 0 1"), 2000)
    assert thought.move == "(A)xK11=(S)"


def test_a_value_is_a_share_of_the_win() -> None:
    assert [share(value) for value in (0, -MATE + 5, MATE - 4, 580, 5000)] == [0.5, 0.0, 1.0, 0.8558, 0.999]
    assert share(300) + share(-300) == pytest.approx(1)


@pytest.mark.parametrize("setup", SETUPS)
def test_moves_are_legal_and_lines_can_be_played(setup: str) -> None:
    for position in [*walk(11, 60, setup)][::6]:
        if position.outcome is None:
            for bot, budget in ((strong, 200), (learner, 200), (strong, 1), (learner, 1)):
                thought = bot(View.of(position, position.seat), budget, 5)
                assert thought.move == thought.lines[0][0]
                after(position, *thought.lines[0])


def test_thoughts_are_reproducible() -> None:
    position = [*walk(2, 30)][-1]
    for bot in (strong, learner):
        view = View.of(position, position.seat)
        assert bot(view, 800, 3) == bot(view, 800, 3)


def test_thoughts_are_the_same_with_and_without_a_compiler() -> None:
    """The file was written with numba, and this test runs with or without it."""
    known = THOUGHTS.read_text().splitlines()
    assert len(known) == 1000
    assert [*thoughts(range(0, 1000, 60))] == known[::60]


def test_openings_differ_by_seed() -> None:
    assert len({asked(started(), 800, seed).move for seed in range(8)}) >= 3


def test_the_learner_makes_mistakes_but_the_club_player_does_not() -> None:
    """The Sword on D9 is guarded."""
    position = started("4k6/4w6/3w7/11/11/11/3Q7/11/4W6/4W6/4K6 w - 0 1")
    seen = [learner(View.of(position, 0), 800, seed).move for seed in range(40)]
    assert 1 <= seen.count("QxD9") <= 10
    assert "QxD9" not in {asked(position, 800, seed).move for seed in range(5)}


@pytest.mark.parametrize("other", [greedy, pebble])
def test_the_club_player_beats_the_yardsticks_even_when_hurried(other: Bot) -> None:
    end = match((strong, 600), (other, 0), 0).outcome
    assert end is not None
    assert end.scores[0] == 1


def test_there_are_three_opponents_of_rising_strength() -> None:
    assert [one.level for one in OPPONENTS["pillars"]] == [1, 2, 3]
    budgets = [one.budget for one in OPPONENTS["pillars"]]
    assert budgets == sorted(budgets)


def test_an_order_is_a_move_or_a_courtesy() -> None:
    lost = started("t3k5t/wwwwwwwwwww/11/11/11/11/11/11/11/11/K10 w - 0 40")
    chalk, marble, _ = OPPONENTS["pillars"]
    assert order(View.of(lost, 0), marble, 1, [0.01, 0.01]).move == "resign"
    assert order(View.of(lost, 0), marble, 1, [0.01]).move in lost.moves(0)
    assert order(View.of(lost, 0), chalk, 1, [0.01, 0.01]).move in lost.moves(0)
    assert order(View.of(played(lost, 1, "draw"), 0), marble, 1).move == "draw"
