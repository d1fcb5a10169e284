"""Another match like one: a rematch with the sides changed, or a match with the same settings from a player's page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, Select, exists, func, select
from sqlalchemy.orm import Session, aliased

from service.bots.roster import NAMES
from service.engine.game import Illegal, OutOfTurn
from service.games import GAMES
from service.play.letter_kinds import RematchAsked
from service.play.match import invitations, lobby
from service.play.match.invitations import LobbyError
from service.play.match.lobby import Chair, Proposal
from service.play.notify.announce import answer_mail
from service.play.site import Site, Transaction, transactional
from service.play.table import blocks, press, teams
from service.play.talk import messages
from service.store.models import Match, Place, Player, Seat, Submission

TOO_SOON = "You can ask for a rematch once the match is over."

MOST = 10
"""How often a rematch can be asked for, if it is declined every time."""


def of(session: Session, match: Match) -> Match | None:
    """The latest rematch of a match."""
    return session.scalars(select(Match).where(_is_of(match.id)).order_by(Match.id.desc())).first()


def asked(session: Session, match_id: int, state: str) -> datetime | None:
    """When a rematch of a match in this state was last asked for; None if none was."""
    asked_at = select(func.max(Match.created)).where(_is_of(match_id))
    at: datetime | None = session.scalar(asked_at) if state == "over" else None
    return at


def _is_of(match_id: int) -> ColumnElement[bool]:
    return Match.key.in_([_key(match_id, number) for number in range(MOST)])


def judge(tx: Transaction, match: Match, submission: Submission) -> None:
    """Invites the others to a rematch, or accepts theirs; raises MoveError."""
    if match.state != "over" or match.importer_id is not None:
        raise OutOfTurn(TOO_SOON)
    asked = of(tx.session, match)
    if asked is None or asked.state == "declined":
        _invite(tx, match, submission, asked)
        return
    tx.session.refresh(asked, with_for_update=True)
    seat = asked.place_of(submission.player_id)
    if asked.state == "open" and seat is not None and not seat.accepted:
        invitations.accept(tx, asked, seat)
        messages.say_below(tx, asked, seat, submission)
        return
    raise OutOfTurn(f"The rematch is match {asked.id}, and you've already accepted it.")


def _invite(tx: Transaction, match: Match, submission: Submission, declined: Match | None) -> None:
    number = 0 if declined is None or declined.key is None else int(declined.key.rpartition(":")[2]) + 1
    if number == MOST:
        raise OutOfTurn("A rematch of this match has been declined too often to ask again.")
    chairs = [_shared(match.team(seat.number), submission.player_id) for seat in match.seats]
    try:
        turned = _each_bot_once([chairs[-1], *chairs[:-1]])
        terms = (match.clock, match.press, match.substitutes)
        wanted = Proposal(match.game, match.options, turned, *terms, match.id, match.rated)
        new = lobby.set_up(tx, submission.player_id, wanted)
    except LobbyError as error:
        raise Illegal(str(error)) from error
    new.key = _key(match.id, number)
    if (asking := match.place_of(submission.player_id)) is not None:
        messages.say_below(tx, match, asking, submission)
    if new.state == "open":
        own = new.place_of(submission.player_id)
        by = submission.seat if own is None else own.number
        is_open = any(place.player_id is None for place in new.places)
        title = f"{GAMES[new.game].title} {new.id}"
        asked = RematchAsked(submission=submission.id, by=by, title=title, open=is_open)
        answer_mail(tx, submission, asked)


def _shared(team: Sequence[Place], asking: int) -> Chair:
    """The chair of a seat, with those who shared it."""
    first, *mates = (_chair(place, asking) for place in team)
    return replace(first, mates=tuple(mates))


def _chair(seat: Place, asking: int) -> Chair:
    if seat.player_id == asking:
        return Chair("me")
    if seat.player is None or seat.player.left is not None:
        return Chair("open")
    if seat.player.bot:
        return Chair("bot", bot=seat.player.bot if seat.player.bot in NAMES else "")
    return Chair("player", player_id=seat.player.id)


def _each_bot_once(chairs: Sequence[Chair]) -> list[Chair]:
    """The chairs, with a different computer opponent for each extra seat that one had in an old match."""
    bots = [chair.bot for chair in chairs]
    return [replace(one, bot="") if one.bot in bots[:place] else one for place, one in enumerate(chairs)]


def _key(match_id: int, number: int) -> str:
    return f"rematch:{match_id}:{number}"


def settings(site: Site, player_id: int, other_id: int) -> Proposal | None:
    """The settings for a match with the other player: those of their last match together, or else of the player's last
    match. None if there is no such match, the two can't play, or the other has blocked the player."""
    with site.store.reading() as session:
        return None if blocks.is_between(session, other_id, player_id) else _settings(session, player_id, other_id)


@transactional
def invite(tx: Transaction, player_id: int, other_id: int, key: str) -> int:
    """Opens that match and returns its id, the same for the same `key`; raises LobbyError."""
    if (known := lobby.opened(tx, player_id, key)) is not None:
        return known
    wanted = _settings(tx.session, player_id, other_id)
    if wanted is None:
        raise LobbyError(_why_not(tx.session, player_id, other_id))
    match = lobby.set_up(tx, player_id, wanted)
    match.key = key
    return match.id


def _why_not(session: Session, player_id: int, other_id: int) -> str:
    """Why there are no settings for a match of the two."""
    other = session.get(Player, other_id)
    if other is None or other.left is not None or other.is_guest:
        return "There's no such player."
    return "You can't invite yourself." if other_id == player_id else "Choose a game first: open a new match."


def _settings(session: Session, player_id: int, other_id: int) -> Proposal | None:
    other = session.get(Player, other_id)
    if other is None or other_id == player_id or other.left is not None or other.is_guest:
        return None
    game = NAMES[other.bot][0] if other.bot in NAMES else None
    # A match that hides names is left out: its settings would show who the other player is.
    # So is one in which they haven't accepted: they may have been invited by an address that nobody knows is theirs.
    both = _last(player_id, game).where(press.named(), Match.id.in_(teams.matches_of([other_id], accepted=True)))
    together = session.scalars(both).first()
    last = together or session.scalars(_last(player_id, game)).first()
    if other.bot is not None and game is None:
        return None
    chair = Chair("player", player_id=other_id) if other.bot is None else Chair("bot", bot=other.bot)
    if last is None:
        return None if game is None else Proposal(game, {}, [Chair("me"), chair])
    own = last.place_of(player_id)
    chairs = [chair, Chair("me")] if own is not None and own.number else [Chair("me"), chair]
    return replace(Proposal(last.game, last.options, chairs), clock=last.clock, talk=last.press, rated=last.rated)


def _last(player_id: int, game: str | None) -> Select[Match]:
    """A player's latest match for two that was played here from the usual position."""
    third, own = aliased(Seat), aliased(Seat)
    usual = func.coalesce(Match.options["setup"].as_string(), "") == ""
    more = exists().where(third.match_id == Match.id, third.number > 1)
    found = select(Match).join(own, own.match_id == Match.id).where(own.player_id == player_id, ~more)
    found = found.where(Match.importer_id.is_(None), Match.teams.is_(False), usual)
    return (found if game is None else found.where(Match.game == game)).order_by(Match.id.desc()).limit(1)
