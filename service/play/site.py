"""What every use case is given: settings, database, clock, the DNS, and a way to nudge the worker."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from sqlalchemy.exc import SQLAlchemyError

from service.config import Settings
from service.mail import reply_address as address
from service.mail.name_lookup import LookUp
from service.mail.reply_address import ReplyAddress
from service.play import dns
from service.store.session import Store

log = logging.getLogger(__name__)

Task: TypeAlias = Literal["judge", "deliver", "think", "obey"]
"""`judge` and `think` take a match id, `deliver` a letter id, `obey` the id of an incoming mail."""

Nudges: TypeAlias = list[tuple[Task, int]]
"""What to nudge once a transaction is committed."""

Nudge: TypeAlias = Callable[[Task, int], None]
"""Asks the worker to look at something now. A hint: it may be lost, it never raises, and the sweep makes up for it."""


def _now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def going_on(what: str, number: int) -> Iterator[None]:
    """What trips over a mistake of ours while one of many is looked after is logged, and the others get their turn.

    Trouble with the database is everybody's, and raised.
    """
    try:
        yield
    except SQLAlchemyError:
        raise
    except Exception:
        log.exception("%s %s cannot be looked after", what, number)


@dataclass(frozen=True)
class Site:
    """One running Stonepost. The worker fills in `nudge`."""

    settings: Settings
    store: Store
    nudge: Nudge
    now: Callable[[], datetime] = _now
    look_up: LookUp = dns.look_up

    def reply_address(self, back: ReplyAddress) -> str:
        """The signed address of ours that means this."""
        local_part = address.write(self.settings.secret, back, self.settings.mail_replies)
        return f"{local_part}@{self.settings.mail_domain}"

    def nudge_all(self, nudges: Nudges) -> None:
        """Every nudge a transaction asked for, once it is committed."""
        for task, subject in nudges:
            self.nudge(task, subject)
