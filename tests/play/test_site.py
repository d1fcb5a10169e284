"""Transactions: what they nudge once committed, and what they roll back."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from service.play.site import Task, Transaction, going_on, transactional
from service.store.tables.pulse import Pulse
from tests.play.conftest import Town


def pulses(town: Town) -> list[int]:
    """The ids of the committed rows."""
    with town.store.reading() as session:
        return [row.id for row in session.query(Pulse).order_by(Pulse.id)]


def note(tx: Transaction, number: int, task: Task = "judge") -> None:
    """Adds a row and a nudge."""
    tx.session.add(Pulse(id=number, at=tx.now))
    tx.session.flush()
    tx.nudge(task, number)


def note_and_fail(tx: Transaction, number: int) -> None:
    note(tx, number)
    raise ValueError("no")


def test_nudges_are_fired_once_each_and_in_order_after_the_commit(town: Town) -> None:
    with town.site.transaction() as tx:
        note(tx, 1)
        note(tx, 2, "think")
        tx.nudge("judge", 1)
        assert not town.queue
    assert town.queue == [("judge", 1), ("think", 2)]
    assert pulses(town) == [1, 2]


def test_a_transaction_that_fails_changes_and_nudges_nothing(town: Town) -> None:
    with pytest.raises(ValueError, match="no"):
        transactional(note_and_fail)(town.site, 1)
    assert (town.queue, pulses(town)) == ([], [])


def test_a_savepoint_that_fails_rolls_back_its_own_rows_and_nudges(town: Town) -> None:
    with town.site.transaction() as tx:
        note(tx, 1)
        with pytest.raises(ValueError, match="no"), tx.savepoint():
            note_and_fail(tx, 2)
        with tx.savepoint():
            note(tx, 3)
        tx.drop_nudge("judge", 1)
    assert (town.queue, pulses(town)) == ([("judge", 3)], [1, 3])


def test_the_time_of_a_transaction_doesnt_change(town: Town) -> None:
    with town.site.transaction() as tx:
        first = tx.now
        town.now += town.pace
        assert tx.now == first


def test_a_use_case_is_its_own_transaction_or_part_of_another(town: Town) -> None:
    use_case = transactional(note)
    use_case(town.site, 1)
    assert town.queue == [("judge", 1)]
    with town.site.transaction() as tx:
        use_case(tx, 2)
        assert town.queue == [("judge", 1)]
    assert town.queue == [("judge", 1), ("judge", 2)]
    assert pulses(town) == [1, 2]


def test_an_error_of_the_database_ends_the_work_and_another_does_not(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    done = []
    for number in (1, 2):
        with going_on("match", number):
            if number == 1:
                raise ValueError("no")
            done.append(number)
    assert done == [2]
    assert [record.message for record in caplog.records] == ["match 1 cannot be looked after"]
    with pytest.raises(OperationalError), going_on("match", 3):
        raise OperationalError("SELECT", {}, Exception("gone"))
