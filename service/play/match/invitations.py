"""Invitations and open seats: how they are answered, and how a match begins once all have been."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Select, bindparam, func, or_, select
from sqlalchemy.orm import Session

from service.engine.game import OutOfTurn, Position, Unreadable
from service.mail.grammar.orders import Order, accepts_invitation, declines_invitation
from service.play import bans
from service.play.letter_kinds import InvitationDeclined, InvitationWithdrawn, SeatOffered
from service.play.notify import following
from service.play.notify.announce import announce, tell, tell_begun, tell_seat
from service.play.site import Transaction, transactional
from service.play.table import press, replay, teams
from service.play.talk import messages, moderation
from service.play.timekeeping import clocks
from service.store.models import Match, Place, Player, Seat, Submission, Teammate
from service.store.tables.mail_rows import Letter

CLOSED = {
    "running": "This match has begun and has no open seat.",
    "over": "This match is over.",
    "declined": "The invitation to this match was declined or withdrawn, so it never began.",
}
"""Why nobody can join a match that is not open."""


UNANSWERED = 50
"""How many unanswered invitations and offered seats a person and their bots may have together, so that nobody can have
us email any number of strangers."""

WITHDRAWN = "withdrawn"
"""The reason of a match that its creator withdrew before it began; its state is `declined`."""


class LobbyError(ValueError):
    """A request that the lobby refuses. The message is one sentence for the player.

    `field` is what it is about: an option by its name, `clock`, or the `field` of a Chair; "" for the whole.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def check_patience(session: Session, player_id: int, now: datetime, new: int = 1) -> None:
    """Raises LobbyError for a player who invites `new` people while too many others haven't answered. A person and all
    their bots are counted as one."""
    if not new:
        return
    own = teams.with_bots(session, player_id)
    waiting = _unanswered(session, own, now) + sum(_seats_offered(session, one, now) for one in own)
    if waiting + new > UNANSWERED and len(own) > 1:
        raise LobbyError(
            f"A person and their bots together can have up to {UNANSWERED} unanswered invitations, including those "
            "declined and the seats offered today. Invite more players once some are accepted, or let anybody take the "
            "seat."
        )
    if waiting + new > UNANSWERED:
        raise LobbyError(
            f"You can have up to {UNANSWERED} unanswered invitations, including those declined and the seats you "
            "offered today. Invite more players once some are accepted, or let anybody take the seat."
        )


def _unanswered(session: Session, players: Sequence[int], now: datetime) -> int:
    """How many people these players have invited who haven't answered, or whose match was declined within a day."""
    about = {"players": players, "lately": now - timedelta(days=1)}
    return sum(session.scalar(waiting, about) or 0 for waiting in _UNANSWERED)


def _waiting(place: type[Place]) -> Select[int]:
    """How many places of this kind wait for somebody that `players` have invited."""
    lately = (Match.state == "declined") & (Match.moved > bindparam("lately"))
    opened = Match.creator_id.in_(bindparam("players", expanding=True))
    mine = select(Match.id).where(opened, or_(Match.state == "open", lately))
    waits = select(func.count()).select_from(place).where(place.match_id.in_(mine), place.player_id.is_not(None))
    return waits.where(place.accepted.is_(False))


_UNANSWERED = (_waiting(Seat), _waiting(Teammate))


def _seats_offered(session: Session, player_id: int, now: datetime) -> int:
    """How many emails within a day have offered somebody a seat that this player still has."""
    offered = session.execute(_OFFERED, {"player": player_id, "lately": now - timedelta(days=1)})
    return sum(data["seat"] == number for number, data in offered)


_PLACES = teams.places_of(bindparam("player"))
_OFFERED = (
    select(_PLACES.c.number, Letter.data)
    .join(Letter, Letter.match_id == _PLACES.c.match_id)
    .join(Match, Match.id == _PLACES.c.match_id)
    .where(Match.state == "running", Letter.kind == SeatOffered.kind, Letter.created > bindparam("lately"))
)
"""Built once, like those above: they run whenever somebody invites others."""


def take_seat(tx: Transaction, match_id: int, player_id: int, side: int | None = None) -> None:
    """Takes the first open place, of this side where one is named, or the one the player is invited to, before play
    begins; raises LobbyError."""
    bans.refuse_banned(tx, player_id, LobbyError)
    match = tx.session.get(Match, match_id, with_for_update=True, populate_existing=True)
    if match is None:
        raise LobbyError(f"There's no match {match_id}.")
    own = match.place_of(player_id)
    if own is not None and own.accepted:
        raise LobbyError("You already have a seat in this match.")
    if match.state != "open":
        raise LobbyError(CLOSED[match.state])
    if own is not None:
        _answered(tx, match, own, accept=True)
        return
    if moderation.is_unwelcome(tx.session, match, player_id):
        raise LobbyError("Somebody in this match doesn't want to play with you.")
    free = [place for place in match.places if place.player_id is None]
    wanted = [place for place in free if side in (None, place.number)]
    if not wanted:
        raise LobbyError(
            "That side no longer has an open seat, but another one does."
            if free
            else "This match has no open seat. It's waiting for invited players."
        )
    player = tx.session.get_one(Player, player_id)
    _check_rated(match, player)
    wanted[0].player_id, wanted[0].accepted = player_id, True
    wanted[0].player = player
    begin_if_full(tx, match)


def _check_rated(match: Match, player: Player) -> None:
    """Raises LobbyError for a player who would keep a match from being rated that others have agreed to. If nobody else
    is there yet, it isn't rated from now on."""
    family = teams.family(match, player)
    if not match.rated or not family:
        return
    if len(family) < sum(place.player_id is not None for place in match.places):
        raise LobbyError("This match is rated, so only one of a player and their bots can have a seat in it.")
    match.rated = False


@transactional
def answer(tx: Transaction, match_id: int, player_id: int, accept: bool) -> None:
    """Accepts or declines an invitation; raises LobbyError. Repeating an answer changes nothing."""
    match = tx.session.get(Match, match_id, with_for_update=True)
    if match is None or (seat := match.place_of(player_id)) is None:
        raise LobbyError("You aren't invited to this match.")
    if seat.accepted if accept else match.state == "declined":
        return
    if match.state != "open":
        raise LobbyError("This invitation has already been answered or withdrawn.")
    if seat.accepted:
        raise LobbyError("You've already accepted. Only the player who opened this match can withdraw it.")
    if accept:
        bans.refuse_banned(tx, player_id, LobbyError)
    _answered(tx, match, seat, accept)


@transactional
def withdraw(tx: Transaction, match_id: int, player_id: int) -> None:
    """Withdraws an open match; raises LobbyError. Repeating it changes nothing. Invitations that haven't been sent
    never are, and everybody else at the table gets an email."""
    match = tx.session.get(Match, match_id, with_for_update=True)
    if match is None or match.creator_id != player_id:
        raise LobbyError("Only the player who opened a match can withdraw it.")
    if match.state == "declined":
        return
    if match.state != "open":
        raise LobbyError("This match has begun, so it can't be withdrawn.")
    match.state, match.reason, match.moved = "declined", WITHDRAWN, tx.now
    for place in match.places:
        place.written = ""
    unaware = _hold_invitations_back(tx, match)
    reached = hearing_from_host(tx.session, match)
    others = [place for place in reached if place.label not in unaware and place.player_id != player_id]
    host = tx.session.get_one(Player, player_id)
    name = "" if host.is_unnamed or press.hides_names(match) else host.name
    tell(tx, f"withdrawn:{match.id}", others, InvitationWithdrawn(name=name))


def hearing_from_host(session: Session, match: Match) -> list[Place]:
    """The places of a match that hasn't begun, without invitations to players who have blocked the host. An invitation
    by address isn't refused for that: that would show the host whose address it is."""
    away = moderation.keeping_away(session, match.places, match.creator_id)
    return [place for place in match.places if place.accepted or place.player_id not in away]


def _hold_invitations_back(tx: Transaction, match: Match) -> set[str]:
    """Stops the invitations that haven't been sent, by email or in a digest; returns the labels of their places."""
    keys = {f"invitation:{match.id}:{place.label}": place.label for place in match.places}
    held_back = set()
    for letter in tx.session.scalars(select(Letter).where(Letter.key.in_(keys)).with_for_update()):
        is_being_sent = letter.attempts > 0 and not letter.error
        if letter.sent is None and (letter.held or letter.error or (letter.due is not None and not is_being_sent)):
            held_back.add(keys[letter.key])
        letter.held, letter.due = False, None
    return held_back


def judge_answer(tx: Transaction, match: Match, seat: Place, submission: Submission, order: Order) -> None:
    """Judges an answer that was sent as an order, by email, with the text below it; raises MoveError."""
    if seat.accepted:
        raise OutOfTurn("You've already accepted. The match begins as soon as the other seats are taken.")
    if not (accepts_invitation(order) or declines_invitation(order)):
        raise Unreadable("The match hasn't begun. Reply to the invitation with accept or decline on the first line.")
    if accepts_invitation(order):
        accept(tx, match, seat)
        messages.say_below(tx, match, seat, submission)
        return
    _answered(tx, match, seat, False, press.kept_remark(match, seat.player, submission.remark))


def check_answered(position: Position, order: Order) -> None:
    """Raises OutOfTurn for an answer to an invitation, once the match has begun."""
    if accepts_invitation(order) and position.phase == "play" and position.offer is None:
        raise OutOfTurn("There's nothing to accept: the match has begun, and nothing is offered.")


def accept(tx: Transaction, match: Match, seat: Place) -> None:
    """Accepts an invitation to a match that is locked, or new; raises MoveError."""
    bans.refuse_banned(tx, seat.player_id, OutOfTurn)
    _answered(tx, match, seat, True)


def _answered(tx: Transaction, match: Match, seat: Place, accept: bool, remark: str = "") -> None:
    seat.written = ""
    if accept:
        seat.accepted = True
        begin_if_full(tx, match)
        return
    match.state, match.moved = "declined", tx.now
    _hold_invitations_back(tx, match)
    away = moderation.keeping_away(tx.session, match.places, seat.player_id) if remark else set()
    invited = seat.player
    named = invited is not None and not (teams.is_hidden(seat) or invited.is_unnamed or press.hides_names(match))
    name = invited.name if named and invited else ""
    for other in match.places:
        if other.accepted:
            below = remark if other.player_id not in away else ""
            declined = InvitationDeclined(by=seat.number, name=name, text=below)
            tell_seat(tx, f"declined:{match.id}:{other.label}", other, declined)


def begin_if_full(tx: Transaction, match: Match, *, told: bool = False) -> None:
    """Begins the match if everybody has accepted, and notifies its players, unless they're `told` elsewhere."""
    if not all(place.accepted for place in match.places):
        return
    position = replay.start(match)
    match.state, match.moved = "running", tx.now
    replay.summarise(match, position)
    clocks.begin(tx, match)
    announce(tx, match, None, position)
    if not told:
        tell_begun(tx, match, position)
    following.note(tx, match, "began")
