"""The arguments of every use case: the site, with its settings, store, clock and DNS, and one transaction at a time."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Concatenate, Literal, ParamSpec, TypeAlias, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.config import Settings
from service.mail import reply_address as address
from service.mail.name_lookup import LookUp
from service.mail.reply_address import ReplyAddress
from service.play import dns
from service.store.session import Store
from service.store.tables.mail_rows import Letter

log = logging.getLogger(__name__)

steps = logging.getLogger("stonepost.steps")
"""Logs each step of an order as a JSON object, from the email or form it came by to the letters it led to, without any
address or text. All steps of one order have the same `trail`: `mail-77` if it came by email, else `order-9`."""

Given = ParamSpec("Given")
Result = TypeVar("Result")

Task: TypeAlias = Literal["judge", "deliver", "call", "think", "review", "obey"]
"""`judge`, `think` and `review` take a match id, `deliver` a letter id, `call` that of a hook or device, `obey` that of
an incoming mail. `review` goes on with whichever review has waited longest."""

Nudge: TypeAlias = Callable[[Task, int], None]
"""Asks the worker to look at something now. A hint: it may be lost, it never raises, and the sweep makes up for it."""


def _now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def going_on(what: str, number: int) -> Iterator[None]:
    """Logs an unexpected error in one item, so that the caller carries on with the next; database errors propagate."""
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
    nudge_later: Nudge | None = None
    """A nudge for work that nobody waits for at a screen; None if it makes no difference here."""

    def unhurried(self) -> Site:
        """The site for work that comes after what people do: what the sweep finds, and what programs order."""
        return replace(self, nudge=self.nudge_later or self.nudge)

    def reply_address(self, back: ReplyAddress) -> str:
        """The signed address that means this."""
        local_part = address.write(self.settings.secret, back, self.settings.mail_replies)
        return f"{local_part}@{self.settings.mail_domain}"

    def note(self, trail: str, step: str, **facts: str | int | None) -> None:
        """Logs a step of a trail, if it has one and the settings ask for it."""
        if trail and self.settings.log_orders:
            at = self.now().isoformat(timespec="milliseconds")
            steps.info("%s", json.dumps({"at": at, "trail": trail, "step": step, **facts}))

    def note_letter(self, letter: Letter, step: str) -> None:
        """Logs a step of a letter, such as `sent`."""
        self.note(
            letter.trail, step, letter=letter.id, kind=letter.kind, player=letter.player_id, match=letter.match_id
        )

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Commits at the end of the block and then fires the nudges, or rolls back if the block raises."""
        with self.store.writing() as session:
            tx = Transaction(self, session)
            yield tx
        for name, step, facts in tx.steps:
            self.note(name, step, **facts)
        for task, subject in tx.nudges:
            self.nudge(task, subject)


class Transaction:
    """One transaction that writes. What the worker should look at is collected on it and nudged after its commit."""

    def __init__(self, site: Site, session: Session) -> None:
        self.site = site
        self.session = session
        self.nudges: dict[tuple[Task, int], Letter | None] = {}
        """In order, each once, with the letter if it is at hand: a session forgets rows without another reference."""
        self.trail = ""
        """The trail of what is being done now; "" for what follows from no order. Letters owed meanwhile keep it."""
        self.steps: list[tuple[str, str, dict[str, str | int | None]]] = []

    @functools.cached_property
    def now(self) -> datetime:
        """The time of everything that happens in it: when it was first asked for, so after any lock taken before."""
        return self.site.now()

    def nudge(self, task: Task, subject: int, letter: Letter | None = None) -> None:
        """Has the worker look at something once this is committed."""
        self.nudges[task, subject] = letter

    def follow(self, order: int | None, mail: int | None) -> None:
        """Begins to do what an order or an email asks for, given by id."""
        self.trail = f"order-{order}" if mail is None else f"mail-{mail}"

    def note(self, step: str, **facts: str | int | None) -> None:
        """Logs a step of the present trail once this is committed."""
        self.steps.append((self.trail, step, facts))

    def drop_nudge(self, task: Task, subject: int) -> None:
        """Takes back a nudge for work that this transaction, or its caller, does itself."""
        self.nudges.pop((task, subject), None)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """If the block raises, undoes what it did, with its nudges. Within it, `letters` are those of the block."""
        before, self.nudges = self.nudges, {}
        try:
            with self.session.begin_nested():
                yield
            before |= self.nudges
        finally:
            self.nudges = before

    @property
    def letters(self) -> list[Letter]:
        """The letters that are owed since the beginning or the innermost savepoint, in order."""
        owed = ((subject, letter) for (task, subject), letter in self.nudges.items() if task == "deliver")
        return [letter or self.session.get_one(Letter, subject) for subject, letter in owed]


def transactional(
    use_case: Callable[Concatenate[Transaction, Given], Result],
) -> Callable[Concatenate[Site | Transaction, Given], Result]:
    """Makes a use case its own transaction if it is given the site, or part of the transaction that it is given."""

    @functools.wraps(use_case)
    def run(given: Site | Transaction, /, *args: Given.args, **named: Given.kwargs) -> Result:
        if isinstance(given, Transaction):
            return use_case(given, *args, **named)
        with given.transaction() as tx:
            return use_case(tx, *args, **named)

    return run
