"""Events as pages and emails show them: lists, standings, and the result of each pair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, literal, or_, select
from sqlalchemy.orm import Session

from service.contests.standings import Line
from service.games import GAMES
from service.play.company import event_results, ladders, seasons
from service.play.company.event_results import Part, Table
from service.play.company.ladders import Rungs
from service.play.company.seasons import needed
from service.play.site import Site
from service.store.models import Match, Player, Seat
from service.store.tables.events import Entrant, Event, EventMatch

LISTED = 50

RECENT = 5_000
"""Of how many matches, those drawn last, a feed has the results: more than a large cup draws at once."""

THERE = (*seasons.PLAYING, "leaving")
"""The states of entrants that count as an event's players; in a cup all count."""


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event in a list: its game's title, how many are in it and how many it needs, and whether the viewer is."""

    event: Event
    title: str
    entrants: int
    needed: int
    is_in: bool


@dataclass(frozen=True, slots=True)
class EventPage:
    """What everybody sees of an event. `names` and `states` are by player, `lines` name players by their ids."""

    line: EventLine
    founder: str
    names: dict[int, str]
    states: dict[int, str]
    season: int
    """Which season the parts are of: the one being played, else the last one, unless another was asked for."""
    parts: tuple[Part, ...]
    rounds: dict[int, int]
    """The rounds that the listed matches have reached, which pictures show."""
    coming: tuple[int, ...]
    """The players of the next season, if none is being played."""
    asked: bool
    """Whether the viewer was asked if they play on, and hasn't answered."""
    rungs: Rungs | None = None
    open_to: tuple[int, ...] = ()
    """The players that the viewer can challenge, on a ladder."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The standings of all parts, one after the other."""
        return tuple(line for part in self.parts for line in part.lines)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The matches of all parts."""
        return tuple(table for part in self.parts for table in part.tables)


def listed(session: Session, viewer_id: int | None, states: Sequence[str] = ("open", "running")) -> list[EventLine]:
    """The events in these states, the latest first."""
    rows = _counted(viewer_id).where(Event.state.in_(states)).order_by(Event.id.desc()).limit(LISTED)
    return _lines(session, rows)


def _counted(viewer_id: int | None) -> Select[Event, int, int]:
    """Events with how many are in them, and whether the viewer is, as 1 or 0."""
    there = or_(Entrant.state.in_(THERE), Event.kind == "cup")
    here = or_(Event.state != "open", Player.left.is_(None))
    everybody = select(func.count()).select_from(Entrant).join(Player, Player.id == Entrant.player_id)
    everybody = everybody.where(Entrant.event_id == Event.id, there, here).correlate(Event)
    own = everybody.where(Entrant.player_id == viewer_id, Entrant.state.in_(THERE))
    return select(Event, everybody.scalar_subquery(), own.scalar_subquery())


def lines(session: Session, viewer_id: int | None, numbers: Sequence[int]) -> list[EventLine]:
    """These events."""
    return _lines(session, _counted(viewer_id).where(Event.id.in_(numbers)))


def _lines(session: Session, rows: Select[Event, int, int]) -> list[EventLine]:
    return [_line(event, entrants, is_in > 0) for event, entrants, is_in in session.execute(rows)]


def _line(event: Event, entrants: int, is_in: bool) -> EventLine:
    title = "All games" if event.kind == "tour" else GAMES[event.game].title
    return EventLine(event, title, entrants, needed(event), is_in)


def all_listed(site: Site, viewer_id: int | None) -> tuple[list[EventLine], list[EventLine]]:
    """The events that are open or running, and those that are over."""
    with site.store.reading() as session:
        return listed(session, viewer_id), listed(session, viewer_id, ("over", "ended"))


def page(site: Site, event_id: int, viewer_id: int | None, season: int | None = None) -> EventPage | None:
    """What a viewer sees of an event, and of this or the latest of its seasons; None if there is none."""
    with site.store.reading() as session:
        event = session.get(Event, event_id)
        return None if event is None else of(session, event, viewer_id, site.now(), season)


def of(session: Session, event: Event, viewer_id: int | None, now: datetime, season: int | None = None) -> EventPage:
    """`page` of an event at hand."""
    rows = select(Entrant).where(Entrant.event_id == event.id)
    if event.state == "open":  # Players who have deleted their accounts don't count for the next season.
        rows = rows.join(Player, Player.id == Entrant.player_id).where(Player.left.is_(None))
    entrants = {row.player_id: row for row in session.scalars(rows)}
    shown = _season_shown(event, season)
    waiting = _waiting(session, event, viewer_id)
    rungs = ladders.rungs(session, event, now) if event.kind == "ladder" else None
    parts = _latest(session, event, waiting) if rungs else event_results.season(session, event, shown, waiting)
    own = entrants.get(viewer_id or 0)
    coming = [one.player_id for one in entrants.values() if one.state in seasons.PLAYING]
    known = {*entrants, *(player for part in parts for table in part.tables for player, _ in table.seats)}
    by_id = _names(session, {*known, event.founder_id})
    return EventPage(
        line=_line(event, _count(event, entrants.values()), own is not None and own.state in THERE),
        founder=by_id[event.founder_id],
        names=by_id,
        states={number: row.state for number, row in entrants.items()},
        season=shown,
        parts=tuple(parts),
        rounds=_rounds(session, parts),
        coming=tuple(sorted(coming, key=by_id.__getitem__)) if event.state == "open" else (),
        asked=own is not None and own.asked is not None and event.state == "running",
        rungs=rungs,
        open_to=tuple(rungs.open_to(viewer_id)) if rungs and viewer_id and event.state == "running" else (),
    )


def _names(session: Session, players: Collection[int]) -> dict[int, str]:
    found = session.execute(select(Player.id, Player.name).where(Player.id.in_(players)))
    return {number: name for number, name in found}  # noqa: C416 - rows are no pairs to mypy


def _count(event: Event, entrants: Collection[Entrant]) -> int:
    return sum(one.state in THERE or event.kind == "cup" for one in entrants)


def _season_shown(event: Event, wanted: int | None) -> int:
    latest = event.season - (event.state == "open" and event.season > 1)
    return wanted if wanted is not None and 1 <= wanted <= latest else latest


def _waiting(session: Session, event: Event, viewer_id: int | None) -> frozenset[int]:
    """The matches of an event in which it is the viewer's turn."""
    own = select(Seat.match_id).join(EventMatch, EventMatch.match_id == Seat.match_id)
    own = own.where(EventMatch.event_id == event.id, Seat.player_id == viewer_id, Seat.to_move)
    return frozenset(session.scalars(own)) if viewer_id else frozenset()


def _latest(session: Session, event: Event, waiting: Collection[int]) -> list[Part]:
    """The running matches of a ladder and then those that are over, the latest first."""
    drawn = event_results.DRAWN.where(EventMatch.event_id == event.id)
    latest = drawn.order_by(EventMatch.noted, EventMatch.number.desc()).limit(LISTED)
    return [Part(1, (), tuple(event_results.tables(session, event.id, session.execute(latest).all(), waiting)))]


def _rounds(session: Session, parts: Sequence[Part]) -> dict[int, int]:
    listed = [table.match_id for part in parts for table in part.listed if table.match_id is not None]
    found = session.execute(select(Match.id, Match.round).where(Match.id.in_(listed)))
    return {number: round_ for number, round_ in found}  # noqa: C416 - rows are no pairs to mypy


@dataclass(frozen=True, slots=True)
class Item:
    """Something in a feed: a part of a season that has begun, or a match that is over, with who won and lost it."""

    at: datetime
    season: int
    part: int
    match_id: int | None = None
    winners: tuple[str, ...] = ()
    losers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """An event as feed readers and calendars show it. `dates` are those of parts to come, each with its number."""

    event: Event
    items: tuple[Item, ...]
    dates: tuple[tuple[int, datetime], ...]


def feed(site: Site, event_id: int) -> Feed | None:
    """The latest news of an event and what is to come; None if there is no such event."""
    with site.store.reading() as session:
        event = session.get(Event, event_id)
        if event is None:
            return None
        items = [*_results(session, event), *([] if event.kind == "ladder" else _begun(session, event))]
        latest = sorted(items, key=lambda item: item.at, reverse=True)[:LISTED]
        return Feed(event, tuple(latest), seasons.dates(event))


def _results(session: Session, event: Event) -> list[Item]:
    """The matches that count and ended last."""
    ended = event_results.DRAWN.add_columns(Match.moved).join(Match, Match.id == EventMatch.match_id)
    last = select(func.max(EventMatch.number)).where(EventMatch.event_id == event.id).scalar_subquery()
    ended = ended.where(EventMatch.event_id == event.id, EventMatch.number > last - RECENT)
    ended = ended.where(EventMatch.noted, EventMatch.void.is_(False))
    rows = session.execute(ended.order_by(Match.moved.desc(), EventMatch.number.desc()).limit(LISTED)).all()
    found = event_results.tables(session, event.id, rows)
    players = {player for table in found for player, _ in table.seats}
    names = _names(session, players)
    return [
        Item(
            row.moved,
            row.season,
            row.part,
            row.match_id,
            tuple(names[player] for player, share in table.seats if share),
            tuple(names[player] for player, share in table.seats if not share),
        )
        for row, table in zip(rows, found, strict=True)
        if table.is_over
    ]


def _begun(session: Session, event: Event) -> list[Item]:
    """The seasons, or the parts of a tour, that have begun."""
    part = EventMatch.part if event.kind == "tour" else literal(0)
    groups = select(EventMatch.season, part, func.min(EventMatch.drawn)).where(EventMatch.event_id == event.id)
    groups = groups.group_by(EventMatch.season, part).order_by(EventMatch.season.desc(), part.desc()).limit(LISTED)
    return [Item(drawn, season, number) for season, number, drawn in session.execute(groups)]
