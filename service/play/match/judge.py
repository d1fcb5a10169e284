"""Judging: one submission, one transaction, one verdict."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import bindparam, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, lazyload
from sqlalchemy.orm.attributes import set_committed_value

from service.engine.game import MoveError, OutOfTurn, Position, Unreadable
from service.mail.grammar import orders
from service.mail.grammar.orders import Order
from service.play import bans
from service.play.letter_contents import OrderAnswer, Unheard
from service.play.letter_kinds import ConditionalSaved, OrderWithdrawn, Refusal, StandingSaved, TimedOut
from service.play.match import invitations, offers, play_move, receipts, rematch, review, substitutes
from service.play.notify.announce import answer_mail, tell_seat
from service.play.orders import alternatives, conditional, undo
from service.play.orders.submit import ordered, unjudged
from service.play.site import Site, Transaction
from service.play.table import press, replay, teams
from service.play.timekeeping import clocks, extra_time, late_turns
from service.play.timekeeping.deadlines import flag_key
from service.store.models import LATE, Match, Place, Seat, Submission

log = logging.getLogger(__name__)


class Stumbled(MoveError):
    """The order triggers an error in our code. Its author is informed, and the match goes on."""

    def __init__(self) -> None:
        super().__init__(
            "Something went wrong on our side, so your order wasn't played. "
            "Please write it another way, or contact the site's operator."
        )


def judge_waiting(site: Site, match_id: int) -> None:
    """Judges the unjudged submissions of a match, oldest first."""
    more = True
    while more:
        with judging(site, match_id) as (tx, match):
            more = judge_oldest(tx, match)


@contextmanager
def judging(site: Site, match_id: int) -> Iterator[tuple[Transaction, Match]]:
    """A transaction that has the match locked. If it fails, the positions it cached are dropped."""
    try:
        with site.transaction() as tx:
            yield tx, lock(tx.session, match_id)
    except Exception:
        replay.forget()
        raise


def lock(session: Session, match_id: int) -> Match:
    """The current match, locked until this transaction ends."""
    # Locking alone wouldn't refresh what this transaction has read of the match before. Orders that come in meanwhile
    # refer to the match, and don't have to wait.
    match = session.scalars(_LOCKED, {"match": match_id}).one()
    set_committed_value(match, "seats", session.scalars(_SEATS, {"match": match_id}).all())
    teams.load(session, [match])
    return match


_LOCKED = (
    select(Match)
    .where(Match.id == bindparam("match"))
    .with_for_update(key_share=True)
    .options(lazyload(Match.seats))
    .execution_options(populate_existing=True)
)
_SEATS = select(Seat).where(Seat.match_id == bindparam("match")).order_by(Seat.number)
_SEATS = _SEATS.execution_options(populate_existing=True)
"""Both statements are built once. The session would build the one for the seats again for each match."""


def judge_oldest(tx: Transaction, match: Match) -> bool:
    """Judges the oldest submission of a locked match, if there is one; returns whether the caller should judge again,
    because another waits or may have resulted from this one. A submission that arrives meanwhile doesn't count: it has
    its own nudge."""
    tx.drop_nudge("judge", match.id)  # The caller takes care of what waits now, and of what follows.
    kept = unjudged(tx.session, match.id)
    if _settle_held(tx, match, kept):
        return True
    waiting = undo.ready(kept, tx.now)
    if not waiting or _waits_for_the_sweep(match, waiting[0]):
        return False
    submission, planned, replies = waiting[0], [seat for seat in match.seats if seat.ahead], False
    tx.follow(submission.id, submission.mail_id)
    if submission.remark and bans.why_banned(tx, submission.player_id):
        submission.remark = ""  # The email about the ban said that nothing they write is passed on.
    try:
        with tx.savepoint():
            _accept(tx, match, submission)
            replies = bool(planned) and conditional.have_answered(tx, planned, submission)
            receipts.hear_remark(tx, match, submission)
            receipts.acknowledge(tx, match, submission, replies)
        submission.verdict = "accepted"
    except MoveError as error:
        _refuse(tx, submission, error)
    except SQLAlchemyError:
        raise
    except Exception:
        replay.forget()
        if submission.door == "clock":
            raise
        log.exception("order %s in match %s cannot be judged", submission.id, match.id)
        _refuse(tx, submission, Stumbled())
    submission.ply = match.ply
    tx.note("verdict", order=submission.id, match=match.id, verdict=submission.verdict, ply=match.ply)
    tx.drop_nudge("judge", match.id)
    return replies or len(kept) > 1


def _settle_held(tx: Transaction, match: Match, waiting: Sequence[Submission]) -> bool:
    """Refuses the first held move that can't be played, or withdraws the first that its player has replaced. Returns
    whether there was one. Like a withdrawal, a move counts if it arrived while the one before it was held, however late
    either is judged."""
    held: dict[int, Submission] = {}
    undone: set[int] = set()
    for later in waiting:
        own, earlier = match.place_of(later.player_id, later.seat), held.get(later.player_id)
        if later.kind == orders.Undo.kind:
            undone.add(later.player_id)  # What came after it waits until it is judged.
        if later.player_id in undone or (earlier is None and later.held is None):
            continue
        if not isinstance(own, Seat) or match.state != "running" or _waits_for_the_sweep(match, later):
            continue
        if earlier is not None and earlier.held is not None and later.received > earlier.held:
            continue
        try:
            settles = play_move.settles(tx.session, match, own, later, ordered(later))
        except MoveError as error:
            _refuse(tx, later, error)
            later.ply = match.ply
            return True
        if settles and earlier is not None:
            earlier.verdict, earlier.code = "withdrawn", undo.REPLACED
            unheard: Unheard = "secret" if press.without_signature(match, own.player, earlier.remark).strip() else ""
            withdrawn = OrderWithdrawn(submission=earlier.id, order=earlier.text, by=later.text, unheard=unheard)
            answer_mail(tx, earlier, withdrawn)
            return True
        if settles:
            held[later.player_id] = later
    return False


def _refuse(tx: Transaction, submission: Submission, error: MoveError) -> None:
    submission.verdict, submission.message, submission.code = "refused", str(error), error.code
    refusal = Refusal(
        submission=submission.id,
        again=isinstance(error, play_move.Repeated),
        waits=isinstance(error, teams.PartnersTurn),
        sentence=isinstance(error, Unreadable) and ordered(submission).is_sentence,
    )
    answer_mail(tx, submission, refusal)


def _accept(tx: Transaction, match: Match, submission: Submission) -> None:
    order = ordered(submission)
    if len(order.text) > orders.LONGEST:
        raise Unreadable(f"An order can have up to {orders.LONGEST:,} characters, and yours has more.")
    own = match.place_of(submission.player_id, submission.seat)
    if own is None or own.number != submission.seat:
        substitutes.judge_outsider(tx, match, submission, order)
        return
    if match.state == "open":
        invitations.judge_answer(tx, match, own, submission, order)
        return
    if match.state == "declined":
        raise OutOfTurn(invitations.CLOSED["declined"])
    if submission.round is not None and submission.round > match.round:
        # It answers a board that came after the backup from which everything was restored, and that nobody has now.
        raise play_move.misses(match, submission.round)
    JUDGES[type(order)](Case(tx, match, submission, own), order)


def _waits_for_the_sweep(match: Match, submission: Submission) -> bool:
    """Whether a deadline had passed when the order reached us. The sweep decides: a flag, or more time for a
    vacation or an outage."""
    overdue = any(seat.deadline is not None and seat.deadline < submission.received for seat in match.seats)
    return overdue and submission.kind not in (orders.Timeout.kind, orders.Undo.kind)


class Case(NamedTuple):
    """An order to judge in a match that has begun, from the player who has the place `own` there."""

    tx: Transaction
    match: Match
    submission: Submission
    own: Place

    @property
    def seat(self) -> Seat:
        """The seat that the order is for, which the player's partner may have now."""
        return self.match.seats[self.own.number]

    @property
    def position(self) -> Position:
        """The position now."""
        return replay.position(self.tx.session, self.match)

    def answered(self, contents: OrderAnswer) -> None:
        """Owes the answer to an order that came by email."""
        answer_mail(self.tx, self.submission, contents)


Judge: TypeAlias = Callable[[Case, Any], None]
"""Judges one kind of order; raises MoveError with nothing changed."""


def _in_turn(judge: Judge) -> Judge:
    """In a team, only the player whose turn it is may give such an order."""

    def judged(case: Case, order: Order) -> None:
        if case.own is not case.seat:
            play_move.refuse_repeated(case.tx.session, case.match, case.submission, order)
            teams.check_turn(case.match, case.own)
        judge(case, order)

    return judged


def _undo(case: Case, _order: orders.Undo) -> None:
    undone = undo.undo(case.tx.session, case.seat, case.submission, case.position)
    case.answered(OrderWithdrawn(submission=case.submission.id, order=undone.text))


def _rematch(case: Case, _order: orders.Rematch) -> None:
    rematch.judge(case.tx, case.match, case.submission)


def _review(case: Case, _order: orders.Review) -> None:
    review.judge(case.tx, case.match, case.submission)


def _standing(case: Case, order: orders.Standing) -> None:
    alternatives.keep_standing(case.match, case.own, case.position, order, clocks.control(case.match).late)
    case.answered(StandingSaved(submission=case.submission.id))


def _leave_team(case: Case, order: orders.LeaveTeam | orders.Resign) -> None:
    if case.match.state == "running":
        substitutes.judge_leaving(case.tx, case.match, case.own, case.submission)
        return
    _move_in_turn(case, order)


def _resign(case: Case, order: orders.Resign) -> None:
    """A player who has deleted their account leaves the seat to the others who share it."""
    is_gone = case.own.player is not None and case.own.player.left is not None
    if is_gone and teams.is_shared(case.match, case.own.number):
        _leave_team(case, order)
        return
    _move_in_turn(case, order)


def _extend(case: Case, order: orders.Extend) -> None:
    extra_time.give(case.tx, case.match, case.submission, order.amount)


def _agree(case: Case, order: orders.Agreement) -> None:
    """An order that isn't about an offer between players, such as `accept` for the count, is a move of the game."""
    tx, match, submission, _ = case
    if match.state != "running" or not offers.judge(tx, match, submission, case.position, order):
        _move(case, order)


def _conditional(case: Case, order: orders.Conditional) -> None:
    conditional.order(case.match, case.seat, case.position, order.plan)
    if order.now:
        _move(case, orders.parse(order.now))
        return
    case.answered(ConditionalSaved(submission=case.submission.id))


def _move(case: Case, order: Order) -> None:
    if not order.text and case.submission.door == "mail":
        raise Unreadable("Your email has no text of your own. Write your move on the first line.")
    play_move.play(case.tx, case.match, case.submission, order)


def _time_is_up(case: Case, _order: orders.Timeout) -> None:
    """Judges a passed deadline; raises MoveError if the player moved in time. Depending on the clock, the player gets
    more time once in a turn; then their standing order is played, or else a move that lets the match go on; and in the
    end they leave it. Nobody loses on time once play has ended: the count goes on without them."""
    tx, match, submission, seat = *case[:3], case.seat
    if submission.key != flag_key(match.id, seat):
        raise OutOfTurn("The move came in time.")
    rules, before = clocks.control(match), replay.position(tx.session, match)
    if clocks.prolong(tx.session, match, seat, tx.now):
        late_turns.tell(tx, match, before, submission)
        return
    goes_on = rules.late != "lose" or before.phase != "play"
    standing = alternatives.fallback(before, seat) if goes_on else None
    missed = seat.missed + (before.phase == "play")
    enough = substitutes.MISSED * (2 if match.substitutes else 1)
    stays = goes_on and (missed < enough or before.phase != "play")
    if not (standing or stays) and teams.is_shared(match, seat.number):
        substitutes.leave(tx, match, seat)
        return
    if not standing:
        seat.missed = missed
    move = standing or (before.missed(seat.number) if stays else None) or "timeout"
    play_move.enter(tx, match, submission, before, move, "" if standing else LATE)
    if move == "timeout" and match.state == "running":
        tell_seat(tx, f"timed_out:{match.id}:{seat.label}", seat, TimedOut())


def _move_or_resume(case: Case, order: orders.Move) -> None:
    """A move of the game, but in a pause of play, `resume` can only be meant for the pause."""
    in_play = order.resumes and case.position.phase == "play"
    if in_play and clocks.paused_until(case.match, case.submission.received):
        raise OutOfTurn("The match is paused. To ask the others to end the pause, write resume play.")
    _move(case, order)


_move_in_turn = _in_turn(_move)

JUDGES: dict[type[Order], Judge] = {
    orders.Undo: _undo,
    orders.Rematch: _rematch,
    orders.Review: _review,
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
    orders.Move: _in_turn(_move_or_resume),
}
"""The function that judges each kind of order, once the match has begun."""
