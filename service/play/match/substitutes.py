"""Seats that change hands: offered to somebody or anybody, sought for players who dropped out, and taken over.

What the seat has, its new player gets: its side, its stones, what the table was told, time as at the beginning, but
of a clock for all no more than is left of the round. What was its former player's own stays theirs: notes, variations,
whispers, what they ordered ahead, and what they had sealed, which lapses. An address that was theirs to answer plays
nothing for the seat any more.

Of a team each has a place that changes hands in the same way, and whoever leaves drops out of it: the seat goes on
while somebody is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.engine.game import SUBSTITUTE, OutOfTurn, Position
from service.mail.orders import Order, accepts_invitation
from service.play.accounts import identity
from service.play.letter_kinds import (
    OPTIONAL,
    NewPlayer,
    SeatLost,
    SeatOffered,
    SeatTaken,
    TeamLeft,
    TeamSmaller,
    Turn,
    TurnsMissed,
)
from service.play.match import lobby
from service.play.match.lobby import LobbyError
from service.play.notify import announce
from service.play.notify.announce import owe
from service.play.site import Nudges, Site
from service.play.table import press, replay, teams
from service.play.talk import messages, moderation
from service.play.timekeeping import clocks, late_turns
from service.store.models import LATE, REPLACED, Entry, Letter, Match, Place, Player, Seat, Submission, Teammate
from service.store.offers import Offer
from service.store.player_data import Block

ANYBODY = 0
"""What a seat has in place of a player's id while it is to be had by anybody."""

MISSED = 3
"""Where late turns pass, a player who misses this many in a row is out. With substitutes, the player can be replaced
from then on, and is out after as many again."""


def offer(site: Site, match_id: int, player_id: int, to: str) -> None:
    """Offers one's seat to `anybody`, to an address, or with "" to nobody any more; raises LobbyError, AccountError."""
    with site.store.writing() as session:
        match = session.get(Match, match_id, with_for_update=True)
        if match is None:
            raise LobbyError("There's no such match.")
        nudges = offer_seat(session, site.now(), match, player_id, to)
    site.nudge_all(nudges)


def offer_seat(session: Session, now: datetime, match: Match, player_id: int, to: str) -> Nudges:
    """`offer` within a transaction of the caller's, who nudges after its commit."""
    seat = match.place_of(player_id)
    if seat is None or match.state != "running" or seat.number not in replay.position(session, match).active:
        raise LobbyError("You have no seat in this match to offer.")
    if not match.substitutes and to:
        raise LobbyError("This match doesn't allow substitutes.")
    if to in ("", "anybody"):
        seat.sought = ANYBODY if to else None
        return []
    heir = identity.by_email(session, to, now)
    if heir.id == player_id:
        raise LobbyError("The seat is already yours. Offer it to somebody else.")
    if seat.sought == heir.id:
        return []
    nudges = _propose(session, now, match, seat, heir)
    if not nudges:
        raise LobbyError("You've already offered your seat to somebody today. Offer it to anybody, or wait a day.")
    seat.sought = heir.id
    if match.place_of(heir.id) is None and session.get(Block, (heir.id, player_id)) is None:
        return nudges
    # They cannot take it. Nobody is told, for that would say who plays here under which address, or who blocks whom.
    session.execute(update(Letter).where(Letter.id == nudges[0][1]).values(due=None))
    return []


def _propose(session: Session, now: datetime, match: Match, seat: Place, heir: Player) -> Nudges:
    """Owes somebody the offer of a seat; one a day, for nobody writes through us to any number of strangers."""
    name = "" if press.hides_names(match) or seat.player is None else seat.player.name
    offered = SeatOffered(ply=match.ply, seat=seat.number, outside=True, name=name)
    return owe(session, now, f"seat:{match.id}:{seat.label}:{now:%Y-%m-%d}", heir.id, offered, match.id)


def seek(session: Session, now: datetime, match: Match, position: Position, seat: Place) -> Nudges:
    """Lets anybody have the seat of a player who has missed too many turns, and tells all who are taking part."""
    seat.sought = ANYBODY
    key = f"sought:{match.id}:{seat.label}:{now.isoformat()}"
    return announce.tell_about(session, now, key, _taking_part(match, position), seat, TurnsMissed(by=seat.number))


def keep_seats(session: Session, match: Match, numbers: Iterable[int], before: Position) -> None:
    """Keeps these seats for players who had missed too many turns, now that everybody can see that they have moved.

    A sealed choice doesn't withdraw the offer before its round is over, or everybody would learn of it.
    """
    for seat in (match.seats[number] for number in numbers):
        if seat.missed >= MISSED and _moved(session, seat, before):
            seat.missed, seat.sought = 0, None if seat.sought == ANYBODY else seat.sought


def _moved(session: Session, seat: Seat, before: Position) -> bool:
    """Whether what a seat did in this round was its player's doing, and not the clock's."""
    chosen = (Entry.round >= before.sealed_since, Entry.private.is_(False), Entry.fate != REPLACED)
    own = select(Entry.fate).where(Entry.match_id == seat.match_id, Entry.seat == seat.number, *chosen)
    return session.scalars(own.order_by(Entry.ply.desc())).first() not in (LATE, None)


def may_take(seat: Place, player_id: int | None) -> bool:
    """Whether a seat is offered to this player, or to anybody."""
    return seat.sought is not None and seat.sought in (ANYBODY, player_id) and seat.player_id != player_id


def join(site: Site, match_id: int, player_id: int, side: int | None = None) -> None:
    """Takes an open place, of this side where one is named, or one that is to be had in a running match; raises
    LobbyError. Twice is once."""
    with site.store.writing() as session:
        own = teams.places_of(player_id)
        if session.scalar(select(own.c.accepted).where(own.c.match_id == match_id)):
            return
        nudges = take(session, site.now(), match_id, player_id, side)
    site.nudge_all(nudges)


def take(session: Session, now: datetime, match_id: int, player_id: int, side: int | None = None) -> Nudges:
    """`join` within a transaction of the caller's, who nudges after its commit."""
    match = session.get(Match, match_id, with_for_update=True, populate_existing=True)
    teams.load(session, [match] if match else [])
    seat = next((place for place in match.places if may_take(place, player_id)), None) if match else None
    if match is None or seat is None:
        return lobby.take_seat(session, now, match_id, player_id, side)
    if match.place_of(player_id) is not None:
        raise LobbyError("You already have a seat in this match.")
    played = select(Submission.id).where(Submission.match_id == match.id, Submission.player_id == player_id)
    if session.scalars(played.where(Submission.verdict == "accepted").limit(1)).first() is not None:
        raise LobbyError("You've already played in this match, so you can't be a substitute in it.")
    if moderation.keeping_away(session, match, player_id):
        raise LobbyError("Somebody in this match doesn't want to play with you.")
    return _take_over(session, now, match, seat, session.get_one(Player, player_id))


def judge_outsider(session: Session, now: datetime, match: Match, submission: Submission, order: Order) -> Nudges:
    """An order of somebody who does not have the seat: `accept` where it is offered to them; raises MoveError."""
    sought = any(may_take(place, submission.player_id) for place in match.team(submission.seat))
    if match.state != "running" or not accepts_invitation(order) or not sought:
        raise OutOfTurn("Somebody else has that seat now.")
    try:
        return take(session, now, match.id, submission.player_id)
    except LobbyError as error:
        raise OutOfTurn(str(error)) from error


def judge_leaving(session: Session, now: datetime, match: Match, own: Place, submission: Submission) -> Nudges:
    """Lets a player leave their team, who says so or gives up an account; raises OutOfTurn where there is none."""
    if not teams.is_shared(match, own.number):
        raise OutOfTurn("You're the only player in this seat, so there's no team to leave. To give up, write resign.")
    # What was written below is said while there is still a place to say it from.
    return messages.say_below(session, now, match, own, submission) + leave(session, now, match, own)


def leave(session: Session, now: datetime, match: Match, own: Place) -> Nudges:
    """Lets a player drop out of a team. If it was their turn, it is the next one's, with time as at the beginning."""
    seat, leaver = match.seats[own.number], own.player
    position = _enter(session, now, match, seat) if own is seat else replay.position(session, match)
    nudges = _release(session, now, TeamLeft(), match, own)
    if isinstance(own, Teammate):
        match.teammates.remove(own)
    else:
        mate = teams.successor(seat)
        teams.give(seat, mate)
        match.teammates.remove(mate)
        lobby.show(match, position)
        clocks.hand_over(session, match, seat, now)
        nudges += _welcome(session, now, match, seat, position)
    match.moved = now
    # Whose turn it is now has a letter that tells it.
    others = [place for place in _taking_part(match, position) if own is not seat or place is not seat]
    return nudges + _tell(session, now, TeamSmaller, match, seat, others, leaver)


def _take_over(session: Session, now: datetime, match: Match, place: Place, heir: Player) -> Nudges:
    seat = match.seats[place.number]
    before = replay.position(session, match)
    after = _enter(session, now, match, seat) if place is seat else before
    sealed = seat.number in after.turns and seat.number not in before.turns
    nudges = _release(session, now, SeatLost(sealed=sealed), match, place)
    place.player, place.player_id, place.taken, place.sought = heir, heir.id, now, None
    place.standing, place.post, place.seen, place.missed = "", "", None, 0
    if place is seat:
        seat.ahead = ""
        lobby.show(match, after)
        clocks.hand_over(session, match, seat, now)
    match.moved = now
    others = (other for other in _taking_part(match, after) if other is not place)
    told = _tell(session, now, NewPlayer, match, place, others, heir)
    return nudges + _welcome(session, now, match, place, after) + told


def _release(session: Session, now: datetime, contents: TeamLeft | SeatLost, match: Match, place: Place) -> Nudges:
    """Takes back what a player who goes was owed and what was offered at the table, and tells them."""
    former = place.player
    assert former is not None, "In a running match every place is taken."
    unsent = update(Letter).where(Letter.player_id == former.id, Letter.match_id == match.id, Letter.sent.is_(None))
    session.execute(unsent.where(Letter.kind.in_(OPTIONAL)).values(due=None))
    if isinstance(place, Seat):
        session.execute(delete(Offer).where(Offer.match_id == match.id))
    if former.email is None:
        return []
    gone = replace(contents, ply=match.ply, seat=place.number, outside=True)
    return owe(session, now, f"{gone.kind}:{match.id}:{former.id}:{now.isoformat()}", former.id, gone, match.id)


def _taking_part(match: Match, position: Position) -> list[Place]:
    return [place for place in match.places if place.number in position.active]


def _enter(session: Session, now: datetime, match: Match, seat: Seat) -> Position:
    """Notes in the log that the seat changes hands."""
    before = replay.position(session, match)
    after = before.play(seat.number, SUBSTITUTE)
    late_turns.drop_sealed(session, match, seat.number, SUBSTITUTE, before, after)
    match.ply += 1
    entry = {"seat": seat.number, "move": SUBSTITUTE, "round": before.round, "played": now}
    session.add(Entry(match_id=match.id, ply=match.ply, **entry))
    match.moved = now
    replay.keep(match, match.ply, after)
    return after


def _welcome(session: Session, now: datetime, match: Match, seat: Place, position: Position) -> Nudges:
    """Owes the new player of a seat their turn, or the news that they have the seat."""
    moves = isinstance(seat, Seat) and seat.number in position.turns
    welcome = Turn(deadline=announce.until(seat)) if moves else SeatTaken()
    # The former player may have been owed the turn of this round.
    key = f"{welcome.kind}:{match.id}:{match.round}:{seat.number}:{seat.player_id}"
    return announce.tell_seat(session, now, key, seat, welcome)


def _tell(
    session: Session,
    now: datetime,
    kind: type[TeamSmaller | NewPlayer],
    match: Match,
    about: Place,
    places: Iterable[Place],
    player: Player | None,
) -> Nudges:
    """Owes the players who have these places a letter about the player who goes from another, or comes there."""
    name = "" if press.hides_names(match) or player is None else player.name
    key = f"{kind.kind}:{match.id}:{player.id if player else ''}:{now.isoformat()}"
    return announce.tell(session, now, key, places, kind(by=about.number, name=name))
