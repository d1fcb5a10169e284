"""What operators look up: a player, a match, the orders that wait. Nothing that players said, moved in secret or wrote
in private, and of an address its first letter and domain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.mail.redact import redacted
from service.play import bans, names
from service.play.accounts import sessions
from service.play.accounts.display_names import BOT_MARK
from service.play.operations.sweep import RIPE
from service.play.site import Site
from service.store.models import Match, Player, Submission
from service.store.tables.mail_rows import Letter

LISTED = 100
"""Orders, and letters of a match, on a page."""

_NUMBER = re.compile(rf"(?:player )?(\d{{1,9}})(?:{re.escape(BOT_MARK)})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OfPlayer:
    """What an operator may know of a player. `banned` has the end (None: when it's lifted) and the reason.

    `owner` has the number and name of who owns a bot account, and whether they are banned.
    """

    id: int
    name: str
    to: str
    since: datetime
    confirmed: datetime | None
    bounced: datetime | None
    leaves: datetime | None
    is_gone: bool
    owner: tuple[int, str, bool] | None
    browsers: int
    banned: tuple[datetime | None, str] | None


class Waiting(NamedTuple):
    """An order that isn't judged yet: what kind it is, not what it says."""

    id: int
    match_id: int
    seat: int
    kind: str
    door: str
    received: datetime


class Owed(NamedTuple):
    """A letter about a match that isn't sent. `due` is None if it was given up."""

    id: int
    kind: str
    to: str
    created: datetime
    due: datetime | None
    attempts: int


@dataclass(frozen=True, slots=True)
class OfMatch:
    """What an operator may know of a match."""

    id: int
    title: str
    state: str
    reason: str | None
    rated: bool
    players: tuple[tuple[int, str], ...]
    created: datetime
    moved: datetime
    entries: int
    orders: Sequence[Waiting]
    letters: Sequence[Owed]


def found(site: Site, text: str) -> int | None:
    """The id of the player with this name or complete email address, or else with this number, also as pages show
    it."""
    wanted = text.strip()
    ways = [or_(Player.name_key == names.key(wanted), Player.email == wanted.lower())]
    if number := _NUMBER.fullmatch(wanted):
        ways.append(Player.id == int(number[1]))
    with site.store.reading() as session:
        found = (session.scalar(select(Player.id).where(way, Player.bot.is_(None)).limit(1)) for way in ways)
        return next(filter(None, found), None)


def player(site: Site, player_id: int) -> OfPlayer | None:
    """What is known of a player; None if there's no such person."""
    with site.store.reading() as session:
        row = session.get(Player, player_id)
        if row is None or row.bot:
            return None
        owner = None if row.owner_id is None else session.get_one(Player, row.owner_id)
        ban, now = bans.of(site, session, player_id, alone=True), site.now()
        return OfPlayer(
            id=row.id,
            name=row.name,
            to=redacted(row.email or ""),
            since=row.created,
            confirmed=row.confirmed,
            bounced=row.bounced,
            leaves=row.leaves,
            is_gone=row.left is not None,
            owner=None if owner is None else (owner.id, owner.name, bans.holds(bans.of(site, session, owner.id), now)),
            browsers=len(sessions.of(site, player_id)),
            banned=(ban.until, ban.reason) if bans.holds(ban, now) else None,
        )


def match(site: Site, match_id: int) -> OfMatch | None:
    """What is known of a match; None if there's no such match."""
    with site.store.reading() as session:
        row = session.get(Match, match_id)
        if row is None:
            return None
        return OfMatch(
            id=row.id,
            title=GAMES[row.game].title,
            state=row.state,
            reason=row.reason,
            rated=row.rated,
            players=tuple((place.player.id, place.player.name) for place in row.places if place.player is not None),
            created=row.created,
            moved=row.moved,
            entries=row.ply,
            orders=_orders(session, site.now(), match_id),
            letters=_letters(session, row),
        )


def orders(site: Site) -> Sequence[Waiting]:
    """The orders that wait to be judged, the oldest first."""
    with site.store.reading() as session:
        return _orders(session, site.now())


def _orders(session: Session, now: datetime, match_id: int | None = None) -> Sequence[Waiting]:
    waiting = select(
        Submission.id, Submission.match_id, Submission.seat, Submission.kind, Submission.door, Submission.received
    ).where(Submission.verdict.is_(None), now >= RIPE)
    if match_id is not None:
        waiting = waiting.where(Submission.match_id == match_id)
    return [Waiting(*row) for row in session.execute(waiting.order_by(Submission.id).limit(LISTED))]


def _letters(session: Session, row: Match) -> Sequence[Owed]:
    theirs = [place.player_id for place in row.places if place.player_id is not None]
    owed = (
        select(Letter.id, Letter.kind, func.coalesce(Player.email, ""), Letter.created, Letter.due, Letter.attempts)
        .join(Player, Player.id == Letter.player_id)
        .where(Letter.player_id.in_(theirs), Letter.match_id == row.id)
        .where(Letter.sent.is_(None), or_(Letter.due.is_not(None), Letter.error != ""))
        .order_by(Letter.id.desc())
        .limit(LISTED)
    )
    return [Owed(row[0], row[1], redacted(row[2]), *row[3:]) for row in session.execute(owed)]
