"""Reviews of finished matches, requested on the page or by email, and made a few moves at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from service.bots.roster import NAMES, OPPONENTS
from service.bots.thought import NO_MOVES, View, seed_of
from service.engine.game import LEAVES, OutOfTurn, Position
from service.engine.rewound import Again
from service.play.letter_kinds import Reviewed
from service.play.match import lobby
from service.play.match.lobby import Chair, Proposal
from service.play.notify.announce import answer_mail
from service.play.site import Site, Transaction, transactional
from service.play.table import replay, teams
from service.play.table.log import EntryLine, that_stand, visible_entries
from service.store.entries import entries
from service.store.insert import insert_once
from service.store.models import Match, Submission
from service.store.tables.reviews import UNFINISHED, Review, ReviewedMove, ReviewReader

TOO_SOON = "The computer looks back at a match only once it's over, so that it can't help anybody who's playing."

AT_A_TIME = 4
"""How many moves are reviewed before opponents in other matches, and other reviews, get their turn."""

UNFINISHED_EACH = 3
"""How many unfinished reviews a person and their bots may have together."""

NOTABLE = 0.05
"""The least share of the win that a move has to cost to be shown."""
SHOWN = 3
"""For how many moves a better one is shown."""

_NOT_PLAYED_OUT = {*LEAVES.values(), "agreement"}
"""The reasons for which a match ends whose result says nothing about the moves before it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One move of the match and the computer's judgement of the position before it."""

    ply: int
    """The number of the move as everybody sees it."""
    logged: int
    """The ply of its entry."""
    round: int
    seat: int
    side: str
    move: str
    shares: tuple[float, ...]
    best: str
    line: tuple[str, ...]
    cost: float = 0.0
    """The share of the win that it cost its player."""

    @property
    def comment(self) -> str:
        """What a record says about the move: its side's chances before it, and the best line if it differs."""
        better = "" if self.move == self.best else f" Better: {', '.join(self.line)}."
        return f"{self.side.capitalize()}'s chances: {round(100 * self.shares[self.seat])}%.{better}"

    @property
    def percent(self) -> int:
        """The cost in hundredths."""
        return round(100 * self.cost)


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A review, possibly unfinished."""

    done: int
    total: int
    is_finished: bool
    moments: tuple[Moment, ...]
    worst: tuple[Moment, ...]
    """The moves that cost most, worst first."""
    scores: tuple[float, ...]
    at_once: bool
    """Whether all chose at the same time, so that players count rounds and not moves."""
    can_be_tried: bool
    """Whether there are computer opponents for all other seats, so that a moment can be played again."""


class _Work(NamedTuple):
    """A move to judge: the ply of its entry, what its player saw, and the move."""

    ply: int
    view: View
    move: str
    seed: int


def moves(entries: Iterable[EntryLine]) -> list[EntryLine]:
    """The moves of a match that a review judges: those not taken back, without agreements and the like."""
    return [line for line in that_stand(entries) if line.move not in NO_MOVES]


def _departures(entries: Iterable[EntryLine]) -> list[int]:
    """The plies of the entries by which players left."""
    return [line.logged for line in that_stand(entries) if line.move in LEAVES]


def has_moves(session: Session, match: Match) -> bool:
    """Whether there are moves to review."""
    return bool(_moves(session, match))


@transactional
def ask(tx: Transaction, match_id: int, asker_id: int) -> None:
    """Requests a review; raises OutOfTurn if the match isn't over or has no moves, or if the player has too many
    unfinished reviews. Asking again changes nothing."""
    match = tx.session.get_one(Match, match_id)
    if match.state != "over":
        raise OutOfTurn(TOO_SOON)
    if not has_moves(tx.session, match):
        raise OutOfTurn("Nobody made a move in this match, so there's nothing to look back at.")
    if tx.session.get(Review, match.id) is None:
        _check_patience(tx.session, asker_id)
        insert_once(tx.session, Review, match_id=match.id, leased=tx.now, asker_id=asker_id)
        tx.nudge("review", match.id)


def _check_patience(session: Session, asker_id: int) -> None:
    """Raises OutOfTurn for a player with too many unfinished reviews."""
    asked = Review.asker_id.in_(teams.with_bots(session, asker_id))
    if (session.scalar(select(func.count()).where(asked, UNFINISHED)) or 0) >= UNFINISHED_EACH:
        raise OutOfTurn(
            f"The computer is still working on {UNFINISHED_EACH} reviews that you asked for. You can ask for another "
            "one once one of them is finished."
        )


def judge(tx: Transaction, match: Match, submission: Submission) -> None:
    """Requests a review that is emailed when it is finished; raises OutOfTurn."""
    assert submission.player_id is not None, "Only players ask for reviews."
    ask(tx, match.id, submission.player_id)
    if tx.session.get_one(Review, match.id, with_for_update=True).finished is not None:
        answer_mail(tx, submission, Reviewed(submission=submission.id))
    else:
        insert_once(tx.session, ReviewReader, match_id=match.id, submission_id=submission.id)


def go_on(site: Site) -> None:
    """Judges the next few moves of the review that has waited longest and isn't leased. However often each is on the
    queue, reviews take turns, so that a short one finishes soon."""
    from service.bots.review import budget, judged  # Only the processes that think load the searches.

    with site.transaction() as tx:
        waiting = select(Review).where(UNFINISHED, Review.leased <= tx.now).order_by(Review.leased, Review.match_id)
        review = tx.session.scalars(waiting.limit(1).with_for_update(skip_locked=True)).first()
        if review is None:
            return
        match_id = review.match_id
        review.leased = tx.now + timedelta(seconds=4 * site.settings.sweep_seconds)
    # A match that is over doesn't change. Replaying it while something is written would hold up all who write.
    with site.store.reading() as session:
        match = session.get_one(Match, match_id)
        game, work = match.game, _next(session, match)
    thoughts = [(one.ply, judged(one.view, one.move, budget(game, one.view.position), one.seed)) for one in work]
    with site.transaction() as tx:
        for ply, thought in thoughts:
            found = {"shares": list(thought.shares), "best": thought.move, "line": list(thought.lines[0])}
            insert_once(tx.session, ReviewedMove, match_id=match_id, ply=ply, **found)
        review = tx.session.get_one(Review, match_id, with_for_update=True)
        review.leased = tx.now
        if len(work) < AT_A_TIME:
            review.finished, review.asker_id = tx.now, None
            _send(tx, match_id)
        else:
            tx.nudge("review", match_id)


def try_again(site: Site, match_id: int, ply: int, player_id: int, key: str | None = None) -> int:
    """Opens a match from the position before a move of a match that is over, the player in the seat that moved there
    and computer opponents in the others; returns its id, the same for the same `key`. Raises OutOfTurn, LobbyError."""
    # A match that is over doesn't change. Replaying it while something is written would hold up all who write.
    with site.store.reading() as session:
        wanted = _from_before(session, session.get_one(Match, match_id), ply)
    with site.transaction() as tx:
        if key is not None and (opened := lobby.opened(tx, player_id, key)) is not None:
            return opened
        new = lobby.set_up(tx, player_id, wanted)
        new.key = key
        return new.id


def _from_before(session: Session, match: Match, ply: int) -> Proposal:
    """A match against computer opponents that begins before a move of a match that is over; raises OutOfTurn."""
    if match.state != "over":
        raise OutOfTurn("You can only replay moments of a match that's over.")
    line = next((line for line in _moves(session, match) if line.ply == ply), None)
    if line is None:
        raise OutOfTurn(f"There's no move {ply} to replay in this match.")
    position = replay.position(session, match, line.logged - 1)
    if position.phase != "play":
        raise OutOfTurn("You can only replay moments of play, not of the count after it.")
    bots = [seat.player.bot for seat in match.seats if seat.player is not None and seat.number != line.seat]
    known = next((bot for bot in bots if bot in NAMES), OPPONENTS[match.game][2].name.lower())
    chairs = [Chair("bot")] * len(match.seats)
    chairs[line.seat - 1] = Chair("bot", bot=known)
    chairs[line.seat] = Chair("me")
    return Proposal(match.game, {**match.options, "setup": position.setup}, chairs)


def _send(tx: Transaction, match_id: int) -> None:
    """Owes the letters to those who asked by email."""
    readers = select(ReviewReader.submission_id).where(ReviewReader.match_id == match_id)
    for asked in tx.session.scalars(select(Submission).where(Submission.id.in_(readers)).order_by(Submission.id)):
        answer_mail(tx, asked, Reviewed(submission=asked.id))
    tx.session.execute(delete(ReviewReader).where(ReviewReader.match_id == match_id))


def _next(session: Session, match: Match) -> list[_Work]:
    from service.bots.review import can_be_judged

    done = set(session.scalars(select(ReviewedMove.ply).where(ReviewedMove.match_id == match.id)))
    work: list[_Work] = []
    played: list[tuple[int, str]] = []
    for line in _moves(session, match):
        if line.logged not in done and len(work) < AT_A_TIME:
            position = _before(session, match, line)
            position = position.first if isinstance(position, Again) else position
            if can_be_judged(position, line.seat, line.move):
                view = View.of(position, line.seat, tuple(played[-4:]) if len(position.public_turns) == 1 else ())
                work.append(_Work(line.logged, view, line.move, seed_of(match.seed, line.ply, line.seat)))
        played.append((line.seat, line.move))
    return work


def _before(session: Session, match: Match, line: EntryLine) -> Position:
    """The position in which a move was chosen. If all choose at once, it is the one before any choice: sealed choices
    that were later replaced stay secret."""
    position = replay.position(session, match, line.logged - 1)
    if len(position.public_turns) == 1:
        return position
    begun = (one.ply for one in entries(session, match, line.logged - 1) if one.round < position.sealed_since)
    return replay.position(session, match, max(begun, default=0))


def _moves(session: Session, match: Match) -> list[EntryLine]:
    """The moves not taken back, as everybody may see them once the match is over."""
    return moves(visible_entries(session, match, None))


def of(session: Session, match: Match) -> SecondLook | None:
    """The review of a match; None if nobody has asked for one."""
    known = session.get(Review, match.id)
    if known is None:
        return None
    log = visible_entries(session, match, None)
    lines = moves(log)
    rows = select(ReviewedMove).where(ReviewedMove.match_id == match.id).order_by(ReviewedMove.ply)
    found = {row.ply: row for row in session.scalars(rows)}
    moments = tuple(_moment(line, found[line.logged]) for line in lines if line.logged in found)
    scores = tuple(float(Fraction(seat.score)) for seat in match.seats if seat.score is not None)
    finished = known.finished is not None
    last = () if match.reason in _NOT_PLAYED_OUT else scores
    worst = _worst(moments, last, _departures(log)) if finished else ()
    at_once = len(replay.start(match).public_turns) > 1
    can_be_tried = len(match.seats) <= 1 + len(OPPONENTS[match.game])
    return SecondLook(len(moments), len(lines), finished, moments, worst, scores, at_once, can_be_tried)


def _moment(line: EntryLine, row: ReviewedMove) -> Moment:
    # Which colours to capture is chosen apart from the move, and isn't judged.
    best, moves = line.move if line.move.startswith(f"{row.best} take ") else row.best, tuple(row.line)
    return Moment(line.ply, line.logged, line.round, line.seat, line.side, line.move, tuple(row.shares), best, moves)


def _worst(moments: Sequence[Moment], scores: tuple[float, ...], departures: Sequence[int]) -> tuple[Moment, ...]:
    costly = [one for one in costs(moments, scores, departures) if one.cost >= NOTABLE]
    return tuple(sorted(costly, key=lambda one: (-one.cost, one.ply))[:SHOWN])


def costs(moments: Sequence[Moment], scores: tuple[float, ...], departures: Sequence[int] = ()) -> Iterator[Moment]:
    """The moves that were not the best, each with what it cost. `scores` are the final ones, or empty if the match
    wasn't played out.

    Simultaneous moves are compared before and after the round. A move isn't judged if a player left before the next
    one, since that changes everybody's chances; `departures` are the plies at which players left.
    """
    for place, one in enumerate(moments):
        following = next((other for other in moments[place + 1 :] if other.round != one.round), None)
        after = following.shares if following else scores
        left = any(one.logged < ply and (following is None or ply < following.logged) for ply in departures)
        if after and not left and one.move != one.best:
            yield replace(one, cost=one.shares[one.seat] - after[one.seat])
