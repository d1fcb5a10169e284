"""The results of an event's matches: the standings of a season, from its rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.contests.standings import Line, standings
from service.store.tables.events import Entrant, Event, EventMatch, EventSeat

MANY = 100
"""Of more matches than this, which are those of a season, the seats are found by their first and last number."""


LISTED = 50
"""How many matches of a part a page lists. Those of a larger part are in its table of standings."""


@lru_cache(maxsize=100)
def _share(written: str) -> Fraction:
    """Cached, since there are only a few and parsing one is slow."""
    return Fraction(written)


@dataclass(frozen=True, slots=True)
class Table:
    """A match of an event: its number once it has started, and each player with their share, None before its end.

    `late` are those who lost it on time. `mine` says that it waits for the viewer.
    """

    number: int
    part: int
    match_id: int | None
    void: bool
    seats: tuple[tuple[int, Fraction | None], ...]
    late: frozenset[int]
    mine: bool = False
    places: tuple[tuple[int, int], ...] = ()
    """On a ladder, where its players were after it."""

    @property
    def is_over(self) -> bool:
        """Whether everybody's share is known."""
        return all(share is not None for _, share in self.seats)

    @property
    def counts(self) -> bool:
        """Whether it is in the standings."""
        return self.is_over and not self.void

    def share(self, player_id: int) -> Fraction | None:
        """What a player has won."""
        return next((share for number, share in self.seats if number == player_id), None)


@dataclass(frozen=True)
class Part:
    """What has standings of its own: a division of a league, or all of any other event."""

    number: int
    lines: tuple[Line, ...]
    tables: tuple[Table, ...]

    def between(self, one: int, other: int) -> list[Table]:
        """The matches for two in which these players meet."""
        return self._by_pair.get(frozenset((one, other)), [])

    @property
    def listed(self) -> Sequence[Table]:
        """The matches that are listed one by one: all, or of many those that wait for the viewer and those running."""
        if len(self.tables) <= LISTED:
            return self.tables
        return sorted(self.tables, key=lambda table: (not table.mine, table.is_over or table.void))[:LISTED]

    @cached_property
    def _by_pair(self) -> dict[frozenset[int], list[Table]]:
        """A crosstable asks for each pair: in a large cup, looking through all matches each time would take seconds."""
        found: dict[frozenset[int], list[Table]] = defaultdict(list)
        for table in self.tables:
            if len(table.seats) == 2:
                found[frozenset(player for player, _ in table.seats)].append(table)
        return found

    def at(self, player_id: int, part: int) -> list[Table]:
        """A player's matches in a part of a tour."""
        return self._by_part.get((player_id, part), [])

    @cached_property
    def _by_part(self) -> dict[tuple[int, int], list[Table]]:
        found: dict[tuple[int, int], list[Table]] = defaultdict(list)
        for table in self.tables:
            for player, _ in table.seats:
                found[player, table.part].append(table)
        return found


DRAWN = select(EventMatch.number, EventMatch.season, EventMatch.part, EventMatch.match_id, EventMatch.void)
"""Selects the matches of events, as `tables` needs them; the caller adds which."""


def tables(session: Session, event_id: int, rows: Sequence[Any], waiting: Collection[int] = ()) -> list[Table]:
    """These matches of an event with their seats, of rows of DRAWN; `waiting` are those that wait for the viewer."""
    numbers = [row.number for row in rows]
    seats: dict[int, list[Any]] = defaultdict(list)
    if numbers:
        those = (
            EventSeat.number.between(min(numbers), max(numbers))
            if len(numbers) > MANY
            else EventSeat.number.in_(numbers)
        )
        for seat in session.execute(_SEATS.where(EventSeat.event_id == event_id, those)):
            seats[seat.number].append(seat)
    return [
        Table(
            row.number,
            row.part,
            row.match_id,
            row.void,
            tuple([(one.player_id, None if one.share is None else _share(one.share)) for one in seats[row.number]]),
            frozenset([one.player_id for one in seats[row.number] if one.late]),
            row.match_id in waiting,
            tuple([(one.player_id, one.place) for one in seats[row.number] if one.place is not None]),
        )
        for row in rows
    ]


_SEATS = select(EventSeat.number, EventSeat.player_id, EventSeat.share, EventSeat.late, EventSeat.place).order_by(
    EventSeat.seat
)


def season(session: Session, event: Event, season: int, waiting: Collection[int] = ()) -> list[Part]:
    """The parts of a season that has been drawn, with everybody who was drawn there. Players of a league who share a
    place are listed in the order in which they joined it, which decides who of them goes up or down."""
    drawn = DRAWN.where(EventMatch.event_id == event.id, EventMatch.season == season).order_by(EventMatch.number)
    found: dict[int, list[Table]] = defaultdict(list)
    for table in tables(session, event.id, session.execute(drawn).all(), waiting):
        found[table.part if event.kind == "league" else 1].append(table)
    joined = {}
    if event.kind == "league":
        entered = select(Entrant.player_id).where(Entrant.event_id == event.id)
        order = session.scalars(entered.order_by(Entrant.joined, Entrant.player_id))
        joined = {str(player_id): place for place, player_id in enumerate(order)}
    parts = []
    for number, those in sorted(found.items()):
        lines = sorted(_lines(event, those), key=lambda line: (line.place, joined.get(line.name, 0)))
        parts.append(Part(number, tuple(lines), tuple(those)))
    return parts


def _lines(event: Event, drawn: Sequence[Table]) -> list[Line]:
    names = [str(player) for table in drawn for player, _ in table.seats]
    matches = [
        ({str(player): share for player, share in table.seats if share is not None}, frozenset(map(str, table.late)))
        for table in drawn
        if table.counts
    ]
    return standings(matches, names, _taken_part(drawn) if event.kind == "tour" else {})


def _taken_part(drawn: Iterable[Table]) -> dict[str, Fraction]:
    """A point for each part of a tour in which somebody has finished a match in time."""
    parts: dict[str, set[int]] = defaultdict(set)
    for table in drawn:
        if table.counts:
            for player, _ in table.seats:
                if player not in table.late:
                    parts[str(player)].add(table.part)
    return {name: Fraction(len(taken)) for name, taken in parts.items()}
