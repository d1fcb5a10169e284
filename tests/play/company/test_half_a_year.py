"""Half a year of events in which people win, lose, stop playing, leave and come back. Every season ends, nobody waits
for players who are out, and the standings agree with an independent recount.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from fractions import Fraction
from random import Random
from typing import TypeAlias

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from service.games import GAMES
from service.play.company import event_matches, event_pages, events, ladders
from service.play.company.events import EventError, Plan
from service.store.models import Match, Seat
from service.store.tables.events import Entrant, Event, EventMatch, EventSeat
from tests.play.company.test_leagues import named
from tests.play.conftest import Town

Rows: TypeAlias = Sequence[Row[EventSeat, EventMatch, str]]
"""Every seat with its match of an event, and the state of the match itself."""

PEOPLE = 8
WEEKS = 26

KINDS = ("cup", "league", "ladder", "tour")


def play(town: Town, chance: Random) -> list[int]:
    """Plays half a year, and returns the ids of those who stopped playing."""
    ids = [named(town, f"p{number:02}") for number in range(PEOPLE)]
    for number, kind in enumerate(KINDS):
        event = events.found(town.site, ids[number], Plan(f"First {kind}", "lotus", "7d/move", kind=kind))
        for player_id in ids:
            _try(events.join, town, event, player_id)
    silent: list[int] = []
    for week in range(WEEKS):
        town.now += timedelta(days=7)
        if week in (3, 9):
            silent.append(chance.choice([one for one in ids if one not in silent]))
        _come_and_go(town, chance, [one for one in ids if one not in silent])
        for _ in range(4):
            event_matches.look_after(town.site)
            town.queue.clear()
        _play(town, chance, silent)
        for _ in range(2):
            event_matches.look_after(town.site)
    return silent


def _come_and_go(town: Town, chance: Random, people: list[int]) -> None:
    """One player leaves an event, another joins them all, and some make challenges."""
    one, other = chance.sample(people, 2)
    _try(events.withdraw, town, chance.choice((2, 3, 4)), one)
    for number in (2, 3, 4):
        _try(events.join, town, number, other)
    for _ in range(4):
        _try(ladders.challenge, town, 3, chance.choice(people), chance.randrange(1, PEOPLE + 1))


def _try(use_case: Callable[..., object], town: Town, *given: int) -> None:
    try:
        use_case(town.site, *given)
    except EventError:
        return


def _play(town: Town, chance: Random, silent: list[int]) -> None:
    """Ends half of the running matches; silent players lose on time."""
    with town.store.writing() as session:
        for match in session.scalars(select(Match).where(Match.state == "running").order_by(Match.id)):
            away = [seat for seat in match.seats if seat.player_id in silent]
            if not away and chance.random() < 0.5:
                continue
            best = chance.choice([seat for seat in match.seats if seat not in away] or match.seats)
            drawn = not away and chance.random() < 0.1
            match.state, match.reason = "over", "time" if away else "resignation"
            for seat in match.seats:
                seat.score = str(Fraction(1, len(match.seats))) if drawn else "1" if seat is best else "0"
                seat.deadline, seat.to_move = None, False
                if seat in away and seat is not best:
                    _flag(session, match, seat, town)


def _flag(session: Session, match: Match, seat: Seat, town: Town) -> None:
    match.ply += 1
    row = {"match_id": match.id, "ply": match.ply, "seat": seat.number, "move": "timeout", "round": 1}
    entry = Seat.metadata.tables["entry"].insert()
    session.execute(entry.values(**row, private=False, fate="", remark="", played=town.now))


def test_half_a_year_of_events(town: Town) -> None:
    silent = play(town, Random(7))
    with town.store.reading() as session:
        every = {event.kind: event for event in session.scalars(select(Event))}
        rows = session.execute(
            select(EventSeat, EventMatch, Match.state)
            .join(EventMatch, (EventMatch.event_id == EventSeat.event_id) & (EventMatch.number == EventSeat.number))
            .outerjoin(Match, Match.id == EventMatch.match_id)
        ).all()
        entrants = session.scalars(select(Entrant)).all()
    assert every["cup"].state == "over"
    assert every["league"].season >= 2
    assert every["tour"].season == 2
    assert [(seat.event_id, seat.number) for seat, match, state in rows if state == "over" and not match.noted] == []
    waiting = {(seat.event_id, seat.player_id) for seat, match, _ in rows if not match.noted}
    gone = {(one.event_id, one.player_id) for one in entrants if one.state == "out"}
    assert not {two for two in waiting if two[1] in silent}
    assert not waiting & gone
    assert not {one.player_id for one in entrants if one.state in ("in", "next") and one.event_id > 1} & {*silent}
    _check_seats(rows, every)
    for kind in ("cup", "league", "tour"):
        for season in range(1, every[kind].season + 1):
            _check_standings(town, every[kind], season, rows)
    places = sorted(one.place for one in entrants if one.place is not None)
    assert places == list(range(1, len(places) + 1))
    assert sum(match.event_id == every["ladder"].id for _, match, _ in rows) > 20


def _check_seats(rows: Rows, every: dict[str, Event]) -> None:
    """In each part of a season, everybody has had their two seats equally often, or one of them once more."""
    had: dict[tuple[int, int, int, int], Counter[int]] = defaultdict(Counter)
    two_seats = {number for number, game in enumerate(GAMES.values(), start=1) if game.usual_seats == 2}
    for seat, match, _ in rows:
        if match.event_id != every["ladder"].id and (match.event_id != every["tour"].id or match.part in two_seats):
            had[match.event_id, match.season, match.part, seat.player_id][seat.seat] += 1
    assert len(had) > 20
    assert all(abs(seats[0] - seats[1]) <= 1 for seats in had.values())


def _check_standings(town: Town, event: Event, season: int, rows: Rows) -> None:
    """The points on the page agree with a recount."""
    page = event_pages.page(town.site, event.id, None, season)
    assert page is not None
    shares: dict[tuple[int, int], list[EventSeat]] = defaultdict(list)
    parts = {match.number: match.part for _, match, _ in rows if match.event_id == event.id}
    for seat, match, _ in rows:
        if match.event_id == event.id and match.season == page.season and not match.void and seat.share is not None:
            shares[event.id, seat.number].append(seat)
    points: dict[int, Fraction] = defaultdict(Fraction)
    took: set[tuple[int, int]] = set()
    for seats in shares.values():
        for seat in seats:
            points[seat.player_id] += Fraction(seat.share or 0) * len(seats) / 2
            if event.kind == "tour" and not seat.late and (seat.player_id, parts[seat.number]) not in took:
                took.add((seat.player_id, parts[seat.number]))
                points[seat.player_id] += 1
    assert {int(line.name): line.points for line in page.lines if line.points} == {
        player: sum_ for player, sum_ in points.items() if sum_
    }
    for part in page.parts:
        assert [line.points for line in part.lines] == sorted((line.points for line in part.lines), reverse=True)
