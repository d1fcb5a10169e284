"""The log of a match, as it could be seen at some time."""

from __future__ import annotations

from service.play.table import replay
from service.play.table.log import visible_entries
from service.store.models import Match
from tests.play.conftest import Town
from tests.play.match.test_remarks import TWO, mail, table


def test_what_could_be_seen_then_has_nothing_that_came_later(town: Town) -> None:
    number = table(town, TWO)
    for order in ("ada: g10", "ben: g12", "ada: g14", "ada: takeback", "ben: accept", "ada: f13"):
        mail(town, number, order)
    with town.store.reading() as session:
        match = session.get_one(Match, number)
        for ply in range(match.ply + 1):
            seen = visible_entries(session, match, None, replay.position(session, match, ply), ply)
            assert [entry.ply for entry in seen] == [*range(1, ply + 1)]
