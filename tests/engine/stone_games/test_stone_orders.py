"""How orders for stones are read: tables of what people type."""

from __future__ import annotations

import pytest

from service.engine.game import Ambiguous, Illegal, MoveError, Unreadable
from service.engine.grid import grid
from service.engine.stone_games.stone_orders import read_order, refusal

READ = [
    ("i14", "i14"),
    ("i 14", "i14"),
    ("I play i14", "i14"),
    ("order: C07.", "c7"),
    ('"d4"', "d4"),
    ("t20", "t20"),
    ("Accept!", "accept"),
    ("I resign", "resign"),
    ("DEAD  c3,F7 and g2", "dead c3 f7 g2"),
    ("dead: nothing", "dead none"),
]


@pytest.mark.parametrize(("text", "order"), READ)
def test_readable_orders(text: str, order: str) -> None:
    assert read_order(text, lambda: "a1") == order


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("c3/d4", Ambiguous, "c3 or d4?"),
        ("c3 and d4", Ambiguous, "c3 or d4?"),
        ("c3 or d4 or c3", Ambiguous, "at a time: c3 or d4?"),
        ("c3 or c3", Unreadable, "Did you mean c3? Write it alone"),
        ("c3 because I can", Unreadable, "Did you mean c3?"),
        ("14", Unreadable, "for example a1"),
        ("c100", Unreadable, "for example a1"),
        ("dead men", Unreadable, "Name one stone of each dead chain"),
        ("dead c3 maybe", Unreadable, "Name one stone of each dead chain"),
    ],
)
def test_unreadable_and_ambiguous_orders(text: str, kind: type[MoveError], words: str) -> None:
    with pytest.raises(kind) as caught:
        read_order(text, lambda: "a1")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("move", "kind", "words"),
    [
        ("a19", Illegal, "no point a19 on this board. The numbers after a go from 1 to 9."),
        ("t20", Illegal, "Letters go from a to j, numbers from 1 to 9."),
        ("i5", Illegal, "no point i5 on this board. Columns go from a to j and skip i, as on every Go board."),
        ("resume", Illegal, "resume is for the end"),
        ("dead c3", Illegal, "dead is for the end"),
        ("e4 e5", Unreadable, "isn't a move here"),
        ("a\n19", Unreadable, "'a 19' isn't a move here"),
    ],
)
def test_refusals_in_play(move: str, kind: type[MoveError], words: str) -> None:
    error = refusal(grid(9, 9), move)
    assert type(error) is kind
    assert words in str(error)
