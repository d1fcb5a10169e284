"""Chains and captures on small literal boards, and random play compared with a slow reference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.stone_games import stones

COLOURS = ".xwusgypo"


def square(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """Neighbours on a rectangular board, point = row * columns + column."""
    return tuple(
        tuple(
            y * columns + x
            for y, x in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
            if 0 <= y < rows and 0 <= x < columns
        )
        for row in range(rows)
        for column in range(columns)
    )


def board(diagram: str) -> tuple[list[int], tuple[tuple[int, ...], ...]]:
    rows = diagram.split()
    return [COLOURS.index(mark) for row in rows for mark in row], square(len(rows), len(rows[0]))


def drawn(cells: list[int], columns: int) -> str:
    marks = "".join(COLOURS[cell] for cell in cells)
    return " ".join(marks[start : start + columns] for start in range(0, len(marks), columns))


PLACEMENTS = [
    ("a stone is taken", ".x. xw. .x.", 5, 1, ".x. x.x .x.", [(2, [4])]),
    ("a chain is taken at the edge", "wwx x.. ...", 4, 1, "..x xx. ...", [(2, [1, 0])]),
    ("chains of several colours are taken", "w.u xsx xx.", 1, 1, ".x. x.x xx.", [(2, [0]), (3, [2]), (4, [4])]),
    ("a stone that captures needs no liberty", ".xw xw. w..", 0, 2, "w.w .w. w..", [(1, [1]), (1, [3])]),
    ("one chain touched twice is taken once", "wwx w.x xxx", 4, 1, "..x .xx xxx", [(2, [0, 1, 3])]),
    (
        "a ring is taken from inside",
        "wwwx w.wx wwwx xxx.",
        5,
        1,
        "...x .x.x ...x xxx.",
        [(2, [1, 0, 2, 4, 6, 8, 10, 9])],
    ),
]


@pytest.mark.parametrize(("what", "before", "point", "colour", "after", "taken"), PLACEMENTS)
def test_place(what: str, before: str, point: int, colour: int, after: str, taken: list[tuple[int, list[int]]]) -> None:
    cells, neighbours = board(before)
    removed = stones.place(cells, neighbours, point, colour)
    assert drawn(cells, len(neighbours) // len(before.split())) == after, what
    assert sorted((chain.colour, sorted(chain.points)) for chain in removed) == sorted(
        (colour, sorted(points)) for colour, points in taken
    )


@pytest.mark.parametrize(
    ("diagram", "point"),
    [(".w. w.. ...", 0), (".xw xw. w..", 0), ("x.w ww. ...", 1)],
)
def test_suicide_leaves_the_board_as_it_was(diagram: str, point: int) -> None:
    cells, neighbours = board(diagram)
    with pytest.raises(stones.Suicide):
        stones.place(cells, neighbours, point, 1)
    assert drawn(cells, 3) == diagram


def test_an_immune_chain_is_not_taken_and_may_fill_its_last_liberty() -> None:
    cells, neighbours = board(".x. xw. .x.")
    assert not stones.place(cells, neighbours, 5, 1, lambda points: points == [4])
    assert drawn(cells, 3) == ".x. xwx .x."
    cells, neighbours = board(".w. w.. ...")
    assert not stones.place(cells, neighbours, 0, 1, lambda points: points == [0])


def test_every_chain_without_liberties_is_found_once() -> None:
    cells, neighbours = board("xxw wwu uu.")
    found = stones.starved_among(cells, neighbours, range(9))
    assert [(chain.colour, sorted(chain.points)) for chain in found] == [(1, [0, 1]), (2, [2]), (2, [3, 4])]


def test_regions_territory_and_clusters() -> None:
    cells, neighbours = board(".x.w x.xw ..xw")
    assert [(sorted(region.points), region.borders) for region in stones.regions(cells, neighbours)] == [
        ([0], frozenset({1})),
        ([2], frozenset({1, 2})),
        ([5, 8, 9], frozenset({1})),
    ]
    assert stones.territory(cells, neighbours) == {0: 1, 5: 1, 8: 1, 9: 1}
    assert stones.clusters([0, 1, 3, 7, 8], neighbours) == [[0, 1], [3, 7], [8]]
    assert stones.regions([0] * 9, square(3, 3)) == [stones.Region([0, 1, 3, 2, 4, 6, 5, 7, 8], frozenset())]
    assert stones.liberties(cells, neighbours, 6) == {2, 5, 9}


def test_a_chain_with_a_whole_flower_is_immune() -> None:
    immune = stones.flowering([(7, 8, 9), (3, 1, 2), (1, 8, 9)])
    assert immune([5, 1, 2, 3])
    assert immune([9, 8, 1])
    assert not immune([1, 2, 4, 8])


def test_codes_with_the_same_hash_are_different() -> None:
    """Python hashes integers modulo 2**61 - 1; a past that trusted hashes alone would forbid a legal move."""
    one, other = 5, 5 + 2**61 - 1
    assert hash(one) == hash(other)
    past = stones.Past().plus(one)
    assert past.has(one)
    assert not past.has(other)


def test_a_past_remembers_all_codes_and_branches_are_independent() -> None:
    past = stones.Past()
    for code in range(50):
        past = past.plus(code)
    branches = [
        past.plus(99),
        past.plus(98),
        past.plus(97).plus(96),
        stones.Past([*past.codes(), 95, 94]),
        past.plus(49),
    ]
    assert all(each.has(code) for code in range(50) for each in (past, *branches))
    assert [[code for code in range(50, 100) if each.has(code)] for each in (past, *branches)] == [
        [],
        [99],
        [98],
        [96, 97],
        [94, 95],
        [],
    ]


def slow_groups(cells: list[int], neighbours: tuple[tuple[int, ...], ...]) -> list[set[int]]:
    """Chains by merging sets until nothing changes: obviously right, and slow."""
    groups = [{point} for point, cell in enumerate(cells) if cell]
    merged = True
    while merged:
        merged = False
        for one in groups:
            for other in groups:
                if one is not other and any(cells[a] == cells[b] and b in neighbours[a] for a in one for b in other):
                    one |= other
                    groups.remove(other)
                    merged = True
                    break
            if merged:
                break
    return groups


def slow_place(cells: list[int], neighbours: tuple[tuple[int, ...], ...], point: int, colour: int) -> list[int] | None:
    """The rule applied literally to a copy of the board; None for suicide."""
    after = [*cells]
    after[point] = colour
    for own in (False, True):
        dead = [
            group
            for group in slow_groups(after, neighbours)
            if all(after[near] for stone in group for near in neighbours[stone])
            and all((after[stone] == colour) == own for stone in group)
        ]
        if own and dead:
            return None
        for stone in {stone for group in dead for stone in group}:
            after[stone] = 0
    return after


@given(st.integers(2, 4), st.integers(1, 5), st.integers(1, 4), st.lists(st.integers(0, 999), max_size=60))
def test_random_play_agrees_with_the_literal_rule(rows: int, columns: int, colours: int, choices: list[int]) -> None:
    neighbours = square(rows, columns)
    cells = [0] * len(neighbours)
    table = stones.keys(len(cells), colours)
    code = 0
    for ply, choice in enumerate(choices):
        empty = [point for point, cell in enumerate(cells) if not cell]
        point, colour = empty[choice % len(empty)], ply % colours + 1
        expected = slow_place(cells, neighbours, point, colour)
        try:
            taken = stones.place(cells, neighbours, point, colour)
        except stones.Suicide:
            assert expected is None
            continue
        assert cells == expected
        code = stones.without(code ^ table[point][colour], table, taken)
        assert code == stones.code_of(cells, table)
