"""The lines of matches in lists, as each viewer may see them."""

from __future__ import annotations

from datetime import datetime

import pytest

from service.play.pages import match_lists
from tests.play.conftest import Town
from tests.play.pages.test_browse import at_once, order


@pytest.mark.parametrize(
    ("game", "seen"),
    [("multigo", [[True, False, False]] * 3), ("multigo-parallel", [[True, False, False], [False] * 3, [False] * 3])],
)
def test_players_see_their_own_deadline_and_that_of_the_only_one_to_move(
    town: Town, game: str, seen: list[list[bool]]
) -> None:
    """Where several are to move, a clock that has stopped would show who has moved."""
    match, players = at_once(town, "ada ben cleo", game)

    def deadlines(player: int) -> list[datetime | None]:
        (line,) = match_lists.my_matches(town.site, player)
        return [seat.deadline for seat in line.seats]

    if game == "multigo-parallel":
        own = [deadlines(player) for player in players]
        assert [[at is not None for at in each] for each in own] == [[n == seat for n in range(3)] for seat in range(3)]
        for seat in (1, 2):
            order(town, match, players, seat, f"a{seat}")
    assert [[at is not None for at in deadlines(player)] for player in players] == seen
