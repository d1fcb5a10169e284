"""The one door for orders: kept first, acknowledged second, judged third."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.game import Unreadable
from service.play.site import Site
from service.store.insert import insert_once
from service.store.models import IncomingMail, Saying, Submission

LONGEST_ORDER = 2_000
LONGEST_REMARK = 10_000


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody wants played. `key` is a sentence that is the same for every copy of the same order."""

    key: str
    match_id: int
    seat: int
    player_id: int
    round: int | None
    text: str
    door: str
    remark: str = ""
    mail_id: int | None = None
    held: datetime | None = None


def submit(site: Site, order: Order) -> int:
    """Keeps the order and returns its submission's id; a copy of a kept order returns the id of the first."""
    with site.store.writing() as session:
        submission_id = keep(session, order, site.now())
    site.nudge("judge", order.match_id)
    return submission_id


def check_length(text: str, remark: str = "") -> None:
    """Raises Unreadable for an order or a remark that is longer than any is kept."""
    for what, given, longest in (("An order", text, LONGEST_ORDER), ("A message", remark, LONGEST_REMARK)):
        if len(given) > longest:
            raise Unreadable(f"{what} can have up to {longest:,} characters; this one has {len(given):,}.")


def keep(session: Session, order: Order, received: datetime) -> int:
    """`submit` within a transaction of the caller's, who nudges after its commit."""
    kept = insert_once(
        session,
        Submission,
        key=order.key,
        match_id=order.match_id,
        seat=order.seat,
        player_id=order.player_id,
        round=order.round,
        text=order.text.replace("\0", "")[:LONGEST_ORDER],
        remark=order.remark.replace("\0", "")[:LONGEST_REMARK],
        door=order.door,
        received=received,
        mail_id=order.mail_id,
        held=order.held,
        message="",
    )
    if kept is not None:
        return kept.id
    return session.scalars(select(Submission.id).where(Submission.key == order.key)).one()


def mark(row: Submission | Saying | IncomingMail) -> str:
    """What names a row in Message-IDs and other things that are sent out.

    Its `id` must not: the ids of two of one's own rows tell how many rows others made in between. A key has a nonce of
    its writer's browser or the Message-ID of their mail, or says nothing but what its readers know.
    """
    return sha256(row.key.encode()).hexdigest()[:32]
