"""Seats that change hands: offered to somebody or anybody, sought for players who dropped out, and taken over.

The new player gets what the seat has: its side, its stones, what the table was sent, and a fresh clock, though with a
clock shared by all no more than is left of the round. What was private to the former player stays theirs: notes,
variations, whispers, conditional moves, and sealed choices, which lapse. Their reply addresses no longer play
anything for the seat.

In a team each place changes hands in the same way, and a player who leaves drops out of the team: the seat goes on
while somebody is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from sqlalchemy import BindParameter, ColumnElement, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from service.engine.game import SUBSTITUTE, OutOfTurn, Position
from service.mail.grammar.orders import Order, accepts_invitation
from service.play import bans
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
from service.play.match import invitations
from service.play.match.invitations import LobbyError
from service.play.notify import announce
from service.play.notify.announce import owe
from service.play.site import Transaction, transactional
from service.play.table import blocks, log, lost_on_time, press, replay, teams
from service.play.talk import messages, moderation
from service.play.timekeeping import clocks, late_turns
from service.store.models import LATE, REPLACED, Entry, Match, Place, Player, Seat, Submission, Teammate
from service.store.tables.events import EventMatch, is_of_event
from service.store.tables.mail_rows import Letter
from service.store.tables.offers import Offer

NO_TEAM = "You're the only player in this seat, so there's no team to leave. To give up, write resign."

ANYBODY = 0
"""Stands in for a player's id while a seat is offered to anybody."""

MISSED = 3
"""Where late turns pass, a player who misses this many in a row is out. With substitutes, the player can be replaced
from then on, and is out after as many again."""


@transactional
def offer(tx: Transaction, match_id: int, player_id: int, to: str) -> None:
    """Offers a player's seat to `anybody` or to an address, or with "" withdraws the offer; raises LobbyError,
    AccountError."""
    match = tx.session.get(Match, match_id, with_for_update=True, populate_existing=True)
    if match is None:
        raise LobbyError("There's no such match.")
    seat = match.place_of(player_id)
    if seat is None or match.state != "running" or seat.number not in replay.position(tx.session, match).active:
        raise LobbyError("You have no seat in this match to offer.")
    if not match.substitutes and to:
        raise LobbyError("This match doesn't allow substitutes.")
    if to in ("", "anybody"):
        seat.sought = ANYBODY if to else None
        return
    heir = identity.by_email(tx.session, to, tx.now)
    if heir.id == player_id:
        raise LobbyError("The seat is already yours. Offer it to somebody else.", "address")
    if seat.sought == heir.id:
        return
    invitations.check_patience(tx.session, player_id, tx.now)
    offered = _propose(tx, match, seat, heir)
    if offered is None:
        sentence = "You've already offered your seat to somebody today. Offer it to anybody, or wait a day."
        raise LobbyError(sentence, "address")
    seat.sought = heir.id
    if match.place_of(heir.id) is not None or blocks.is_between(tx.session, heir.id, player_id):
        # They can't take it. Nobody learns why: it would say who plays here under which address, or who has blocked
        # who.
        offered.due = None
        tx.drop_nudge("deliver", offered.id)


def _propose(tx: Transaction, match: Match, seat: Place, heir: Player) -> Letter | None:
    """Owes somebody the offer of a seat; one a day, so that nobody can have us email any number of strangers."""
    name = "" if press.hides_names(match) or seat.player is None else seat.player.name
    offered = SeatOffered(ply=match.ply, seat=seat.number, outside=True, name=name)
    return owe(tx, f"seat:{match.id}:{seat.label}:{tx.now:%Y-%m-%d}", heir.id, offered, match.id)


def note_absence(tx: Transaction, match: Match, numbers: Iterable[int], before: Position) -> None:
    """Updates missed turns from the acts of these seats that everybody now sees. A visible move clears a player's
    missed turns and ends the offer of the seat. The seat of a player who has now missed too many is offered to anybody.
    Neither happens before the round is over, or because of `wait`: the offer would show everybody whether the player
    has been there."""
    for seat in (match.seats[number] for number in numbers):
        if seat.missed and _moved(tx.session, seat, before):
            if seat.missed >= MISSED and seat.sought == ANYBODY:
                seat.sought = None
            seat.missed = 0
        elif match.substitutes and match.state == "running" and seat.missed == MISSED:
            _seek(tx, match, before, seat)


def _seek(tx: Transaction, match: Match, position: Position, seat: Seat) -> None:
    """Offers the seat of a player who has missed too many turns to anybody, and informs everybody taking part."""
    seat.sought = ANYBODY
    key = f"sought:{match.id}:{seat.label}:{tx.now.isoformat()}"
    announce.tell_about(tx, key, _taking_part(match, position), seat, TurnsMissed(by=seat.number))


def _moved(session: Session, seat: Seat, before: Position) -> bool:
    """Whether the seat's move in this round was made by its player and not by the clock."""
    chosen = (Entry.round >= before.sealed_since, Entry.private.is_(False), Entry.fate != REPLACED)
    own = select(Entry.fate).where(Entry.match_id == seat.match_id, Entry.seat == seat.number, *chosen)
    return session.scalars(own.order_by(Entry.ply.desc())).first() not in (LATE, None)


def is_seen_to_move(session: Session, match: Match, player_id: int, since: datetime) -> bool:
    """Whether everybody has seen a player move in a match since then. A standing order's move counts, since others
    can't tell it apart; the clock's other moves don't."""
    own = (one for one in log.everybody_sees(session, match) if one.by == player_id and one.played >= since)
    return any(one.fate != LATE and one.move != "timeout" for one in own)


def entries_seen(session: Session, match: Match) -> int:
    """How many entries of the log of a match everybody has seen."""
    return len(log.everybody_sees(session, match))


def may_take(seat: Place, player_id: int | None) -> bool:
    """Whether a seat is offered to this player, or to anybody."""
    return seat.sought is not None and seat.sought in (ANYBODY, player_id) and seat.player_id != player_id


@transactional
def join(tx: Transaction, match_id: int, player_id: int, side: int | None = None) -> None:
    """Takes an open place or, in a running match, an offered seat; on this side if one is named. Raises LobbyError.
    Repeating it changes nothing."""
    own = teams.places_of(player_id)
    if not tx.session.scalar(select(own.c.accepted).where(own.c.match_id == match_id)):
        take(tx, match_id, player_id, side)


def take(
    tx: Transaction, match_id: int, player_id: int, side: int | None = None, asked: datetime | None = None
) -> None:
    """`join` for somebody who has no place in the match, and who asked for one at that time if it isn't now."""
    match = tx.session.get(Match, match_id, with_for_update=True, populate_existing=True)
    teams.load(tx.session, [match] if match else [])
    offered = [place for place in match.places if may_take(place, player_id)] if match else []
    if match is None or not offered:
        bans.refuse_banned(tx, player_id, LobbyError)
        invitations.take_seat(tx, match_id, player_id, side)
        return
    if match.place_of(player_id) is not None:
        raise LobbyError("You already have a seat in this match.")
    seat = next((place for place in offered if side in (None, place.number)), None)
    if seat is None:
        raise LobbyError("That seat isn't on offer, but another one is.")
    heir = tx.session.get_one(Player, player_id)
    check(tx, match, heir)
    if isinstance(seat, Seat) and seat.deadline is not None and seat.deadline < (asked or tx.now):
        raise LobbyError("The time for this turn has just run out. If the seat is still free in a minute, try again.")
    _take_over(tx, match, seat, heir)


def check(tx: Transaction, match: Match, heir: Player) -> None:
    """Raises LobbyError, with the reason as its message, for somebody who may take over no seat in this match."""
    bans.refuse_banned(tx, heir.id, LobbyError)
    if is_of_event(tx.session, match.id):
        check_entry(tx.session, heir, tx.now)
    _refuse_same_owner(tx.session, match, heir)
    if moderation.is_unwelcome(tx.session, match, heir.id):
        raise LobbyError("Somebody in this match doesn't want to play with you.")


def check_entry(session: Session, heir: Player, now: datetime) -> None:
    """Raises LobbyError for a bot, and for somebody who owes matches that they lost on time in events."""
    if heir.is_bot:
        raise LobbyError("Only people can take part in events, so a bot can't take over a seat in one.")
    missing = lost_on_time.owed(session, heir.id, now)
    if missing > 0:
        raise LobbyError(
            "You've lost event matches on time. You can take over seats in events again once you've finished "
            f"{missing} rated {'match' if missing == 1 else 'matches'} without running out of time."
        )


def _refuse_same_owner(session: Session, match: Match, heir: Player) -> None:
    """Raises LobbyError if somebody plays or has played in a match, also through a bot or its owner."""
    owner = heir.owner_id or heir.id
    its = (Submission.match_id == match.id, Submission.verdict == "accepted")
    own = select(Player.id).where(or_(Player.id == owner, Player.owner_id == owner))
    played = set(session.scalars(own.where(Player.id.in_(select(Submission.player_id).where(*its)))))
    if heir.id in played:
        raise LobbyError("You've already played in this match, so you can't be a substitute in it.")
    here = {place.player_id for place in match.places}
    if played or here.intersection(session.scalars(own)):
        if heir.is_bot:
            raise LobbyError("Your owner or another of their bots has or had a seat in this match.")
        raise LobbyError("One of your bots has or had a seat in this match.")


def is_strange_to(player: BindParameter[int]) -> ColumnElement[bool]:
    """Of matches: whether this player has no place in it, and could take one over in it as far as `_refuse_same_owner`
    goes by players. True for nobody (NULL)."""
    heir = aliased(Player)
    owner = select(func.coalesce(heir.owner_id, heir.id)).where(heir.id == player).scalar_subquery()
    family = select(Player.id).where(or_(Player.id == owner, Player.owner_id == owner))
    its = (Submission.match_id == Match.id, Submission.verdict == "accepted", Submission.player_id.in_(family))
    here = [exists().where(place.match_id == Match.id, place.player_id.in_(family)) for place in (Seat, Teammate)]
    own = [exists().where(place.match_id == Match.id, place.player_id == player) for place in (Seat, Teammate)]
    return ~or_(*own, (Match.state == "running") & or_(exists().where(*its), *here))


def closed_to(
    session: Session, player_id: int | None, running: Collection[int], now: datetime
) -> Collection[int | None]:
    """Those of these matches that are of events, if this player may take over no seat in one (`check_entry`)."""
    if player_id is None or not running:
        return ()
    found = session.scalars(select(EventMatch.match_id).where(EventMatch.match_id.in_(running))).all()
    try:
        if found:
            check_entry(session, session.get_one(Player, player_id), now)
    except LobbyError:
        return found
    return ()


def judge_outsider(tx: Transaction, match: Match, submission: Submission, order: Order) -> None:
    """Judges an order from somebody without the seat: `accept` if it is offered to them; raises MoveError otherwise."""
    sought = any(may_take(place, submission.player_id) for place in match.team(submission.seat))
    if match.state != "running" or not accepts_invitation(order) or not sought:
        raise OutOfTurn("Somebody else has that seat now.")
    try:
        take(tx, match.id, submission.player_id, submission.seat, submission.received)
    except LobbyError as error:
        raise OutOfTurn(str(error)) from error


def judge_leaving(tx: Transaction, match: Match, own: Place, submission: Submission) -> None:
    """Removes a player from their team, on request or when the account is deleted; raises OutOfTurn if there is no
    team."""
    if not teams.is_shared(match, own.number):
        raise OutOfTurn(NO_TEAM)
    # The remark is passed on first, while the player still has a place.
    messages.say_below(tx, match, own, submission)
    leave(tx, match, own)


def leave(tx: Transaction, match: Match, own: Place) -> None:
    """Removes a player from a team. If it was their turn, the next player has it, with a fresh clock."""
    seat, leaver = match.seats[own.number], own.player
    position = _enter(tx, match, seat) if own is seat else replay.position(tx.session, match)
    _release(tx, TeamLeft(), match, own)
    if isinstance(own, Teammate):
        match.teammates.remove(own)
    else:
        mate = teams.successor(seat)
        teams.give(seat, mate)
        match.teammates.remove(mate)
        replay.summarise(match, position)
        clocks.hand_over(tx, match, seat)
        _welcome(tx, match, seat, position)
    match.moved = tx.now
    # The player whose turn it is now gets a letter about it.
    others = [place for place in _taking_part(match, position) if own is not seat or place is not seat]
    _tell(tx, TeamSmaller, match, seat, others, leaver)


def _take_over(tx: Transaction, match: Match, place: Place, heir: Player) -> None:
    seat = match.seats[place.number]
    before = replay.position(tx.session, match)
    after = _enter(tx, match, seat) if place is seat else before
    sealed = seat.number in after.turns and seat.number not in before.turns
    _release(tx, SeatLost(sealed=sealed), match, place)
    place.player, place.player_id, place.taken, place.sought = heir, heir.id, tx.now, None
    place.standing, place.post, place.seen, place.missed, place.turned = "", "", None, 0, False
    if place is seat:
        seat.ahead = ""
        replay.summarise(match, after)
        clocks.hand_over(tx, match, seat)
    match.moved = tx.now
    others = (other for other in _taking_part(match, after) if other is not place)
    _tell(tx, NewPlayer, match, place, others, heir)
    _welcome(tx, match, place, after)


def _release(tx: Transaction, contents: TeamLeft | SeatLost, match: Match, place: Place) -> None:
    """Cancels what a departing player was owed and the offers at the table, and informs the player."""
    former = place.player
    assert former is not None, "In a running match every place is taken."
    unsent = update(Letter).where(Letter.player_id == former.id, Letter.match_id == match.id, Letter.sent.is_(None))
    tx.session.execute(unsent.where(Letter.kind.in_(OPTIONAL)).values(due=None, held=False))
    if isinstance(place, Seat):
        tx.session.execute(delete(Offer).where(Offer.match_id == match.id))
    if former.email is None:
        return
    gone = replace(contents, ply=match.ply, seat=place.number, outside=True)
    owe(tx, f"{gone.kind}:{match.id}:{former.id}:{tx.now.isoformat()}", former.id, gone, match.id)


def _taking_part(match: Match, position: Position) -> list[Place]:
    return [place for place in match.places if place.number in position.active]


def _enter(tx: Transaction, match: Match, seat: Seat) -> Position:
    """Notes in the log that the seat changes hands."""
    before = replay.position(tx.session, match)
    after = before.play(seat.number, SUBSTITUTE)
    late_turns.drop_sealed(tx.session, match, seat.number, SUBSTITUTE, before, after)
    match.ply += 1
    entry = {"seat": seat.number, "move": SUBSTITUTE, "round": before.round, "played": tx.now}
    tx.session.add(Entry(match_id=match.id, ply=match.ply, **entry))
    match.moved = tx.now
    replay.keep(match, match.ply, after)
    return after


def _welcome(tx: Transaction, match: Match, seat: Place, position: Position) -> None:
    """Owes the new player of a seat their turn, or the news that they have the seat."""
    moves = isinstance(seat, Seat) and seat.number in position.turns
    welcome = Turn(deadline=announce.until(seat)) if moves else SeatTaken()
    # The former player may have been owed the turn of this round.
    key = f"{welcome.kind}:{match.id}:{match.round}:{seat.number}:{seat.player_id}"
    announce.tell_seat(tx, key, seat, welcome)


def _tell(
    tx: Transaction,
    kind: type[TeamSmaller | NewPlayer],
    match: Match,
    about: Place,
    places: Iterable[Place],
    player: Player | None,
) -> None:
    """Owes the players in these places a letter about a player who leaves or takes another place."""
    name = "" if press.hides_names(match) or player is None else player.name
    key = f"{kind.kind}:{match.id}:{player.id if player else ''}:{tx.now.isoformat()}"
    announce.tell(tx, key, places, kind(by=about.number, name=name))
