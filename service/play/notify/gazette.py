"""What an issue of the gazette shows: the same to everybody, and nothing that isn't public when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.engine.scene import Scene
from service.games import GAMES
from service.mail.letters.confirmations import Finished, Turning
from service.play.company_letters import Opening
from service.play.site import Site
from service.play.table import press, replay, teams
from service.store.models import Match, Player
from service.store.tables.company import GazetteIssue
from service.store.tables.events import Event

LISTED = 20
"""How many issues the feed and the page list."""


class Newcomer(NamedTuple):
    """A player who is new on the leader board of the game `title`."""

    title: str
    player_id: int
    name: str
    rating: int


@dataclass(frozen=True, slots=True)
class Shown(Finished):
    """A match that is over, and its board at the turning point or, if that isn't known, at the end."""

    id: int
    scene: Scene


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue. `openings` are all that were open when it was made, `still` those of them that are open now."""

    number: int
    made: datetime
    openings: tuple[Opening, ...]
    still: tuple[Opening, ...]
    finished: Shown | None
    newcomers: tuple[Newcomer, ...]


def issue(session: Session, number: int) -> Issue | None:
    """An issue as everybody sees it; None if there's no such issue."""
    row = session.get(GazetteIssue, number)
    return None if row is None else _shown(session, row)


def issue_of(site: Site, number: int | None = None) -> Issue | None:
    """`issue` in a transaction of its own; the latest if there is no `number`."""
    with site.store.reading() as session:
        wanted = latest(session) if number is None else number
        return issue(session, wanted)


def issues(site: Site) -> Sequence[tuple[int, datetime]]:
    """The numbers and dates of the latest issues, the newest first."""
    found = select(GazetteIssue.number, GazetteIssue.made).order_by(GazetteIssue.number.desc()).limit(LISTED)
    with site.store.reading() as session:
        return [(number, made) for number, made in session.execute(found)]


def latest(session: Session) -> int:
    """The number of the latest issue; 0 before the first."""
    return session.scalars(select(GazetteIssue.number).order_by(GazetteIssue.number.desc()).limit(1)).first() or 0


def openings(session: Session, row: GazetteIssue) -> list[tuple[Opening, bool]]:
    """What was open when the issue was made, each with whether it still is, in the order of their numbers."""
    rows = {what: _found(session, row, what) for what in ("seat", "event")}
    found = [rows[what].get(number) for what, number in row.openings]
    return [(seat(one), one.state == "open") if isinstance(one, Match) else _event(one) for one in found if one]


def _found(session: Session, row: GazetteIssue, what: str) -> dict[int, Any]:
    table: Any = Match if what == "seat" else Event
    numbers = [number for kind, number in row.openings if kind == what]
    found = session.scalars(select(table).where(table.id.in_(numbers))).all() if numbers else []
    return {one.id: one for one in found}


def seat(match: Match) -> Opening:
    """A match with an open seat, with the names of its players if they may be shown."""
    hidden = press.hides_names(match)
    names = () if hidden else {teams.names(match, place.number) for place in match.places if place.accepted}
    return "seat", match.id, match.game, match.clock, match.rated, " and ".join(sorted(names))


def _event(event: Event) -> tuple[Opening, bool]:
    is_open = event.state == "open" or (event.kind == "ladder" and event.state == "running")
    return ("event", event.id, event.game, event.clock, event.rated, event.name), is_open


def _shown(session: Session, row: GazetteIssue) -> Issue:
    found = openings(session, row)
    match = session.get(Match, row.match_id) if row.match_id is not None else None
    return Issue(
        row.number,
        row.made,
        tuple(opening for opening, _ in found),
        tuple(opening for opening, is_open in found if is_open),
        _finished(session, match, row.turning) if match is not None else None,
        _newcomers(session, row),
    )


def _finished(session: Session, match: Match, known: dict[str, Any] | None) -> Shown:
    turning = Turning(**known) if known else None
    position = replay.position(session, match, turning.logged if turning else match.ply)
    sides = [side.capitalize() for side in position.sides]
    return Shown(
        f"{GAMES[match.game].title} {match.id}",
        tuple((side, teams.names(match, number)) for number, side in enumerate(sides)),
        tuple(teams.names(match, seat.number) for seat in match.seats if seat.score not in (None, "0")),
        turning,
        match.id,
        position.view(None),
    )


def _newcomers(session: Session, row: GazetteIssue) -> tuple[Newcomer, ...]:
    ids = {player_id for _, player_id, _ in row.newcomers}
    there = select(Player.id, Player.name).where(Player.id.in_(ids), Player.left.is_(None))
    names = {number: name for number, name in session.execute(there)}  # noqa: C416 - rows are no pairs to mypy
    return tuple(
        Newcomer(GAMES[game].title, player_id, names[player_id], rating)
        for game, player_id, rating in row.newcomers
        if player_id in names and game in GAMES
    )
