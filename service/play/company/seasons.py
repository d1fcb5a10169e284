"""How cups, leagues and tours begin and end, season after season.

A cup begins when enough have joined. A league or tour begins a week after that, and its next season automatically: a
league's a week after the last match ended, a tour's a year after the last one began. Nothing here starts a match:
`event_matches` does, a few at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from service.contests import leagues, tours
from service.contests.draws import Table, draw
from service.games import GAMES
from service.play.company import event_results
from service.play.company.event_results import Part
from service.play.company.wishes import UNRATED
from service.play.company_letters import EventNews
from service.play.notify.announce import owe
from service.play.site import Transaction
from service.play.table import lost_on_time
from service.store.models import Player
from service.store.tables.events import Entrant, Event, EventMatch, EventSeat
from service.store.tables.ratings import PlayerRating

ENOUGH = 4
"""How many entrants begin a cup of matches for two, a tour, and each later season of a league."""

FIRST_SEASON = 6
"""How many begin a league."""

WEEK = timedelta(days=7)
"""How long a season waits for more to join."""

FORTNIGHT = timedelta(days=14)
"""How long after a part of a tour the next one begins."""

YEAR = timedelta(weeks=52)
"""The time from the start of one tour to the next: whole weeks, so that both begin on the same weekday."""

PLAYING = ("in", "next")
"""The states of players in the next season, unless they leave before it begins."""


class EventError(ValueError):
    """What can't be done with an event: one or two sentences for the player, and the part of a Plan they are about."""

    def __init__(self, why: str, field: str = "") -> None:
        super().__init__(why)
        self.field = field


class NoSuchEvent(EventError):
    """There's no such event, or no such player."""


def needed(event: Event) -> int:
    """How many entrants an event needs to begin."""
    if event.kind == "league":
        return FIRST_SEASON if event.season == 1 else ENOUGH
    return ENOUGH if event.seats == 2 else event.seats


def game_of(event: Event, row: EventMatch) -> str:
    """The game of a match."""
    return list(GAMES)[row.part - 1] if event.kind == "tour" else event.game


def dates(event: Event) -> tuple[tuple[int, datetime], ...]:
    """When the next season begins, or each of the parts of a tour that are to come, with its number."""
    if event.begins is None:
        return ()
    last = len(GAMES) if event.kind == "tour" else event.part + 1
    later = enumerate(range(event.part + 1, last + 1))
    return tuple((part, event.begins + after * FORTNIGHT) for after, part in later)


def present(session: Session, event: Event) -> list[int]:
    """Those who are in the season of an event that comes or runs, and still play here."""
    there = select(Entrant.player_id).join(Player, Player.id == Entrant.player_id)
    there = there.where(Entrant.event_id == event.id, Entrant.state.in_(PLAYING), Player.left.is_(None))
    return list(session.scalars(there.order_by(Entrant.player_id)))


def schedule(tx: Transaction, event: Event) -> None:
    """After somebody has joined: begins a cup that is full, and says when a league or tour begins."""
    tx.session.flush()
    if event.state != "open" or len(present(tx.session, event)) < needed(event):
        return
    if event.kind == "cup":
        begin(tx, event)
    elif event.begins is None:
        event.begins = tx.now + WEEK


def begin(tx: Transaction, event: Event) -> None:
    """Begins a season, or the next part of a tour, by drawing its matches. With too few entrants it waits."""
    entrants = present(tx.session, event)
    event.begins = None
    if event.state == "open":
        entrants = _admitted(tx, event, entrants)
        if len(entrants) < needed(event):
            return
        event.state, event.began, event.part = "running", tx.now, 0
    _BEGIN[event.kind](tx, event, entrants)


def _admitted(tx: Transaction, event: Event, entrants: Sequence[int]) -> list[int]:
    """The entrants who still may enter: a season later, some must first make up for losses on time."""
    if event.season == 1:
        return list(entrants)
    missing = {player_id: lost_on_time.owed(tx.session, player_id, tx.now) for player_id in entrants}
    for player_id, matches in missing.items():
        if matches > 0:
            tx.session.get_one(Entrant, (event.id, player_id)).state = "out"
            news = EventNews(event=event.id, name=event.name, what="barred", season=event.season, of=matches)
            tell(tx, event, "barred", player_id, news)
    return [player_id for player_id in entrants if missing[player_id] <= 0]


def _begin_cup(tx: Transaction, event: Event, entrants: Sequence[int]) -> None:
    event.part = 1
    add(tx, event, _everybody(event, entrants, event.id))
    for player_id in entrants:
        tell(tx, event, "begins", player_id, EventNews(event=event.id, name=event.name, what="begins"))


def _begin_league(tx: Transaction, event: Event, entrants: Sequence[int]) -> None:
    """Draws a season in divisions, newcomers in the lowest, the stronger first where there are several."""
    last = event_results.season(tx.session, event, event.season - 1)
    before = [[line.name for line in part.lines] for part in last]
    known = {name for names in before for name in names}
    newcomers = _by_rating(tx.session, event.game, [one for one in entrants if str(one) not in known])
    divisions = leagues.divisions(before, {str(one) for one in entrants}, newcomers)
    for division in divisions:
        event.part += 1
        add(tx, event, _everybody(event, map(int, division), event.id + event.season + event.part))
        for name in division:
            tx.session.get_one(Entrant, (event.id, int(name))).state = "in"
            begun = EventNews(event=event.id, name=event.name, what="begins", season=event.season, part=event.part)
            tell(tx, event, "begins", int(name), begun)


def _begin_part(tx: Transaction, event: Event, entrants: Sequence[int]) -> None:
    """Draws the next game of a tour. With fewer than two left the tour ends here."""
    assert event.began is not None, "A tour that runs has begun."
    if len(entrants) < 2:
        close(tx, event)
        return
    event.part += 1
    event.game = list(GAMES)[event.part - 1]
    if event.part < len(GAMES):
        due = event.began + event.part * FORTNIGHT
        missed = max(0, -((due - tx.now - WEEK) // FORTNIGHT))  # By an outage of weeks.
        event.begins = due + missed * FORTNIGHT
    seats, names = GAMES[event.game].usual_seats, [str(one) for one in entrants]
    add(tx, event, tours.ring(names, seats, event.part, event.id + event.season))
    title = GAMES[event.game].title
    news = EventNews(event=event.id, name=event.name, what="part", part=event.part, of=len(GAMES), game=title)
    for player_id in entrants:
        tell(tx, event, f"part:{event.part}", player_id, news)


_BEGIN: dict[str, Callable[[Transaction, Event, Sequence[int]], None]] = {
    "cup": _begin_cup,
    "league": _begin_league,
    "tour": _begin_part,
}


def _everybody(event: Event, entrants: Iterable[int], seed: int) -> list[Table]:
    """At two seats everybody plays everybody; at larger tables everybody has each seat once."""
    rounds = None if event.seats == 2 else event.seats
    drawn = draw([str(player_id) for player_id in entrants], rounds, event.seats, seed)
    return [table for tables in drawn for table in tables]


def add(tx: Transaction, event: Event, drawn: Iterable[Sequence[str]]) -> int:
    """Adds matches to the part of the event that is being drawn, each with its players in the order of their seats.

    Returns the number of the last one.
    """
    tx.session.flush()
    number = last = tx.session.scalar(select(func.max(EventMatch.number)).where(EventMatch.event_id == event.id)) or 0
    for number, players in enumerate(drawn, start=last + 1):
        row = {"season": event.season, "part": event.part, "drawn": tx.now, "void": False, "noted": False}
        tx.session.add(EventMatch(event_id=event.id, number=number, **row))
        for seat, name in enumerate(players):
            tx.session.add(
                EventSeat(event_id=event.id, number=number, seat=seat, player_id=int(name), share=None, late=False)
            )
    tx.session.flush()
    return number


def _by_rating(session: Session, game: str, players: Sequence[int]) -> list[str]:
    """The players, the highest rating first."""
    rated = select(PlayerRating).where(PlayerRating.game == game, PlayerRating.player_id.in_(players))
    ratings = {row.player_id: row.rating for row in session.scalars(rated)}
    return [str(one) for one in sorted(players, key=lambda one: (-ratings.get(one, UNRATED), one))]


def close(tx: Transaction, event: Event) -> None:
    """Ends the season of an event of which every match is noted and no part is to come, and tells those who played."""
    tx.session.flush()
    left = select(EventMatch.number).where(EventMatch.event_id == event.id, EventMatch.noted.is_(False)).limit(1)
    if event.state != "running" or event.kind == "ladder" or event.begins is not None:
        return
    if tx.session.scalars(left).first() is not None:
        return
    season, parts = event.season, event_results.season(tx.session, event, event.season)
    if event.kind == "cup":
        event.state, event.over = "over", tx.now
    else:
        _open_next(tx, event)
    _tell_places(tx, event, season, parts)


def _open_next(tx: Transaction, event: Event) -> None:
    """Opens the next season, with those in it who are in the league; for a tour everybody joins again."""
    begins = tx.now + WEEK
    if event.kind == "tour" and event.began is not None:
        begins = max(begins, event.began + YEAR)
        tx.session.execute(delete(Entrant).where(Entrant.event_id == event.id))
    event.over = tx.now
    event.state, event.season, event.part, event.begins = "open", event.season + 1, 0, begins


def _tell_places(tx: Transaction, event: Event, season: int, parts: Sequence[Part]) -> None:
    """Tells everybody who played a season their place, and what follows from it."""
    staying = {str(player_id) for player_id in present(tx.session, event)}
    sorted_ = leagues.sort([[line.name for line in part.lines] for part in parts], staying)
    moves = {name: one.move(name) for one in sorted_ for names in one for name in names}
    for part in parts:
        winners = [int(line.name) for line in part.lines if line.place == 1]
        best = tx.session.scalars(select(Player.name).where(Player.id.in_(winners)).order_by(Player.id)).all()
        for line in part.lines:
            owed = lost_on_time.owed(tx.session, int(line.name), tx.now) if line.name in moves else 0
            news = EventNews(
                event=event.id, name=event.name, what="over", of_kind=event.kind, season=season,
                place=line.place, best=tuple(best), part=part.number if len(parts) > 1 else 0,
                of=max(owed, 0), move=moves.get(line.name, ""), begins=event.begins,
            )  # fmt: skip
            tell(tx, event, f"over:{season}", int(line.name), news)


def tell(tx: Transaction, event: Event, what: str, player_id: int, news: EventNews) -> None:
    """Owes a player who wants email a letter about the event, once for each `what`."""
    player = tx.session.get_one(Player, player_id)
    if player.email is not None and player.post != "off":
        owe(tx, f"event:{event.id}:{event.season}:{what}:{player_id}", player_id, news)
