"""The sequence in which the orders of a match are judged."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from service.mail.grammar.orders import parse
from service.play.orders.submit import Incoming, submit
from service.store.models import Submission
from tests.play.conftest import Town
from tests.play.timekeeping.test_clocks import begin, log


def test_the_first_of_two_moves_counts_even_if_the_clock_was_set_back_between_them(town: Town) -> None:
    ada, _, match = begin(town, "3d/move")
    for text, later in (("g10", timedelta()), ("h10", timedelta(hours=-30))):
        town.now += later
        submit(town.site, Incoming(f"web:{text}", match, 0, ada, 1, parse(text), "web"))
    town.now += timedelta(hours=30)
    town.work()
    assert log(town, match) == [(0, "g10")]
    with town.store.reading() as session:
        verdicts = session.execute(select(Submission.text, Submission.verdict).order_by(Submission.id)).all()
    assert [tuple(row) for row in verdicts] == [("g10", "accepted"), ("h10", "refused")]
