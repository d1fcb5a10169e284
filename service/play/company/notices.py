"""Notices: an email when somebody looks for opponents at a game or creates an event, to those who have asked for it, at
most one a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Integer, Select, and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.play.company import events, pairing, wishes
from service.play.company.wishes import AWAKE, on_vacation
from service.play.company_letters import Opening, Openings
from service.play.letter_contents import readable
from service.play.match.invitations import LobbyError, take_seat
from service.play.notify import gazette
from service.play.notify.announce import owe
from service.play.site import Site, Transaction, going_on
from service.play.table import blocks, press
from service.store.models import Match, Player, Seat, Teammate
from service.store.rows import Instant
from service.store.tables.company import Notice, Wish, WishGame
from service.store.tables.events import Entrant, Event
from service.store.tables.mail_rows import Letter

PATIENCE = timedelta(minutes=5)
"""How long somebody must have been looking before others hear of it: most wishes meet another one sooner."""

RECENT = timedelta(days=3)
"""How old an event may be at most for others to hear of it."""

PAUSE = timedelta(days=1)
"""How long a player gets no other notice."""

LISTED = 10
"""How many openings one notice lists, and of how many open seats one look chooses."""

AT_ONCE = 50
"""How many notices one sweep owes. The next sweep continues."""


class _Found(NamedTuple):
    """An opening, and when it appeared."""

    since: datetime
    opening: Opening


def look_after(site: Site) -> None:
    """What the sweep does for notices."""
    now = site.now()
    with site.store.reading() as session:
        if not session.scalar(_ANYBODY):
            return
        due: dict[int, None] = {}
        for game, since in _newest(session, now).items():
            due |= dict.fromkeys(session.scalars(_DUE, {"game": game, "since": since, "now": now}))
    for player_id in [*due][:AT_ONCE]:
        with going_on("the notice of player", player_id), site.transaction() as tx:
            _tell(tx, player_id)


_ANYBODY = select(exists(select(Notice.player_id)))
_NOW, _BEFORE = bindparam("now", type_=Instant), bindparam("before", type_=Instant)
_LOOKING = (
    AWAKE.with_only_columns(WishGame.game, func.max(Wish.since))
    .where(Wish.since <= _BEFORE)
    .order_by(None)
    .group_by(WishGame.game)
)
_FREE = [exists().where(place.match_id == Match.id, place.player_id.is_(None)) for place in (Seat, Teammate)]
_OPENED = Match.created <= _BEFORE
JOINABLE = or_(Event.state == "open", and_(Event.kind == "ladder", Event.state == "running"))
"""Events that take entrants for what begins next, and ladders, which always do."""

OPEN_SEATS = select(Match).where(Match.state == "open", Match.practice.is_(False), _OPENED, or_(*_FREE))
"""Matches with a seat that anybody may take, opened `before` then."""

_OPEN = OPEN_SEATS.with_only_columns(Match.game, func.max(Match.created)).group_by(Match.game)
_EVENTS = (
    select(Event)
    .where(JOINABLE, Event.season == 1)
    .where(Event.made > bindparam("since", type_=Instant), Event.made <= _BEFORE)
    .order_by(Event.id.desc())
    .limit(LISTED)
)
_AWAY = on_vacation(Player.id, _NOW)
READS = and_(
    Player.email.is_not(None),
    Player.bounced.is_(None),
    Player.post != "off",
    Player.leaves.is_(None),
    Player.left.is_(None),
)
_DUE: Select[int] = (
    select(Notice.player_id)
    .join(Player, Player.id == Notice.player_id)
    .where(Notice.game == bindparam("game"), Notice.told < bindparam("since", type_=Instant), Notice.rests <= _NOW)
    .where(READS, ~_AWAY)
    .order_by(Notice.told)
    .limit(AT_ONCE)
)
"""Built once, as every sweep runs it."""


def _newest(session: Session, now: datetime) -> dict[str, datetime]:
    """For each game at which somebody looks for opponents, when the latest of them began to."""
    times = {"now": now, "before": now - PATIENCE}
    newest: dict[str, datetime] = {}
    for game, since in (*session.execute(_LOOKING, times), *session.execute(_OPEN, times)):
        newest[game] = max(since, newest.get(game, since))
    for event in session.scalars(_EVENTS, {"since": now - RECENT, "before": now - PATIENCE}):
        for game in GAMES if event.kind == "tour" else (event.game,):
            newest[game] = max(event.made, newest.get(game, event.made))
    return newest


def _tell(tx: Transaction, player_id: int) -> None:
    """Owes a player the notice of what is open now, if some of it is new."""
    rows = tx.session.scalars(select(Notice).where(Notice.player_id == player_id).with_for_update()).all()
    if not rows or any(row.rests > tx.now for row in rows):
        return
    before = tx.now - PATIENCE
    told = {row.game: row.told for row in rows}
    found = [*_events(tx, player_id, told, before), *_openings(tx.session, player_id, [*told], before, tx.now)][:LISTED]
    if any(since > told[opening[2]] for since, opening in found):
        for row in rows:
            row.rests = tx.now + PAUSE
        if owe(tx, _key(player_id, tx.now), player_id, Openings(rows=tuple(one.opening for one in found))) is None:
            return  # They've had today's, and switched notices off and on since.
    for row in rows:
        row.told = before


def _events(tx: Transaction, player_id: int, told: Mapping[str, datetime], before: datetime) -> list[_Found]:
    """The new events of others at these games that a player can join and hasn't. A tour has all games."""
    own = exists().where(Entrant.event_id == Event.id, Entrant.player_id == player_id)
    times = {"since": max(min(told.values()), tx.now - RECENT), "before": before}
    found = []
    for event in tx.session.scalars(_EVENTS.where(~own, Event.founder_id != player_id), times):
        game = min(told, key=told.__getitem__) if event.kind == "tour" else event.game
        if game in told and event.made > told[game] and events.why_not(tx, event, player_id) is None:
            opening: Opening = ("event", event.id, game, event.clock, event.rated, event.name)
            found.append(_Found(event.made, opening))
    return found


def _key(player_id: int, day: date) -> str:
    return f"openings:{player_id}:{day:%Y-%m-%d}"


def _openings(
    session: Session, player_id: int, games: Sequence[str], before: datetime, now: datetime
) -> Sequence[_Found]:
    """What a player can accept at these games, the latest first: nothing if their own wish has all its matches."""
    own = wishes.of(session, player_id)
    if own is not None and own.is_full:
        return []
    found = [
        _Found(wish.since, ("wish", wish.player_id, game, pairing.clock(wish), wish.rated, ""))
        for game in games
        for wish in pairing.answerable(session, player_id, game, now)
        if wish.since <= before
    ]
    found += [_Found(match.created, gazette.seat(match)) for match in _open_seats(session, player_id, games, before)]
    return sorted(found, key=lambda one: one.since, reverse=True)[:LISTED]


def _open_seats(session: Session, player_id: int, games: Sequence[str], before: datetime) -> Sequence[Match]:
    """The latest matches with a seat that the player may take.

    What is left out must not reveal who plays in an anonymous match, or who is invited.
    """
    at_table = [
        exists().where(
            place.match_id == Match.id,
            or_(
                place.player_id == _VIEWER,
                and_(press.named(), place.accepted, blocks.apart(_VIEWER, place.player_id)),
            ),
        )
        for place in (Seat, Teammate)
    ]
    found = OPEN_SEATS.where(Match.game.in_(games), ~or_(*at_table)).order_by(Match.id.desc()).limit(LISTED)
    return session.scalars(found, {"viewer": player_id, "before": before}).all()


_VIEWER = bindparam("viewer", type_=Integer)


def chosen(tx: Transaction, player_id: int, day: date, number: int | None) -> Opening:
    """One of the openings of that day's notice, the only one if there is no `number`; raises LobbyError."""
    letter = tx.session.scalars(select(Letter).where(Letter.key == _key(player_id, day))).first()
    contents = readable(letter)
    if not isinstance(contents, Openings):
        raise LobbyError("That email is too old. Write games to see which seats are open now.")
    return numbered(contents.rows, number)


def numbered(rows: Sequence[Opening], number: int | None) -> Opening:
    """The opening of this number, the only one if there is no `number`; raises LobbyError."""
    if not rows:
        raise LobbyError("That email had no openings. Write games to see which seats are open now.")
    if number is None and len(rows) > 1:
        raise LobbyError(f"There were {len(rows)} openings in that email. Write which one you accept: accept 1.")
    if not 1 <= (number or 1) <= len(rows):
        raise LobbyError(f"That email had {len(rows)} openings, so there's no number {number}.")
    return rows[(number or 1) - 1]


def accept(tx: Transaction, player_id: int, opening: Opening, key: str) -> int:
    """Gives the player an open seat, or a match with somebody who is looking for opponents, and returns the match's id;
    raises LobbyError."""
    what, of, game, *_ = opening
    if what == "seat":
        take_seat(tx, of, player_id)
        return of
    return pairing.meet(tx, player_id, game, key, of)
