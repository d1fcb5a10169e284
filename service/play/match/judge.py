"""Judging: one submission, one transaction, one verdict."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Select, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.engine.game import AGREEMENTS, WAIT, MoveError, OutOfTurn, Position, Unreadable
from service.play.letter_kinds import (
    ChoiceSaved,
    ConditionalSaved,
    DrawDeclined,
    DrawOffered,
    NotReady,
    OrderWithdrawn,
    PrivateSaved,
    Refusal,
    StandingSaved,
)
from service.play.match import lobby, offers, receipts, rematch, substitutes
from service.play.notify.announce import announce, answer_mail
from service.play.orders import alternatives, conditional, undo
from service.play.site import Nudges, Site
from service.play.table import press, replay, teams
from service.play.talk import remarks
from service.play.timekeeping import clocks, extra_time, late_turns
from service.play.timekeeping.deadlines import flag_key
from service.store.models import AHEAD, LATE, REPLACED, Entry, Match, Submission

log = logging.getLogger(__name__)

AT_ONCE = 20
"""How many orders of each seat are looked at to find the one to be judged next: those of one, which may be held back,
must not keep others waiting."""

MISSED = 3
"""Where late turns pass, whoever misses this many in a row is out; or with substitutes, may be replaced from then on,
and is out after as many again."""


class Repeated(OutOfTurn):
    """The order is one that was played already."""


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
        again=isinstance(error, Repeated),
        waits=isinstance(error, teams.PartnersTurn),
        sentence=isinstance(error, Unreadable) and len(submission.text.split()) > 3,
    )
    return answer_mail(session, now, submission, refusal)


def _accept(session: Session, now: datetime, match: Match, submission: Submission) -> Nudges:
    seat, own = match.seats[submission.seat], match.place_of(submission.player_id, submission.seat)
    if own is None or own.number != seat.number:
        return substitutes.judge_outsider(session, now, match, submission)
    if match.state == "open":
        return lobby.judge_answer(session, now, match, own, submission)
    if match.state == "declined":
        raise OutOfTurn("The invitation to this match was declined, so it never began.")
    if undo.is_undo(submission.text):
        undone = undo.undo(session, seat, submission)
        return answer_mail(session, now, submission, OrderWithdrawn(submission=submission.id, order=undone.text))
    if rematch.is_wish(submission.text):
        return rematch.judge(session, now, match, submission)
    if match.teams and (left := substitutes.judge_leaving(session, now, match, own, submission)) is not None:
        return left
    if (standing := alternatives.standing(submission.text)) is not None:
        position = replay.position(session, match)
        alternatives.keep_standing(match, own, position, standing, clocks.control(match).late)
        return answer_mail(session, now, submission, StandingSaved(submission=submission.id))
    if own is not seat:
        _refuse_repeated(session, match, submission)
        teams.check_turn(match, own)
    if submission.door == "clock":
        return _time_is_up(session, now, match, submission)
    if extra_time.is_gift(submission.text):
        return extra_time.give(session, now, match, submission)
    if (agreed := _agree(session, now, match, submission)) is not None:
        return agreed
    text, planned = conditional.split(submission.text)
    if planned is None:
        if not text and submission.door == "mail":
            raise Unreadable("Your email has no text of your own. Write your move on the first line.")
        return _play(session, now, match, submission, text)
    teams.check_ahead(match, seat, planned)
    conditional.order(seat, replay.position(session, match), planned)
    if text:
        return _play(session, now, match, submission, text)
    return answer_mail(session, now, submission, ConditionalSaved(submission=submission.id))


def _agree(session: Session, now: datetime, match: Match, submission: Submission) -> Nudges | None:
    """What comes of an offer to the others, or of an answer to theirs; None if the order is neither."""
    wish = offers.read(submission.text)
    if wish is None or match.state != "running":
        return None
    return offers.judge(session, now, match, submission, replay.position(session, match), wish)


def _waits_for_the_sweep(match: Match, submission: Submission) -> bool:
    """Whether a deadline had passed when the order reached us. The sweep says what comes of it: a flag, or more time
    on account of vacation or an outage."""
    overdue = any(seat.deadline is not None and seat.deadline < submission.received for seat in match.seats)
    return overdue and submission.door != "clock" and not undo.is_undo(submission.text)


def _time_is_up(session: Session, now: datetime, match: Match, submission: Submission) -> Nudges:
    """What the clock of the match says about who is late; raises MoveError if they moved in time.

    Once in a turn there may be more time; then comes the player's own standing order, else what lets the match go on,
    and in the end they leave it. Nobody loses on time once play has ended: the count goes on without them.
    """
    seat = match.seats[submission.seat]
    if submission.key != flag_key(match.id, seat):
        raise OutOfTurn("The move came in time.")
    rules, before = clocks.control(match), replay.position(session, match)
    if clocks.prolong(session, match, seat, now):
        return late_turns.tell(session, now, match, before, submission)
    goes_on = rules.late != "lose" or before.phase != "play"
    ordered = alternatives.fallback(before, seat) if goes_on else None
    missed = seat.missed + (before.phase == "play")
    enough = MISSED * (2 if match.substitutes else 1)
    stays = goes_on and (missed < enough or before.phase != "play")
    if not (ordered or stays) and teams.is_shared(match, seat.number):
        return substitutes.leave(session, now, match, seat)
    late_one = seat.player_id
    move = ordered or (before.missed(seat.number) if stays else None) or "timeout"
    nudges = _enter(session, now, match, submission, before, move, "" if ordered else LATE)
    own = match.place_of(late_one, seat.number) or seat
    own.missed = 0 if ordered else missed
    if match.substitutes and own.missed == MISSED and match.state == "running":
        nudges += substitutes.seek(session, now, match, before, own)
    return nudges


def _play(session: Session, now: datetime, match: Match, submission: Submission, text: str) -> Nudges:
    """Plays the order and enters it in the log; raises MoveError with nothing changed."""
    before = replay.position(session, match)
    if submission.seat not in before.active:
        _refuse_late(session, submission)
    lobby.check_answered(before, text)
    offers.check_draw(match, before, text)
    move = alternatives.choose(before, submission.seat, text)
    if move == WAIT or (not before.is_private(move) and move != "resign"):
        _refuse_stale(session, before, submission, move)
    nudges = _enter(session, now, match, submission, before, move, AHEAD if submission.door == "ahead" else "")
    own = match.place_of(submission.player_id, submission.seat) or match.seats[submission.seat]
    if own.missed >= MISSED:
        substitutes.returned(own)
    # Who says that they are not ready is not missing, even if the round goes on without them.
    own.missed = -1 if move == WAIT else 0
    return nudges


def _enter(
    session: Session, now: datetime, match: Match, submission: Submission, before: Position, move: str, fate: str = ""
) -> Nudges:
    """Plays a canonical move, presses the clock and says so to whom it concerns; raises MoveError."""
    private = before.is_private(move)
    after = before.play(submission.seat, move)
    if move == WAIT:
        late_turns.unseal(session, match, submission, before)
    late_turns.drop_sealed(session, match, submission.seat, move, before, after)
    seat = match.seats[submission.seat]
    turn_ends = submission.seat in before.turns and not private and move not in AGREEMENTS
    session.add(
        Entry(
            match_id=match.id,
            ply=match.ply + 1,
            seat=submission.seat,
            move=move,
            round=before.round,
            private=private,
            fate=REPLACED if move == WAIT else fate,
            remark="" if private else press.kept_remark(match, seat.player, submission.remark),
            clock=clocks.stand(seat) if turn_ends else None,
            played=submission.received,
            submission_id=submission.id,
        )
    )
    match.ply += 1
    if turn_ends:
        clocks.press(session, match, seat, submission.received)
    lobby.show(match, after)
    given = teams.go_on(match, before, after, submission.seat, move, turn_ends)
    clocks.follow(session, now, match)
    replay.keep(match, match.ply, after)
    sealed = after.round == before.round and after.outcome is None
    if not sealed:
        match.moved = now
    if move in AGREEMENTS and after.outcome is None:
        event = (DrawOffered if move == "draw" else DrawDeclined)(by=submission.seat)
        answered = conditional.answer(session, now, match, before, after, submission, move)
        told = (other for other in offers.others(match, after, submission.seat) if other.number not in answered)
        return offers.tell(session, now, match, submission, told, event)
    saved = PrivateSaved if private else NotReady if move == WAIT else ChoiceSaved
    answers = answer_mail(session, now, submission, saved(submission=submission.id)) if sealed else []
    fired = {} if sealed else conditional.fire(session, now, match, before, after, submission, move)
    return answers + announce(session, now, match, before, after, fired) + offers.pass_on(session, now, match, given)


def _refuse_late(session: Session, submission: Submission) -> None:
    """Says so to somebody who is out of the match on account of the time."""
    out = select(Entry.played).where(
        Entry.match_id == submission.match_id, Entry.seat == submission.seat, Entry.move == "timeout"
    )
    if session.scalars(out).first() is not None:
        raise OutOfTurn("Your time ran out before this order reached us, so it wasn't played.")


def _refuse_repeated(session: Session, match: Match, submission: Submission) -> None:
    """Raises Repeated for a second copy of a move by which the turn has gone on to a partner."""
    mine = select(Entry.move).join(Submission, Submission.id == Entry.submission_id)
    mine = mine.where(Entry.match_id == submission.match_id, Entry.seat == submission.seat)
    mine = mine.where(Submission.player_id == submission.player_id, Entry.round == submission.round)
    played = session.scalars(mine).first()
    if played is not None and alternatives.reads_as(
        replay.position(session, match), submission.seat, submission.text, played
    ):
        raise Repeated(f"{played} was already played as move {submission.round}, so it wasn't played again.")


def _refuse_stale(session: Session, position: Position, submission: Submission, move: str) -> None:
    """Raises OutOfTurn for an order meant for another round, and Repeated for one that was played already.

    An offer by others leaves the question open, so a reply from before it counts. `accept` and `decline` are about the
    offer itself and count in its own round only: nobody agrees to what they had not seen.
    """
    meant = submission.round
    if meant is None or position.outcome is not None:
        return
    if move in AGREEMENTS and _says_which(submission.text):
        in_time = position.round <= meant
    else:
        in_time = position.asked_since <= meant
    if in_time and move not in AGREEMENTS:
        return
    if _is_repeated(session, submission, meant, move):
        raise Repeated(f"{move} was already played as move {meant}, so it wasn't played again.")
    if not in_time:
        raise OutOfTurn(
            f"That order was for move {meant}, but the match is now at move {position.round}. "
            "Nothing was played. Look at the current board before you send another order."
        )


def _says_which(text: str) -> bool:
    """Whether an answer to an offer needs the offer to be understood, as `accept` does and `draw` does not."""
    return text.strip(" .,;!?\n").lower() != "draw"


def _is_repeated(session: Session, submission: Submission, meant: int, move: str) -> bool:
    """Whether the seat's first entry since the round that the order was meant for is this very move.

    Offers may have raised the round between the email and its answer. Offers themselves are looked for in that round
    alone.
    """
    own = (Entry.match_id == submission.match_id, Entry.seat == submission.seat)
    answered = select(func.min(Entry.round)).where(*own, Entry.round >= meant, Entry.move.not_in(AGREEMENTS))
    at = meant if move in AGREEMENTS else answered.scalar_subquery()
    return session.scalar(select(Entry.ply).where(*own, Entry.move == move, Entry.round == at).limit(1)) is not None
