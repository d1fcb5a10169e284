"""People who play in events for a simulated year: real code, a real database, a hand-set clock.

They join leagues, ladders, cups and a tour, submit moves and resignations, challenge each other, go on vacation, leave
with notice, or vanish without. Now and then the site is down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from math import exp
from random import Random

from sqlalchemy import func, select

from service.games import GAMES
from service.mail.grammar.orders import parse
from service.play.accounts import display_names, identity
from service.play.company import event_matches, events, ladders
from service.play.company.events import EventError, Plan
from service.play.match import substitutes
from service.play.match.invitations import LobbyError
from service.play.operations.sweep import sweep
from service.play.orders.submit import Incoming, submit
from service.play.site import Transaction
from service.play.table import replay
from service.store.models import Match, Player, Seat, TimeOff
from service.store.tables.events import TO_START, Entrant, Event, EventMatch
from service.store.tables.pulse import Pulse
from tests.play.conftest import Town

STEP = timedelta(hours=12)
STEPS_A_WEEK = timedelta(weeks=1) // STEP
SCALE = 173.7
EDGE = 40
"""The advantage of the first seat, in rating points."""

CLOCKS = ("5d/move", "7d/move, weekends off", "fischer 7d+2d cap 10d")
HABITS = (0.9, 0.7, 0.5, 0.3)
"""Probabilities that a person moves within half a day."""


@dataclass
class Person:
    """A player, equally strong at every game (in rating points). `away` is a vacation; `vanishes` has no end."""

    id: int
    strength: float
    habit: float
    vanishes: datetime | None
    away: tuple[datetime, datetime]

    def plays(self, now: datetime) -> bool:
        """Whether they look at their matches at this time."""
        return not (self.vanishes and now >= self.vanishes) and not self.away[0] <= now < self.away[1]


@dataclass
class Year:
    """The state of the simulation, and its counters."""

    town: Town
    chance: Random
    people: list[Person]
    games: tuple[str, ...]
    winners: dict[int, int] = field(default_factory=dict)
    """By match id, the seat that is going to win; -1 for a draw."""
    leagues: dict[str, int] = field(default_factory=dict)
    ladders: dict[str, int] = field(default_factory=dict)
    cups: list[int] = field(default_factory=list)
    tour: int = 0
    outages: int = 0
    orders: int = 0
    waited_for_the_gone: int = 0
    closing: bool = False
    """Whether people no longer join or challenge."""

    @property
    def by_id(self) -> dict[int, Person]:
        return {one.id: one for one in self.people}

    def some(self, most: int) -> list[Person]:
        """Up to `most` random people, without those who are away or have vanished."""
        there = [one for one in self.people if one.plays(self.town.now)]
        return self.chance.sample(there, min(most, len(there)))


def begin(town: Town, chance: Random, people: int, weeks: int, silent: int, games: Sequence[str]) -> Year:
    """Founds the leagues, the ladders and the tour, and has each person join some."""
    gone = set(chance.sample(range(people), silent))
    year = Year(town, chance, [_person(town, chance, n, weeks, n in gone) for n in range(people)], tuple(games))
    for number, game in enumerate(games):
        founder, clock = year.people[number % people].id, CLOCKS[number % len(CLOCKS)]
        seats = min(3, GAMES[game].usual_seats)
        year.leagues[game] = events.found(town.site, founder, Plan(f"{game} league", game, clock, seats, kind="league"))
        year.ladders[game] = events.found(town.site, founder, Plan("", game, clock, kind="ladder"))
    year.tour = events.found(town.site, year.people[-1].id, Plan("Grand tour", "go", "5d/move", kind="tour"))
    for number, one in enumerate(year.people):
        _try(events.join, town, year.leagues[games[number % len(games)]], one.id)
        _try(events.join, town, year.ladders[games[(number * 5 + 1) % len(games)]], one.id)
        if number % 3 == 0:
            _try(events.join, town, year.tour, one.id)
    return year


def _person(town: Town, chance: Random, number: int, weeks: int, silent: bool) -> Person:
    with town.store.writing() as session:
        row = identity.by_email(session, f"p{number}@example.org", town.now)
        row.post, row.confirmed, row.vacation = "off", town.now, number % 2 == 0
        display_names.take(session, row, f"Person {number}")
        player_id = row.id
    day = timedelta(days=1)
    vanishes = town.now + chance.randrange(7, 7 + 5 * weeks) * day if silent else None
    leaves = town.now + chance.randrange(7 * weeks) * day
    away = (leaves, leaves + chance.randrange(3, 22) * day)
    return Person(player_id, chance.gauss(0, 200), chance.choice(HABITS), vanishes, away)


def live_a_week(year: Year) -> None:
    """One person founds a cup, some challenge, some leave and join events; and all play."""
    if not year.closing:
        _found_a_cup(year)
        _challenge(year)
        _come_and_go(year)
    for _ in range(STEPS_A_WEEK):
        live_a_step(year)


def live_a_step(year: Year) -> None:
    """People move if it's their turn, as often as is their habit; then half a day passes, sometimes with an outage."""
    town = year.town
    for match_id, seat, player_id in _awaited(town):
        one = year.by_id.get(player_id)
        if one and one.plays(town.now) and year.chance.random() < one.habit:
            _order(year, match_id, seat, player_id)
            town.work()
    _substitutes(year)
    town.now += STEP
    if year.chance.random() < 0.01:
        year.outages += 1
        town.now += timedelta(hours=year.chance.randrange(1, 30))
    else:
        with town.store.writing() as session:
            session.merge(Pulse(id=1, at=town.now))
    sweep(town.site)
    town.work()
    while _to_start(town):  # The sweep comes every 15 seconds, and starts a few each time.
        event_matches.look_after(town.site)
        town.queue.clear()
    year.waited_for_the_gone += _waiting_for_the_gone(town)


def _awaited(town: Town) -> list[tuple[int, int, int]]:
    rows = select(Seat.match_id, Seat.number, Seat.player_id).join(Match).where(Seat.to_move, Match.state == "running")
    with town.store.reading() as session:
        found = session.execute(rows.order_by(Seat.match_id, Seat.number))
        return [(match, seat, player or 0) for match, seat, player in found]


def _to_start(town: Town) -> bool:
    with town.store.reading() as session:
        return session.scalars(select(EventMatch.number).where(TO_START).limit(1)).first() is not None


def _waiting_for_the_gone(town: Town) -> int:
    """How many running matches of events wait for a player who is out of the event."""
    out = select(func.count()).select_from(EventMatch).join(Seat, Seat.match_id == EventMatch.match_id)
    out = out.join(Match, Match.id == EventMatch.match_id).where(EventMatch.noted.is_(False), Match.state == "running")
    gone = (Entrant.event_id == EventMatch.event_id) & (Entrant.player_id == Seat.player_id) & (Entrant.state == "out")
    with town.store.reading() as session:
        return session.scalar(out.join(Entrant, gone).where(Seat.to_move)) or 0


def _order(year: Year, match_id: int, seat: int, player_id: int) -> None:
    """Moves, twice per seat; then the losers resign, or one player offers a draw and the other accepts."""
    with year.town.store.reading() as session:
        match = session.get_one(Match, match_id)
        seats = [(one.number, one.player_id or 0) for one in match.seats]
        position = replay.position(session, match)
        moves = [move for move in islice(position.moves(seat), 30) if move != "pass"]
        enough = match.ply >= 2 * len(seats)
    if not moves:
        return  # The match has just ended, or no longer waits for them.
    winner = year.winners.setdefault(match_id, _winner(year, seats))
    said = "resign" if enough and seat != winner else "accept" if "accept" in moves else year.chance.choice(moves)
    if enough and winner == -1:
        _say(year, match_id, seat, player_id, "draw")
        seat, player_id = next(other for other in seats if other[0] != seat)
        said = "accept draw"
    _say(year, match_id, seat, player_id, said)


def _winner(year: Year, seats: Sequence[tuple[int, int]]) -> int:
    if len(seats) == 2 and year.chance.random() < 0.05:
        return -1
    weights = [exp((year.by_id[player].strength + EDGE * (number == 0)) / SCALE) for number, player in seats]
    return year.chance.choices([number for number, _ in seats], weights)[0]


def _say(year: Year, match_id: int, seat: int, player_id: int, text: str) -> None:
    year.orders += 1
    key = f"web:{year.orders}"
    submit(year.town.site, Incoming(key, match_id, seat, player_id, None, parse(text), "web"))


def _found_a_cup(year: Year) -> None:
    founder, *others = (one.id for one in year.some(9))
    game = year.chance.choice(year.games)
    seats = year.chance.randint(GAMES[game].min_seats, min(4, GAMES[game].max_seats))
    plan = Plan(f"Cup of week {len(year.cups)}", game, "5d/move", seats)
    try:
        cup = events.found(year.town.site, founder, plan)
    except EventError:
        return
    year.cups.append(cup)
    for player_id in (founder, *others):
        _try(events.join, year.town, cup, player_id)


def _challenge(year: Year) -> None:
    for ladder in year.ladders.values():
        for one in year.some(len(year.people) // 10):
            with year.town.store.reading() as session:
                event = session.get_one(Event, ladder)
                open_to = ladders.rungs(session, event, year.town.now).open_to(one.id)
            if open_to:
                _try(ladders.challenge, year.town, ladder, one.id, year.chance.choice(open_to))


def _come_and_go(year: Year) -> None:
    """Each week one person in fifty leaves an event with notice, and one in twenty joins one."""
    every = [*year.leagues.values(), *year.ladders.values(), year.tour]
    for one in year.some(len(year.people) // 50 or 1):
        with year.town.store.reading() as session:
            own = session.scalars(select(Entrant.event_id).where(Entrant.player_id == one.id)).all()
        if own:
            _try(events.withdraw, year.town, year.chance.choice(own), one.id)
    for one in year.some(len(year.people) // 20 or 1):
        _try(events.join, year.town, year.chance.choice(every), one.id)


def _substitutes(year: Year) -> None:
    """Sometimes fills a seat that is open to substitutes."""
    offered = select(Seat.match_id).join(Match).where(Seat.sought.is_not(None), Match.state == "running")
    with year.town.store.reading() as session:
        free = session.scalars(offered.order_by(Seat.match_id)).all()
    for match_id in free:
        if year.chance.random() < 0.3:
            for one in year.some(1):
                _try(substitutes.join, year.town, match_id, one.id)


def _try(use_case: Callable[..., object], town: Town, *given: int) -> None:
    try:
        use_case(town.site, *given)
    except (EventError, LobbyError):
        return


def close(year: Year) -> None:
    """Stops joins and challenges, has all leave the coming seasons, and plays whatever runs to its end."""
    year.closing = True
    with year.town.site.transaction() as tx:
        _cancel_next(tx)
    for _ in range(30):
        if not _going_on(year.town):
            return
        live_a_week(year)
        with year.town.site.transaction() as tx:
            _cancel_next(tx)


def _going_on(town: Town) -> bool:
    """Whether a match or a season is running."""
    events_ = select(Event.id).where(Event.kind != "ladder", Event.state == "running")
    with town.store.reading() as session:
        running = (select(Match.id).where(Match.state == "running"), events_)
        return any(session.scalars(one.limit(1)).first() is not None for one in running)


def _cancel_next(tx: Transaction) -> None:
    """Has all entrants leave the leagues and tours that are waiting for their next season."""
    coming = select(Entrant.event_id, Entrant.player_id).join(Event, Event.id == Entrant.event_id)
    coming = coming.where(Event.state == "open", Event.season > 1, Entrant.state.in_(("in", "next")))
    for event_id, player_id in tx.session.execute(coming).all():
        events.withdraw(tx, event_id, player_id)


def days_off(town: Town) -> int:
    """How many vacation days were taken."""
    with town.store.reading() as session:
        return session.scalar(select(func.count()).where(TimeOff.player_id.is_not(None))) or 0


def players(town: Town) -> dict[int, str]:
    """All players' names, by id."""
    with town.store.reading() as session:
        return {number: name for number, name in session.execute(select(Player.id, Player.name))}  # noqa: C416
