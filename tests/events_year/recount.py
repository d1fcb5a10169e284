"""What must be true after a year of events, recounted from the matches themselves.

The recount doesn't use the results stored for events: shares come from the match, timeouts from its log.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from itertools import groupby
from random import Random
from time import process_time

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.contests.advantages import Advantage
from service.contests.ledger import Account
from service.contests.ratings import SETTLED, expected
from service.games import GAMES
from service.play.company import event_pages
from service.play.ratings import rate, recompute
from service.store.entries import timed_out
from service.store.models import Match
from service.store.tables.events import Entrant, Event, EventMatch, EventSeat
from service.store.tables.ratings import PlayerRating, RatedSeat
from tests.events_year import life
from tests.events_year.life import Year, days_off
from tests.play.conftest import Town


@dataclass(frozen=True)
class Table:
    """A match of an event, from the match itself: each player's share, and who lost on time."""

    part: int
    shares: dict[int, Fraction]
    late: frozenset[int]


@dataclass(frozen=True)
class Figures:
    """The results, one line per check."""

    lines: tuple[str, ...]


def live(
    town: Town, people: int, weeks: int, seed: int, games: tuple[str, ...], tell: Callable[[str], object] | None = None
) -> Figures:
    """Simulates some weeks and checks them. One person in twenty vanishes; `tell` gets the progress."""
    begun = process_time()
    town.now = town.now.replace(month=1, day=4)
    year = life.begin(town, Random(seed), people, weeks, silent=-(-people // 20), games=games)
    for week in range(weeks):
        life.live_a_week(year)
        if tell and week % 4 == 3:
            tell(f"week {week + 1}: {process_time() - begun:.0f} s, {year.orders} orders")
    life.close(year)
    return check(year, process_time() - begun)


def check(year: Year, spent: float) -> Figures:
    """Asserts what must be true, and returns the figures."""
    town = year.town
    with town.store.reading() as session:
        every = session.scalars(select(Event).order_by(Event.id)).all()
        lines = [*_ended(session, every), *_places(session)]
        seasons = {event.id: _seasons(session, event) for event in every if event.kind != "ladder"}
        lines += [_seats(session, every), _lengths(session)]
    lines.append(_standings(year, every, seasons))
    assert year.waited_for_the_gone == 0
    gone = sum(one.vanishes is not None for one in year.people)
    lines.append(f"{len(year.people)} people, {gone} vanished; no match waited for a player who was out of its event")
    lines.append(f"{year.outages} outages, {days_off(town)} days of vacation, {year.orders} orders")
    lines.append(_ratings(year))
    return Figures((*lines, f"{spent:.0f} s of CPU time to simulate it"))


def _ended(session: Session, every: Sequence[Event]) -> Iterator[str]:
    """Checks that every event is over, waits for its next season, or is a ladder without running matches."""
    running = session.scalar(select(func.count()).select_from(Match).where(Match.state == "running"))
    unnoted = session.scalar(select(func.count()).select_from(EventMatch).where(EventMatch.noted.is_(False)))
    assert (running, unnoted) == (0, 0)
    for kind in ("cup", "league", "ladder", "tour"):
        those = [event for event in every if event.kind == kind]
        matches = select(func.count()).where(EventMatch.event_id.in_([event.id for event in those]))
        void = session.scalar(matches.where(EventMatch.void))
        states = Counter(event.state for event in those)
        assert kind == "ladder" or states["running"] == 0
        ended = sum(event.season - (event.state == "open") for event in those) if kind != "ladder" else len(those)
        yield f"{kind}: {len(those)} events, {ended} seasons, {session.scalar(matches)} matches, {void} void"


def _places(session: Session) -> Iterator[str]:
    """Checks that the places of each ladder are 1, 2, 3 and so on."""
    placed = select(Entrant.event_id, Entrant.place).where(Entrant.place.is_not(None)).order_by(Entrant.event_id)
    sizes = []
    for _, rows in groupby(session.execute(placed).all(), lambda row: row[0]):
        places = sorted(place or 0 for _, place in rows)
        assert places == [*range(1, len(places) + 1)]
        sizes.append(len(places))
    yield f"ladders have {min(sizes)} to {max(sizes)} people in the end, each with a different place"


def _seasons(session: Session, event: Event) -> dict[int, list[Table]]:
    """By season, the matches of an event that count."""
    its = (EventSeat.event_id == EventMatch.event_id) & (EventSeat.number == EventMatch.number)
    rows = select(EventMatch, EventSeat.seat, EventSeat.player_id).join(EventSeat, its)
    rows = rows.where(EventMatch.event_id == event.id, EventMatch.void.is_(False)).order_by(EventMatch.number)
    found = defaultdict(list)
    for row, seats in groupby(session.execute(rows).all(), lambda row: row[0]):
        match = session.get_one(Match, row.match_id)
        late = timed_out(session, match)
        held = [(seat, player) for _, seat, player in seats]
        shares = {player: Fraction(match.seats[seat].score or 0) for seat, player in held}
        own = frozenset(player for seat, player in held if seat in late and match.seats[seat].player_id == player)
        found[row.season].append(Table(row.part, shares, own))
    return found


def _seats(session: Session, every: Sequence[Event]) -> str:
    """Checks how evenly each player got the seats, in each part of a season in which all tables have the same size."""
    kinds = {event.id: event for event in every}
    rows = session.execute(select(EventSeat, EventMatch).join(EventMatch, _ITS)).all()
    had: dict[tuple[int, int, int, int], Counter[int]] = defaultdict(Counter)
    sizes: dict[tuple[int, int, int], set[int]] = defaultdict(set)
    tables = Counter((seat.event_id, seat.number) for seat, _ in rows)
    for seat, match in rows:
        its = (seat.event_id, match.season, match.part)
        had[(*its, seat.player_id)][seat.seat] += 1
        sizes[its].add(tables[seat.event_id, seat.number])
    uneven: dict[bool, int] = {True: 0, False: 0}
    parts = 0
    for (*part, _), seats in had.items():
        if len(size := sizes[part[0], part[1], part[2]]) == 1:
            ladder = kinds[part[0]].kind == "ladder"
            times = [seats[number] for number in range(*size)]
            uneven[ladder] = max(uneven[ladder], max(times) - min(times))
            parts += 1
    assert uneven[False] <= 1
    return (
        f"seats are balanced within {uneven[False]} in {parts} schedules of a player; on ladders within {uneven[True]}"
    )


_ITS = (EventMatch.event_id == EventSeat.event_id) & (EventMatch.number == EventSeat.number)


def _lengths(session: Session) -> str:
    """The days from the draw of a season, or of a part of a tour, to the end of its last match."""
    ends = select(func.min(EventMatch.drawn), func.max(Match.moved)).join(Match, Match.id == EventMatch.match_id)
    ends = ends.join(Event, Event.id == EventMatch.event_id).where(Event.kind != "ladder")
    tour = (Event.kind == "tour", EventMatch.part)
    groups = [EventMatch.event_id, EventMatch.season, *tour[1:]]
    days = sorted((last - first) / timedelta(days=1) for first, last in session.execute(ends.group_by(*groups)))
    return f"a season, or a part of a tour, took {days[len(days) // 2]:.0f} days in the median, {days[-1]:.0f} at most"


def _standings(year: Year, every: Sequence[Event], seasons: dict[int, dict[int, list[Table]]]) -> str:
    """Checks the standings of every page against a recount: points, Sonneborn-Berger scores and order."""
    lines = 0
    for event in every:
        for season in range(1, event.season + 1) if event.kind != "ladder" else ():
            page = event_pages.page(year.town.site, event.id, None, season)
            assert page is not None
            if page.season != season:
                continue
            for part in page.parts:
                tables = [one for one in seasons[event.id][season] if event.kind != "league" or one.part == part.number]
                points, beaten = _count(tables, event.kind == "tour")
                shown = {int(line.name): (line.points, line.sonneborn_berger) for line in part.lines if line.matches}
                assert shown == {player: (points[player], beaten[player]) for player in points}, event.name
                order = [(-line.points, -line.sonneborn_berger) for line in part.lines]
                assert order == sorted(order)
                lines += len(shown)
    return f"standings equal a recount from the matches in all {lines} lines"


def _count(tables: Sequence[Table], tour: bool) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """Each player's points and Sonneborn-Berger score."""
    points: dict[int, Fraction] = {}
    parts: dict[int, set[int]] = defaultdict(set)
    for table in tables:
        for player, share in table.shares.items():
            points[player] = points.get(player, Fraction(0)) + share * len(table.shares) / 2
            if player not in table.late:
                parts[player].add(table.part)
    if tour:
        points = {player: sum_ + len(parts[player]) for player, sum_ in points.items()}
    beaten = dict.fromkeys(points, Fraction(0))
    for table in tables:
        for player, share in table.shares.items():
            beaten[player] += share * sum(points[other] for other in table.shares if other != player)
    return points, beaten


def _ratings(year: Year) -> str:
    """Checks that the ratings equal those recomputed from all matches, and compares forecasts with results."""
    with year.town.store.reading() as session:
        before = _rated(session)
        bins = _forecasts(session)
    matches = recompute.again(year.town.site)
    with year.town.store.reading() as session:
        after = _rated(session)
    assert before.keys() == after.keys()
    apart = max((abs(before[key] - after[key]) for key in before), default=0)
    assert apart < 1e-6
    worst = max((abs(won - told) / count for count, told, won in bins if count >= ENOUGH), default=0)
    shown = ", ".join(f"{told / count:.2f} {won / count:.2f}" for count, told, won in bins if count)
    return (
        f"{matches} rated matches; recomputed ratings differ by {apart:.0e} points at most; forecasts of settled "
        f"players (expected, won): {shown}; at most {100 * worst:.1f} points apart"
    )


ENOUGH = 200
"""The fewest forecasts of about the same share that are judged."""


def _rated(session: Session) -> dict[tuple[int, str], float]:
    return {(row.player_id, row.game): row.rating for row in session.scalars(select(PlayerRating)) if row.matches}


def _forecasts(session: Session) -> list[tuple[int, float, float]]:
    """By tenths of the expected share: the number of forecasts, the sum expected and the sum won."""
    rows = session.execute(
        select(RatedSeat, Match.options).join(Match).order_by(RatedSeat.ended, RatedSeat.match_id, RatedSeat.seat)
    ).all()
    accounts: dict[str, dict[str, Account]] = {game: {} for game in GAMES}
    advantages: dict[tuple[str, str], list[Advantage]] = {}
    bins = [[0, 0.0, 0.0] for _ in range(10)]
    for _, group in groupby(rows, lambda row: row[0].match_id):
        match = list(group)
        seats, known = [row for row, _ in match], accounts[match[0][0].game]
        key = (seats[0].game, rate.setting(len(seats), match[0][1]))
        worth = advantages.setdefault(key, [Advantage()] * len(seats))
        sides = [(known.get(str(row.player_id), Account()).rating, worth[row.seat].points) for row in seats]
        for row, (rating, edge) in zip(seats, sides, strict=True):
            others = [(one.rating + more, one.deviation) for one, more in sides if one is not rating]
            if all(one.deviation <= SETTLED for one, _ in sides) and row.absence is None:
                told = expected(rating.rating + edge, others)
                count = bins[min(9, int(10 * told))]
                count[0] += 1
                count[1] += told
                count[2] += float(Fraction(row.share))
        changed, advantages[key] = rate.judged(seats, known, worth)
        known |= changed
    return [(int(count), told, won) for count, told, won in bins]
