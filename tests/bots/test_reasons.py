"""What speaks for a move, as the opponents to learn against say when asked."""

from __future__ import annotations

import pytest

from service.bots.reasons import Reason, explained
from service.games import GAMES

GO = {"size": "5"}


@pytest.mark.parametrize(
    ("game", "options", "move", "wanted"),
    [
        ("go", GO | {"setup": "black: a2; white: e1; turn: black"}, "c3", Reason("room", 4)),
        ("go", GO | {"setup": "black: a2; white: a1; turn: black"}, "b1", Reason("captures", 1)),
        ("go", GO | {"setup": "black: a1; white: a2 e5; turn: black"}, "b1", Reason("saves", 1)),
        ("go", GO | {"setup": "black: b2; white: b3 c3; turn: black"}, "a3", Reason("room", 2)),
        ("go", GO | {"setup": "black: c2; white: a1; turn: black"}, "b1", Reason("threatens", 1)),
        ("go", GO, "pass", Reason("passes")),
        ("lotus", {}, "a1", None),
        ("pillars", {"setup": "k10/11/11/2K8/11/11/11/11/5T5/11/11 w - 0 1"}, "T-A3", Reason("check")),
        ("pillars", {"setup": "k10/11/11/2K8/11/11/11/11/5T1w3/11/11 w - 0 1"}, "TxH3", Reason("takes")),
        ("pillars", {"setup": "k10/11/11/2K8/11/11/11/11/5T5/11/11 w - 0 1"}, "T-F4", Reason("plays")),
    ],
)
def test_what_speaks_for_a_move(game: str, options: dict[str, str], move: str, wanted: Reason | None) -> None:
    position = GAMES[game].start(2, 0, **options)
    found = explained(position, position.turns[0], move)
    assert found == wanted or (wanted is None and found is not None and found.kind == "room")


def test_nothing_is_said_out_of_turn_or_of_moves_at_once() -> None:
    assert explained(GAMES["go"].start(2, 0, **GO), 1, "c3") is None
    together = GAMES["multigo-parallel"].start(3, 0, **GO)
    assert explained(together, 0, "c3") is None
    assert explained(GAMES["go"].start(2, 0, **GO), 0, "z99") is None
