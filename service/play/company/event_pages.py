"""Events as pages and emails show them: lists, standings, and the result of each pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from service.contests.standings import Line, standings
from service.games import GAMES
from service.play.company.events import needed
from service.play.site import Site
from service.store.models import Match, Player
from service.store.tables.events import Entrant, Event, EventMatch, EventSeat

LISTED = 50


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event in a list: its game's title, how many are in it and how many it needs, and whether the viewer is."""

    event: Event
    title: str
    entrants: int
    needed: int
    is_in: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A match of an event: its number once it has started, and each player with their share, None before its end."""

    number: int
    match_id: int | None
    round: int
    void: bool
    seats: tuple[tuple[int, Fraction | None], ...]

    @property
    def is_over(self) -> bool:
        """Whether everybody's share is known."""
        return all(share is not None for _, share in self.seats)

    def share(self, player_id: int) -> Fraction | None:
        """What a player has won."""
        return next((share for number, share in self.seats if number == player_id), None)


@dataclass(frozen=True, slots=True)
class EventPage:
    """What everybody sees of an event. `names` and `states` are by player, `lines` name players by their ids."""

    line: EventLine
    founder: str
    names: dict[int, str]
    states: dict[int, str]
    lines: tuple[Line, ...]
    tables: tuple[Table, ...]
    asked: bool
    """Whether the viewer was asked if they play on, and hasn't answered."""

    def between(self, one: int, other: int) -> list[Table]:
        """The matches for two in which these players meet."""
        two = {one, other}
        return [table for table in self.tables if {player for player, _ in table.seats} == two]


def listed(session: Session, viewer_id: int | None, states: Sequence[str] = ("open", "running")) -> list[EventLine]:
    """The events in these states, the latest first."""
    rows = _counted(viewer_id).where(Event.state.in_(states)).order_by(Event.id.desc()).limit(LISTED)
    return [_line(event, entrants, is_in > 0) for event, entrants, is_in in session.execute(rows)]


def _counted(viewer_id: int | None) -> Select[Event, int, int]:
    """Events with how many are in them, and whether the viewer is, as 1 or 0."""
    count = select(func.count()).where(Entrant.event_id == Event.id).scalar_subquery()
    own = select(func.count()).where(Entrant.event_id == Event.id, Entrant.player_id == viewer_id).scalar_subquery()
    return select(Event, count, own)


def lines(session: Session, viewer_id: int | None, numbers: Sequence[int]) -> list[EventLine]:
    """These events."""
    return [
        _line(event, entrants, is_in > 0)
        for event, entrants, is_in in session.execute(_counted(viewer_id).where(Event.id.in_(numbers)))
    ]


def _line(event: Event, entrants: int, is_in: bool) -> EventLine:
    return EventLine(event, GAMES[event.game].title, entrants, needed(event), is_in)


def all_listed(site: Site, viewer_id: int | None) -> tuple[list[EventLine], list[EventLine]]:
    """The events that are open or running, and those that are over."""
    with site.store.reading() as session:
        return listed(session, viewer_id), listed(session, viewer_id, ("over", "ended"))


def page(site: Site, event_id: int, viewer_id: int | None) -> EventPage | None:
    """What a viewer sees of an event; None if there is none."""
    with site.store.reading() as session:
        event = session.get(Event, event_id)
        return None if event is None else of(session, event, viewer_id)


def of(session: Session, event: Event, viewer_id: int | None) -> EventPage:
    """`page` of an event at hand."""
    rows = session.execute(
        select(Entrant, Player.name).join(Player, Player.id == Entrant.player_id).where(Entrant.event_id == event.id)
    ).all()
    entrants: dict[int, Entrant] = {row.player_id: row for row, _ in rows}
    tables = _tables(session, event.id)
    results = [
        ({str(player): share for player, share in table.seats if share is not None}, late)
        for table, late in tables
        if table.is_over and not table.void
    ]
    own = entrants.get(viewer_id or 0)
    return EventPage(
        line=_line(event, len(rows), own is not None),
        founder=session.get_one(Player, event.founder_id).name,
        names={row.player_id: name for row, name in rows},
        states={number: row.state for number, row in entrants.items()},
        lines=tuple(standings(results, map(str, entrants))),
        tables=tuple(table for table, _ in tables),
        asked=own is not None and own.asked is not None,
    )


def _tables(session: Session, event_id: int) -> list[tuple[Table, frozenset[str]]]:
    """Each match of an event, with those who lost it on time."""
    seats: dict[int, list[EventSeat]] = defaultdict(list)
    for seat in session.scalars(select(EventSeat).where(EventSeat.event_id == event_id).order_by(EventSeat.seat)):
        seats[seat.number].append(seat)
    rows = select(EventMatch, Match.round).outerjoin(Match, Match.id == EventMatch.match_id)
    rows = rows.where(EventMatch.event_id == event_id).order_by(EventMatch.number)
    return [
        (
            Table(
                row.number,
                row.match_id,
                round_ or 0,
                row.void,
                tuple((one.player_id, None if one.share is None else Fraction(one.share)) for one in seats[row.number]),
            ),
            frozenset(str(one.player_id) for one in seats[row.number] if one.late),
        )
        for row, round_ in session.execute(rows)
    ]
