"""How matches are set up: invitations, open seats, computer opponents."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal

from sqlalchemy import Select, and_, exists, func, or_, select, text
from sqlalchemy.orm import Session, aliased

from service.bots.roster import NAMES, OPPONENTS
from service.clock.control import DEFAULT, choose
from service.clock.duration import ClockError
from service.engine.options import OptionError
from service.games import GAMES
from service.play import bans
from service.play.accounts import identity
from service.play.letter_kinds import Invitation
from service.play.match.invitations import LobbyError, begin_if_full, check_patience, hearing_from_host
from service.play.notify import club
from service.play.notify.announce import tell
from service.play.site import Transaction, transactional
from service.play.table import press, teams
from service.play.table.press import Press, PressError
from service.play.talk import moderation
from service.store.models import Entry, Match, Player, Seat, Teammate

LATELY = timedelta(hours=1)
"""Within this time, a repeated request may be a form that somebody went back to."""


class Twin(Exception):
    """A request just like a recent one, which opened the match `match_id`: it may be unintended."""

    def __init__(self, match_id: int) -> None:
        super().__init__(match_id)
        self.match_id = match_id


@dataclass(frozen=True, slots=True)
class Chair:
    """The occupant of a place: the creator, a person (by address or known to us), anyone, or a computer opponent. A
    `paired` player has already agreed to the match and isn't invited."""

    kind: Literal["me", "email", "player", "paired", "open", "bot"]
    email: str = ""
    player_id: int = 0
    bot: str = ""
    """The name of the computer opponent in lower case; "" for the weakest that has no seat yet."""
    mates: tuple[Chair, ...] = ()
    """The players who share the seat and move after this one, in that order."""
    field: str = ""
    """The field of the form that it comes from, for errors."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A match to be set up, one chair per seat in turn order; `rematch` is the match that it repeats.

    `clock` is what `choose` reads, `talk` what `Press.parse` does. By default, matches of more than two allow
    `substitutes`. The match is `rated` if it begins from the usual position. If its players are `told` elsewhere that
    it begins, only those who are to move get an email.
    """

    game: str
    options: dict[str, str]
    chairs: Sequence[Chair]
    clock: str = DEFAULT
    talk: str = press.DEFAULT
    substitutes: bool | None = None
    rematch: int | None = None
    rated: bool = True
    told: bool = False

    @property
    def addresses(self) -> int:
        """How many people it invites by their email address."""
        return sum(one.kind == "email" for chair in self.chairs for one in (chair, *chair.mates))


@transactional
def open_match(
    tx: Transaction,
    creator_id: int,
    game: str,
    options: dict[str, str],
    chairs: Sequence[Chair],
    clock: str = DEFAULT,
    talk: str = press.DEFAULT,
    key: str | None = None,
    substitutes: bool | None = None,
    *,
    again: bool = True,
    rated: bool = True,
) -> int:
    """Sets up a match and returns its id; raises LobbyError.

    A second request with the same `key` opens nothing and returns the first match. Keys whose parts before the last
    colon are the same are alike: unless `again` is set, a request like a recent one raises Twin.
    """
    if key is not None and (known := opened(tx, creator_id, key)) is not None:
        return known
    if key is not None and not again:
        _check_alone(tx, creator_id, key)
    match = set_up(tx, creator_id, Proposal(game, options, chairs, clock, talk, substitutes, rated=rated))
    match.key = key
    return match.id


def opened(tx: Transaction, creator_id: int, key: str) -> int | None:
    """The match that was opened with this key, if there is one; of two copies of a form at once, the second waits here,
    on either kind of database. The key is left to others, or two who invite each other would wait for each other."""
    tx.session.get(Player, creator_id, with_for_update={"key_share": True})
    return tx.session.scalars(select(Match.id).where(Match.key == key)).first()


def _check_alone(tx: Transaction, creator_id: int, key: str) -> None:
    """Raises Twin if a match like it was opened recently, and nothing has been played in it."""
    alike = Match.key.startswith(f"{key.rpartition(':')[0]}:", autoescape=True)
    fresh = and_(Match.created > tx.now - LATELY, Match.ply == 0, Match.state.in_(("open", "running")))
    twin = tx.session.scalars(select(Match.id).join(Seat).where(Seat.player_id == creator_id, alike, fresh)).first()
    if twin is not None:
        raise Twin(twin)


def set_up(tx: Transaction, creator_id: int, wanted: Proposal) -> Match:
    """The match as proposed, with the invitations owed; raises LobbyError. If names are hidden, seats are assigned at
    random."""
    bans.refuse_banned(tx, creator_id, LobbyError)
    match, chairs = _new_match(wanted, tx.now), _with_opponents(wanted.game, wanted.chairs)
    if Press.parse(match.press).names:
        chairs = secrets.SystemRandom().sample(chairs, len(chairs))
    creator = tx.session.get_one(Player, creator_id)
    match.creator_id, match.practice = creator.id, creator.is_guest
    filled = partial(_filled, tx, match.game, creator)
    match.seats = [Seat(number=number, **filled(chair)) for number, chair in enumerate(chairs)]
    everybody = [one for chair in chairs for one in (chair, *chair.mates)]
    match.teammates = [
        Teammate(number=number, place=place, **filled(mate))
        for number, chair in enumerate(chairs)
        for place, mate in enumerate(chair.mates, start=1)
    ]
    _check_company(match, everybody)
    if len(teams.family(match, creator)) > 1:
        # It wouldn't be rated in the end. Of others this isn't shown: it would reveal the address of a bot's owner.
        match.rated = False
    # An address gets the same answer whether or not its owner has blocked the creator. A `paired` player isn't asked.
    named = [place for place, chair in zip(match.places, everybody, strict=True) if chair.kind == "player"]
    if moderation.keeping_away(tx.session, named, creator_id):
        raise LobbyError("One of the players you invited doesn't accept invitations from you.")
    new = sum(not seat.accepted and seat.player is not None for seat in match.places)
    check_patience(tx.session, creator_id, tx.now, new)
    if wanted.rematch is None:
        _check_unanswered(tx.session, match, everybody, creator_id)
    tx.session.add(match)
    tx.session.flush()
    invitation = Invitation(inviter=creator.id, rematch=wanted.rematch)
    invited = (seat for seat in hearing_from_host(tx.session, match) if not seat.accepted)
    tell(tx, f"invitation:{match.id}", invited, invitation)
    begin_if_full(tx, match, told=wanted.told)
    club.tell_of_seat(tx, match)
    return match


def _new_match(wanted: Proposal, now: datetime) -> Match:
    """The match without its seats; raises LobbyError for what cannot be played."""
    if wanted.game not in GAMES:
        raise LobbyError(f"There's no game called {wanted.game!r} here.")
    everybody = [one for chair in wanted.chairs for one in (chair, *chair.mates)]
    if sum(chair.kind == "me" for chair in everybody) > 1:
        raise LobbyError("You can only take one seat.")
    for chair in [chair for chair in wanted.chairs if chair.mates]:
        if "bot" in {chair.kind, *(mate.kind for mate in chair.mates)}:
            raise LobbyError("A computer opponent can't share a seat: only people can.", chair.mates[0].field)
        if len(chair.mates) >= teams.MOST:
            raise LobbyError(f"Up to {teams.MOST} players can share a seat.", chair.mates[0].field)
    game, seats = GAMES[wanted.game], len(wanted.chairs)
    with _about():
        settled, spoken = game.settle(seats, wanted.options), Press.parse(wanted.talk).write()
    with _about("setup"):
        first = game.begin(seats, 0, settled)
    if first.outcome is not None:
        raise LobbyError("In this setup the game is already over, so there is nothing to play.", "setup")
    with _about("clock"):
        timed = choose(wanted.clock).write()
    return Match(
        game=wanted.game,
        options=settled,
        clock=timed,
        press=spoken,
        substitutes=len(everybody) > 2 if wanted.substitutes is None else wanted.substitutes,
        rated=wanted.rated and not settled.get("setup"),
        teams=len(everybody) > seats,
        seed=secrets.randbits(62),
        state="open",
        created=now,
        moved=now,
        round=0,
        ply=0,
    )


@contextmanager
def _about(field: str = "") -> Iterator[None]:
    """Turns errors into a LobbyError about this field, or about the option they name."""
    try:
        yield
    except (OptionError, ClockError, PressError, identity.AccountError) as error:
        raise LobbyError(str(error), getattr(error, "option", "") or field) from error


@transactional
def practise(tx: Transaction, player_id: int, game: str, opponent: str = "", board: str = "") -> int:
    """A match of `game` against a computer opponent; the player begins. Returns its id.

    `board` is the value of the option that makes a match short, its short value if it is "". A form sent twice opens
    one match: the second time it leads to the one in which the player hasn't moved yet. Raises LobbyError if there's no
    such opponent or board in this game.
    """
    tx.session.get(Player, player_id, with_for_update=True)
    bot, known = _opponent(game, opponent), GAMES[game]
    options = {option.name: board or option.short for option in known.options if option.short}
    chairs = [Chair("me"), Chair("bot", bot=bot), *[Chair("bot")] * (known.usual_seats - 2)]
    with _about():
        settled = known.settle(len(chairs), options)
    for match in tx.session.scalars(_untouched(player_id, game, bot)):
        if match.options == settled:
            return match.id
    return set_up(tx, player_id, Proposal(game, options, chairs)).id


def _opponent(game: str, name: str) -> str:
    """The name of a computer opponent of this game in lower case; raises LobbyError."""
    if not name:
        return OPPONENTS[game][0].name.lower()
    if name in NAMES and NAMES[name][0] == game:
        return name
    title = GAMES[game].title
    three = ", ".join(opponent.name for opponent in OPPONENTS[game])
    raise LobbyError(f"{name.capitalize()} doesn't play {title}. The computer opponents there are {three}.")


def _with_opponents(game: str, chairs: Sequence[Chair]) -> Sequence[Chair]:
    """The chairs with a name for each computer opponent; raises LobbyError.

    Each takes one seat at a table, so that a result says something about it.
    """
    named = [_opponent(game, chair.bot) for chair in chairs if chair.bot]
    free = [one.name.lower() for one in OPPONENTS[game] if one.name.lower() not in named]
    if len({*named}) < len(named):
        twice = next(chair for chair in reversed(chairs) if named.count(chair.bot) > 1)
        raise LobbyError(f"{twice.bot.capitalize()} can take only one seat of a match.", twice.field)
    if sum(chair.kind == "bot" for chair in chairs) > len(OPPONENTS[game]):
        title, three = GAMES[game].title, ", ".join(opponent.name for opponent in OPPONENTS[game])
        raise LobbyError(f"{title} has three computer opponents, each for one seat: {three}.")
    unnamed = iter(free)
    return [replace(one, bot=next(unnamed)) if one.kind == "bot" and not one.bot else one for one in chairs]


def _untouched(player_id: int, game: str, bot: str) -> Select[Match]:
    """Running matches in which the player has not moved yet, against this bot next to them, and other bots at most."""
    own, other = aliased(Seat), aliased(Seat)
    moved = exists().where(Entry.match_id == Match.id, Entry.seat == own.number)
    seated = exists().where(other.match_id == Match.id, other.player_id == Player.id)
    beside = seated.where(other.number == own.number + 1, Player.bot == bot)
    people = seated.where(other.player_id != player_id, Player.bot.is_(None))
    running = select(Match).join(own, own.match_id == Match.id).where(own.player_id == player_id, Match.game == game)
    return running.where(Match.state == "running", ~moved, beside, ~people).order_by(Match.id.desc())


def _filled(tx: Transaction, game: str, creator: Player, chair: Chair) -> dict[str, Any]:
    """Who has a place from the beginning, and whether they have accepted it."""
    if chair.kind == "me":
        player: Player | None = creator
    elif chair.kind == "email":
        with _about(chair.field):
            player = identity.by_email(tx.session, chair.email, tx.now)
    elif chair.kind in ("player", "paired"):
        player = tx.session.get_one(Player, chair.player_id)
    else:
        player = computer(tx, game, chair.bot) if chair.kind == "bot" else None
    written = {"email": chair.email.strip(), "player": player.name if player else ""}.get(chair.kind, "")
    return {"player": player, "accepted": chair.kind in ("me", "paired", "bot"), "written": written}


def computer(tx: Transaction, game: str, name: str) -> Player:
    """A computer opponent of this game by its name in lower case; raises LobbyError."""
    return identity.bot(tx.session, _opponent(game, name), tx.now)


def _check_company(match: Match, chairs: Sequence[Chair]) -> None:
    """Raises LobbyError if a person is there twice, or if there's no person. The chairs are those of `match.places`."""
    fields: dict[Player, str] = {}
    for place, chair in zip(match.places, chairs, strict=True):
        if place.player is None or place.player.bot is not None:
            continue
        if place.player in fields:
            raise LobbyError(
                "Each player can take only one seat: every address must be different, and none can be your own.",
                chair.field or fields[place.player],
            )
        fields[place.player] = chair.field
    if not fields:
        raise LobbyError("At least one player must be human.")


def _check_unanswered(session: Session, match: Match, chairs: Sequence[Chair], creator_id: int) -> None:
    """Raises LobbyError for somebody who has not answered an earlier invitation from the same player. Only invitations
    that named them in the same way, by this address or name, count: otherwise the error would reveal whose address it
    is."""
    for own, chair in zip(match.places, chairs, strict=True):
        if own.player is None or own.accepted:
            continue
        for place in (Seat, Teammate):
            # Written as the indexes of unanswered places have it, so that SQLite recognises it.
            unanswered = text(f"{place.__tablename__}.accepted = false")
            waiting = select(place.match_id).join(place.match).where(place.player_id == own.player.id, unanswered)
            waiting = waiting.where(Match.state == "open", Match.creator_id == creator_id)
            alike = or_(place.written == own.written, func.lower(place.written) == own.written.lower())
            if (earlier := session.scalars(waiting.where(alike).limit(1)).first()) is not None:
                raise LobbyError(
                    f"{own.written} hasn't answered your invitation to match {earlier} yet. "
                    "You can invite them again once they have.",
                    chair.field,
                )
