"""Takebacks: the log keeps what happened, and a separate entry says how far back it no longer counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.bots.roster import NAMES
from service.engine.game import LEAVES, SUBSTITUTE, Illegal, MoveError, OutOfTurn, Position
from service.play.notify.announce import announce
from service.play.site import Transaction
from service.play.table import replay, teams
from service.play.timekeeping import clocks
from service.store.models import Entry, Match, Seat, Submission


def target(session: Session, match: Match, position: Position, seat: int) -> int:
    """How many entries still count when a seat takes its last move back; raises MoveError if that's impossible."""
    check(position)
    log = _standing(session, match)
    own = [entry.ply for entry in log if entry.seat == seat and not entry.private and entry.move not in replay.NO_MOVES]
    if not own:
        raise OutOfTurn("You haven't moved yet, so there's nothing to take back.")
    if any(entry.ply > own[-1] and entry.move in (*LEAVES, SUBSTITUTE) for entry in log):
        raise OutOfTurn("Somebody has left the match since your last move, so it can't be taken back.")
    return own[-1] - 1


def check_asked(session: Session, match: Match, position: Position, asking: int) -> None:
    """Raises MoveError if a takeback can't be asked for: there's nothing to take back, or a computer opponent doesn't
    agree to takebacks. In rated matches only the one for beginners agrees."""
    bots = [match.seats[number].player for number in position.active if number != asking]
    for bot in bots if match.rated else ():
        if bot is not None and bot.bot in NAMES and NAMES[bot.bot][1].level > 1:
            raise Illegal(f"{bot.name} doesn't agree to takebacks in rated matches.")
    target(session, match, position, asking)


def taken(session: Session, match: Match, position: Position, seat: int) -> list[tuple[int, str]]:
    """The moves, with their seats, that are undone when a seat takes its last move back; raises MoveError as `target`
    does."""
    kept, log = target(session, match, position, seat), _standing(session, match)
    return [
        (one.seat, one.move) for one in log if one.ply > kept and not one.private and one.move not in replay.NO_MOVES
    ]


def check(position: Position) -> None:
    """Raises MoveError if no player can take a move back."""
    if position.phase != "play":
        raise OutOfTurn("Play has ended, so moves can't be taken back. To play on, write resume.")
    if len(position.public_turns) > 1:
        raise Illegal(
            "In this game everybody moves at the same time, so a move that others have seen can't be taken back."
        )


def may_ask(position: Position, moves: Iterable[str]) -> bool:
    """Whether somebody who has made these `moves` has one to take back."""
    try:
        check(position)
    except MoveError:
        return False
    return any(move not in replay.NO_MOVES for move in moves)


def go_back(tx: Transaction, match: Match, submission: Submission, seat: int) -> list[Seat]:
    """Takes the last move of a seat back with all that followed it, and sets the clocks back to what they had then, so
    time that was given since is gone. Returns the shared seats that another player has the turn for now."""
    before = replay.position(tx.session, match)
    kept = target(tx.session, match, before, seat)
    undone = [entry for entry in _standing(tx.session, match) if entry.ply > kept]
    for entry in reversed(undone):
        if entry.clock:
            clocks.set_back(match.seats[entry.seat], entry.clock)
    given = teams.go_back(tx.session, match, (entry.ply for entry in undone))
    tx.session.add(
        Entry(
            match_id=match.id,
            ply=match.ply + 1,
            seat=seat,
            move=replay.TAKEBACK,
            back=kept,
            round=before.round,
            played=submission.received,
            submission_id=submission.id,
        )
    )
    match.ply += 1
    _enter_again(tx.session, match, submission, before, undone)
    tx.session.flush()
    _decline_again(tx.session, match, submission, before, undone)
    tx.session.flush()
    after = replay.position(tx.session, match)
    replay.summarise(match, after)
    for one in match.seats:
        clocks.stop_for_takeback(one)
    clocks.follow(tx, match)
    match.moved = tx.now
    dropped = {one.number: one.ahead for one in match.seats if one.ahead}
    for one in match.seats:
        one.ahead = ""
    announce(tx, match, before, after, dropped)
    return given


def _enter_again(
    session: Session, match: Match, submission: Submission, before: Position, undone: Iterable[_Move]
) -> None:
    """Enters again the latest private order of each seat that would be taken back with the moves around it. It is a
    standing preference, about no move, and nobody else knows of it."""
    for one in {one.seat: one for one in undone if one.private}.values():
        match.ply += 1
        entry = {"seat": one.seat, "move": one.move, "private": True, "round": before.round}
        session.add(Entry(match_id=match.id, ply=match.ply, played=submission.received, **entry))


def _decline_again(
    session: Session, match: Match, submission: Submission, before: Position, undone: Iterable[_Move]
) -> None:
    """Enters as declined a draw offer that would be open again because what declined it is taken back: the player
    who made it no longer expects it to be accepted."""
    offer = replay.position(session, match).offer
    for seat in {one.seat for one in undone if offer not in (None, one.seat)}:
        match.ply += 1
        entry = {"seat": seat, "move": "decline", "round": before.round}
        session.add(Entry(match_id=match.id, ply=match.ply, played=submission.received, **entry))


class _Move(NamedTuple):
    ply: int
    seat: int
    move: str
    private: bool
    clock: dict[str, Any] | None
    back: int | None


def _standing(session: Session, match: Match) -> list[_Move]:
    """The moves that have not been taken back, the oldest first."""
    columns = select(Entry.ply, Entry.seat, Entry.move, Entry.private, Entry.clock, Entry.back)
    rows = session.execute(columns.where(Entry.match_id == match.id).order_by(Entry.ply))
    log = [_Move(*row) for row in rows]
    plies = replay.standing((entry.ply, entry.back) for entry in log)
    return [entry for entry in log if entry.ply in plies]
