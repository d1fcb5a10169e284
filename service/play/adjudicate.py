"""Judging: one submission, one transaction, one verdict."""

from __future__ import annotations

import logging
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.game import MoveError, OutOfTurn, Position
from service.play import lobby, replay
from service.play.announce import announce, answer_mail
from service.play.house import House, Nudges
from service.store.models import Entry, Match, Submission

log = logging.getLogger(__name__)


def adjudicate(house: House, match_id: int) -> None:
    """Judges the unjudged submissions of a match, oldest first."""
    while (nudges := _judge_oldest(house, match_id)) is not None:
        house.nudge_all(nudges)


def _judge_oldest(house: House, match_id: int) -> Nudges | None:
    with house.store.writing() as session:
        return judge_oldest(session, house.now(), match_id)


def judge_oldest(session: Session, now: datetime, match_id: int) -> Nudges | None:
    """Judges one submission and returns what to nudge; None when there is none. The match stays locked until commit."""
    match = session.get_one(Match, match_id, with_for_update=True)
    oldest_first = (
        select(Submission)
        .where(Submission.match_id == match_id, Submission.verdict.is_(None))
        .order_by(Submission.received, Submission.id)
    )
    submission = session.scalars(oldest_first.limit(1)).first()
    if submission is None:
        return None
    try:
        nudges = _accept(session, now, match, submission)
        submission.verdict = "accepted"
    except MoveError as error:
        submission.verdict, submission.message = "refused", str(error)
        nudges = answer_mail(session, now, submission, "refusal")
    submission.ply = match.ply
    log.info("match %s seat %s %s by %s: %s", match.id, submission.seat, submission.verdict, submission.door, match.ply)
    return nudges


def _accept(session: Session, now: datetime, match: Match, submission: Submission) -> Nudges:
    seat = match.seats[submission.seat]
    if seat.player_id != submission.player_id:
        raise OutOfTurn("That seat is somebody else's now.")
    if match.state == "open":
        return lobby.judge_answer(session, now, match, seat, submission.text)
    if match.state == "declined":
        raise OutOfTurn("The invitation to this match was declined, so it never began.")
    return _play(session, now, match, submission)


def _play(session: Session, now: datetime, match: Match, submission: Submission) -> Nudges:
    """Plays the order and enters it in the log; raises MoveError with nothing changed."""
    before = replay.position(session, match)
    move = before.read(submission.seat, submission.text)
    private = before.is_private(move)
    if not private and move != "resign":
        _refuse_stale(before, submission)
    after = before.play(submission.seat, move)
    session.add(
        Entry(
            match_id=match.id,
            ply=match.ply + 1,
            seat=submission.seat,
            move=move,
            round=before.round,
            private=private,
            remark=submission.remark,
            played=submission.received,
            submission_id=submission.id,
        )
    )
    match.ply += 1
    lobby.show(match, after)
    replay.keep(match, match.ply, after)
    sealed = after.round == before.round and after.outcome is None
    if not sealed:
        match.moved = now
    answers = answer_mail(session, now, submission, "noted") if sealed else []
    return answers + announce(session, now, match, before, after)


def _refuse_stale(position: Position, submission: Submission) -> None:
    if submission.round is not None and submission.round != position.round and position.outcome is None:
        raise OutOfTurn(
            f"That order was for move {submission.round}, and the board is at move {position.round} now. "
            "Nothing was played; look at the board as it stands and send your order again."
        )
