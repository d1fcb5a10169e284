"""Blocks, which stop invitations and messages, and reports to the operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, aliased

from service.play import audit
from service.play.site import Site
from service.play.table import blocks, press, teams
from service.store.insert import insert_once
from service.store.models import Match, Place, Player
from service.store.tables.player_data import NOT_CLOSED, Block, Report

LONGEST_REPORT = 4_000

LISTED = 100
"""Reports on a page."""


class PeaceError(ValueError):
    """A refused report. The message is one sentence for its writer."""


class ReportLine(NamedTuple):
    """A report as the operator reads it, with the players' names and numbers."""

    id: int
    made: datetime
    closed: datetime | None
    by: str
    by_id: int
    about: str
    about_id: int
    text: str


def set_block(site: Site, player_id: int, other_id: int, blocked: bool) -> None:
    """Blocks or unblocks another player. Blocking oneself, or a player who doesn't exist, changes nothing."""
    with site.transaction() as tx:
        if not blocked:
            tx.session.execute(delete(Block).where(Block.player_id == player_id, Block.other_id == other_id))
        elif player_id != other_id and tx.session.get(Player, other_id) is not None:
            insert_once(tx.session, Block, player_id=player_id, other_id=other_id)


def is_blocked(site: Site, player_id: int, other_id: int) -> bool:
    """Whether a player has blocked this very player, which they can take back."""
    with site.store.reading() as session:
        return session.get(Block, (player_id, other_id)) is not None


def keeping_away(session: Session, places: Iterable[Place], other_id: int | None) -> set[int]:
    """The players of these places who keep another away."""
    players = [place.player.id for place in places if place.player is not None]
    return set() if other_id is None else blocks.keeping_away(session, players, other_id)


def is_unwelcome(session: Session, match: Match, other_id: int) -> bool:
    """Whether a player who is known to be in a match has blocked another. Players whose names are hidden, or who
    haven't accepted an invitation, don't count as known: a refusal would reveal who they are.
    """
    known = [] if press.hides_names(match) else [place for place in match.places if not teams.is_hidden(place)]
    return bool(keeping_away(session, known, other_id))


def report(site: Site, player_id: int, other_id: int, text: str) -> None:
    """Stores a report for the operator; the same words about the same player count once while it is open. Raises
    PeaceError."""
    text = text.replace("\r\n", "\n").replace("\0", "")
    if not text.strip():
        raise PeaceError("Please say in a few words what happened.")
    if len(text) > LONGEST_REPORT:
        raise PeaceError(f"A report can have up to {LONGEST_REPORT:,} characters; this one has {len(text):,}.")
    with site.transaction() as tx:
        if tx.session.get(Player, other_id) is None:
            raise PeaceError("There's no such player.")
        made = {"player_id": player_id, "other_id": other_id, "text": text, "made": tx.now}
        insert_once(tx.session, Report, key=f"{player_id}:{other_id}:{sha256(text.encode()).hexdigest()}", **made)


def reports(site: Site, before: int = 0, *, closed: bool = True, about: int | None = None) -> Sequence[ReportLine]:
    """Up to LISTED reports, the latest first: older than the report `before`, unless it's 0, with closed ones only if
    `closed`, and about one player if given."""
    by, about_whom = aliased(Player), aliased(Player)
    found = (
        select(Report.id, Report.made, Report.closed, by.name, by.id, about_whom.name, about_whom.id, Report.text)
        .join(by, by.id == Report.player_id)
        .join(about_whom, about_whom.id == Report.other_id)
        .order_by(Report.id.desc())
        .limit(LISTED)
    )
    if before:
        found = found.where(Report.id < before)
    if not closed:
        found = found.where(NOT_CLOSED)
    if about is not None:
        found = found.where(Report.other_id == about)
    with site.store.reading() as session:
        return [ReportLine(*row) for row in session.execute(found)]


def open_reports(site: Site) -> int:
    """How many reports aren't closed."""
    with site.store.reading() as session:
        return session.scalar(select(func.count()).select_from(Report).where(NOT_CLOSED)) or 0


def close_report(site: Site, operator_id: int, report_id: int) -> None:
    """Notes that a report has been dealt with. Repeating it changes nothing."""
    with site.transaction() as tx:
        found = tx.session.get(Report, report_id, with_for_update=True)
        if found is not None and found.closed is None:
            # Its writer may have to say the same again.
            found.closed, found.key = tx.now, f"{found.key}:{found.id}"
            audit.note(tx, operator_id, "report-closed", "player", found.other_id, f"Report {report_id}")
