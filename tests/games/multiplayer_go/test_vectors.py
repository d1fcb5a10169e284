"""All worked cases of tests/data/multiplayer-go-vectors.json: the inventor's examples and the rulings on his text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from service.engine.game import Illegal, Position
from service.engine.grid import sized
from service.games.multiplayer_go.count import Count, areas, winners
from service.games.multiplayer_go.prisoners import Tally
from service.games.multiplayer_go.replay import replay
from tests.games.multiplayer_go.playing import (
    LETTERS,
    SIDE,
    board,
    played,
    points,
    scores,
    setup_of,
    start,
    turn,
    waited,
)

DATA = json.loads((Path(__file__).parents[2] / "data" / "multiplayer-go-vectors.json").read_text())
VECTORS: list[dict[str, Any]] = DATA["vectors"]
GAME = {
    "seq-noncoop": "multigo",
    "seq-coop": "multigo-coop",
    "par-noncoop": "multigo-parallel",
    "par-coop": "multigo-parallel-coop",
    "score": "multigo-coop",
    "alliance": "multigo-coop",
}
Vector: TypeAlias = dict[str, Any]


def vectors(wanted: str) -> pytest.MarkDecorator:
    """The vectors that have the key `wanted`."""
    chosen = [vector for vector in VECTORS if wanted in vector]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["id"] for vector in chosen])


def named(counts: Mapping[str, Any]) -> dict[str, Any]:
    """`counts` with the names of colours instead of their letters, at both levels."""
    return {SIDE[key]: named(value) if isinstance(value, dict) else value for key, value in counts.items()}


def position(vector: Vector, mover: str = "") -> Position:
    """The position that a vector starts from."""
    held = ", ".join(
        f"{SIDE[holder]} {' '.join(f'{SIDE[colour]} {number}' for colour, number in purse.items())}"
        for holder, purse in vector.get("prisoners_held", {}).items()
    )
    setup = setup_of(
        {SIDE[letter]: stones for letter, stones in vector.get("position", {}).items()},
        turn=SIDE[mover] if mover else "",
        prisoners=held,
    )
    options = {"size": f"{vector['rows']}x{vector['cols']}"}
    if "option_shared_territory" in vector:
        options["shared_territory"] = vector["option_shared_territory"]
    begun = start(GAME[vector["mode"]], len(vector["players"]), setup, **options)
    for letter, liked in vector.get("preferences", {}).items():
        begun = begun.play(LETTERS.index(letter), f"prefer {' '.join(SIDE[colour] for colour in liked)}")
    return begun


def check(before: Position, after: Position, expect: Mapping[str, Any]) -> None:
    assert after.facts["captured"] == {SIDE[letter]: len(gone) for letter, gone in expect["removed"].items()}
    assert board(after) == {SIDE[letter]: sorted(stones) for letter, stones in expect["board"].items()}
    assert after.facts["prisoners"] == named(expect["prisoners"])
    assert after.facts["eliminated"] == named(expect["eliminated"])
    for letter, gone in expect["removed"].items():
        assert all(before.occupants.get(point, SIDE[letter]) == SIDE[letter] for point in gone)


@vectors("move")
def test_a_single_move(vector: Vector) -> None:
    ((mover, point),) = vector["move"].items()
    before = position(vector, mover)
    if why := vector["expect"].get("illegal"):
        with pytest.raises(Illegal, match={"suicide": "suicide", "occupied": "is taken by White"}[why]):
            before.play(LETTERS.index(mover), point)
        return
    check(before, before.play(LETTERS.index(mover), point), vector["expect"])


@pytest.mark.parametrize(
    "vector",
    [vector for vector in VECTORS if isinstance(vector.get("moves"), dict)],
    ids=lambda vector: vector["id"],
)
def test_one_simultaneous_turn(vector: Vector) -> None:
    before = position(vector)
    after = turn(before, named(vector["moves"]))
    check(before, after, vector["expect"])
    collided = vector["expect"]["collided"]
    assert ("chose" in " ".join(note for note in after.view(None).notes if "was placed" in note)) == bool(collided)
    for letter in collided:
        assert any(SIDE[letter].capitalize() in note and "chose" in note for note in after.view(None).notes)


def test_simultaneous_repetition() -> None:
    vector = next(vector for vector in VECTORS if vector["id"] == "superko-par-ok")
    after = position(vector)
    for choices in vector["turns"]:
        after = turn(after, named(choices))
        assert not any("void" in note for note in after.view(None).notes)
    assert after.facts["prisoners"] == named(vector["expect"]["prisoners"])


@pytest.mark.parametrize("name", ["superko-seq", "superko-seq-after-third-player"])
def test_repetition(name: str) -> None:
    vector = next(vector for vector in VECTORS if vector["id"] == name)
    start = now = position(vector, vector["first_to_play"])
    log = []
    for number, move in enumerate(vector["moves"]):
        ((mover, point),) = move.items()
        while now.turns != (LETTERS.index(mover),):
            log.append((now.turns[0], "pass"))
            now = played(now, "pass")
        log.append((LETTERS.index(mover), point))
        if number == vector["expect"].get("illegal_at"):
            with pytest.raises(Illegal, match="superko"):
                now.play(*log[-1])
            with pytest.raises(Illegal, match="superko"):
                replay(start, log)
            return
        now = now.play(*log[-1])
    assert now.facts["prisoners"] == named(vector["expect"]["prisoners"])


@vectors("option_strength")
def test_turn_order(vector: Vector) -> None:
    now = start("multigo", len(vector["players"]), size="9", strength=vector["option_strength"])
    free = iter(list(now.moves(0)))
    for expected in vector["expect"]["rounds"]:
        for letter in expected:
            if "forced-pass" not in letter:
                assert waited(now) == [SIDE[letter]]
                now = now.play(now.turns[0], next(free))


@vectors("actions")
def test_the_end_of_play(vector: Vector) -> None:
    parallel = vector["mode"] == "par-noncoop"
    now = start(GAME[vector["mode"]], len(vector["players"]), size="5")
    for number, action in enumerate(vector["actions"], start=1):
        who, _, what = action.partition(":")
        if parallel:
            now = turn(now, named(dict(choice.split("=") for choice in what.split(","))))
        elif what != "forced-pass":
            now = now.play(LETTERS.index(who), what)
        assert (now.phase != "play") == (number == vector["expect"]["ended_after_action"])
    if vector["id"] == "end-last-man":
        assert scores(now) == ["1", "0", "0"]


def counted(vector: Vector, **options: str) -> Position:
    """The vector's position after all have passed and accepted that no stone is dead."""
    now = position(vector | options)
    now = played(now, "pass, pass, pass, pass")
    assert now.phase == "scoring"
    return played(now, "accept, accept, accept, accept")


def vector_called(name: str) -> Vector:
    return next(vector for vector in VECTORS if vector["id"] == name)


@pytest.mark.parametrize("name", ["strat-count", "strat-count-split"])
def test_counting(name: str) -> None:
    vector = vector_called(name)
    now = counted(vector)
    assert now.phase == "alliances"
    assert points(now) == named(vector["expect"]["points"])
    if "territory" in vector["expect"]:
        assert now.facts["territory"] == named(vector["expect"]["territory"])
        assert now.facts["total"] == vector["expect"]["total"] == 74


def test_regions_and_neutral_points() -> None:
    vector = vector_called("strat-count")
    grid = sized("10")
    cells = [0] * 100
    for letter, stones in vector["position"].items():
        for name in stones:
            cells[grid.index[name]] = LETTERS.index(letter) + 1
    found = areas(cells, grid.neighbours)
    regions = [
        ({grid.names[point] for point in area.points}, {LETTERS[seat] for seat in area.borders}) for area in found
    ]
    expected = vector["expect"]["regions"]
    assert len(regions) == len(expected)
    assert all((set(each["points"]), set(each["borders"])) in regions for each in expected)
    nobody = Tally(((0,) * 4,) * 4, (0,) * 4)
    assert Count(found, nobody, split=False, crossman=False).neutral == vector["expect"]["neutral"] == 18


def test_an_empty_board_is_nobodys() -> None:
    grid = sized("10")
    nobody = Tally(((0,) * 4,) * 4, (0,) * 4)
    assert Count(areas([0] * 100, grid.neighbours), nobody, split=True, crossman=False).points([0]) == 0


def test_coalitions() -> None:
    vector = vector_called("strat-coalitions")
    table: Any = counted(vector).facts["coalitions"]
    found = {frozenset(row["members"]): row for row in table}
    expected = {frozenset(SIDE[letter] for letter in name): each for name, each in vector["expect"]["points"].items()}
    assert {members: int(row["points"]) for members, row in found.items()} == expected
    qualify = {frozenset(SIDE[letter] for letter in name) for name in vector["expect"]["qualify"]}
    assert {members for members, row in found.items() if row["qualifies"]} == qualify


@vectors("alliances")
def test_victory(vector: Vector) -> None:
    if vector["mode"] == "alliance-numbers":
        sides = {frozenset(map(LETTERS.index, each["members"])): each["points"] for each in vector["alliances"]}
        solo = {frozenset({LETTERS.index(letter)}): each for letter, each in vector["solo"].items()}
        winning = winners(sides | solo, vector["total"])
        shares = {LETTERS[seat]: str(Fraction(1, len(winning))) for seat in winning}
        assert shares == vector["expect"]["victory_points"]
        return
    now = counted(vector)
    for seat, side in enumerate(now.sides):
        allied: list[str] = next((members for members in vector["alliances"] if LETTERS[seat] in members), [])
        others = [SIDE[letter] for letter in allied if SIDE[letter] != side]
        now = now.play(seat, f"ally {' '.join(others)}" if others else "alone")
    won = {LETTERS[seat]: score for seat, score in enumerate(scores(now)) if score != "0"}
    assert won == vector["expect"]["victory_points"]


def test_crossman() -> None:
    vector = vector_called("crossman-count")
    begun = position(vector)
    lost = named(vector["own_stones_lost"])
    eliminated = " ".join(f"{side} {number}" for side, number in lost.items() if number)
    setup = setup_of(board(begun), eliminated=eliminated)
    now = played(start("multigo-coop", 4, setup, size="10", prisoners="crossman"), "pass, pass, pass, pass")
    assert points(now) == named(vector["expect"]["points"])
    held = position(vector).setup
    now = played(start("multigo-coop", 4, held, size="10", prisoners="crossman", alliances="off"), "pass," * 4)
    assert points(played(now, "accept," * 3)) == {"black": 8, "white": 14, "red": 8, "blue": 14}
    now = played(start("multigo", 4, setup, size="10", prisoners="crossman"), "pass," * 4 + "accept," * 4)
    assert points(now) == named(vector["expect"]["points"])
    assert scores(now) == ["0", "0", "0", "1"]


def test_every_vector_is_tested() -> None:
    keys = ("move", "moves", "turns", "option_strength", "actions", "alliances")
    named_here = {"strat-count", "strat-count-split", "strat-coalitions", "crossman-count"}
    assert all(any(key in vector for key in keys) or vector["id"] in named_here for vector in VECTORS)
