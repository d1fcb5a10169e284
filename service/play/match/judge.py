"""Judging: one submission, one transaction, one verdict."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import Select, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.engine.game import MoveError, OutOfTurn, Position, Unreadable
from service.mail import orders
from service.mail.orders import Order
from service.play.letter_kinds import ConditionalSaved, OrderAnswer, OrderWithdrawn, Refusal, StandingSaved
from service.play.match import lobby, offers, play_move, receipts, rematch, substitutes
from service.play.notify.announce import answer_mail
from service.play.orders import alternatives, conditional, undo
from service.play.orders.submit import ordered
from service.play.site import Nudges, Site
from service.play.table import replay, teams
from service.play.talk import remarks
from service.play.timekeeping import clocks, extra_time, late_turns
from service.play.timekeeping.deadlines import flag_key
from service.store.models import LATE, Match, Place, Seat, Submission

log = logging.getLogger(__name__)

AT_ONCE = 20
"""How many orders of each seat are looked at to find the one to be judged next: those of one, which may be held back,
must not keep others waiting."""


class Stumbled(MoveError):
    """The order trips over a mistake of ours. Its author is told, and the match goes on."""

    def __init__(self) -> None:
        super().__init__(
            "Something went wrong on our side, so your order wasn't played. "
            "Please write it another way, or contact the site's operator."
        )


class Judged(NamedTuple):
    """What to nudge after a judgement, and whether another submission waits or may have come of it."""

    nudges: Nudges
    more: bool


def judge_waiting(site: Site, match_id: int) -> None:
    """Judges the unjudged submissions of a match, oldest first."""
    more = True
    while more:
        with judging(site, match_id) as (session, match):
            nudges, more = judge_oldest(session, site.now(), match)
        site.nudge_all(nudges)


@contextmanager
def judging(site: Site, match_id: int) -> Iterator[tuple[Session, Match]]:
    """A transaction that has the match locked; where it fails, the positions it came to are forgotten."""
    try:
        with site.store.writing() as session:
            yield session, lock(session, match_id)
    except Exception:
        replay.forget()
        raise


def lock(session: Session, match_id: int) -> Match:
    """The match as it is now, which nobody else judges until this transaction ends."""
    # Waiting for the lock alone would leave what this transaction has read of it before as it was. Orders that come
    # in meanwhile refer to the match, and are not to wait.
    match = session.get_one(Match, match_id, with_for_update={"key_share": True}, populate_existing=True)
    teams.load(session, [match])
    return match


def judge_oldest(session: Session, now: datetime, match: Match) -> Judged:
    """Judges the oldest submission of a locked match, if there is one.

    One that comes in meanwhile is none of this one's business: it brings a nudge of its own.
    """
    waiting = undo.ready(session.scalars(_unjudged(match.id)).all(), now)
    if not waiting or _waits_for_the_sweep(match, waiting[0]):
        return Judged([], False)
    submission, replies = waiting[0], any(seat.ahead for seat in match.seats)
    try:
        with session.begin_nested():
            nudges = _accept(session, now, match, submission)
            nudges += remarks.account_for(session, now, match, submission, nudges)
            nudges += receipts.acknowledge(session, now, match, submission, nudges, replies)
        submission.verdict = "accepted"
    except MoveError as error:
        nudges = _refuse(session, now, submission, error)
    except SQLAlchemyError:
        raise
    except Exception:
        replay.forget()
        if submission.door == "clock":
            raise
        log.exception("order %s in match %s cannot be judged", submission.id, match.id)
        nudges = _refuse(session, now, submission, Stumbled())
    submission.ply = match.ply
    log.info("match %s seat %s %s by %s: %s", match.id, submission.seat, submission.verdict, submission.door, match.ply)
    return Judged(nudges, replies or len(waiting) > 1)


def _unjudged(match_id: int) -> Select[Submission]:
    """The oldest orders of each seat that are still to be judged, the oldest first."""
    age = (Submission.received, Submission.id)
    place = func.row_number().over(partition_by=Submission.seat, order_by=age).label("place")
    waiting = (
        select(Submission.id, place).where(Submission.match_id == match_id, Submission.verdict.is_(None)).subquery()
    )
    oldest = select(Submission).join(waiting, waiting.c.id == Submission.id).where(waiting.c.place <= AT_ONCE)
    return oldest.order_by(*age)


def _refuse(session: Session, now: datetime, submission: Submission, error: MoveError) -> Nudges:
    submission.verdict, submission.message = "refused", str(error)
    refusal = Refusal(
        submission=submission.id,
        again=isinstance(error, play_move.Repeated),
        waits=isinstance(error, teams.PartnersTurn),
        sentence=isinstance(error, Unreadable) and ordered(submission).is_sentence,
    )
    return answer_mail(session, now, submission, refusal)


def _accept(session: Session, now: datetime, match: Match, submission: Submission) -> Nudges:
    order = ordered(submission)
    own = match.place_of(submission.player_id, submission.seat)
    if own is None or own.number != submission.seat:
        return substitutes.judge_outsider(session, now, match, submission, order)
    if match.state == "open":
        return lobby.judge_answer(session, now, match, own, submission, order)
    if match.state == "declined":
        raise OutOfTurn("The invitation to this match was declined, so it never began.")
    return JUDGES[type(order)](Case(session, now, match, submission, own), order)


def _waits_for_the_sweep(match: Match, submission: Submission) -> bool:
    """Whether a deadline had passed when the order reached us. The sweep says what comes of it: a flag, or more time
    on account of vacation or an outage."""
    overdue = any(seat.deadline is not None and seat.deadline < submission.received for seat in match.seats)
    return overdue and submission.kind not in (orders.Timeout.kind, orders.Undo.kind)


class Case(NamedTuple):
    """An order to be judged in a match that has begun, by the player who has the place `own` there."""

    session: Session
    now: datetime
    match: Match
    submission: Submission
    own: Place

    @property
    def seat(self) -> Seat:
        """The seat that it is for, which a partner of the player's may have now."""
        return self.match.seats[self.own.number]

    @property
    def position(self) -> Position:
        """The position now."""
        return replay.position(self.session, self.match)

    def answered(self, contents: OrderAnswer) -> Nudges:
        """Owes the answer to an order that came by email."""
        return answer_mail(self.session, self.now, self.submission, contents)


Judge: TypeAlias = Callable[[Case, Any], Nudges]
"""Judges one kind of order; raises MoveError with nothing changed."""


def _in_turn(judge: Judge) -> Judge:
    """Of a team, only the player whose turn it is may give such an order."""

    def judged(case: Case, order: Order) -> Nudges:
        if case.own is not case.seat:
            play_move.refuse_repeated(case.session, case.match, case.submission, order)
            teams.check_turn(case.match, case.own)
        return judge(case, order)

    return judged


def _undo(case: Case, _order: orders.Undo) -> Nudges:
    undone = undo.undo(case.session, case.seat, case.submission)
    return case.answered(OrderWithdrawn(submission=case.submission.id, order=undone.text))


def _rematch(case: Case, _order: orders.Rematch) -> Nudges:
    return rematch.judge(case.session, case.now, case.match, case.submission)


def _standing(case: Case, order: orders.Standing) -> Nudges:
    alternatives.keep_standing(case.match, case.own, case.position, order, clocks.control(case.match).late)
    return case.answered(StandingSaved(submission=case.submission.id))


def _leave_team(case: Case, order: orders.LeaveTeam | orders.Resign) -> Nudges:
    if case.match.teams and case.match.state == "running":
        return substitutes.judge_leaving(case.session, case.now, case.match, case.own, case.submission)
    return _move_in_turn(case, order)


def _resign(case: Case, order: orders.Resign) -> Nudges:
    """Who has deleted the account leaves the seat to the others who share it."""
    is_gone = case.own.player is not None and case.own.player.left is not None
    if is_gone and teams.is_shared(case.match, case.own.number):
        return _leave_team(case, order)
    return _move_in_turn(case, order)


def _extend(case: Case, order: orders.Extend) -> Nudges:
    return extra_time.give(case.session, case.now, case.match, case.submission, order.amount)


def _agree(case: Case, order: orders.Agreement) -> Nudges:
    """What concerns no offer between the players, such as `accept` for the count, is a move of the game."""
    session, now, match, submission, _ = case
    agreed = offers.judge(session, now, match, submission, case.position, order) if match.state == "running" else None
    return _move(case, order) if agreed is None else agreed


def _conditional(case: Case, order: orders.Conditional) -> Nudges:
    conditional.order(case.match, case.seat, case.position, order.plan)
    if order.now:
        return _move(case, orders.parse(order.now))
    return case.answered(ConditionalSaved(submission=case.submission.id))


def _move(case: Case, order: Order) -> Nudges:
    if not order.text and case.submission.door == "mail":
        raise Unreadable("Your email has no text of your own. Write your move on the first line.")
    return play_move.play(case.session, case.now, case.match, case.submission, order)


def _time_is_up(case: Case, _order: orders.Timeout) -> Nudges:
    """What the clock of the match says about who is late; raises MoveError if they moved in time.

    Once in a turn there may be more time; then comes the player's own standing order, else what lets the match go on,
    and in the end they leave it. Nobody loses on time once play has ended: the count goes on without them.
    """
    session, now, match, submission, seat = *case[:4], case.seat
    if submission.key != flag_key(match.id, seat):
        raise OutOfTurn("The move came in time.")
    rules, before = clocks.control(match), replay.position(session, match)
    if clocks.prolong(session, match, seat, now):
        return late_turns.tell(session, now, match, before, submission)
    goes_on = rules.late != "lose" or before.phase != "play"
    standing = alternatives.fallback(before, seat) if goes_on else None
    missed = seat.missed + (before.phase == "play")
    enough = substitutes.MISSED * (2 if match.substitutes else 1)
    stays = goes_on and (missed < enough or before.phase != "play")
    if not (standing or stays) and teams.is_shared(match, seat.number):
        return substitutes.leave(session, now, match, seat)
    late_one = seat.player_id
    move = standing or (before.missed(seat.number) if stays else None) or "timeout"
    nudges = play_move.enter(session, now, match, submission, before, move, "" if standing else LATE)
    own = match.place_of(late_one, seat.number) or seat
    own.missed = 0 if standing else missed
    if match.substitutes and own.missed == substitutes.MISSED and match.state == "running":
        nudges += substitutes.seek(session, now, match, before, own)
    return nudges


_move_in_turn = _in_turn(_move)

JUDGES: dict[type[Order], Judge] = {
    orders.Undo: _undo,
    orders.Rematch: _rematch,
    orders.LeaveTeam: _leave_team,
    orders.Standing: _standing,
    orders.Resign: _resign,
    orders.Timeout: _in_turn(_time_is_up),
    orders.Extend: _in_turn(_extend),
    orders.Offer: _in_turn(_agree),
    orders.Accept: _in_turn(_agree),
    orders.Decline: _in_turn(_agree),
    orders.Withdraw: _in_turn(_agree),
    orders.Conditional: _in_turn(_conditional),
    orders.Yes: _move_in_turn,
    orders.No: _move_in_turn,
    orders.Draw: _move_in_turn,
    orders.Pass: _move_in_turn,
    orders.Move: _move_in_turn,
}
"""Who judges which kind of order, once the match has begun."""
