"""A bug affects one order or one match, and nobody else."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from service.play.pages import match_lists
from service.store.models import Match, Seat, Submission
from tests.play.conftest import Town, plain
from tests.play.timekeeping.test_clocks import begin, log, order, player, swept

SPOILT = {"main": None, "over": None, "count": 0}
"""A budget with which no clock can calculate."""


def spoil(town: Town, match: int) -> None:
    with town.store.writing() as session:
        for seat in session.get_one(Match, match).seats:
            seat.budget = SPOILT


def test_an_order_that_cannot_be_judged_is_refused_and_changes_nothing(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    ada, _, match = begin(town, "3d/move")
    turn = next(mail for mail in town.post() if mail["To"].addresses[0].addr_spec == "ada@example.org")
    spoil(town, match)
    town.reply(turn, "g10")
    (answer,) = town.post()
    assert "Something went wrong on our side, so your order wasn't played." in " ".join(plain(answer).split())
    assert log(town, match) == []
    assert match_lists.needing(town.site, ada) == 1
    assert [record.message for record in caplog.records if record.exc_info] == [
        f"order 1 in match {match} cannot be judged"
    ]
    # Its author may go on with orders that don't fail.
    order(town, ada, match, 0, "nonsense")
    town.work()
    with town.store.reading() as session:
        assert session.scalars(select(Submission.verdict)).all() == ["refused", "refused"]


def test_a_clock_that_cannot_be_computed_doesnt_stop_the_others(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    player(town, "ada@example.org")
    _, _, broken = begin(town, "3d/move, no vacation")
    _, _, sound = begin(town, "3d/move, no vacation")
    spoil(town, broken)
    swept(town, timedelta(days=3, minutes=5))
    assert log(town, sound) == [(0, "timeout")]
    assert [record.message for record in caplog.records if record.exc_info] == [
        f"the clock of match {broken} cannot be looked after",
        f"the reminder in match {broken} cannot be looked after",
    ]
    with town.store.reading() as session:
        assert session.get_one(Seat, (broken, 0)).deadline is not None
