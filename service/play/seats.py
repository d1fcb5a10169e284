"""Seats that change hands: offered to somebody or anybody, sought for players who dropped out, and taken over.

What the seat has, its new player gets: its side, its stones, what the table was told, time as at the beginning, but
of a clock for all no more than is left of the round. What was its former player's own stays theirs: notes, variations,
whispers, what they ordered ahead, and what they had sealed, which lapses. An address that was theirs to answer plays
nothing for the seat any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.engine.game import SUBSTITUTE, OutOfTurn, Position
from service.play import accounts, announce, clocks, late, lobby, peace, press, replay
from service.play.announce import UNASKED, owe
from service.play.house import House, Nudges
from service.play.lobby import LobbyError
from service.store.models import Block, Entry, Letter, Match, Player, Seat, Submission
from service.store.offers import Offer

ANYBODY = 0
"""What a seat has in place of a player's id while it is to be had by anybody."""


def offer(house: House, match_id: int, player_id: int, to: str) -> None:
    """Offers one's seat to `anybody`, to an address, or with "" to nobody any more; raises LobbyError, AccountError."""
    with house.store.writing() as session:
        match = session.get(Match, match_id, with_for_update=True)
        if match is None:
            raise LobbyError("There is no such match.")
        nudges = offer_seat(session, house.now(), match, player_id, to)
    house.nudge_all(nudges)


def offer_seat(session: Session, now: datetime, match: Match, player_id: int, to: str) -> Nudges:
    """`offer` within a transaction of the caller's, who nudges after its commit."""
    seat = _own(match, player_id)
    if seat is None or match.state != "running" or seat.number not in replay.position(session, match).active:
        raise LobbyError("You have no seat in this match that you could offer.")
    if not match.substitutes and to:
        raise LobbyError("This match was agreed on without substitutes.")
    if to in ("", "anybody"):
        seat.sought = ANYBODY if to else None
        return []
    heir = accounts.by_email(session, to, now)
    if _own(match, heir.id) is not None or session.get(Block, (heir.id, player_id)) is not None:
        raise LobbyError("That player cannot take your seat. Offer it to somebody else.")
    if seat.sought == heir.id:
        return []
    nudges = _propose(session, now, match, seat, heir)
    if not nudges:
        raise LobbyError("You have written to somebody about your seat today. Offer it to anybody, or wait a day.")
    seat.sought = heir.id
    return nudges


def _propose(session: Session, now: datetime, match: Match, seat: Seat, heir: Player) -> Nudges:
    """Owes somebody the offer of a seat; one a day, for nobody writes through us to any number of strangers."""
    named = {} if press.hides_names(match) or seat.player is None else {"name": seat.player.name}
    place = {"ply": match.ply, "seat": seat.number, "by": seat.number, "outside": 1}
    key = f"seat:{match.id}:{seat.number}:{now:%Y-%m-%d}"
    return owe(session, now, "seat", key, heir.id, match.id, **place, **named)


def seek(session: Session, now: datetime, match: Match, position: Position, seat: Seat) -> Nudges:
    """Lets anybody have the seat of a player who has missed too many turns, and tells all who are taking part."""
    seat.sought = ANYBODY
    return _tell(session, now, "sought", match, seat, (match.seats[number] for number in position.active))


def returned(seat: Seat) -> None:
    """Keeps a seat for its player, who has moved again."""
    if seat.sought == ANYBODY:
        seat.sought = None


def may_take(seat: Seat, player_id: int | None) -> bool:
    """Whether a seat is offered to this player, or to anybody."""
    return seat.sought is not None and seat.sought in (ANYBODY, player_id) and seat.player_id != player_id


def join(house: House, match_id: int, player_id: int) -> None:
    """Takes an open seat, or one that is to be had in a running match; raises LobbyError. Twice is once."""
    with house.store.writing() as session:
        if session.scalar(select(Seat.accepted).where(Seat.match_id == match_id, Seat.player_id == player_id)):
            return
        nudges = take(session, house.now(), match_id, player_id)
    house.nudge_all(nudges)


def take(session: Session, now: datetime, match_id: int, player_id: int) -> Nudges:
    """`join` within a transaction of the caller's, who nudges after its commit."""
    match = session.get(Match, match_id, with_for_update=True, populate_existing=True)
    seat = next((seat for seat in match.seats if may_take(seat, player_id)), None) if match else None
    if match is None or seat is None:
        return lobby.take_seat(session, now, match_id, player_id)
    if _own(match, player_id) is not None:
        raise LobbyError("You already have a seat in this match.")
    played = select(Submission.id).where(Submission.match_id == match.id, Submission.player_id == player_id)
    if session.scalars(played.where(Submission.verdict == "accepted").limit(1)).first() is not None:
        raise LobbyError("You have played in this match before, so you cannot be a substitute in it.")
    if peace.keeping_away(session, match, player_id):
        raise LobbyError("Somebody at this table does not want to play with you.")
    return _take_over(session, now, match, seat, session.get_one(Player, player_id))


def judge_outsider(session: Session, now: datetime, match: Match, seat: Seat, submission: Submission) -> Nudges:
    """An order of somebody who does not have the seat: `accept` where it is offered to them; raises MoveError."""
    word = submission.text.strip().rstrip(".,;!").lower()
    if match.state != "running" or word not in ("accept", "yes") or not may_take(seat, submission.player_id):
        raise OutOfTurn("That seat is somebody else's now.")
    try:
        return take(session, now, match.id, submission.player_id)
    except LobbyError as error:
        raise OutOfTurn(str(error)) from error


def _take_over(session: Session, now: datetime, match: Match, seat: Seat, heir: Player) -> Nudges:
    former = seat.player_id
    assert former is not None, "In a running match every seat is taken."
    after = _enter(session, now, match, seat)
    unsent = update(Letter).where(Letter.player_id == former, Letter.match_id == match.id, Letter.sent.is_(None))
    session.execute(unsent.where(Letter.kind.in_(UNASKED)).values(due=None))
    session.execute(delete(Offer).where(Offer.match_id == match.id))
    place = {"ply": match.ply, "seat": seat.number, "by": seat.number}
    nudges = owe(session, now, "released", f"released:{match.id}:{match.ply}", former, match.id, outside=1, **place)
    seat.player, seat.taken, seat.sought = heir, now, None
    seat.ahead, seat.standing, seat.post, seat.seen, seat.missed = "", "", "", None, 0
    lobby.show(match, after)
    clocks.hand_over(session, match, seat, now)
    others = (match.seats[number] for number in after.active if number != seat.number)
    return nudges + _welcome(session, now, match, seat, after) + _tell(session, now, "substitute", match, seat, others)


def _enter(session: Session, now: datetime, match: Match, seat: Seat) -> Position:
    """Notes in the log that the seat changes hands."""
    before = replay.position(session, match)
    after = before.play(seat.number, SUBSTITUTE)
    late.drop_sealed(session, match, seat.number, SUBSTITUTE, before, after)
    match.ply += 1
    entry = {"seat": seat.number, "move": SUBSTITUTE, "round": before.round, "played": now}
    session.add(Entry(match_id=match.id, ply=match.ply, **entry))
    match.moved = now
    replay.keep(match, match.ply, after)
    return after


def _welcome(session: Session, now: datetime, match: Match, seat: Seat, position: Position) -> Nudges:
    """Owes the new player of a seat their turn, or the news that they have the seat."""
    kind = "turn" if seat.number in position.turns else "taken"
    # The former player may have been owed the turn of this round.
    key = f"{kind}:{match.id}:{match.round}:{seat.number}:{seat.player_id}"
    return announce.tell_seat(session, now, kind, key, seat, by=seat.number, **announce.until(seat))


def _tell(session: Session, now: datetime, kind: str, match: Match, about: Seat, seats: Iterable[Seat]) -> Nudges:
    """Owes the players of these seats a letter about another."""
    hidden = press.hides_names(match) or about.player is None
    named = {} if hidden or about.player is None else {"name": about.player.name}
    return announce.tell(session, now, kind, f"{kind}:{match.id}:{match.ply}", seats, by=about.number, **named)


def _own(match: Match, player_id: int) -> Seat | None:
    return next((seat for seat in match.seats if seat.player_id == player_id), None)
