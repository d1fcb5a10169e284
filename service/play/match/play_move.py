"""Plays a move: has the game read it, enters it in the log, presses the clock, and informs everybody concerned."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from service.engine.game import AGREEMENTS, LEAVES, WAIT, Illegal, MoveError, OutOfTurn, Position, Unreadable
from service.games import GAMES
from service.mail.grammar.orders import Accept, Conditional, Draw, Offer, Order, parse
from service.play.letter_kinds import ChoiceSaved, DrawDeclined, DrawOffered, NotReady, PrivateSaved, Saved
from service.play.match import invitations, offers, substitutes
from service.play.notify import club, following
from service.play.notify.announce import announce, answer_mail, call_bots
from service.play.orders import alternatives, conditional, undo
from service.play.orders.questions import LOST
from service.play.ratings.rate import rate
from service.play.site import Transaction
from service.play.table import press, replay, results, teams
from service.play.timekeeping import clocks, late_turns
from service.store.entries import entries, timed_out
from service.store.models import AHEAD, REPLACED, Entry, Match, Player, Seat, Submission

_OTHER_ENDS = {
    "play": "resign, or pass, and the board is counted when everybody has passed",
    "scoring": "resign, or accept the count",
    "alliances": "resign, or choose your allies",
}
"""What ends a match in a game without draws, by its phase."""


class Repeated(OutOfTurn):
    """The order was already played."""


def play(tx: Transaction, match: Match, submission: Submission, order: Order) -> None:
    """Plays the order and enters it in the log; raises MoveError with nothing changed."""
    before, move = _understood(tx.session, match, submission, order)
    enter(tx, match, submission, before, move, AHEAD if submission.door == "ahead" else "")


def settles(session: Session, match: Match, seat: Seat, submission: Submission, order: Order) -> bool:
    """Whether the order, judged now, would end its seat's turn or the match, or take back the move that its turn
    answers; raises MoveError for a move that can't be played, as `play` does."""
    position = replay.position(session, match)
    if isinstance(order, Conditional) and order.now:
        conditional.check(match, seat, position, order.plan)
        order = parse(order.now)
    if not undo.is_move(order, position, seat):
        return isinstance(order, Accept | Offer) and _takes_back(session, match, position, submission, order)
    try:
        before, move = _understood(session, match, submission, order)
        after = before.play(submission.seat, move)
    except MoveError:
        if isinstance(order, Draw):
            return False  # It may be legal after a move that is played before it.
        raise
    return _ends_turn(before, submission.seat, move) or after.outcome is not None


def _takes_back(
    session: Session, match: Match, position: Position, submission: Submission, order: Accept | Offer
) -> bool:
    """Whether the order is the last agreement that a takeback needs."""
    try:
        theirs = offers.concerned(session, match, position, submission.seat, order, submission.received) or {}
    except MoveError:
        return False
    kind = order.what or next(iter(theirs), "")
    offer = theirs.get(kind)
    if kind != "takeback" or offer is None or offer.is_newer_than(submission.round):
        return False
    others = offers.others(match, position, offer.seat)
    return {other.number for other in others} <= {*offer.consents, submission.seat}


def _understood(session: Session, match: Match, submission: Submission, order: Order) -> tuple[Position, str]:
    """The position now, and the order as a canonical move that is meant for it; raises MoveError."""
    before = replay.position(session, match)
    if submission.seat not in before.active:
        _refuse_late(session, match, submission)
    if before.outcome is not None:
        raise (Unreadable if order.is_sentence else OutOfTurn)("The match is over.")
    invitations.check_answered(before, order)
    check_draw(match, before, order)
    move = alternatives.choose(before, submission.seat, order.text)
    if move == WAIT or (not before.is_private(move) and move != "resign"):
        _refuse_stale(session, match, before, submission, order, move)
    alternatives.unnumbered(order.text, before)
    return before, move


def check_draw(match: Match, position: Position, order: Order) -> None:
    """Raises Illegal for an order about a draw if the game has no draws by agreement."""
    if isinstance(order, Draw) and not position.draws:
        raise Illegal(
            f"{GAMES[match.game].title} has no draws by agreement, so nothing was offered: to end the match, "
            f"{_OTHER_ENDS.get(position.phase, 'resign')}."
        )


def _ends_turn(before: Position, seat: int, move: str) -> bool:
    return seat in before.turns and not before.is_private(move) and move not in AGREEMENTS


def enter(tx: Transaction, match: Match, submission: Submission, before: Position, move: str, fate: str = "") -> None:
    """Plays a canonical move, presses the clock and informs everybody concerned; raises MoveError."""
    private = before.is_private(move)
    after = before.play(submission.seat, move)
    if move == WAIT:
        late_turns.unseal(tx.session, match, submission, before)
    late_turns.drop_sealed(tx.session, match, submission.seat, move, before, after)
    seat = match.seats[submission.seat]
    turn_ends = _ends_turn(before, submission.seat, move)
    remark = "" if private else press.kept_remark(match, seat.player, submission.remark)
    entry = {
        "match_id": match.id,
        "ply": match.ply + 1,
        "seat": submission.seat,
        "move": move,
        "round": before.round,
        "private": private,
        "fate": REPLACED if move == WAIT else fate,
        "remark": remark,
        "clock": clocks.stand(seat) if turn_ends else None,
        "played": submission.received,
        "submission_id": submission.id,
    }
    tx.session.connection().execute(_ENTER, entry)
    match.ply += 1
    if turn_ends:
        clocks.press(tx.session, match, seat, submission.received)
    replay.summarise(match, after)
    seen = late_turns.shown(before, after, submission.seat)
    substitutes.note_absence(tx, match, seen, before)
    _hear(tx.session, match, seen, before)
    given = teams.go_on(match, before, after, submission.seat, move, turn_ends)
    clocks.follow(tx, match)
    if move in LEAVES and after.outcome is None:
        offers.go_on_without(tx, match, submission, after)
    replay.keep(match, match.ply, after)
    sealed = after.round == before.round and after.outcome is None
    if not sealed:
        match.moved = tx.now
    if after.outcome is not None:
        results.add(tx.session, match)
        rate(tx, match, substitutes.is_seen_to_move)
    if move in AGREEMENTS and after.outcome is None:
        event = (DrawOffered if move == "draw" else DrawDeclined)(by=submission.seat)
        answered = conditional.answer(tx, match, before, after, submission, move)
        told = (other for other in offers.others(match, after, submission.seat) if other.number not in answered)
        offers.tell(tx, match, submission, told, event)
        call_bots(tx, match, after)
        return
    if sealed:
        answer_mail(tx, submission, _saved(match, submission, move, private))
    fired = {} if sealed else conditional.fire(tx, match, before, after, submission, move)
    announce(tx, match, before, after, fired, remark)
    if after.outcome is not None:
        club.tell_of_result(tx, match)
        following.note(tx, match, "ended")
    offers.pass_on(tx, match, given)


_ENTER = insert(Entry)
"""Takes a third of the time that the session would, which doesn't need the entry."""


def _hear(session: Session, match: Match, numbers: Iterable[int], before: Position) -> None:
    """Ends the warning that emails to these players bounce, if their newly visible moves came by email."""
    if not any(place.player is not None and place.player.bounces_known for place in match.places):
        return
    mailed = select(Player).join(Submission, Submission.player_id == Player.id).join(Entry)
    mailed = mailed.where(Submission.match_id == match.id, Submission.door == "mail", Player.bounced.is_(None))
    shown = (Entry.round >= before.sealed_since, Entry.private.is_(False), Entry.fate != REPLACED)
    for player in session.scalars(mailed.where(Entry.seat.in_([*numbers]), *shown)):
        player.bounces_known = False


def _saved(match: Match, submission: Submission, move: str, private: bool) -> Saved:
    """The answer to an order that nobody else sees yet."""
    if move == WAIT:
        return NotReady(submission=submission.id)
    if private:
        return PrivateSaved(submission=submission.id)
    offered = match.seats[submission.seat].sought == substitutes.ANYBODY
    return ChoiceSaved(submission=submission.id, offered=offered)


def _refuse_late(session: Session, match: Match, submission: Submission) -> None:
    """Informs a player who lost on time."""
    if submission.seat in timed_out(session, match):
        raise OutOfTurn("Your time ran out before this order reached us, so it wasn't played.")


def refuse_repeated(session: Session, match: Match, submission: Submission, order: Order) -> None:
    """Raises Repeated for a second copy of a move after which it's a partner's turn."""
    log = entries(session, match, authors=True)
    mine = (one for one in log if (one.seat, one.by) == (submission.seat, submission.player_id))
    played = next((one.move for one in mine if one.round == submission.round), None)
    if played is not None and alternatives.reads_as(
        replay.position(session, match), submission.seat, order.text, played
    ):
        raise _repeated(match, played, submission.round)


def _refuse_stale(
    session: Session, match: Match, position: Position, submission: Submission, order: Order, move: str
) -> None:
    """Raises OutOfTurn for an order meant for another round, and Repeated for one that was played already.

    An offer by others doesn't make an order stale, so a reply from before it counts, and a draw may be offered after a
    move of the same player. `accept` and `decline` are about the offer itself and count in its own round only: nobody
    agrees to something unseen.
    """
    meant = submission.round
    if meant is None or position.outcome is not None:
        return
    # What answers an offer needs it to be understood, as `accept` does and `draw` does not.
    if move in AGREEMENTS and not (isinstance(order, Draw) and not order.verb):
        in_time = position.round <= meant
    else:
        in_time = position.asked_since <= meant
    if in_time and meant >= position.round and move not in AGREEMENTS:
        return
    if _is_repeated(session, submission, meant, move):
        raise _repeated(match, move, meant)
    if not in_time and not (move == "draw" and _is_answered_by_nobody(session, position, submission, meant)):
        raise misses(match, meant)


LOST_BOARD = (
    "That order was for a board that was lost when the service was restored from a backup. Nothing was played. "
    "Look at the current board before you send another order."
)


def misses(match: Match, meant: int) -> OutOfTurn:
    """The refusal of an order for a round that isn't the current one."""
    if meant == LOST:
        return OutOfTurn(LOST_BOARD)
    now = (
        f"That order was for round {meant}, but the match is now in round {match.round}."
        if GAMES[match.game].parallel
        else f"That order was for move {meant}, but the match is now at move {match.round}."
    )
    return OutOfTurn(f"{now} Nothing was played. Look at the current board before you send another order.")


def _repeated(match: Match, move: str, number: int | None) -> Repeated:
    if GAMES[match.game].parallel:
        return Repeated(f"{move} was already played in round {number}, so it wasn't played again.")
    return Repeated(f"{move} was already played as move {number}, so it wasn't played again.")


def _is_answered_by_nobody(session: Session, position: Position, submission: Submission, meant: int) -> bool:
    """Whether nothing has happened since that round but moves of the seat itself."""
    others = (Entry.match_id == submission.match_id, Entry.round >= meant, Entry.seat != submission.seat)
    return position.offer is None and session.scalar(select(Entry.ply).where(*others).limit(1)) is None


def _is_repeated(session: Session, submission: Submission, meant: int, move: str) -> bool:
    """Whether the seat's first entry since the round that the order was meant for is this very move.

    Offers may have raised the round between the email and its answer. Offers themselves are looked for in that round
    alone.
    """
    own = (Entry.match_id == submission.match_id, Entry.seat == submission.seat)
    answered = select(func.min(Entry.round)).where(*own, Entry.round >= meant, Entry.move.not_in(AGREEMENTS))
    at = meant if move in AGREEMENTS else answered.scalar_subquery()
    return session.scalar(select(Entry.ply).where(*own, Entry.move == move, Entry.round == at).limit(1)) is not None
