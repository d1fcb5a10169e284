"""A short while in which a move can be withdrawn: it is judged later, as of when it was received.

Until then it stands nowhere but among the orders that are still to be judged, which nobody but its author is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.game import OutOfTurn
from service.mail.grammar.orders import Order, Undo
from service.store.models import Match, Place, Player, Seat, Submission

CHOICES = (0, 30, 60, 300)
"""The seconds a player may choose from."""

_ROOM = timedelta(hours=1)
"""Nothing is held so shortly before time runs out."""


def until(session: Session, received: datetime, match_id: int, player_id: int, order: Order) -> datetime | None:
    """Until when an order of the player's is held back; None if it is judged at once.

    Only a move that others wait for is held. Where several are awaited, one may be replaced anyhow, and nobody is to
    learn from a delay who has chosen.
    """
    player = session.get(Player, player_id)
    if player is None or not player.grace or isinstance(order, Undo):
        return None
    match = session.get(Match, match_id)
    own = None if match is None else match.place_of(player.id)
    if match is None or not isinstance(own, Seat):
        return None
    alone = own.to_move and sum(seat.awaited for seat in match.seats) == 1 and match.state == "running"
    ends = received + timedelta(seconds=player.grace)
    return ends if alone and (own.deadline is None or ends + _ROOM < own.deadline) else None


def ready(waiting: Sequence[Submission], now: datetime) -> list[Submission]:
    """Of the orders to be judged, in order, those whose time has come: what comes after a held one waits with it.

    A withdrawal that came in time goes before what it withdraws, however late either is judged.
    """
    held: set[int] = set()
    found = [submission for submission in waiting if submission.kind == Undo.kind]
    for submission in waiting:
        if submission in found:
            continue
        if submission.held is not None and submission.held > now:
            held.add(submission.seat)
        elif submission.seat not in held:
            found.append(submission)
    return found


def undo(session: Session, seat: Seat, submission: Submission) -> Submission:
    """Withdraws the latest order of the seat that is still held, and returns it; raises OutOfTurn."""
    mine = select(Submission).where(
        Submission.match_id == seat.match_id,
        Submission.seat == seat.number,
        Submission.player_id == submission.player_id,
        Submission.verdict.is_(None),
        Submission.held >= submission.received,
        Submission.received <= submission.received,
    )
    order = session.scalars(mine.order_by(Submission.received.desc(), Submission.id.desc())).first()
    if order is None:
        raise OutOfTurn("Your order has already gone out. To ask the others to take it back, write takeback.")
    if seat.deadline is not None and seat.deadline < submission.received:
        raise OutOfTurn("Your time has run out since you sent it, so the order can't be withdrawn.")
    order.verdict = "withdrawn"
    return order


def held(session: Session, match: Match, own: Place | None, now: datetime) -> tuple[str, datetime] | None:
    """The order of the player of this place that can still be withdrawn, and until when."""
    player = None if own is None else own.player
    if own is None or player is None or not player.grace or match.state != "running":
        return None
    mine = select(Submission.text, Submission.held).where(
        Submission.match_id == match.id,
        Submission.seat == own.number,
        Submission.player_id == player.id,
        Submission.verdict.is_(None),
        Submission.held > now,
    )
    order = session.execute(mine.order_by(Submission.id.desc())).first()
    return None if order is None or order.held is None else (order.text, order.held)
