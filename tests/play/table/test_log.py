"""The log of a match, as it could be seen at an earlier time."""

from __future__ import annotations

import pytest

from service.play.accounts import identity
from service.play.match import substitutes
from service.play.pages.match_page import match_page
from service.play.table import log, replay
from service.play.table.log import visible_entries
from service.play.talk import moderation
from service.store.models import Match
from tests.play.conftest import Town
from tests.play.match.test_remarks import TWO, mail, table


def test_the_log_at_an_earlier_time_has_nothing_that_came_later(town: Town) -> None:
    number = table(town, TWO)
    for order in ("ada: g10", "ben: g12", "ada: g14", "ada: takeback", "ben: accept", "ada: f13"):
        mail(town, number, order)
    with town.store.reading() as session:
        match = session.get_one(Match, number)
        for ply in range(match.ply + 1):
            seen = visible_entries(session, match, None, replay.position(session, match, ply), ply)
            assert [entry.ply for entry in seen] == [*range(1, ply + 1)]


def test_each_takeback_says_how_many_moves_it_took_back(town: Town) -> None:
    number = table(town, TWO)
    for order in ("ada: g10", "ben: g12", "ada: g14", "ada: takeback", "ben: accept", "ada: takeback", "ben: accept"):
        mail(town, number, order)
    with town.store.reading() as session:
        seen = visible_entries(session, session.get_one(Match, number), None)
    assert [entry.taken for entry in seen if entry.taken] == [1, 2]


def test_computer_opponents_hear_of_the_latest_moves(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "LATEST", 2)
    number = table(town, TWO)
    for order in ("ada: g10", "ben: g12", "ada: g14"):
        mail(town, number, order)
    with town.store.reading() as session:
        assert log.public_log(session, session.get_one(Match, number)) == (3, [(1, "g12"), (0, "g14")])


def test_a_new_player_is_news_and_the_move_before_is_shown_once(town: Town) -> None:
    number = table(town, ("multigo", 3))
    for order in ("ada: c3", "ben: d3"):
        mail(town, number, order)
    with town.store.writing() as session:
        ada, _, cleo = (seat.player_id for seat in session.get_one(Match, number).seats)
        dora = identity.by_email(session, "dora@example.org", town.now).id
    assert cleo is not None
    substitutes.offer(town.site, number, cleo, "anybody")
    substitutes.join(town.site, number, dora)
    town.work()
    page = match_page(town.site, number, None)
    assert page is not None
    assert page.scene.notes == ("White played d3.",)
    assert [(play.move, play.told) for play in page.news] == [("substitute", False)]
    for viewer, told in ((ada, [("d3", True, ()), ("substitute", False, ())]), (dora, [("yours", False, ())])):
        theirs = match_page(town.site, number, viewer)
        assert theirs is not None
        assert [(play.move, play.told, play.notes) for play in theirs.news] == told


def test_what_a_blocked_player_wrote_stays_hidden_once_somebody_else_has_the_seat(town: Town) -> None:
    number = table(town, ("multigo", 3))
    with town.store.writing() as session:
        ada, ben, dana = (
            identity.by_email(session, f"{name}@example.org", town.now).id for name in ("ada", "ben", "dana")
        )
    moderation.set_block(town.site, ben, ada, blocked=True)
    mail(town, number, "ada: c3", "a rude remark")
    substitutes.offer(town.site, number, ada, "anybody")
    substitutes.join(town.site, number, dana)
    for reader, remarks in ((ben, {""}), (dana, {"a rude remark", ""})):
        page = match_page(town.site, number, reader)
        assert page is not None
        assert {entry.remark for entry in page.entries} == remarks
