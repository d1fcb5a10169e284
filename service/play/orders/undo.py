"""The undo window, in which a move can be withdrawn: it is judged later, as of when it was received. Until then it is
only an unjudged order, which nobody but its author can see."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from service.engine.game import OutOfTurn, Position
from service.mail.grammar.orders import (
    Accept,
    Conditional,
    Decline,
    Draw,
    Move,
    Order,
    Pass,
    Resign,
    Standing,
    Undo,
    restored,
)  # fmt: skip
from service.store.models import Match, Place, Player, Seat, Submission

CHOICES = (0, 30, 60, 300)
"""The seconds a player may choose from."""

_ROOM = timedelta(hours=1)
"""No order is held this close to the end of a player's time."""

_GONE = "Your order has already gone out. To ask the others to take it back, write takeback."
_SEALED = "Nobody else sees your choice before the round is resolved. To withdraw it, write wait."
_DECLARED = "Nobody else sees your choice before everybody has chosen. To change it, send another."

REPLACED = "replaced"
"""The code of an order that was withdrawn because its player sent another in its place."""


class Held(NamedTuple):
    """An order that nobody has seen, and until when it can be withdrawn. `replaced` is the move that its player sent
    before it, "" for none; `unsaid` is that move's message, which was sent to nobody."""

    text: str
    until: datetime
    is_move: bool
    replaced: str = ""
    unsaid: str = ""


def until(session: Session, received: datetime, match_id: int, player_id: int, order: Order) -> datetime | None:
    """Until when an order is held; None if it is judged at once. Only orders that others wait for are held, not those
    that only the player ever sees. If several players are awaited, a choice can be replaced anyway, and a delay must
    not reveal who has chosen."""
    player = session.get(Player, player_id)
    unseen = isinstance(order, Undo | Standing) or (isinstance(order, Conditional) and not order.now)
    if player is None or not player.grace or unseen or not order.text:
        return None
    match = session.get(Match, match_id)
    own = None if match is None else match.place_of(player.id)
    if match is None or not isinstance(own, Seat):
        return None
    alone = own.to_move and sum(seat.awaited for seat in match.seats) == 1 and match.state == "running"
    ends = received + timedelta(seconds=player.grace)
    return ends if alone and (own.deadline is None or ends + _ROOM < own.deadline) else None


def ready(waiting: Sequence[Submission], now: datetime) -> list[Submission]:
    """The unjudged orders that are ready, in order. A player's orders after a held one wait with it.

    A withdrawal that came in time goes before what it withdraws, however late either is judged.
    """
    held: set[tuple[int, int]] = set()
    found = [submission for submission in waiting if submission.kind == Undo.kind]
    for submission in waiting:
        if submission in found:
            continue
        whose = (submission.seat, submission.player_id)
        if submission.held is not None and submission.held > now:
            held.add(whose)
        elif whose not in held:
            found.append(submission)
    return found


def waits(session: Session, submission: Submission, now: datetime) -> bool:
    """Whether an order that isn't judged yet is held back, or waits for one of its player's that is."""
    if submission.held is not None and submission.held > now:
        return True
    before = select(Submission.id).where(
        Submission.match_id == submission.match_id,
        Submission.verdict.is_(None),
        Submission.id < submission.id,
        Submission.seat == submission.seat,
        Submission.player_id == submission.player_id,
        Submission.held > now,
    )
    return submission.kind != Undo.kind and session.scalars(before.limit(1)).first() is not None


def is_move(order: Order, position: Position, seat: Seat) -> bool:
    """Whether an order may be a turn's move, and not an agreement beside the game: `accept` is a move in a count."""
    if isinstance(order, Accept | Decline):
        return not order.what and order.kind in position.moves(seat.number)
    return isinstance(order, Move | Pass | Resign | Draw) and bool(order.text)


def too_late(position: Position, seat: int) -> OutOfTurn:
    """Why a seat can't withdraw anything: its choice is sealed, or its order has gone out."""
    if seat in position.turns or seat not in position.public_turns:
        return OutOfTurn(_GONE)
    return OutOfTurn(_SEALED if position.phase == "play" else _DECLARED)


def undo(session: Session, seat: Seat, submission: Submission, position: Position) -> Submission:
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
        raise too_late(position, seat.number)
    if seat.deadline is not None and seat.deadline < submission.received:
        raise OutOfTurn("Your time has run out since you sent it, so the order can't be withdrawn.")
    order.verdict = "withdrawn"
    return order


def held(session: Session, match: Match, own: Place | None, now: datetime) -> tuple[Held, ...]:
    """The orders of the player of this place that can still be withdrawn, the oldest first; `undo` withdraws the last.

    A move in whose place another was sent is left out, even if that isn't judged yet.
    """
    player = None if own is None else own.player
    if own is None or player is None or not player.grace or match.state != "running":
        return ()
    mine = _of(match, own, player.id).where(Submission.verdict.is_(None), Submission.held > now)
    found = session.scalars(mine.order_by(Submission.id)).all()
    last = max((one.id for one in found if _is_plain_move(one)), default=0)
    shown = [one for one in found if one.id == last or not _is_plain_move(one)]
    return tuple(_shown(session, match, own, one) for one in shown)


def _of(match: Match, own: Place, player_id: int) -> Select[Submission]:
    return select(Submission).where(
        Submission.match_id == match.id, Submission.seat == own.number, Submission.player_id == player_id
    )


def _is_plain_move(submission: Submission) -> bool:
    """Whether it is a move in every position, unlike a draw or an answer."""
    return isinstance(restored(submission.kind, submission.text), Move | Pass | Resign | Conditional)


def _shown(session: Session, match: Match, own: Place, order: Submission) -> Held:
    assert order.held is not None, "Only held orders are shown."
    before = _of(match, own, order.player_id).where(
        Submission.verdict == "withdrawn", Submission.code == REPLACED, Submission.id < order.id
    )
    before = before.where(Submission.held >= order.received, Submission.received <= order.received)
    found = session.scalars(before.order_by(Submission.id.desc()).limit(1)).first()
    replaced, unsaid = ("", "") if found is None else (found.text, found.remark)
    return Held(order.text, order.held, _is_plain_move(order), replaced, unsaid)
