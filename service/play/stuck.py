"""Letters that were given up: what an operator looks at, and sends again once the cause is gone."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, select, update

from service.play.house import House
from service.store.models import Letter

LISTED = 200


def letters(house: House) -> Sequence[Letter]:
    """Those that failed and will not be tried again, the latest first."""
    with house.store.reading() as session:
        return session.scalars(select(Letter).where(_given_up()).order_by(Letter.id.desc()).limit(LISTED)).all()


def again(house: House) -> int:
    """Makes all of them due now; returns how many."""
    with house.store.writing() as session:
        ids = session.scalars(select(Letter.id).where(_given_up())).all()
        session.execute(update(Letter).where(_given_up()).values(due=house.now(), attempts=0))
    house.nudge_all([("deliver", letter_id) for letter_id in ids])
    return len(ids)


def _given_up() -> ColumnElement[bool]:
    """A letter its reader does not want is not due either, but has no error."""
    return and_(Letter.sent.is_(None), Letter.due.is_(None), Letter.error != "")
