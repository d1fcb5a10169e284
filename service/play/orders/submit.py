"""The one door for orders: kept first, acknowledged second, judged third."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.game import Unreadable
from service.mail.orders import LONGEST, Order, restored
from service.play.site import Site
from service.store.insert import insert_once
from service.store.models import IncomingMail, Saying, Submission

LONGEST_REMARK = 10_000


@dataclass(frozen=True, slots=True)
class Incoming:
    """An order with where it comes from. `key` is the same for every copy of the same order."""

    key: str
    match_id: int
    seat: int
    player_id: int
    round: int | None
    order: Order
    door: str
    remark: str = ""
    mail_id: int | None = None
    held: datetime | None = None


def submit(site: Site, incoming: Incoming) -> int:
    """Keeps the order and returns its submission's id; a copy of a kept order returns the id of the first."""
    with site.store.writing() as session:
        submission_id = keep(session, incoming, site.now())
    site.nudge("judge", incoming.match_id)
    return submission_id


def check_length(text: str, remark: str = "") -> None:
    """Raises Unreadable for an order or a remark that is longer than any is kept."""
    for what, given, longest in (("An order", text, LONGEST), ("A message", remark, LONGEST_REMARK)):
        if len(given) > longest:
            raise Unreadable(f"{what} can have up to {longest:,} characters; this one has {len(given):,}.")


def keep(session: Session, incoming: Incoming, received: datetime) -> int:
    """`submit` within a transaction of the caller's, who nudges after its commit."""
    kept = insert_once(
        session,
        Submission,
        key=incoming.key,
        match_id=incoming.match_id,
        seat=incoming.seat,
        player_id=incoming.player_id,
        round=incoming.round,
        kind=incoming.order.kind,
        text=incoming.order.text,
        remark=incoming.remark.replace("\0", "")[:LONGEST_REMARK],
        door=incoming.door,
        received=received,
        mail_id=incoming.mail_id,
        held=incoming.held,
        message="",
    )
    if kept is not None:
        return kept.id
    return session.scalars(select(Submission.id).where(Submission.key == incoming.key)).one()


def ordered(submission: Submission) -> Order:
    """The order that was submitted."""
    return restored(submission.kind, submission.text)


def mark(row: Submission | Saying | IncomingMail) -> str:
    """What names a row in Message-IDs and other things that are sent out.

    Its `id` must not: the ids of two of one's own rows tell how many rows others made in between. A key has a nonce of
    its writer's browser or the Message-ID of their mail, or says nothing but what its readers know.
    """
    return sha256(row.key.encode()).hexdigest()[:32]
