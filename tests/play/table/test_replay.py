"""The positions that a process caches."""

from __future__ import annotations

from service.games import GAMES
from service.play.table import replay
from service.store.models import Match


def test_a_process_caches_a_limited_number_of_positions() -> None:
    match = Match(id=1, game="lotus", seed=1, options={})
    begun = GAMES["lotus"].begin(2, 1, GAMES["lotus"].settle(2, {}))
    replay.forget()
    for ply in range(replay.KEPT + 9):
        replay.keep(match, ply, begun)
    assert [ply for _, _, ply in vars(replay)["_kept"]] == [*range(9, replay.KEPT + 9)]
    replay.forget()
