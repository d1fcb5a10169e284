"""Agreements other than moves: a takeback, a pause, the end of a pause. One player offers, and all others consent.
Offers and answers are sent like moves. An agreement that is part of the game, such as a draw, is a move and is handled
as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from service.engine.game import Ambiguous, OutOfTurn, Position
from service.mail.grammar import orders
from service.play import letter_kinds as kinds
from service.play.links import mark
from service.play.match import rematch, takeback
from service.play.notify import announce
from service.play.site import Transaction
from service.play.table import press
from service.play.talk import messages
from service.play.timekeeping import clocks, extra_time
from service.store.models import Match, Seat, Submission
from service.store.tables.mail_rows import Letter
from service.store.tables.offers import Offer

_NOT_OFFERED = {
    "draw": "Nobody is offering you a draw now.",
    "takeback": "Nobody is asking you for a takeback now.",
    "pause": "Nobody is asking you for a pause now.",
    "resume": "Nobody is asking you to end a pause now.",
}

_DECLINED = {"takeback": kinds.TakebackDeclined, "pause": kinds.PauseDeclined, "resume": kinds.ResumeDeclined}


@dataclass(frozen=True, slots=True)
class OfferLine:
    """An agreement that is offered: `kind` is `takeback`, `pause` (until `until`), `resume` or `draw`."""

    kind: str
    side: str
    is_mine: bool
    i_agreed: bool
    until: datetime | None
    taken: tuple[tuple[str, str], ...] = ()
    """The moves that would be taken back, each with its side."""


@dataclass(frozen=True, slots=True)
class Agreements:
    """The offers at a table, what the viewer may offer (a `rematch` too), and when the current pause ends."""

    offers: tuple[OfferLine, ...] = ()
    may_offer: tuple[str, ...] = ()
    paused_until: datetime | None = None
    speaks: bool = True
    """Whether the viewer may answer for their seat: in a team, the player who moves next does."""
    rematch: int | None = None
    """The rematch of a match that is over, if one was asked for and not declined."""


NOTHING = Agreements()


def table(
    session: Session,
    now: datetime,
    match: Match,
    position: Position,
    seat: int | None,
    own_moves: Sequence[str],
    speaks: bool = True,
) -> Agreements:
    """The agreements as seen by a seat that has made `own_moves`; everybody sees a pause.

    A player who doesn't speak for a shared seat may see them, but can't offer or answer.
    """
    if match.state == "over" and seat is not None and match.importer_id is None:
        again = rematch.of(session, match)
        taken = again is not None and again.state != "declined"
        return Agreements(rematch=again.id if again and taken else None, may_offer=() if taken else ("rematch",))
    if match.state != "running":
        return NOTHING
    paused = clocks.paused_until(match, now)
    if seat is None or seat not in position.active:
        return Agreements(paused_until=paused)
    found = [
        OfferLine(
            one.kind,
            position.sides[one.seat],
            one.seat == seat,
            seat in one.consents,
            one.until,
            tuple((position.sides[by].capitalize(), move) for by, move in _taken(session, match, position, one)),
        )
        for one in standing(session, match)
        if not _is_past(match, one, now)
    ]
    if (by := position.offer) is not None:
        found.append(OfferLine("draw", position.sides[by], by == seat, by == seat, None))
    able = {
        "draw": position.draws,
        "takeback": takeback.may_ask(position, own_moves),
        "pause": match.clock != "none" and paused is None,
        "resume": paused is not None,
    }
    free = [kind for kind, may in able.items() if may and kind not in {one.kind for one in found}]
    return Agreements(tuple(found), tuple(free) if speaks else (), paused, speaks=speaks)


def judge(tx: Transaction, match: Match, submission: Submission, position: Position, order: orders.Agreement) -> bool:
    """Judges an offer or an answer to one; returns False if the game itself handles it. Raises MoveError."""
    if isinstance(order, orders.Withdraw):
        _withdraw(tx, match, own(tx.session, match, position, submission.seat))
        return True
    theirs = concerned(tx.session, match, position, submission.seat, order, submission.received)
    if theirs is None:
        return False
    if isinstance(order, orders.Decline):
        declined = [theirs[order.what]] if order.what else list(theirs.values())
        _decline(tx, match, submission, declined)
        return True
    return _consent_or_offer(tx, match, submission, position, order, theirs)


def own(session: Session, match: Match, position: Position, seat: int) -> list[Offer]:
    """What a seat has offered and may withdraw; raises OutOfTurn if there is nothing."""
    _check_active(position, seat)
    found = [one for one in standing(session, match) if one.seat == seat]
    if not found:
        raise OutOfTurn("You have no open offer to withdraw.")
    return found


def concerned(
    session: Session, match: Match, position: Position, seat: int, order: orders.Agreement, at: datetime
) -> dict[str, Offer] | None:
    """The offers of others, by kind, that an order may answer which came in at this time; None if the game itself
    handles it. Raises MoveError if there is no such offer."""
    _check_active(position, seat)
    theirs = {one.kind: one for one in standing(session, match) if one.seat != seat}
    if not order.what:
        theirs = {kind: one for kind, one in theirs.items() if not _is_past(match, one, at)} or theirs
        if position.offer not in (None, seat) or not theirs or order.kind in position.moves(seat):
            return None
        if isinstance(order, orders.Accept) and len(theirs) > 1:
            choices = tuple(f"accept {kind}" for kind in theirs)
            raise Ambiguous(f"There's more than one open offer. Write {' or '.join(choices)}.", choices)
    elif not isinstance(order, orders.Offer) and order.what not in theirs:
        raise OutOfTurn(_NOT_OFFERED[order.what])
    return theirs


def _check_active(position: Position, seat: int) -> None:
    if seat not in position.active:
        raise OutOfTurn("You're no longer playing in this match.")


def standing(session: Session, match: Match) -> Sequence[Offer]:
    """The offers of a match that can still be answered."""
    offers = select(Offer).where(Offer.match_id == match.id).order_by(Offer.made)
    return [one for one in session.scalars(offers) if one.kind != "takeback" or one.round == match.round]


def _is_past(match: Match, offer: Offer, now: datetime) -> bool:
    """Whether an offered pause would be over, or the pause that was to end is."""
    ends = clocks.paused_until(match, now) if offer.kind == "resume" else offer.until or now
    return ends is None or ends < now


def tell(
    tx: Transaction, match: Match, submission: Submission, to: Iterable[Seat], news: kinds.Offer, key: str = ""
) -> None:
    """Owes the letters that say what was offered, agreed or declined, with the author's message."""
    below = press.kept_remark(match, match.seats[submission.seat].player, submission.remark)
    if messages.not_hearing(tx.session, match, submission.player_id):
        below = ""  # The others get it as a message.
    announce.tell(tx, key or f"agreement:{mark(submission)}:{news.kind}", to, replace(news, text=below))


def pass_on(tx: Transaction, match: Match, given: Sequence[Seat]) -> None:
    """Owes the open offers, each once, to the players who now speak for their teams."""
    for offer in standing(tx.session, match) if given else ():
        if _is_past(match, offer, tx.now):
            continue
        question = _question(offer)
        theirs = (Letter.player_id.in_([seat.player_id for seat in given]), Letter.match_id == match.id)
        letters = select(Letter.player_id).where(*theirs, Letter.created >= offer.made, Letter.kind == question.kind)
        known = set(tx.session.scalars(letters))
        asked = [seat for seat in given if seat.number not in offer.consents and seat.player_id not in known]
        key = f"agreement:{match.id}:{question.kind}:{offer.seat}:{tx.now.isoformat()}"
        announce.tell(tx, key, asked, question)


def _question(offer: Offer, taken: Sequence[tuple[int, str]] = ()) -> kinds.Offer:
    """The letter that asks for this; a takeback would undo the moves `taken`."""
    if offer.kind == "takeback":
        return kinds.TakebackOffered(by=offer.seat, taken=tuple(taken))
    if offer.kind == "pause":
        return kinds.PauseOffered(by=offer.seat, until=offer.until)
    return kinds.ResumeOffered(by=offer.seat)


def others(match: Match, position: Position, seat: int) -> list[Seat]:
    """The people who are taking part, except one."""
    taking_part = (match.seats[number] for number in position.active if number != seat)
    return [other for other in taking_part if other.player is not None and other.player.bot is None]


def _consent_or_offer(
    tx: Transaction,
    match: Match,
    submission: Submission,
    position: Position,
    order: orders.Agreement,
    theirs: dict[str, Offer],
) -> bool:
    kind = order.what or next(iter(theirs))
    offer = theirs.get(kind)
    came_before = offer is not None and isinstance(order, orders.Accept) and submission.received < offer.made
    if offer is not None and (came_before or offer.is_newer_than(submission.round)):
        raise OutOfTurn("That was about an earlier offer. Look at the match as it is now before you agree to this one.")
    if kind == "resume" and not may_end(match, position, submission.received):
        return False
    names_end = kind == "pause" and (order.until or not offer)
    until = extra_time.pause_end(match, submission.seat, submission.received, order.until) if names_end else None
    if offer is None or (until is not None and isinstance(order, orders.Offer) and until != offer.until):
        offer = _offered(tx, match, submission, position, kind, until)
    elif until is not None and offer.until is not None and int(until.timestamp()) != int(offer.until.timestamp()):
        raise OutOfTurn("The offered pause now ends at another time. Look at the match before you accept it.")
    if offer.until is not None:
        begins = clocks.paused_until(match, submission.received) or submission.received
        extra_time.check(tx.session, match, offer.until - begins)
    offer.consents = sorted({*offer.consents, submission.seat})
    match.moved = tx.now
    if {seat.number for seat in others(match, position, offer.seat)}.issubset(offer.consents):
        _agreed(tx, match, submission, position, offer)
    elif submission.seat == offer.seat:
        _ask(tx, match, submission, position, offer)
    return True


def may_end(match: Match, position: Position, at: datetime) -> bool:
    """Whether there is a pause for `resume` to end. If not, it may be a move of the game that continues after a count.
    Raises OutOfTurn during play."""
    if clocks.paused_until(match, at) is not None:
        return True
    if position.phase == "play":
        raise OutOfTurn("The match isn't paused.")
    return False


def _ask(tx: Transaction, match: Match, submission: Submission, position: Position, offer: Offer) -> None:
    """Owes the others the question; raises OutOfTurn for a second one of its kind on the same day in the same round."""
    asked = others(match, position, offer.seat)
    asker = f"{offer.seat}:{submission.player_id}"  # A seat's next player may ask too.
    key = f"agreement:{match.id}:{match.round}:{offer.kind}:{asker}:{tx.now:%Y-%m-%d}"
    earlier = select(Letter.id).where(Letter.key.in_([f"{key}:{seat.label}" for seat in asked]))
    if tx.session.scalars(earlier.limit(1)).first() is not None:
        raise OutOfTurn("You've already asked for that today. Ask again tomorrow or after the next move.")
    tell(tx, match, submission, asked, _question(offer, _taken(tx.session, match, position, offer)), key)


def _offered(
    tx: Transaction, match: Match, submission: Submission, position: Position, kind: str, until: datetime | None
) -> Offer:
    """Makes the offer, replacing an earlier one of its kind; raises MoveError if it makes no sense."""
    if kind == "takeback":
        takeback.check_asked(tx.session, match, position, submission.seat)
    before = tx.session.get(Offer, (match.id, kind))
    if before is not None:
        tx.session.delete(before)
        tx.session.flush()
    offer = Offer(
        match_id=match.id,
        kind=kind,
        seat=submission.seat,
        round=match.round,
        until=until,
        consents=[submission.seat],
        made=submission.received,
    )
    tx.session.add(offer)
    tx.session.flush()
    return offer


def _agreed(tx: Transaction, match: Match, submission: Submission, position: Position, offer: Offer) -> None:
    """Carries out what all have agreed on, and informs everybody except the player who agreed last."""
    kind, asker, by = offer.kind, offer.seat, submission.seat
    tx.session.delete(offer)
    tx.session.flush()
    told = [seat for seat in others(match, position, submission.seat) if seat.number in position.active]
    if kind == "takeback":
        gone = _taken(tx.session, match, position, offer)
        pass_on(tx, match, takeback.go_back(tx, match, submission, asker))
        waiting = [seat for seat in told if not seat.to_move]
        tell(tx, match, submission, waiting, kinds.TakebackAgreed(by=by, taken=tuple(gone)))
        return
    if offer.until is not None and offer.until <= submission.received:
        raise OutOfTurn("The offered pause would already be over.")
    if asker == submission.seat:
        # Nobody had to be asked, as when all others are bots, so no answer informs the asker.
        told.append(match.seats[asker])
    tell(tx, match, submission, told, _stop_or_run(tx, match, submission, offer, by))


def _stop_or_run(tx: Transaction, match: Match, submission: Submission, offer: Offer, by: int) -> kinds.Offer:
    """Begins or ends a pause; returns the news that a seat agreed."""
    if offer.until is None:
        clocks.resume(tx.session, match, submission.received)
        return kinds.ResumeAgreed(by=by)
    tx.session.execute(delete(Offer).where(Offer.match_id == match.id, Offer.kind == "resume"))  # Of another pause.
    clocks.pause(tx.session, match, submission.received, offer.until, f"pause:{match.id}:{mark(submission)}")
    return kinds.PauseAgreed(by=by, until=offer.until)


def go_on_without(tx: Transaction, match: Match, submission: Submission, position: Position) -> None:
    """Begins a pause, or else ends one, if all have agreed on it but the player who has just left the match."""
    agreed: dict[str, Offer] = {}
    for one in standing(tx.session, match):
        asked = {seat.number for seat in others(match, position, one.seat)}
        if asked.issubset(one.consents) and not _is_past(match, one, submission.received):
            agreed[one.kind] = one
    if offer := agreed.get("pause", agreed.get("resume")):
        tx.session.delete(offer)
        tx.session.flush()
        news = _stop_or_run(tx, match, submission, offer, offer.seat)
        announce.tell(tx, f"agreement:{mark(submission)}:{news.kind}", others(match, position, -1), news)


def _decline(tx: Transaction, match: Match, submission: Submission, offers: Sequence[Offer]) -> None:
    match.moved = tx.now
    for offer in offers:
        tx.session.delete(offer)
        declined = _DECLINED[offer.kind](by=submission.seat)
        tell(tx, match, submission, [match.seats[offer.seat]], declined)


def _withdraw(tx: Transaction, match: Match, own: Sequence[Offer]) -> None:
    match.moved = tx.now
    for offer in own:
        tx.session.delete(offer)


def _taken(session: Session, match: Match, position: Position, offer: Offer) -> list[tuple[int, str]]:
    return takeback.taken(session, match, position, offer.seat) if offer.kind == "takeback" else []
