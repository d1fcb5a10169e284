"""The sequence in which the orders of a match are judged."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import event, select
from sqlalchemy.exc import OperationalError

from service.mail.grammar.orders import parse
from service.play.match.judge import judge_waiting
from service.play.orders.submit import Incoming, submit
from service.play.table import replay
from service.store.models import Match, Submission
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


@pytest.mark.parametrize("failing", ["INSERT INTO entry", "COMMIT"])
def test_an_order_waits_while_the_database_fails_and_leaves_no_board_behind(town: Town, failing: str) -> None:
    ada, _, match = begin(town, "3d/move")
    submit(town.site, Incoming("web:g10", match, 0, ada, 1, parse("g10"), "web"))

    def fail(*given: object) -> None:
        if len(given) == 1 or str(given[2]).startswith(failing):
            raise OperationalError(failing, {}, Exception("disk I/O error"))

    source, what = (
        (town.store._write, "before_commit") if failing == "COMMIT" else (town.store.engine, "before_cursor_execute")
    )
    event.listen(source, what, fail)
    with pytest.raises(OperationalError):
        judge_waiting(town.site, match)
    event.remove(source, what, fail)
    with town.store.writing() as session:
        waiting = session.scalars(select(Submission).where(Submission.key == "web:g10")).one()
        assert (waiting.verdict, waiting.message) == (None, "")
        waiting.verdict = "withdrawn"  # Its player has undone it meanwhile.
    submit(town.site, Incoming("web:e10", match, 0, ada, 1, parse("e10"), "web"))
    known = replay._kept.copy()
    judge_waiting(town.site, match)
    replay.forget()
    replay._kept.update(known)  # Another process has judged.
    with town.store.reading() as session:
        free = replay.position(session, session.get_one(Match, match)).moves(1)
    assert ("g10" in free, "e10" in free) == (True, False)
