"""A position after a takeback is the earlier one in every respect except its rounds."""

from __future__ import annotations

import pytest

from service.engine.game import Position
from service.engine.rewound import Again
from service.engine.waiting import Waiting
from service.games import GAMES

MEMBERS = sorted({name for kind in (Position, Waiting) for name in vars(kind) if not name.startswith("_")})


@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_of_the_contract_is_forwarded(name: str) -> None:
    assert name in vars(Again), f"a takeback would change what {name} says"


def test_only_the_rounds_differ() -> None:
    first = GAMES["multigo-parallel-coop"].start(seats=3, size="9").play(0, "c3").play(1, "prefer black")
    again = Again.of(first, 7)
    assert (again.round, again.sealed_since, again.asked_since) == (first.round + 7, first.sealed_since + 7, 8)
    for name in MEMBERS:
        if isinstance(vars(Again)[name], property) and name not in ("sealed_since", "asked_since"):
            assert getattr(again, name) == getattr(first, name), name
    assert [*again.moves(1)] == [*first.moves(1)]
    assert again.missed(1) == first.missed(1)
    assert again.is_private("prefer black")
    assert again.may_interrupt(0, "prefer red")
    after = again.play(1, "d4").play(2, "e5")
    assert isinstance(after, Again)
    assert after.round == first.play(1, "d4").play(2, "e5").round + 7


def test_departures_and_substitutes_keep_the_later_round() -> None:
    first = GAMES["multigo-parallel-coop"].start(seats=3, size="9").play(0, "c3").play(1, "prefer black")
    again = Again.of(first, 7)
    for after, as_first in (
        (again.advance(1, "d4"), first.advance(1, "d4")),
        (again.forfeit(2, "timeout"), first.forfeit(2, "timeout")),
        (again.succeeded(0), first.succeeded(0)),
    ):
        assert isinstance(after, Again)
        assert (after.round, after.turns) == (as_first.round + 7, as_first.turns)
        assert after.turns != again.turns
