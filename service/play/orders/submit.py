"""Submits orders: stored first, acknowledged second, judged third."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, literal, select, union_all
from sqlalchemy.orm import Session

from service.engine.game import Unreadable
from service.mail.grammar.orders import LONGEST, Order, restored
from service.play import bans
from service.play.orders import undo
from service.play.site import Site, Transaction, transactional
from service.play.table import replay
from service.store.insert import insert_for_id
from service.store.models import Match, Seat, Submission, Teammate

LONGEST_REMARK = 10_000

AT_ONCE = 20
"""How many orders of each seat are read to find the next one to judge. Held orders of one seat must not delay
others."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """An order and its origin. `key` is the same for every copy of the same order."""

    key: str
    match_id: int
    seat: int
    player_id: int
    round: int | None
    order: Order
    door: str
    remark: str = ""
    mail_id: int | None = None
    may_undo: bool = False
    """Whether its player may still withdraw it for as long as they have chosen."""


def _kept(remark: str) -> str:
    """A remark as stored: if it is too long, its beginning and a mark that shows where it was cut."""
    whole = remark.replace("\0", "")
    return whole if len(whole) <= LONGEST_REMARK else f"{whole[: LONGEST_REMARK - 6].rstrip()} [...]"


def check_length(text: str, remark: str = "") -> None:
    """Raises Unreadable for an order or a remark that is too long."""
    for what, given, longest in (("An order", text, LONGEST), ("A message", remark, LONGEST_REMARK)):
        if len(given) > longest:
            raise Unreadable(f"{what} can have up to {longest:,} characters; this one has {len(given):,}.")


def seat_of(session: Session, match_id: int, player_id: int) -> int | None:
    """The number of the seat that a player has or shares in a match; None if they have none."""
    return session.connection().execute(_SEAT, {"match": match_id, "player": player_id}).scalar()


_OF_PLAYER: dict[str, Any] = {"match_id": bindparam("match"), "player_id": bindparam("player")}
_SEAT = union_all(
    select(Seat.number, literal(0).label("rank")).filter_by(**_OF_PLAYER),
    select(Teammate.number, literal(1)).filter_by(**_OF_PLAYER),
).order_by("rank", "number")
"""The player's own seat, or in a team their turn, comes first."""


@transactional
def submit(tx: Transaction, incoming: Incoming, received: datetime | None = None) -> int:
    """Stores the order for judging, and returns its submission's id; a copy returns the id of the first. It counts as
    received now, unless a time is given."""
    tx.nudge("judge", incoming.match_id)
    received = received or tx.now
    undoable = (tx.session, received, incoming.match_id, incoming.player_id, incoming.order)
    kept = insert_for_id(
        tx.session,
        Submission,
        key=incoming.key,
        match_id=incoming.match_id,
        seat=incoming.seat,
        player_id=incoming.player_id,
        round=incoming.round,
        kind=incoming.order.kind,
        text=incoming.order.text,
        remark=_kept(incoming.remark),
        door=incoming.door,
        received=received,
        mail_id=incoming.mail_id,
        held=undo.until(*undoable) if incoming.may_undo else None,
        message="",
    )
    if kept is not None:
        tx.follow(kept, incoming.mail_id)
        tx.note("order", order=kept, match=incoming.match_id, seat=incoming.seat, door=incoming.door)
        return kept
    return tx.session.scalars(select(Submission.id).where(Submission.key == incoming.key)).one()


def is_for_now(site: Site, match_id: int, round_: int) -> bool:
    """Whether a match still waits for what it waited for in this round, though others may have answered meanwhile."""
    with site.store.reading() as session:
        match = session.get_one(Match, match_id)
        since = match.round if round_ == match.round else replay.position(session, match).asked_since
        return since <= round_ <= match.round


def is_same(site: Site, incoming: Incoming) -> bool:
    """Whether the order stored under the key is this one, and not a different one sent with the same key."""
    with site.store.reading() as session:
        kept = session.scalars(select(Submission).where(Submission.key == incoming.key)).one()
        ban = bans.of(site, session, incoming.player_id)
    # What a banned player writes with an order isn't kept.
    is_dropped = not kept.remark and bans.holds(ban, site.now())
    order, remark = incoming.order, "" if is_dropped else _kept(incoming.remark)
    sent = (incoming.match_id, incoming.round, order.text, remark)
    return (kept.match_id, kept.round, kept.text, kept.remark) == sent


def ordered(submission: Submission) -> Order:
    """The order that was submitted."""
    return restored(submission.kind, submission.text)


def unjudged(session: Session, match_id: int) -> list[Submission]:
    """The oldest orders of each seat that are still to be judged, in the order in which they count."""
    return _as_given(session.scalars(_unjudged(), {"match": match_id}).all())


@cache
def _unjudged() -> Select[Submission]:
    """Selects the oldest unjudged orders of each seat, the oldest first. Built once: building a statement this long
    takes longer than running it."""
    age = (Submission.received, Submission.id)
    place = func.row_number().over(partition_by=Submission.seat, order_by=age).label("place")
    waiting = (
        select(Submission.id, place)
        .where(Submission.match_id == bindparam("match"), Submission.verdict.is_(None))
        .subquery()
    )
    oldest = select(Submission).join(waiting, waiting.c.id == Submission.id).where(waiting.c.place <= AT_ONCE)
    return oldest.order_by(*age)


def _as_given(waiting: Sequence[Submission]) -> list[Submission]:
    """Orders by age, but each player's own in order of arrival, even if a clock was set back between two of them."""
    own = defaultdict[tuple[int, bool], list[Submission]](list)
    for submission in sorted(waiting, key=lambda submission: submission.id, reverse=True):
        own[submission.player_id, submission.door == "clock"].append(submission)
    return [own[submission.player_id, submission.door == "clock"].pop() for submission in waiting]
