"""Makes the gazette: one issue a week, owed once to everybody who wants it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.mail.letters.confirmations import Turning
from service.play.company import notices
from service.play.company_letters import Gazette, Opening
from service.play.match import review
from service.play.notify import gazette
from service.play.notify.announce import owe
from service.play.site import Site, Transaction, going_on
from service.play.table.log import visible_entries
from service.store.entries import outlines
from service.store.insert import insert_once
from service.store.models import READS_GAZETTE, WATCHED, Match, Player
from service.store.rows import Instant
from service.store.tables.company import GazetteIssue
from service.store.tables.events import Event
from service.store.tables.ratings import SETTLED, PlayerRating, RatedSeat
from service.store.tables.reviews import Review

WEEK = timedelta(days=7)
FRIDAY = datetime(2026, 1, 2, 6, tzinfo=UTC)
"""Issues are made on Fridays at six in the morning (UTC), or as soon after that as the service runs."""

SEATS, EVENTS = 8, 5
"""How many open seats and events an issue lists at most."""

LEADERS = 50
"""How many players a leader board has here: the first page of those on the web."""

CANDIDATES = 500
"""How many seats of recent matches are considered in choosing one match."""

AT_ONCE = 50
"""How many letters one sweep owes. The next sweep continues."""


def look_after(site: Site) -> None:
    """What the sweep does for the gazette."""
    now = site.now()
    with site.store.reading() as session:
        row = session.execute(_LATEST).first()
        number, made = row or (0, None)
        is_due = made is None or made < _slot(now)
        readers = session.scalars(_READERS, {"latest": number}).all()
    for player_id in readers:
        with going_on("the gazette of player", player_id), site.transaction() as tx:
            _send(tx, player_id, number)
    if is_due and not readers:
        with site.transaction() as tx:
            _make(tx, number + 1, made or now - WEEK)


_LATEST = select(GazetteIssue.number, GazetteIssue.made).order_by(GazetteIssue.number.desc()).limit(1)
_READERS = (
    select(Player.id)
    .where(READS_GAZETTE, Player.gazette < bindparam("latest"), notices.READS)
    .order_by(Player.gazette)
    .limit(AT_ONCE)
)
"""Built once, as every sweep runs it."""


def _slot(now: datetime) -> datetime:
    """The Friday morning before, from which on there is a new issue."""
    return FRIDAY + (now - FRIDAY) // WEEK * WEEK


def _send(tx: Transaction, player_id: int, number: int) -> None:
    player = tx.session.get_one(Player, player_id, with_for_update=True, populate_existing=True)
    if player.gazette is not None and player.gazette < number:
        player.gazette = number
        owe(tx, f"gazette:{number}:{player_id}", player_id, Gazette(issue=number))


def _make(tx: Transaction, number: int, since: datetime) -> None:
    """Makes the issue with this number. If another process was faster, theirs is the issue."""
    session = tx.session
    match, turning = _match(session, since)
    leaders, newcomers = _leaders(session, session.get(GazetteIssue, number - 1), tx.now)
    insert_once(
        session,
        GazetteIssue,
        number=number,
        made=tx.now,
        openings=[*(["seat", one] for one in _seats(session, tx.now)), *(["event", one] for one in _events(session))],
        match_id=match,
        turning=turning._asdict() if turning else None,
        newcomers=newcomers,
        leaders=leaders,
    )


def _seats(session: Session, now: datetime) -> list[int]:
    """Matches with a seat that anybody may take, the one that has waited longest first."""
    free = notices.OPEN_SEATS.with_only_columns(Match.id).order_by(Match.id).limit(SEATS)
    return list(session.scalars(free, {"before": now - notices.PATIENCE}))


def _events(session: Session) -> list[int]:
    """Events that anybody may join, the latest first: those that haven't begun, and ladders."""
    return list(session.scalars(select(Event.id).where(notices.JOINABLE).order_by(Event.id.desc()).limit(EVENTS)))


def _match(session: Session, since: datetime) -> tuple[int | None, Turning | None]:
    """A rated match that ended lately: if possible one that the computer has looked back at, and one between people;
    of those the longest."""
    found = session.execute(_ENDED, {"since": since}).all()
    people: dict[int, bool] = {}
    for number, bot, *_ in found:
        people[number] = people.get(number, True) and not bot
    lengths = {number: seen.length for number, seen in outlines(session, [*people]).items()}
    best = max(
        found,
        key=lambda row: (row.finished is not None, people[row.id], lengths.get(row.id, 0), row.id),
        default=None,
    )
    if best is None:
        return None, None
    match = session.get_one(Match, best.id)
    looked = review.of(session, match) if best.finished is not None else None
    return best.id, _turning(session, match, looked) if looked and looked.worst else None


_ENDED = (
    select(Match.id, RatedSeat.bot, Review.finished)
    .join(RatedSeat, RatedSeat.match_id == Match.id)
    .outerjoin(Review, Review.match_id == Match.id)
    .where(RatedSeat.ended > bindparam("since", type_=Instant), Match.state == "over", WATCHED)
    .order_by(RatedSeat.ended.desc(), RatedSeat.match_id.desc())
    .limit(CANDIDATES)
)


def _turning(session: Session, match: Match, looked: review.SecondLook) -> Turning:
    one = looked.worst[0]
    cost = (one.side, one.move, one.percent, one.best)
    if not looked.at_once:
        return Turning(one.ply, one.logged, *cost)
    valid = (entry for entry in visible_entries(session, match, None) if not entry.undone)
    last = [entry for entry in valid if entry.round == one.round][-1]
    return Turning(last.ply, last.logged, *cost, one.round)


def _leaders(session: Session, before: GazetteIssue | None, now: datetime) -> tuple[list[list[Any]], list[list[Any]]]:
    """Who is on a leader board now, and who of them wasn't when the issue before was made; nobody in the first."""
    found = [row for game in GAMES for row in session.execute(_BEST, {"game": game, "since": now - WEEK * 52})]
    known = {(game, player_id) for game, player_id in before.leaders} if before else None
    new = [[game, player_id, round(points)] for game, player_id, points in found if known is not None]
    leaders = [[game, player_id] for game, player_id, _ in found]
    return leaders, [row for row in new if known is not None and (row[0], row[1]) not in known]


_BEST = (
    select(PlayerRating.game, PlayerRating.player_id, PlayerRating.rating)
    .join(Player, Player.id == PlayerRating.player_id)
    .where(PlayerRating.game == bindparam("game"), SETTLED, PlayerRating.at > bindparam("since", type_=Instant))
    .where(Player.left.is_(None), Player.bot.is_(None), Player.owner_id.is_(None))
    .order_by(PlayerRating.floor.desc(), PlayerRating.player_id)
    .limit(LEADERS)
)


def chosen(session: Session, issue: int, number: int | None) -> Opening:
    """One of the openings of an issue, the only one if there is no `number`; raises LobbyError."""
    row = session.get(GazetteIssue, issue)
    rows = [opening for opening, _ in gazette.openings(session, row)] if row is not None else []
    return notices.numbered(rows, number)
